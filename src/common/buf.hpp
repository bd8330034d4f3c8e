// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/biased_lock.hpp"
#include "common/mmap.hpp"

#include <doca_buf.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace softdoca {

/// Where buffers rest while nobody uses them: the common part of inventory and pool. Several
/// threads may take and give back.
class BufStore {
public:
    BufStore() = default;
    BufStore(const BufStore &) = delete;
    BufStore &operator=(const BufStore &) = delete;

    doca_error_t give_back(doca_buf &buf) noexcept; // SUCCESS

    std::uint32_t num_elements() const noexcept { return num_elements_; }
    std::uint32_t num_free() const noexcept;
    bool is_inherited() const noexcept { return owner_.is_another(); }

protected:
    /// Takes a buffer; nullptr when all are out. Under lock_.
    [[nodiscard]] doca_buf *take() noexcept;
    /// Adds new, unused buffers.
    void add(doca_buf *bufs, std::size_t num) noexcept;
    /// Takes num at once, linked by next, or nothing.
    [[nodiscard]] doca_buf *take_list(std::uint32_t num) noexcept;

    mutable BiasedLock lock_;

private:
    [[gnu::cold, gnu::noinline]] doca_error_t give_back_later(doca_buf &buf) noexcept;
    void put(doca_buf &buf) noexcept; // under lock_

    doca_buf *free_ = nullptr;
    std::uint32_t num_free_ = 0;
    std::uint32_t num_elements_ = 0;
    OwnerProcess owner_;
};

} // namespace softdoca

/// A piece of an mmap's range:
///
///     head          data            data + data_len        head + len
///      |  headroom   |   dataroom    |       tailroom        |
///
/// It owns no memory. Alone or an element of a list, whose head alone has a meaningful reference
/// count. A buffer that a task in flight uses is pinned: if the program lets it go meanwhile it
/// returns to its store when the task ends. Threads: one at a time.
struct alignas(64) doca_buf {
public:
    /// Take into use: a new range and data section, one reference.
    void set(doca_mmap &mmap, void *head, std::size_t len, void *data,
             std::size_t data_len) noexcept
    {
        mmap_ = &mmap;
        refs_ += mmap.count_buf() ? kIsCounted + 1 : 1; // in the store only pins are left in it
        set_range(head, len, data, data_len);
    }
    void set_range(void *head, std::size_t len, void *data, std::size_t data_len) noexcept
    {
        head_ = static_cast<std::byte *>(head);
        len_ = len;
        set_data(data, data_len);
    }
    void set_data(void *data, std::size_t data_len) noexcept
    {
        data_ = static_cast<std::byte *>(data);
        data_len_ = data_len;
    }
    void set_data_len(std::size_t data_len) noexcept { data_len_ = data_len; }

    std::byte *head() const noexcept { return head_; }
    std::size_t len() const noexcept { return len_; }
    std::byte *data() const noexcept { return data_; }
    std::size_t data_len() const noexcept { return data_len_; }
    /// nullptr while it rests in its store.
    doca_mmap *mmap() const noexcept { return mmap_; }
    /// The next element; of a buffer in use only.
    doca_buf *next() const noexcept { return next_; }
    /// The same for any buffer: those in the store are in no list of the program.
    doca_buf *next_in_list() const noexcept { return is_returned() ? nullptr : next_; }
    std::uint16_t refcount() const noexcept { return static_cast<std::uint16_t>(refs_); }
    bool is_list_head() const noexcept { return (refs_ & kIsMember) == 0; }
    bool is_in_list() const noexcept { return !is_list_head() || next_in_list() != nullptr; }
    bool is_pinned() const noexcept { return refs_ >= kPin; }
    bool is_unused() const noexcept { return (refs_ & kIsUsed) == 0; }
    /// Resting in its store: the program let it go and must not use it.
    bool is_returned() const noexcept { return mmap_ == nullptr; }
    const softdoca::BufStore &store() const noexcept { return *store_; }

    /// Does the data section lie within the range? The setters do not look.
    bool is_data_inside() const noexcept
    {
        const auto offset = static_cast<std::size_t>(data_ - head_);
        return offset <= len_ && data_len_ <= len_ - offset;
    }
    /// Bytes behind the data section; only if is_data_inside().
    std::size_t tailroom() const noexcept
    {
        return len_ - static_cast<std::size_t>(data_ - head_) - data_len_;
    }

