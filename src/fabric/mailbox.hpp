// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace softdoca {

/// How other threads of this process (the agent, other engines) signal a target of an engine: they
/// change what belongs to it under its own rules, then post its token. Threads: any may post, the
/// engine's takes.
class __attribute__((visibility("default"))) Mailbox {
public:
    void post(std::uint64_t token);

    bool has_mail() const noexcept { return has_mail_.load(std::memory_order_relaxed); }
    /// Adds the tokens that were posted to an empty vector.
    void take(std::vector<std::uint64_t> &tokens) noexcept;

    /// From now on the next post wakes that eventfd.
    void arm(int event) noexcept { event_.store(event); }
    void disarm() noexcept { event_.store(-1, std::memory_order_relaxed); }
    /// The engine ends: posts are dropped from now on.
    void close() noexcept;

private:
    ForkSafeLock lock_;
    std::vector<std::uint64_t> tokens_;
    bool is_closed_ = false;
    std::atomic<bool> has_mail_{false};
    std::atomic<int> event_{-1};
};

} // namespace softdoca
