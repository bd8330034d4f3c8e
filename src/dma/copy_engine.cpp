// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dma/copy_engine.hpp"

#include "fabric/window.hpp"

#include <algorithm>
#include <limits>

namespace softdoca {

namespace {

/// Above this libc's copy is at least as good as ours, and it is worth asking whether stores should
/// pass the caches by.
constexpr std::size_t kVectorCopyMax = 512 * 1024;

bool overlap(const std::byte *a, const std::byte *b, std::size_t len) noexcept
{
    const auto distance = reinterpret_cast<std::uintptr_t>(a) - reinterpret_cast<std::uintptr_t>(b);
    return distance < len || -distance < len;
}

/// From an address of the exporter to where its memory is mapped here; 0 for our own memory.
std::ptrdiff_t distance(const doca_buf &buf) noexcept
{
    const Window *const window = buf.mmap()->window();
    return window == nullptr ? 0 : window->distance();
}

} // namespace

bool Footprint::is_cold(const std::byte *dst, std::size_t len) noexcept
{
    const auto known = std::ranges::find(recent_, dst, &Entry::dst);
    const bool is_hot =
        known != recent_.end() && num_copied_ - known->copied_before <= kCachedBytes;
    Entry &entry = known != recent_.end() ? *known : recent_[next_++ % recent_.size()];
    entry = {dst, num_copied_};
    num_copied_ += len;
    cold_streak_ = is_hot ? 0 : cold_streak_ + len;
    return cold_streak_ > kCachedBytes;
}

CopyFault CopyEngine::check_element(const doca_buf &buf, CopyReport &report) const noexcept
{
    const doca_mmap *const mmap = buf.mmap();
    if (mmap == nullptr)
        return CopyFault::buffer_returned;
    if (const Window *const window = mmap->window(); window != nullptr)
        (window->route() == Route::mapped ? report.has_mapped : report.has_far) = true;
    if (!buf.is_data_inside())
        return CopyFault::data_outside;
    if (!mmap->is_started())
        return CopyFault::mmap_stopped;
    if (!mmap->has(dev_))
        return CopyFault::device_not_in_mmap;
    return CopyFault::none;
}

void CopyEngine::measure_source(const doca_buf *src, CopyReport &report) const noexcept
{
    report.list = src;
    if (src == nullptr)
        report.fault = CopyFault::no_source;
    std::uint32_t num_elements = 0;
    for (; src != nullptr && report.fault == CopyFault::none; src = src->next()) {
        report.buf = src;
        report.fault = check_element(*src, report);
        if (report.fault != CopyFault::none)
            return;
        if (++num_elements > limits_.max_buf_list_len)
            report.fault = CopyFault::source_list_too_long;
        else if (__builtin_add_overflow(report.num_bytes, src->data_len(), &report.num_bytes) ||
                 report.num_bytes > limits_.max_buf_size)
            report.fault = CopyFault::source_too_long; // at once: the sum must not wrap
    }
    if (report.fault == CopyFault::none && report.num_bytes == 0)
        report.fault = CopyFault::source_empty;
}

void CopyEngine::measure_destination(const doca_buf *dst, CopyReport &report) const noexcept
{
    report.list = dst;
    if (dst == nullptr)
        report.fault = CopyFault::no_destination;
    std::uint32_t num_elements = 0;
    for (; dst != nullptr && report.fault == CopyFault::none; dst = dst->next()) {
        report.buf = dst;
        report.fault = check_element(*dst, report);
        if (report.fault != CopyFault::none)
            return;
        if (!dst->mmap()->is_writable())
            report.fault = CopyFault::destination_read_only;
        if (++num_elements > limits_.max_buf_list_len)
            report.fault = CopyFault::destination_list_too_long;
        if (__builtin_add_overflow(report.room, dst->tailroom(), &report.room))
            report.room = std::numeric_limits<std::uint64_t>::max();
    }
    if (report.fault == CopyFault::none && report.room < report.num_bytes)
        report.fault = CopyFault::no_room;
}

CopyReport CopyEngine::check(const doca_buf *src, const doca_buf *dst) const noexcept
{
    CopyReport report;
    measure_source(src, report);
    if (report.fault == CopyFault::none)
        measure_destination(dst, report);
    return report;
}

/// The pieces end where either side's element ends. No length changes meanwhile: a buffer may stand
/// on both sides.
void CopyEngine::copy_stream(const doca_buf *src, const doca_buf *dst,
                             std::uint64_t num_left) noexcept
{
    std::size_t num_read = 0;    // of src
    std::size_t num_written = 0; // into dst's tailroom
    while (num_left != 0) {
        const std::size_t len = std::min(src->data_len() - num_read, dst->tailroom() - num_written);
        if (len != 0)
            move(dst->data() + dst->data_len() + num_written + distance(*dst),
                 src->data() + num_read + distance(*src), len);
        num_left -= len;
        num_read += len;
        num_written += len;
        if (num_read == src->data_len())
            src = src->next(), num_read = 0;
        else
            dst = dst->next(), num_written = 0; // it is full
    }
}

/// Each element's data grows by its share.
void CopyEngine::add_data(doca_buf *dst, std::uint64_t num_left) noexcept
{
    for (; num_left != 0; dst = dst->next()) {
        const std::size_t share = std::min<std::uint64_t>(num_left, dst->tailroom());
        dst->set_data_len(dst->data_len() + share);
        num_left -= share;
    }
}

void CopyEngine::move_large(std::byte *dst, const std::byte *src, std::size_t len) noexcept
{
    if (overlap(dst, src, len))
        std::memmove(dst, src, len);
    else if (len <= kVectorCopyMax)
        copy_cached(dst, src, len);
    else if (footprint_.is_cold(dst, len))
        copy_streaming(dst, src, len);
    else
        std::memcpy(dst, src, len);
}

} // namespace softdoca
