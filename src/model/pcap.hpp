// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/unique_fd.hpp"

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

namespace softdoca {

/// A capture file (pcap, Ethernet, microseconds) to which frames are appended. A file that cannot
/// be written is warned of once, and then nothing happens. Threads: any may append; a frame is one
/// write.
class PcapFile {
public:
    /// An empty path: no file. Throws std::bad_alloc.
    explicit PcapFile(const std::string &path);
    ~PcapFile();
    PcapFile(const PcapFile &) = delete;
    PcapFile &operator=(const PcapFile &) = delete;

    bool is_wanted() const noexcept { return is_wanted_.load(std::memory_order_relaxed); }
    void append(std::span<const std::byte> frame) noexcept;

private:
    void give_up(const char *why) noexcept;

    const std::string path_;
    UniqueFd fd_;
    std::atomic<bool> is_wanted_{false}; // relaxed: a frame more or less after a failure
};

} // namespace softdoca
