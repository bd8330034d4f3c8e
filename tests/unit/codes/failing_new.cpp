// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "unit/codes/failing_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

constinit thread_local softdoca::test::NewCounts softdoca::test::new_counts;

using softdoca::test::new_counts;

namespace {

void *allocate(std::size_t size, std::size_t alignment) noexcept
{
    if (new_counts.is_counting && new_counts.countdown >= 0 && new_counts.countdown-- == 0) {
        new_counts.has_failed = true;
        return nullptr;
    }
    ++new_counts.num_blocks;
    return std::aligned_alloc(alignment, (size + alignment) & ~(alignment - 1));
}

void *allocate_or_throw(std::size_t size, std::size_t alignment)
{
    void *const block = allocate(size, alignment);
    if (block == nullptr)
        throw std::bad_alloc();
    return block;
}

void release(void *block) noexcept
{
    new_counts.num_blocks -= block != nullptr ? 1 : 0;
    std::free(block);
}

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

} // namespace

void *operator new(std::size_t size)
{
    return allocate_or_throw(size, kPlain);
}
void *operator new[](std::size_t size)
{
    return allocate_or_throw(size, kPlain);
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return allocate(size, kPlain);
}
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept
{
    return allocate(size, kPlain);
}
void *operator new(std::size_t size, std::align_val_t alignment)
{
    return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void *operator new[](std::size_t size, std::align_val_t alignment)
{
    return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void *block) noexcept
{
    release(block);
}
void operator delete[](void *block) noexcept
{
    release(block);
}
void operator delete(void *block, std::size_t) noexcept
{
    release(block);
}
void operator delete[](void *block, std::size_t) noexcept
{
    release(block);
}
void operator delete(void *block, const std::nothrow_t &) noexcept
{
    release(block);
}
void operator delete[](void *block, const std::nothrow_t &) noexcept
{
    release(block);
}
void operator delete(void *block, std::align_val_t) noexcept
{
    release(block);
}
void operator delete[](void *block, std::align_val_t) noexcept
{
    release(block);
}
void operator delete(void *block, std::size_t, std::align_val_t) noexcept
{
    release(block);
}
void operator delete[](void *block, std::size_t, std::align_val_t) noexcept
{
    release(block);
}
