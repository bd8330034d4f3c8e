// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/process_fd.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace softdoca {

namespace {

/// Which descriptors they are: a bit for each. Needs no lock, so that a forked child can read it.
constexpr std::size_t kBits = 64;
constexpr std::size_t kNumWords = 1024; // 65,536 descriptors; those above stay open in children
constinit std::array<std::atomic<std::uint64_t>, kNumWords> open_fds{};

bool is_listed(int fd) noexcept
{
    return fd >= 0 && static_cast<std::size_t>(fd) < kBits * kNumWords;
}

std::atomic<std::uint64_t> &word_of(int fd) noexcept
{
    return open_fds[static_cast<std::size_t>(fd) / kBits];
}

std::uint64_t bit_of(int fd) noexcept
{
    return std::uint64_t{1} << (static_cast<std::size_t>(fd) % kBits);
}

} // namespace

ProcessFd::ProcessFd(int fd) noexcept : fd_(fd)
{
    if (is_listed(fd))
        word_of(fd).fetch_or(bit_of(fd), std::memory_order_relaxed);
}

void ProcessFd::reset() noexcept
{
    const int fd = std::exchange(fd_, -1);
    if (fd < 0 || owner_.is_another()) // the child has closed it and may use the number for others
        return;
    if (is_listed(fd))
        word_of(fd).fetch_and(~bit_of(fd), std::memory_order_relaxed);
    ::close(fd);
}

void close_process_fds() noexcept
{
    for (std::size_t i = 0; i < kNumWords; ++i) {
        std::uint64_t bits = open_fds[i].exchange(0, std::memory_order_relaxed);
        for (; bits != 0; bits &= bits - 1)
            ::close(static_cast<int>(i * kBits) + __builtin_ctzll(bits));
    }
}

} // namespace softdoca
