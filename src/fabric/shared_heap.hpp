// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace softdoca {

/// Memory blocks that other processes can map: each a memfd of its own, sealed against truncation.
/// A forked child shares them with its parent. Threads: any.
namespace shared_heap {

/// len bytes of zeros at a page boundary, or nullptr with the reason in errno.
std::byte *alloc(std::size_t len);
/// False if addr is not the start of a block.
bool free(void *addr) noexcept;

/// Where [addr, addr + len) lies in the memory of a block.
struct Place {
    int fd;
    std::uint64_t offset;
};
std::optional<Place> find(const std::byte *addr, std::size_t len) noexcept;

} // namespace shared_heap

} // namespace softdoca
