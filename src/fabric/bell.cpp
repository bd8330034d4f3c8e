// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/bell.hpp"

#include "base/wake_event.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>

namespace softdoca {

namespace {

std::uint64_t next_id() noexcept
{
    static std::atomic<std::uint64_t> num_made{0};
    return ++num_made;
}

/// Writing to anything else could block us, or do harm.
bool is_eventfd(int fd) noexcept
{
    char path[32], target[32] = "";
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t len = ::readlink(path, target, sizeof target - 1);
    if (len < 0) // no /proc: by what it has none of
        return ::lseek(fd, 0, SEEK_CUR) < 0;
    return std::strcmp(target, "anon_inode:[eventfd]") == 0;
}

} // namespace

OwnBell::OwnBell(const ProcessId &peer, SharedMemory &&memory, ProcessFd &&memory_fd,
                 ProcessFd &&event)
    : peer_(peer), id_(next_id()), memory_(std::move(memory)), memory_fd_(std::move(memory_fd)),
      event_(std::move(event))
{
}

std::unique_ptr<OwnBell> OwnBell::create(const ProcessId &peer)
{
    ProcessFd memory_fd;
    SharedMemory memory =
        SharedMemory::create("softdoca-bell", sizeof(BellBlock), F_SEAL_SEAL, &memory_fd);
    if (!memory.is_valid())
        return nullptr;
    ProcessFd event(make_wake_event());
    if (!event.is_open())
        return nullptr;
    return std::unique_ptr<OwnBell>(
        new OwnBell(peer, std::move(memory), std::move(memory_fd), std::move(event)));
}

std::uint32_t OwnBell::allot(BellTarget &target)
{
    if (!free_bits_.empty()) {
        const std::uint32_t bit = free_bits_.back();
        free_bits_.pop_back();
        targets_[bit] = &target;
        return bit;
    }
    if (targets_.size() == kBitsPerBell)
        return kNoBit;
    free_bits_.reserve(targets_.size() + 1); // so that release() allocates nothing
    targets_.push_back(&target);
    return static_cast<std::uint32_t>(targets_.size() - 1);
}

void OwnBell::release(std::uint32_t bit) noexcept
{
    targets_[bit] = nullptr;
    free_bits_.push_back(bit);
}

void OwnBell::serve() noexcept
{
    for (std::uint64_t words = block().summary.exchange(0); words != 0; words &= words - 1) {
        const auto word = static_cast<std::uint32_t>(std::countr_zero(words));
        for (std::uint64_t bits = block().words[word].exchange(0); bits != 0; bits &= bits - 1) {
            const std::size_t bit = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            if (bit < targets_.size() && targets_[bit] != nullptr)
                targets_[bit]->on_bell();
        }
    }
}

std::shared_ptr<PeerBell> PeerBell::map(std::uint64_t id, const ProcessFd &memory,
                                        ProcessFd &&event)
{
    SharedMemory block =
        SharedMemory::map(memory.get(), 0, sizeof(BellBlock), SharedMemory::Access::read_write);
    if (!block.is_valid() || !is_eventfd(event.get()))
        return nullptr;
    return std::shared_ptr<PeerBell>(new PeerBell(id, std::move(block), std::move(event)));
}

void PeerBell::ring(std::uint32_t bit) noexcept
{
    BellBlock &block = *reinterpret_cast<BellBlock *>(memory_.data());
    std::atomic_thread_fence(std::memory_order_seq_cst); // what was sent, then the bits
    std::atomic<std::uint64_t> &word = block.words[bit / 64 % BellBlock::kNumWords];
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    if ((word.load(std::memory_order_relaxed) & mask) == 0)
        word.fetch_or(mask);
    // Also if the bit was set: whoever set it may not have come as far as this.
    const std::uint64_t summary = std::uint64_t{1} << (bit / 64 % BellBlock::kNumWords);
    if ((block.summary.load(std::memory_order_relaxed) & summary) == 0)
        block.summary.fetch_or(summary);
    if (block.is_armed.load(std::memory_order_relaxed) != 0 && block.is_armed.exchange(0) != 0)
        (void)wake(event_.get());
}

} // namespace softdoca
