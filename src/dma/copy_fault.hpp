// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/buf.hpp"
#include "fabric/topology.hpp"

#include <cstdint>

namespace softdoca {

struct RemoteFault;

/// Why a copy cannot succeed. Found before a byte is moved.
enum class CopyFault : std::uint8_t {
    none,
    no_source,
    no_destination,
    buffer_returned, ///< to its inventory
    source_empty,
    source_too_long,      ///< above max_buf_size
    source_list_too_long, ///< above max_buf_list_len
    destination_list_too_long,
    data_outside, ///< data section not inside the buffer
    no_room,      ///< in the destination
    mmap_stopped,
    device_not_in_mmap,
    destination_read_only,
};

/// The amount and shape of a copy, and what is wrong with it, for log lines.
struct CopyReport {
    CopyFault fault = CopyFault::none;
    std::uint64_t num_bytes = 0;    ///< in the source's data sections, as far as looked at
    std::uint64_t room = 0;         ///< in the destination's tailrooms
    const doca_buf *list = nullptr; ///< head of the list in question
    const doca_buf *buf = nullptr;  ///< the element of it in question
    bool has_mapped = false;        ///< an element is memory of another process that is mapped here
    bool has_far = false;           ///< one is memory of another process that is not
};

/// What is wrong with a copy and what to do about it, in one line.
class FaultText {
public:
    [[gnu::format(printf, 2, 3)]] void say(const char *format, ...) noexcept;
    char *room() noexcept { return text_; }
    static constexpr std::size_t kSize = 240;
    const char *text() const noexcept { return text_; }

private:
    char text_[kSize] = "";
};

FaultText describe(const CopyReport &report, const DmaLimits &limits) noexcept;
FaultText describe(const RemoteFault &fault) noexcept;

} // namespace softdoca