    /// Also counts for a buffer that was returned before: the program's mistake, which fails the
    /// task.
    void pin() noexcept { refs_ += kPin; }
    /// True if nobody holds the buffer any more; release_unpinned() must follow.
    [[nodiscard]] bool unpin() noexcept
    {
        refs_ -= kPin;
        return is_unused();
    }
    /// Returns a buffer to its store that the program let go while it was pinned.
    void release_unpinned() noexcept;

    [[nodiscard]] doca_error_t inc_refcount(std::uint16_t *previous) noexcept;
    [[nodiscard]] doca_error_t dec_refcount(std::uint16_t *previous) noexcept
    {
        const std::uint64_t refs = refs_;
        if ((refs & kIsMember) != 0 || (refs & kRefcount) == 0 || store_->is_inherited())
            [[unlikely]]
            return refuse_dec();
        if (previous != nullptr)
            *previous = static_cast<std::uint16_t>(refs);
        refs_ = refs - 1;
        if (((refs - 1) & kIsUsed) != 0) [[unlikely]]
            return keep();
        if (next_ != nullptr) [[unlikely]]
            return release_list();
        return release();
    }
    [[nodiscard]] doca_error_t chain(doca_buf &tail, doca_buf &list) noexcept;
    [[nodiscard]] doca_error_t unchain(doca_buf &list) noexcept;
    doca_buf &last_in_list() noexcept;
    bool ends_in(const doca_buf &tail) const noexcept;
    [[gnu::visibility("default")]] std::uint32_t list_len() const noexcept;
    /// Makes next the element behind this one, for a list that is being built.
    void link(doca_buf &next) noexcept
    {
        next_ = &next;
        next.refs_ |= kIsMember;
    }

private:
    friend class softdoca::BufStore;

    // refs_: the program's references, two marks, and above them the pins.
    static constexpr std::uint64_t kRefcount = 0xffff;
    static constexpr std::uint64_t kIsMember = 1u << 16;  // of a list, not its head
    static constexpr std::uint64_t kIsCounted = 1u << 17; // by its mmap
    static constexpr std::uint64_t kPin = 1u << 18;
    static constexpr std::uint64_t kPins = ~(kPin - 1);
    static constexpr std::uint64_t kIsUsed = kPins | kRefcount;

    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t refuse_dec() const noexcept;
    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t check_use(const char *call) const noexcept;
    // These answer SUCCESS, so that dec_refcount can end with them.
    [[gnu::cold, gnu::noinline]] doca_error_t keep() const noexcept;
    [[gnu::noinline]] doca_error_t release_list() noexcept;
    doca_error_t release() noexcept;

    std::byte *head_ = nullptr;
    std::size_t len_ = 0;
    std::byte *data_ = nullptr;
    std::size_t data_len_ = 0;
    doca_buf *next_ = nullptr; // in its list; in the store: next free one
    doca_mmap *mmap_ = nullptr;
    softdoca::BufStore *store_ = nullptr;
    std::uint64_t refs_ = 0;
};
static_assert(sizeof(doca_buf) == 64);

inline doca_buf *softdoca::BufStore::take() noexcept
{
    doca_buf *const buf = free_;
    if (buf != nullptr) [[likely]] {
        free_ = buf->next_;
        --num_free_;
        buf->next_ = nullptr;
    }
    return buf;
}

inline void softdoca::BufStore::put(doca_buf &buf) noexcept
{
    buf.next_ = free_;
    free_ = &buf;
    ++num_free_;
}

inline doca_error_t softdoca::BufStore::give_back(doca_buf &buf) noexcept
{
    if (!lock_.try_lock_as_owner()) [[unlikely]]
        return give_back_later(buf);
    put(buf);
    lock_.unlock_as_owner();
    return DOCA_SUCCESS;
}

inline doca_error_t doca_buf::release() noexcept
{
    if ((refs_ & kIsCounted) != 0)
        mmap_->uncount_buf();
    mmap_ = nullptr;
    refs_ &= kPins;
    return store_->give_back(*this);
}
