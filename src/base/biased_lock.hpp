// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <atomic>
#include <cstdint>

namespace softdoca {

/// Stands for the calling thread: its address differs from thread to thread.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("default")]] extern constinit thread_local const char this_thread_mark;

/// Guards a few instructions. The first thread that takes it owns it and pays two plain stores from
/// then on: no locked instruction, which costs more than all that it guards. When a second thread
/// comes it makes all threads pass a memory barrier (membarrier), waits until the owner is outside,
/// and from then on everybody takes an ordinary spin lock.
///
///     owner:   is_owner_inside_ = true;  read stage_           (no fence between the two)
///     another: stage_ = ending;  membarrier;  read is_owner_inside_
///
/// One of them sees the other's store. Where the kernel has no membarrier nobody owns the lock.
class __attribute__((visibility("default"))) BiasedLock {
public:
    /// The owner's way in; false says nothing: lock() decides. Hot functions call this and leave
    /// the rest to a function of its own, so that they need no stack frame.
    bool try_lock_as_owner() noexcept
    {
        if (owner_.load(std::memory_order_relaxed) != &this_thread_mark) [[unlikely]]
            return false;
        is_owner_inside_.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // the membarrier does the rest
        if (stage_.load(std::memory_order_relaxed) == Stage::owned) [[likely]]
            return true;
        is_owner_inside_.store(false, std::memory_order_release);
        return false;
    }
    /// After try_lock_as_owner().
    void unlock_as_owner() noexcept
    {
        is_owner_inside_.store(false, std::memory_order_release); // pairs with share()
    }
    /// Anybody's way in, the first time the owner's.
    void lock() noexcept;
    /// After lock().
    void unlock() noexcept;

private:
    enum class Stage : std::uint8_t { owned, ending, shared };

    bool become_owner() noexcept;
    void share() noexcept;

    std::atomic<const char *> owner_{nullptr}; // set once
    std::atomic<bool> is_owner_inside_{false};
    std::atomic<Stage> stage_{Stage::owned}; // only goes on
    std::atomic<bool> is_taken_{false};      // by anybody, in stage shared
};

} // namespace softdoca
