// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <cstdint>
#include <span>

namespace softdoca {

/// A limit or capability of a function that a topology file may set: its name there, what it may
/// be, and where it is kept.
struct LimitKey {
    const char *table; ///< "dma", "comch", ...
    const char *name;
    std::uint64_t min;
    std::uint64_t max;
    bool is_flag; ///< true or false in the file, 1 or 0 here
    std::uint64_t (*get)(const Function &function) noexcept;
    void (*set)(Function &function, std::uint64_t value) noexcept;
};

/// All of them; those of one table stand together.
[[gnu::visibility("default")]] std::span<const LimitKey> limit_keys() noexcept;

/// Takes away what only a card can do.
[[gnu::visibility("default")]] void make_plain(Function &function) noexcept;

} // namespace softdoca
