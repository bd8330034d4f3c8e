// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <sched.h>
#include <sys/single_threaded.h>

#include <atomic>

namespace softdoca {

/// Guards a few instructions. Uncontended it costs one exchange and one store, and a plain store in
/// a process that has only one thread. A waiter yields, for on a machine with fewer CPUs than busy
/// threads the holder may have been preempted. Hot functions call try_lock() and leave the waiting
/// to a function of its own, so that they need no stack frame.
class SpinLock {
public:
    bool try_lock() noexcept
    {
        return __libc_single_threaded ||
               !is_taken_.exchange(true, std::memory_order_acquire); // pairs with unlock()
    }
    void lock() noexcept
    {
        while (!try_lock())
            sched_yield();
    }
    /// Harmless if a thread was made since a lock() that did not need to take it.
    void unlock() noexcept { is_taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> is_taken_{false};
};

} // namespace softdoca
