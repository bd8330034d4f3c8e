// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process_fd.hpp"
#include "base/shared_memory.hpp"
#include "fabric/random_id.hpp"
#include "fabric/status_page.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// How one process tells another's progress engine that something has come for it, without a system
/// call unless the engine sleeps. Each pair of an engine and a peer process has a bell of its own:
/// what a bad peer does to it is felt by that peer alone.
///
///     the peer                                     the engine
///       stores what it sends                         takes the summary, then the words,
///       full fence                                   then looks at what they stand for
///       sets its bit, then the summary
///       if armed: wakes the eventfd                arms, fences, looks once more, sleeps
///
/// A bit is a hint: whoever has it looks for itself, so a stale or false one does no harm.
namespace softdoca {

inline constexpr std::uint32_t kBitsPerBell = 4096;

/// The memory of a bell: the engine's, written by the peer too.
struct BellBlock {
    static constexpr std::uint32_t kNumWords = kBitsPerBell / 64;

    alignas(kPageLine) std::atomic<std::uint64_t> summary;          ///< a bit for each word
    alignas(kPageLine) std::atomic<std::uint32_t> is_armed;         ///< 1: wake the eventfd
    alignas(kPageLine) std::atomic<std::uint64_t> words[kNumWords]; ///< a bit for each target
};
static_assert(BellBlock::kNumWords == 64 && sizeof(BellBlock) == 2 * kPageLine + 512);

/// What a bit stands for: a part of a context that peers send to, or that other threads of this
/// process signal. Threads: that of the progress engine.
class BellTarget {
public:
    /// Something may have come: looks for it, and makes its context ready if so.
    virtual void on_bell() noexcept = 0;

protected:
    ~BellTarget() = default;
};

/// The bell of this process's engine for one peer. Threads: the engine's.
class __attribute__((visibility("default"))) OwnBell {
public:
    /// nullptr, the reason in errno, if memory or descriptors cannot be had.
    static std::unique_ptr<OwnBell> create(const ProcessId &peer);

    const ProcessId &peer() const noexcept { return peer_; }
    /// Differs from that of every other bell of this process.
    std::uint64_t id() const noexcept { return id_; }
    int memory_fd() const noexcept { return memory_fd_.get(); }
    int event_fd() const noexcept { return event_.get(); } ///< see base/wake_event.hpp

    static constexpr std::uint32_t kNoBit = ~0u;
    /// A bit for a target, until release(). kNoBit if all are taken.
    std::uint32_t allot(BellTarget &target);
    void release(std::uint32_t bit) noexcept;
    bool is_unused() const noexcept { return free_bits_.size() == targets_.size(); }

    bool has_rung() const noexcept { return block().summary.load(std::memory_order_relaxed) != 0; }
    /// Visits the targets whose bits are set.
    void serve() noexcept;

    /// From now on the peer wakes the eventfd, once.
    void arm() noexcept { block().is_armed.store(1, std::memory_order_relaxed); }
    /// The peer wakes no more, unless it is about to.
    void disarm() noexcept { block().is_armed.store(0, std::memory_order_relaxed); }

private:
    OwnBell(const ProcessId &peer, SharedMemory &&memory, ProcessFd &&memory_fd, ProcessFd &&event);
    BellBlock &block() const noexcept { return *reinterpret_cast<BellBlock *>(memory_.data()); }

    const ProcessId peer_;
    const std::uint64_t id_;
    SharedMemory memory_;
    ProcessFd memory_fd_;
    ProcessFd event_;
    std::vector<BellTarget *> targets_; // by bit; nullptr: free
    std::vector<std::uint32_t> free_bits_;
};

/// Another process's bell, as this process rings it. Threads: any.
class __attribute__((visibility("default"))) PeerBell {
public:
    /// nullptr if the descriptors are not those of a bell. Throws std::bad_alloc.
    static std::shared_ptr<PeerBell> map(std::uint64_t id, const ProcessFd &memory,
                                         ProcessFd &&event);

    std::uint64_t id() const noexcept { return id_; }
    /// What was sent must have been stored before. bit < kBitsPerBell.
    void ring(std::uint32_t bit) noexcept;

private:
    PeerBell(std::uint64_t id, SharedMemory &&memory, ProcessFd &&event) noexcept
        : id_(id), memory_(std::move(memory)), event_(std::move(event))
    {
    }

    const std::uint64_t id_;
    SharedMemory memory_;
    ProcessFd event_;
};

/// A bit of a peer's bell.
struct BellRef {
    std::shared_ptr<PeerBell> bell;
    std::uint32_t bit = 0;

    void ring() const noexcept { bell->ring(bit); }
};

} // namespace softdoca
