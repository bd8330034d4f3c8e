// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>

namespace softdoca {

namespace {

std::byte *map_pages(int fd, std::size_t offset, std::size_t size, bool is_writable) noexcept
{
    const int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *const data =
        ::mmap(nullptr, size, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (data == MAP_FAILED)
        return nullptr;
    ::madvise(data, size, MADV_DONTFORK);
    return static_cast<std::byte *>(data);
}

/// Of huge pages the kernel maps whole ones, but unmaps only what is a number of them.
bool can_be_unmapped(int fd, std::size_t size) noexcept
{
    struct statfs about;
    return ::fstatfs(fd, &about) == 0 &&
           (about.f_type != HUGETLBFS_MAGIC || size % static_cast<std::size_t>(about.f_bsize) == 0);
}

} // namespace

SharedMemory::~SharedMemory()
{
    if (data_ != nullptr && !owner_.is_another())
        ::munmap(data_, size_);
}

SharedMemory SharedMemory::create(const char *name, std::size_t size, int seals, ProcessFd *out)
{
    ProcessFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.is_open() || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
        return {};
    SharedMemory memory(map_pages(fd.get(), 0, size, true), size);
    if (!memory.is_valid() ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | seals) != 0)
        return {};
    *out = std::move(fd);
    return memory;
}

SharedMemory SharedMemory::map(int fd, std::size_t offset, std::size_t size, Access access)
{
    const int seals = seals_of(fd);
    struct stat about;
    if (size == 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(fd, &about) != 0 ||
        about.st_size < 0 || offset > static_cast<std::size_t>(about.st_size) ||
        size > static_cast<std::size_t>(about.st_size) - offset || !can_be_unmapped(fd, size)) {
        errno = EINVAL;
        return {};
    }
    return {map_pages(fd, offset, size, access == Access::read_write), size};
}

int seals_of(int fd) noexcept
{
    return ::fcntl(fd, F_GET_SEALS);
}

} // namespace softdoca
