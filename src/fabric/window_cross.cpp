// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The cross route: the kernel copies between the two processes. It needs the right to trace the
// exporter, which the same user has unless Yama, a container or a sandbox says no.

#include "fabric/window.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace softdoca {

/// Reads the exporter's random id where its agent says it is. That proves the right, the process
/// number and its PID namespace at once.
bool Window::try_cross(const wire::WindowReply &reply) noexcept
{
    if (link_->peer_pid() <= 0) {
        wire::put_text(reason_, "the exporter is in another PID namespace");
        return false;
    }
    // By the number of its agent thread, which lives as long as it does: a main thread may have
    // ended.
    const std::uint32_t agent = death_word_->load(std::memory_order_relaxed) & FUTEX_TID_MASK;
    for (const pid_t thread : {static_cast<pid_t>(agent), link_->peer_pid()}) {
        traced_ = thread;
        if (thread > 0 && is_traceable(reply.probe_addr)) {
            short_reads_ = link_->memory_fd(thread, reply.probe_addr);
            return true;
        }
    }
    return false;
}

bool Window::is_traceable(std::uint64_t probe_addr) noexcept
{
    ProcessId seen;
    const CopyPiece piece{reinterpret_cast<std::byte *>(&seen), probe_addr, sizeof seen};
    if (copy_across(false, {&piece, 1}) != sizeof seen) {
        std::snprintf(reason_, sizeof reason_, "process_vm_readv: %s", std::strerror(errno));
        if (errno == ESRCH && traced_ == link_->peer_pid()) // it has just been killed
            link_->set_gone();
        return false;
    }
    if (!(seen == link_->peer())) {
        wire::put_text(reason_, "its process number is another process's here");
        return false;
    }
    return true;
}

bool Window::copy_one_across(bool is_write, const CopyPiece &piece) const noexcept
{
    if (!is_write && piece.len <= kShortRead && short_reads_ >= 0)
        return ::pread(short_reads_, piece.near, piece.len, static_cast<off_t>(piece.far)) ==
               static_cast<ssize_t>(piece.len);
    const iovec near{piece.near, piece.len};
    const iovec far{reinterpret_cast<void *>(piece.far), piece.len};
    const ssize_t copied = is_write ? ::process_vm_writev(traced_, &near, 1, &far, 1, 0)
                                    : ::process_vm_readv(traced_, &near, 1, &far, 1, 0);
    return copied == static_cast<ssize_t>(piece.len);
}

std::size_t Window::copy_across(bool is_write, std::span<const CopyPiece> pieces) const noexcept
{
    std::array<iovec, kMaxPieces> near, far;
    const std::size_t num = std::min(pieces.size(), kMaxPieces);
    for (std::size_t i = 0; i < num; ++i) {
        near[i] = {pieces[i].near, pieces[i].len};
        far[i] = {reinterpret_cast<void *>(pieces[i].far), pieces[i].len};
    }
    const ssize_t copied = is_write
                               ? ::process_vm_writev(traced_, near.data(), num, far.data(), num, 0)
                               : ::process_vm_readv(traced_, near.data(), num, far.data(), num, 0);
    return copied < 0 ? 0 : static_cast<std::size_t>(copied);
}

} // namespace softdoca
