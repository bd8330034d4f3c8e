// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <sched.h>

#include <atomic>

namespace softdoca {

/// Guards a few instructions. Uncontended it costs one exchange and one store; a waiter yields, for
/// on a machine with fewer CPUs than busy threads the holder may have been preempted.
class SpinLock {
public:
    void lock() noexcept
    {
        while (taken_.exchange(true, std::memory_order_acquire)) // pairs with the store in unlock()
            sched_yield();
    }
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> taken_{false};
};

} // namespace softdoca
