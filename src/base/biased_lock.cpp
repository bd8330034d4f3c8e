// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace softdoca {

constinit thread_local const char this_thread_mark = 0;

namespace {

bool membarrier(int command) noexcept
{
    return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

/// Registering once makes the barrier itself cheap; false where the kernel has none.
bool has_membarrier() noexcept
{
    static const bool kHasIt = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    return kHasIt;
}

} // namespace

bool BiasedLock::become_owner() noexcept
{
    const char *nobody = nullptr;
    return has_membarrier() && owner_.compare_exchange_strong(nobody, &this_thread_mark);
}

void BiasedLock::lock() noexcept
{
    if (stage_.load(std::memory_order_acquire) != Stage::shared) {
        (void)become_owner();
        if (try_lock_as_owner())
            return;
        share();
    }
    // A waiter yields: with fewer CPUs than busy threads the holder may have been preempted.
    while (is_taken_.exchange(true, std::memory_order_acquire)) // pairs with unlock()
        sched_yield();
}

void BiasedLock::unlock() noexcept
{
    // True only for the owner while it is inside as such.
    if (owner_.load(std::memory_order_relaxed) == &this_thread_mark &&
        is_owner_inside_.load(std::memory_order_relaxed))
        unlock_as_owner();
    else
        is_taken_.store(false, std::memory_order_release); // pairs with lock()
}

/// Ends the ownership. Several threads may do so at once; each waits for the owner itself.
void BiasedLock::share() noexcept
{
    Stage owned = Stage::owned;
    stage_.compare_exchange_strong(owned, Stage::ending);
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) // else nobody ever became the owner
        while (is_owner_inside_.load(std::memory_order_acquire)) // pairs with the owner's unlock()
            sched_yield();
    stage_.store(Stage::shared, std::memory_order_release);
}

} // namespace softdoca
