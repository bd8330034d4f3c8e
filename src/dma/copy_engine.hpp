// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/copy.hpp"
#include "common/buf.hpp"
#include "dma/copy_fault.hpp"
#include "fabric/window.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace softdoca {

/// Large copies that went before, to tell whether memory will be in the caches: stores that pass
/// them by win when the memory in use is larger than they are, and lose otherwise.
class Footprint {
public:
    /// Is dst cold: more than kCachedBytes copied since it was written, by many different copies?
    bool is_cold(const std::byte *dst, std::size_t len) noexcept;

private:
    /// Beyond this much recently copied memory the caches are taken to be full.
    static constexpr std::uint64_t kCachedBytes = 8 * 1024 * 1024;

    struct Entry {
        const std::byte *dst = nullptr;
        std::uint64_t copied_before = 0; // value of num_copied_ when it was written
    };
    std::array<Entry, 32> recent_{};
    std::uint32_t next_ = 0;
    std::uint64_t num_copied_ = 0;  // bytes of all large copies
    std::uint64_t cold_streak_ = 0; // bytes of those since the last hot one
};

/// Carries out copies between buffers or lists of them, on the caller's core. Source data sections
/// are one stream of bytes that fills the destination's tailrooms in order.
class CopyEngine {
public:
    CopyEngine(const doca_dev &dev, const DmaLimits &limits) noexcept : dev_(dev), limits_(limits)
    {
    }

    /// The common case, decided by as few tests as possible: one element on each side, in mmaps
    /// that got this device first. False says nothing: copy() decides.
    [[nodiscard]] bool is_simple(const doca_buf *src, const doca_buf *dst) const noexcept
    {
        return src != nullptr && dst != nullptr && is_simple(*src) && is_simple(*dst) &&
               fits(*src, *dst);
    }
    /// The same where one side, and one alone, is an import.
    [[nodiscard]] bool is_simple_import(const doca_buf *src, const doca_buf *dst) const noexcept
    {
        return src != nullptr && dst != nullptr &&
               (is_import(*src) ? is_simple(*dst) : is_simple(*src) && is_import(*dst)) &&
               fits(*src, *dst);
    }
    /// A copy that is_simple() said so of.
    void copy_simple(const doca_buf &src, doca_buf &dst) noexcept
    {
        const std::size_t len = src.data_len();
        std::byte *const to = dst.data() + dst.data_len();
        dst.set_data_len(dst.data_len() + len);
        move(to, src.data(), len);
    }
    /// Looks at everything that copy() looks at, and says where it found the fault.
    [[nodiscard]] CopyReport check(const doca_buf *src, const doca_buf *dst) const noexcept;

    /// The two halves of a copy that check() found in order: bytes, then lengths. All memory is
    /// this process's, or mapped.
    void copy_stream(const doca_buf *src, const doca_buf *dst, std::uint64_t num_left) noexcept;
    static void add_data(doca_buf *dst, std::uint64_t num_left) noexcept;
    /// Memory that overlaps is copied as if through a third place.
    void move(std::byte *dst, const std::byte *src, std::size_t len) noexcept
    {
        if (len < kVectorCopyMin) [[likely]]
            std::memmove(dst, src, len);
        else
            move_large(dst, src, len);
    }

private:
    bool is_simple(const doca_buf &buf) const noexcept
    {
        return buf.next() == nullptr && buf.mmap() != nullptr &&
               buf.mmap()->is_first_usable(dev_) && buf.is_data_inside();
    }
    bool is_import(const doca_buf &buf) const noexcept
    {
        return buf.next() == nullptr && buf.mmap() != nullptr && buf.mmap()->window() != nullptr &&
               is_usable_import(*buf.mmap()) && buf.is_data_inside();
    }
    /// Does it have this device? An import never changes: the last one need not be asked again.
    bool is_usable_import(const doca_mmap &import) const noexcept
    {
        if (import.window()->serial() == known_import_) [[likely]]
            return true;
        if (!import.has(dev_))
            return false;
        known_import_ = import.window()->serial();
        return true;
    }
    bool fits(const doca_buf &src, const doca_buf &dst) const noexcept
    {
        return dst.mmap()->is_writable() && src.data_len() - 1 < limits_.max_buf_size &&
               src.data_len() <= dst.tailroom();
    }
    CopyFault check_element(const doca_buf &buf, CopyReport &report) const noexcept;
    void measure_source(const doca_buf *src, CopyReport &report) const noexcept;
    void measure_destination(const doca_buf *dst, CopyReport &report) const noexcept;
    void move_large(std::byte *dst, const std::byte *src, std::size_t len) noexcept;

    const doca_dev &dev_;
    const DmaLimits limits_;
    Footprint footprint_;
    mutable std::uint64_t known_import_ = 0; // its window's serial
};

} // namespace softdoca
