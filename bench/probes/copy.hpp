// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>

/// Bare copies to compare with. Real calls, so that the compiler knows neither size nor addresses.
namespace softdoca::bench::probe {

void copy_libc(void *dst, const void *src, std::size_t len);

/// A plain loop of the widest vectors that we use (AVX2 if this CPU has it): immune to the pairs of
/// page offsets at which libc collapses on some processors. `len` is a multiple of 128.
void copy_vector(void *dst, const void *src, std::size_t len);

} // namespace softdoca::bench::probe
