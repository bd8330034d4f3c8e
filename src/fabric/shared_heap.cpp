// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/shared_heap.hpp"

#include "base/fork_safe_lock.hpp"
#include "base/never_destroyed.hpp"
#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <vector>

namespace softdoca::shared_heap {

namespace {

struct Block {
    std::byte *addr;
    std::size_t size; // whole pages
    UniqueFd fd;

    Block(std::byte *at, std::size_t bytes, UniqueFd &&memory) noexcept
        : addr(at), size(bytes), fd(std::move(memory))
    {
    }
};

constinit ForkSafeLock heap_lock;
constinit NeverDestroyed<std::vector<Block>> blocks;

} // namespace

std::byte *alloc(std::size_t len)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t size = (len + page - 1) / page * page;
    if (len == 0 || size < len) {
        errno = EINVAL;
        return nullptr;
    }
    UniqueFd fd(::memfd_create("softdoca-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.is_open() || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 ||
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return nullptr;
    void *const addr = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (addr == MAP_FAILED)
        return nullptr;
    const std::scoped_lock lock(heap_lock);
    blocks->emplace_back(static_cast<std::byte *>(addr), size, std::move(fd));
    return static_cast<std::byte *>(addr);
}

bool free(void *addr) noexcept
{
    const std::scoped_lock lock(heap_lock);
    const auto found =
        std::ranges::find_if(*&blocks.value, [&](const Block &each) { return each.addr == addr; });
    if (found == blocks->end())
        return false;
    ::munmap(found->addr, found->size);
    std::swap(*found, blocks->back());
    blocks->pop_back();
    return true;
}

std::optional<Place> find(const std::byte *addr, std::size_t len) noexcept
{
    const std::scoped_lock lock(heap_lock);
    for (const Block &each : blocks.value) {
        const auto offset =
            reinterpret_cast<std::uintptr_t>(addr) - reinterpret_cast<std::uintptr_t>(each.addr);
        if (offset < each.size && len <= each.size - offset)
            return Place{each.fd.get(), offset};
    }
    return std::nullopt;
}

} // namespace softdoca::shared_heap
