// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Which exported memory another process can map: that of a memfd which nobody can truncate, whose
// descriptor this process still holds. A file that its owner may truncate would end the importer by
// SIGBUS, and we install no signal handler in a program.

#include "fabric/window_export.hpp"

#include "base/shared_memory.hpp"
#include "base/unique_fd.hpp"
#include "fabric/shared_heap.hpp"

#include <doca_types.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace softdoca {

namespace {

/// Whose pages an address range shows.
struct Mapping {
    dev_t device;
    ino_t inode;
    std::uint64_t offset; // of the range's first byte
};

/// The line of /proc/self/maps that holds the whole range, if it is a shared mapping of a file.
std::optional<Mapping> find_mapping(const std::byte *addr, std::size_t len)
{
    std::FILE *const maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr)
        return std::nullopt;
    const auto begin = reinterpret_cast<std::uintptr_t>(addr);
    std::optional<Mapping> found;
    char *line = nullptr;
    std::size_t room = 0;
    while (!found && ::getline(&line, &room, maps) > 0) {
        std::uintptr_t from, to;
        char rights[5] = "";
        std::uint64_t offset, inode;
        unsigned major, minor;
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64, &from,
                        &to, rights, &offset, &major, &minor, &inode) != 7)
            break;
        if (begin < from || begin >= to)
            continue;
        if (len > to - begin || rights[3] != 's' || inode == 0)
            break;
        found = Mapping{makedev(major, minor), inode, offset + (begin - from)};
    }
    std::free(line);
    std::fclose(maps);
    return found;
}

bool is_file(int fd, const Mapping &mapping) noexcept
{
    struct stat about;
    return ::fstat(fd, &about) == 0 && about.st_dev == mapping.device &&
           about.st_ino == mapping.inode;
}

/// A descriptor of this process for the mapped file; -1 if it holds none any more.
int find_descriptor(const Mapping &mapping, int told)
{
    if (told >= 0 && is_file(told, mapping))
        return told;
    int found = -1;
    DIR *const fds = ::opendir("/proc/self/fd");
    if (fds == nullptr)
        return -1;
    while (const dirent *const entry = ::readdir(fds)) {
        const int fd = std::atoi(entry->d_name); // "." and ".." are 0, which is checked like others
        if (found < 0 && fd != ::dirfd(fds) && is_file(fd, mapping))
            found = fd;
    }
    ::closedir(fds);
    return found;
}

/// Our own descriptor for the same memory: the program's shares its position and flags.
ProcessFd reopen(int fd, bool is_writable)
{
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    return ProcessFd(::open(path.c_str(), (is_writable ? O_RDWR : O_RDONLY) | O_CLOEXEC));
}

/// A descriptor gives access to all of its memory: only memory that is exported as a whole (but for
/// less than a page at either end) may be passed on.
bool covers_all(int fd, std::uint64_t offset, std::size_t len) noexcept
{
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    struct stat about;
    return ::fstat(fd, &about) == 0 && about.st_size >= 0 && offset < page &&
           static_cast<std::uint64_t>(about.st_size) - offset - len < page;
}

/// A read-only descriptor is no barrier, as it can be opened again for writing; only the seal is.
bool is_closed_to_writers(int fd, bool is_ours)
{
    if (is_ours)
        ::fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    return (seals_of(fd) & (F_SEAL_FUTURE_WRITE | F_SEAL_WRITE)) != 0;
}

} // namespace

std::optional<BackingMemory> find_backing(const WindowOffer &offer)
{
    const bool is_writable = (offer.permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
    const auto ours = shared_heap::find(offer.addr, offer.len);
    int fd = -1;
    std::uint64_t offset = 0;
    if (ours) {
        fd = ours->fd;
        offset = ours->offset;
    } else if (const auto mapping = find_mapping(offer.addr, offer.len)) {
        fd = find_descriptor(*mapping, offer.memory_fd);
        offset = mapping->offset;
    }
    const int seals = fd < 0 ? -1 : seals_of(fd);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || !covers_all(fd, offset, offer.len))
        return std::nullopt;
    if (!is_writable && !is_closed_to_writers(fd, ours.has_value()))
        return std::nullopt;
    BackingMemory backing{reopen(fd, is_writable), offset};
    if (!backing.fd.is_open())
        return std::nullopt;
    return backing;
}

} // namespace softdoca
