// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace softdoca {

/// What the environment asks of a Context, read when it is created. A value that cannot be
/// understood is warned of once and passed over.
struct ModelSettings {
    static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

    bool may_dangle = false;              ///< SOFTDOCA_MODEL_ORDER
    std::uint64_t max_mem_len = kNoLimit; ///< SOFTDOCA_MODEL_MAX_MEM: bytes registered at a time
    std::uint32_t max_num_bufs = 1024;    ///< SOFTDOCA_MODEL_MAX_BUF: Buffers at a time
    std::string pcap_path;                ///< SOFTDOCA_MODEL_PCAP; empty: none
};

/// Throws std::bad_alloc.
ModelSettings read_model_settings();

/// The value of a variable, nullptr if it is unset or empty.
const char *model_variable(const char *name) noexcept;

} // namespace softdoca
