// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/biased_lock.hpp"

#include "base/membarrier.hpp"

#include <sched.h>

#include <chrono>
#include <ctime>

namespace softdoca {

constinit thread_local const char this_thread_mark = 0;

namespace {

void sleep_for(std::chrono::nanoseconds time) noexcept
{
    const timespec duration{0, time.count()};
    nanosleep(&duration, nullptr);
}

/// A waiter yields: with fewer CPUs than busy threads the holder may have been preempted. That does
/// not help a holder of lower priority, so it sleeps after a while.
void wait_a_little(int round) noexcept
{
    if (round < 32)
        sched_yield();
    else
        sleep_for(std::chrono::microseconds(50));
}

} // namespace

bool BiasedLock::become_owner() noexcept
{
    const char *nobody = nullptr;
    return has_own_fences() && owner_.compare_exchange_strong(nobody, &this_thread_mark);
}

void BiasedLock::lock() noexcept
{
    if (stage_.load(std::memory_order_acquire) != Stage::shared) {
        (void)become_owner();
        if (try_lock_as_owner())
            return;
        share();
    }
    for (int round = 0; is_taken_.exchange(true, std::memory_order_acquire);
         ++round) // with unlock()
        wait_a_little(round);
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
    // If the barrier is refused that was to be had before (a sandbox closed since), a millisecond
    // does as well: no store of the owner waits that long to be seen.
    if (!fence_own_threads() && owner_.load() != nullptr)
        sleep_for(std::chrono::milliseconds(1));
    for (int round = 0; is_owner_inside_.load(std::memory_order_acquire);
         ++round) // with its unlock
        wait_a_little(round);
    stage_.store(Stage::shared, std::memory_order_release);
}

} // namespace softdoca
