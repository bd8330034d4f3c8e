// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

/// Wakes who sleeps in epoll_wait(): an eventfd that both share. Its counter stands at 1 and is
/// never read; adding 0 to it is an edge all the same, which is taken by an epoll_wait() that does
/// not wait. So neither side can be made to block in a read or a write, whatever the other one does
/// to the counter, or to O_NONBLOCK, which is of the file and not of the descriptor.
namespace softdoca {

/// For epoll_ctl(). The edge of adding it has to be taken before the first sleep.
inline constexpr std::uint32_t kWakeInterest = EPOLLIN | EPOLLET;

/// -1 with errno if there is no descriptor.
inline int make_wake_event() noexcept
{
    return ::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
}

/// False with errno if it is no eventfd.
inline bool wake(int event) noexcept
{
    const std::uint64_t nothing = 0;
    return ::write(event, &nothing, sizeof nothing) == sizeof nothing;
}

} // namespace softdoca
