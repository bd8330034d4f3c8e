// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// Has the line of addr fetched to be written, while other work goes on: a store to a line that the
/// other side has would hold up the stores behind it.
inline void prefetch_for_write(const void *addr) noexcept
{
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(addr))); // a no-op where unknown
#else
    __builtin_prefetch(addr, 1);
#endif
}

} // namespace softdoca
