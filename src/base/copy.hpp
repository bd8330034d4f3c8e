// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>

namespace softdoca {

/// From here a vector loop of our own copies: libc's copy can fall to a fraction of its speed when
/// the two addresses differ by a few bytes modulo 4096 (a large malloc block against a page).
inline constexpr std::size_t kVectorCopyMin = 2048;

/// Copies len >= kVectorCopyMin bytes between ranges that do not overlap.
[[gnu::visibility("default")]] void copy_cached(void *dst, const void *src,
                                                std::size_t len) noexcept;

/// The same with stores that pass the caches by: for more memory than the caches hold.
[[gnu::visibility("default")]] void copy_streaming(void *dst, const void *src,
                                                   std::size_t len) noexcept;

} // namespace softdoca
