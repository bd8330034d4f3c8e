// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/copy.hpp"

#include <cstdint>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace softdoca {

namespace {

using CopyFunction = void (*)(std::byte *dst, const std::byte *src, std::size_t len) noexcept;

/// Bytes from dst up to the next multiple of align.
inline std::size_t to_boundary(const std::byte *dst, std::size_t align) noexcept
{
    return -reinterpret_cast<std::uintptr_t>(dst) & (align - 1);
}

/// One loop for every vector width; the callers fix the instruction set. The loop writes whole
/// aligned vectors, kUnroll at a time; what lies before and behind it is covered by blocks that
/// overlap it.
template <std::size_t kWidth, std::size_t kUnroll>
[[gnu::always_inline]] inline void vector_loop(std::byte *dst, const std::byte *src,
                                               std::size_t len) noexcept
{
    static_assert(kUnroll == 2 || kUnroll == 4);
    using Vector [[gnu::vector_size(kWidth)]] = std::uint8_t;
    constexpr std::size_t kBlock = kUnroll * kWidth;
    // A memcpy of one vector is one unaligned load or store. Named vectors stay in registers.
    const auto copy_block = [](std::byte * to, const std::byte *from) __attribute__((always_inline))
    {
        Vector a, b;
        [[maybe_unused]] Vector c, d;
        std::memcpy(&a, from, kWidth), std::memcpy(&b, from + kWidth, kWidth);
        if constexpr (kUnroll == 4)
            std::memcpy(&c, from + 2 * kWidth, kWidth), std::memcpy(&d, from + 3 * kWidth, kWidth);
        std::memcpy(to, &a, kWidth), std::memcpy(to + kWidth, &b, kWidth);
        if constexpr (kUnroll == 4)
            std::memcpy(to + 2 * kWidth, &c, kWidth), std::memcpy(to + 3 * kWidth, &d, kWidth);
    };

    std::byte *const last = dst + len - kBlock;
    const std::byte *const last_src = src + len - kBlock;
    copy_block(dst, src);
    const std::size_t head = to_boundary(dst, kWidth);
    for (dst += head, src += head; dst < last; dst += kBlock, src += kBlock)
        copy_block(dst, src);
    copy_block(last, last_src);
}

void cached_baseline(std::byte *dst, const std::byte *src, std::size_t len) noexcept
{
    vector_loop<16, 4>(dst, src, len);
}

#ifdef __x86_64__

[[gnu::target("avx2"), gnu::aligned(64)]] void cached_avx2(std::byte *dst, const std::byte *src,
                                                           std::size_t len) noexcept
{
    vector_loop<32, 4>(dst, src, len);
}

/// Wide vectors win while both ranges fit into the first-level cache, narrow ones beyond it.
[[gnu::target("avx512f,avx512vl,avx512bw"), gnu::aligned(64)]] void
cached_avx512(std::byte *dst, const std::byte *src, std::size_t len) noexcept
{
    constexpr std::size_t kFirstLevel = 20 * 1024;
    if (len <= kFirstLevel)
        vector_loop<64, 2>(dst, src, len);
    else
        cached_avx2(dst, src, len);
}

/// One cache line to an aligned place, past the caches.
inline void stream_line(std::byte *dst, const std::byte *src) noexcept
{
    const auto *const in = reinterpret_cast<const __m128i *>(src);
    auto *const out = reinterpret_cast<__m128i *>(dst);
    const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a), _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c), _mm_stream_si128(out + 3, d);
}

/// Four pages at a time, a line of each in turn: several streams keep more of the memory's banks
/// and of the prefetchers busy than one, which is worth more than wider vectors.
void streaming(std::byte *dst, const std::byte *src, std::size_t len) noexcept
{
    constexpr std::size_t kLine = 64, kPage = 4096, kPages = 4;
    const std::size_t head = to_boundary(dst, kLine);
    std::memcpy(dst, src, head);
    dst += head, src += head, len -= head;
    for (; len >= kPages * kPage;
         dst += kPages * kPage, src += kPages * kPage, len -= kPages * kPage)
        for (std::size_t line = 0; line < kPage; line += kLine)
            for (std::size_t page = 0; page < kPages * kPage; page += kPage)
                stream_line(dst + page + line, src + page + line);
    for (; len >= kLine; dst += kLine, src += kLine, len -= kLine)
        stream_line(dst, src);
    _mm_sfence(); // before anybody is told of the data
    std::memcpy(dst, src, len);
}

CopyFunction best_cached() noexcept
{
    if (__builtin_cpu_supports("avx512vbmi2")) // from here on wide vectors cost no clock speed
        return cached_avx512;
    return __builtin_cpu_supports("avx2") ? cached_avx2 : cached_baseline;
}

#else // Arm: 16-byte vectors are the baseline, and plain stores stream well enough.

void streaming(std::byte *dst, const std::byte *src, std::size_t len) noexcept
{
    cached_baseline(dst, src, len);
}

CopyFunction best_cached() noexcept
{
    return cached_baseline;
}

#endif

// Chosen once, when the library is loaded.
const CopyFunction kCached = best_cached();

} // namespace

void copy_cached(void *dst, const void *src, std::size_t len) noexcept
{
    kCached(static_cast<std::byte *>(dst), static_cast<const std::byte *>(src), len);
}

void copy_streaming(void *dst, const void *src, std::size_t len) noexcept
{
    streaming(static_cast<std::byte *>(dst), static_cast<const std::byte *>(src), len);
}

} // namespace softdoca
