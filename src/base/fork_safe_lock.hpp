// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process.hpp"

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace softdoca {

/// A lock for cold calls that a forked child can always take: one that was held by a thread of the
/// parent at the fork has no holder in the child, which sees that and takes it over. Ready before
/// any constructor runs.
class ForkSafeLock {
public:
    constexpr ForkSafeLock() noexcept = default;

    void lock() noexcept
    {
        const std::uint32_t mine = fork_depth + 1;
        for (int round = 0;; ++round) {
            std::uint32_t holder = holder_.load(std::memory_order_relaxed);
            if (holder != mine && // free, or held by a thread that this process does not have
                holder_.compare_exchange_weak(holder, mine, std::memory_order_acquire))
                return;
            wait(round);
        }
    }
    void unlock() noexcept { holder_.store(0, std::memory_order_release); } // pairs with lock()

private:
    static void wait(int round) noexcept
    {
        if (round < 32) {
            sched_yield();
            return;
        }
        const timespec a_while{0, 50'000};
        nanosleep(&a_while, nullptr);
    }

    std::atomic<std::uint32_t> holder_{0}; // 0, or the fork depth of the holder's process plus 1
};

} // namespace softdoca
