// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/shared_memory.hpp"
#include "fabric/random_id.hpp"

#include <linux/futex.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softdoca {

inline constexpr std::size_t kPageLine = 128; // two lines of 64 on x86, one on many Arm processors
inline constexpr std::uint32_t kMaxWindows = 4096;
inline constexpr std::uint32_t kMaxCopyMarks = 1024;

/// What a process tells its peers without a message: that it lives, which of its exports are valid,
/// and whether it is copying. Written by its owner alone; peers map it for reading, and the seals
/// see to that.
///
/// The promise "a copy that ends well was made while the exporter lived and exported" rests on it.
/// A copying thread sets its mark to an odd value, looks at the exporter's death word and
/// generation, copies, looks again, and sets the mark to the next even value. An exporter that
/// stops changes the generation and then waits until no mark of its importers is odd.
struct StatusPage {
    static constexpr std::uint32_t kMagic = 0x50444653; // "SFDP"
    static constexpr std::uint32_t kVersion = 1;

    std::uint32_t magic;
    std::uint32_t version;
    ProcessId process;
    std::uint32_t joins_fences; ///< 1: fence_all_processes() reaches its threads

    /// A robust futex that the agent thread holds for life: the kernel sets FUTEX_OWNER_DIED in it
    /// when that thread ends, before anybody can reap the process. 0 where it cannot.
    alignas(kPageLine) std::atomic<std::uint32_t> death_word;

    /// How many of the marks below were ever used.
    alignas(kPageLine) std::atomic<std::uint32_t> num_copy_marks;

    /// Of each window; changes when the export ends.
    alignas(kPageLine) std::atomic<std::uint64_t> generations[kMaxWindows];

    struct alignas(kPageLine) CopyMark {
        std::atomic<std::uint64_t> value; ///< odd: a copy is under way
    };
    CopyMark copy_marks[kMaxCopyMarks];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(StatusPage) == 3 * kPageLine + 8 * kMaxWindows + kPageLine * kMaxCopyMarks);

/// The page of another process, mapped for reading.
class PeerPage {
public:
    /// nullptr if the descriptor is not the status page of that process.
    static std::shared_ptr<PeerPage> map(int fd, const ProcessId &process);

    const StatusPage &page() const noexcept
    {
        return *reinterpret_cast<const StatusPage *>(memory_.data());
    }
    /// Neither it nor its kernel said that it is dead.
    bool is_alive() const noexcept { return is_alive(page().death_word); }
    static bool is_alive(const std::atomic<std::uint32_t> &death_word) noexcept
    {
        return (death_word.load(std::memory_order_acquire) & FUTEX_OWNER_DIED) == 0;
    }
    bool joins_fences() const noexcept { return joins_fences_; }

private:
    explicit PeerPage(SharedMemory &&memory) noexcept : memory_(std::move(memory)) {}

    SharedMemory memory_;
    bool joins_fences_ = false;
};

/// This process's own page.
class OwnPage {
public:
    /// nullptr if memory cannot be had.
    static std::unique_ptr<OwnPage> create(const ProcessId &process);
    ~OwnPage();

    StatusPage &page() noexcept { return *reinterpret_cast<StatusPage *>(memory_.data()); }
    int fd() const noexcept { return fd_.get(); }
    bool joins_fences() const noexcept { return joins_fences_; }

    /// Called by the agent thread: from now on its end is seen in the death word.
    void hold_death_word();

    /// nullptr when all are in use. Any thread.
    StatusPage::CopyMark *take_mark();
    void give_back(StatusPage::CopyMark *mark) noexcept;

private:
    OwnPage(SharedMemory &&memory, ProcessFd &&fd);

    struct RobustList;

    SharedMemory memory_;
    ProcessFd fd_;
    std::unique_ptr<RobustList> robust_list_; // in use by the kernel while the agent thread lives
    bool joins_fences_ = false;
    ForkSafeLock marks_lock_;
    std::vector<StatusPage::CopyMark *> free_marks_;
};

/// A thread's copy mark in the own page. Threads: one at a time.
class __attribute__((visibility("default"))) CopyMark {
public:
    CopyMark() = default;
    ~CopyMark();
    CopyMark(const CopyMark &) = delete;
    CopyMark &operator=(const CopyMark &) = delete;

    /// Takes a mark of the process's page, once. False if all are in use. The page must outlive it.
    bool acquire(OwnPage &page);
    bool is_acquired() const noexcept { return mark_ != nullptr; }

    /// Then look whether the copy may be made.
    void begin(bool needs_fence) noexcept
    {
        mark_->value.store(++value_, std::memory_order_relaxed);
        if (needs_fence) [[unlikely]]
            std::atomic_thread_fence(std::memory_order_seq_cst);
        else
            std::atomic_signal_fence(std::memory_order_seq_cst); // the exporter fences us
    }
    /// Pairs with the acquire load of the exporter that waits for us.
    void end() noexcept { mark_->value.store(++value_, std::memory_order_release); }

private:
    StatusPage::CopyMark *mark_ = nullptr;
    std::uint64_t value_ = 0;
    OwnPage *page_ = nullptr;
    OwnerProcess owner_;
};

/// The copies that a process's threads were making at one moment.
class __attribute__((visibility("default"))) CopiesUnderWay {
public:
    /// Those of that process, seen after a fence of all its threads: whoever begins later sees what
    /// was stored before the call.
    void note(const StatusPage &page) noexcept;
    /// Have all of them ended?
    bool have_ended() noexcept;
    /// Waits until they have. False: not in that time.
    bool wait_for(std::chrono::nanoseconds patience) noexcept;

private:
    struct Copy {
        const std::atomic<std::uint64_t> *mark;
        std::uint64_t value;
    };
    std::array<Copy, 64> copies_;
    std::size_t num_ = 0;
    const StatusPage *page_ = nullptr; // there were more than have place: all must have ended
};

} // namespace softdoca
