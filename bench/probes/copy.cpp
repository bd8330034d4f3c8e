// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "copy.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace softdoca::bench::probe {

[[gnu::noinline]] void copy_libc(void *dst, const void *src, std::size_t len)
{
    std::memcpy(dst, src, len);
}

#if defined(__x86_64__)

namespace {

__attribute__((target("avx2"))) void copy_avx2(void *dst, const void *src, std::size_t len)
{
    auto *to = static_cast<__m256i *>(dst);
    const auto *from = static_cast<const __m256i *>(src);
    for (std::size_t i = 0; i < len / 32; i += 4) {
        const __m256i a = _mm256_loadu_si256(from + i);
        const __m256i b = _mm256_loadu_si256(from + i + 1);
        const __m256i c = _mm256_loadu_si256(from + i + 2);
        const __m256i d = _mm256_loadu_si256(from + i + 3);
        _mm256_storeu_si256(to + i, a);
        _mm256_storeu_si256(to + i + 1, b);
        _mm256_storeu_si256(to + i + 2, c);
        _mm256_storeu_si256(to + i + 3, d);
    }
}

void copy_sse2(void *dst, const void *src, std::size_t len)
{
    auto *to = static_cast<__m128i *>(dst);
    const auto *from = static_cast<const __m128i *>(src);
    for (std::size_t i = 0; i < len / 16; i += 4) {
        const __m128i a = _mm_loadu_si128(from + i);
        const __m128i b = _mm_loadu_si128(from + i + 1);
        const __m128i c = _mm_loadu_si128(from + i + 2);
        const __m128i d = _mm_loadu_si128(from + i + 3);
        _mm_storeu_si128(to + i, a);
        _mm_storeu_si128(to + i + 1, b);
        _mm_storeu_si128(to + i + 2, c);
        _mm_storeu_si128(to + i + 3, d);
    }
}

} // namespace

[[gnu::noinline]] void copy_vector(void *dst, const void *src, std::size_t len)
{
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    if (has_avx2)
        copy_avx2(dst, src, len);
    else
        copy_sse2(dst, src, len);
}

#else

namespace {

/// Vectors of whatever width the compiler's target offers (NEON on Arm).
struct [[gnu::packed, gnu::may_alias]] Block
{
    long long words [[gnu::vector_size(64)]];
};

} // namespace

[[gnu::noinline]] void copy_vector(void *dst, const void *src, std::size_t len)
{
    auto *to = static_cast<Block *>(dst);
    const auto *from = static_cast<const Block *>(src);
    for (std::size_t i = 0; i < len / sizeof(Block); i += 2) {
        const Block a = from[i];
        const Block b = from[i + 1];
        to[i] = a;
        to[i + 1] = b;
    }
}

#endif

} // namespace softdoca::bench::probe
