// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <sched.h>
#include <sys/single_threaded.h>

#include <atomic>

namespace softdoca {

/// Guards a few instructions. Uncontended it costs one exchange and one store, and a plain store in a
/// process that has only one thread; a waiter yields, for on a machine with fewer CPUs than busy
/// threads the holder may have been preempted.
class SpinLock {
public:
    void lock() noexcept
    {
        if (__libc_single_threaded)
            return;
        while (is_taken_.exchange(true, std::memory_order_acquire)) // pairs with unlock()
            sched_yield();
    }
    /// Harmless if a thread was made since lock(), which had no need to take the lock then.
    void unlock() noexcept { is_taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> is_taken_{false};
};

} // namespace softdoca
