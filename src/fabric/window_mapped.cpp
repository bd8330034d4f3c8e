// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The mapped route: the importer maps the same pages, for reading only if the export is.

#include "fabric/window.hpp"

#include <doca_types.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace softdoca {

bool Window::try_mapped(const wire::WindowReply &reply, Received &received) noexcept
{
    if (received.num_fds != 1) {
        wire::put_text(reason_, "the memory is not the whole of a sealed memfd");
        return false;
    }
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = reply.offset / page * page;
    const std::uint64_t size = reply.offset - begin + reply.len;
    const bool is_writable = (reply.permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
    if (size < reply.len || reply.offset + reply.len < reply.len) {
        wire::put_text(reason_, "its offset is none");
        return false;
    }
    memory_ = SharedMemory::map(received.fds[0].get(), begin, size,
                                is_writable ? SharedMemory::Access::read_write
                                            : SharedMemory::Access::read);
    if (!memory_.is_valid()) {
        std::snprintf(reason_, sizeof reason_, "it cannot be mapped: %s", std::strerror(errno));
        return false;
    }
    const auto here = reinterpret_cast<std::uintptr_t>(memory_.data()) + (reply.offset - begin);
    distance_ = static_cast<std::ptrdiff_t>(here - reply.addr);
    return true;
}

} // namespace softdoca
