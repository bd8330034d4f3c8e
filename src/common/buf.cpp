// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/buf.hpp"

#include "base/log_sink.hpp"

#include <limits>
#include <mutex>

LOG_SOURCE("CORE::BUF");

namespace softdoca {

doca_error_t BufStore::give_back_later(doca_buf &buf) noexcept
{
    const std::scoped_lock lock(lock_);
    put(buf);
    return DOCA_SUCCESS;
}

std::uint32_t BufStore::num_free() const noexcept
{
    const std::scoped_lock lock(lock_);
    return num_free_;
}

void BufStore::add(doca_buf *bufs, std::size_t num) noexcept
{
    const std::scoped_lock lock(lock_);
    for (std::size_t i = num; i-- > 0;) { // so that the first is taken first
        bufs[i].store_ = this;
        bufs[i].next_ = free_;
        free_ = &bufs[i];
    }
    num_free_ += static_cast<std::uint32_t>(num);
    num_elements_ += static_cast<std::uint32_t>(num);
}

doca_buf *BufStore::take_list(std::uint32_t num) noexcept
{
    const std::scoped_lock lock(lock_);
    if (num == 0 || num > num_free_)
        return nullptr;
    doca_buf *const first = free_;
    doca_buf *last = first;
    for (std::uint32_t i = 1; i < num; ++i)
        last = last->next_;
    free_ = last->next_;
    last->next_ = nullptr;
    num_free_ -= num;
    return first;
}

} // namespace softdoca

// Lines about buffers are kept apart by their store: a buffer's address comes again and again.

doca_error_t doca_buf::inc_refcount(std::uint16_t *previous) noexcept
{
    if (const doca_error_t bad = check_use("doca_buf_inc_refcount"); bad != DOCA_SUCCESS)
        return bad;
    if (!is_list_head())
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, store_,
                           "buffer %p is an element of a list; only the list's head is counted",
                           static_cast<void *>(this));
    if (refcount() == std::numeric_limits<std::uint16_t>::max())
        return LOG_REFUSED(DOCA_ERROR_TOO_BIG, store_,
                           "buffer %p has %u references, the most there can be",
                           static_cast<void *>(this), refcount());
    if (previous != nullptr)
        *previous = refcount();
    ++refs_;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf::refuse_dec() const noexcept
{
    if (const doca_error_t bad = check_use("doca_buf_dec_refcount"); bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, store_,
                       "buffer %p is an element of a list; release the list's head instead",
                       static_cast<const void *>(this));
}

/// The program must hold it, and be the process that got it.
doca_error_t doca_buf::check_use(const char *call) const noexcept
{
    if (store_->is_inherited())
        return LOG_REFUSED(
            DOCA_ERROR_BAD_STATE, store_,
            "%s: buffer %p was taken before this process was forked; only the parent "
            "may use it",
            call, static_cast<const void *>(this));
    if (refcount() == 0)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, store_, "%s: buffer %p was returned already", call,
                           static_cast<const void *>(this));
    return DOCA_SUCCESS;
}

/// References remain, or only pins: then a task in flight uses the buffer.
doca_error_t doca_buf::keep() const noexcept
{
    if (refcount() != 0)
        return DOCA_SUCCESS;
    LOG_ONCE(
        softdoca::LogLevel::warning, store_,
        "buffer %p was released while a task in flight uses it; it returns to its inventory when "
        "the task ends. Release buffers after the completion callback",
        static_cast<const void *>(this));
    return DOCA_SUCCESS;
}

doca_error_t doca_buf::release_list() noexcept
{
    for (doca_buf *buf = this; buf != nullptr;) {
        doca_buf *const next = buf->next_;
        (void)buf->release();
        buf = next;
    }
    return DOCA_SUCCESS;
}

void doca_buf::release_unpinned() noexcept
{
    if (!is_returned()) // else it was returned before it was pinned
        (void)release_list();
}

/// Is tail the end of the list? Looks at no more elements than a device takes in a list, so that a
/// longer one can be built in steps of the same length; beyond that it is the program's word.
bool doca_buf::ends_in(const doca_buf &tail) const noexcept
{
    constexpr int kMaxSteps = 64;
    const doca_buf *buf = this;
    for (int step = 0; step < kMaxSteps; ++step) {
        if (buf->next_in_list() == nullptr)
            return buf == &tail;
        buf = buf->next_;
    }
    return !tail.is_list_head();
}

doca_error_t doca_buf::chain(doca_buf &tail, doca_buf &list) noexcept
{
    if (store_->is_inherited() || list.store_->is_inherited())
        return (store_->is_inherited() ? *this : list).check_use("doca_buf_chain_list");
    const bool may_be_tail = tail.next_in_list() == nullptr && !tail.is_returned() &&
                             ends_in(tail) && &list.last_in_list() != &tail; // no ring
    if (is_returned() || list.is_returned() || !is_list_head() || !list.is_list_head() ||
        this == &list || !may_be_tail)
        return LOG_REFUSED(
            DOCA_ERROR_NOT_PERMITTED, store_,
            "buffers %p and %p cannot be chained: both must be in use and the head of a "
            "list of their own, and %p the last element of the first",
            static_cast<void *>(this), static_cast<void *>(&list), static_cast<void *>(&tail));
    if (list.refcount() != 1)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, store_,
                           "buffer %p has %u references; a list is chained behind another with "
                           "exactly one",
                           static_cast<void *>(&list), list.refcount());
    tail.link(list);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf::unchain(doca_buf &list) noexcept
{
    if (store_->is_inherited())
        return check_use("doca_buf_unchain_list");
    for (doca_buf *buf = this; buf->next_in_list() != nullptr; buf = buf->next_) {
        if (buf->next_ != &list)
            continue;
        buf->next_ = nullptr;
        list.refs_ &= ~kIsMember;
        return DOCA_SUCCESS;
    }
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, store_,
                       "buffer %p is not behind buffer %p in its list", static_cast<void *>(&list),
                       static_cast<void *>(this));
}

doca_buf &doca_buf::last_in_list() noexcept
{
    doca_buf *buf = this;
    while (buf->next_in_list() != nullptr)
        buf = buf->next_;
    return *buf;
}

std::uint32_t doca_buf::list_len() const noexcept
{
    std::uint32_t num = 1;
    for (const doca_buf *buf = this; buf->next_in_list() != nullptr; buf = buf->next_)
        ++num;
    return num;
}

namespace {

[[gnu::cold, gnu::noinline]] doca_error_t refuse_null(const char *call) noexcept
{
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: a pointer is NULL", call);
}

} // namespace

extern "C" doca_error_t doca_buf_inc_refcount(doca_buf *buf, uint16_t *refcount)
{
    if (buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return buf->inc_refcount(refcount);
}

extern "C" doca_error_t doca_buf_dec_refcount(doca_buf *buf, uint16_t *refcount)
{
    if (buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return buf->dec_refcount(refcount);
}

extern "C" doca_error_t doca_buf_get_refcount(const doca_buf *buf, uint16_t *refcount)
{
    if (buf == nullptr || refcount == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *refcount = buf->refcount();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_len(const doca_buf *buf, size_t *len)
{
    if (buf == nullptr || len == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *len = buf->len();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_head(const doca_buf *buf, void **head)
{
    if (buf == nullptr || head == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *head = buf->head();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_data_len(const doca_buf *buf, size_t *data_len)
{
    if (buf == nullptr || data_len == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *data_len = buf->data_len();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_data(const doca_buf *buf, void **data)
{
    if (buf == nullptr || data == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *data = buf->data();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_set_data(doca_buf *buf, void *data, size_t data_len)
{
    if (buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    buf->set_data(data, data_len);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_set_data_len(doca_buf *buf, size_t data_len)
{
    if (buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    buf->set_data_len(data_len);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_reset_data_len(doca_buf *buf)
{
    if (buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    buf->set_data_len(0);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_next_in_list(doca_buf *buf, doca_buf **next_buf)
{
    if (buf == nullptr || next_buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *next_buf = buf->next_in_list();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_last_in_list(doca_buf *buf, doca_buf **last_buf)
{
    if (buf == nullptr || last_buf == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *last_buf = &buf->last_in_list();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_is_last_in_list(const doca_buf *buf, uint8_t *is_last)
{
    if (buf == nullptr || is_last == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *is_last = buf->next_in_list() == nullptr ? 1 : 0;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_is_first_in_list(const doca_buf *buf, uint8_t *is_first)
{
    if (buf == nullptr || is_first == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *is_first = buf->is_list_head() ? 1 : 0;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_is_in_list(const doca_buf *buf, uint8_t *is_in_list)
{
    if (buf == nullptr || is_in_list == nullptr) [[unlikely]]
        return refuse_null(__func__);
    *is_in_list = buf->is_in_list() ? 1 : 0;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_get_list_len(const doca_buf *buf, uint32_t *num_elements)
{
    if (buf == nullptr || num_elements == nullptr) [[unlikely]]
        return refuse_null(__func__);
    if (!buf->is_list_head())
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, &buf->store(),
                           "buffer %p is an element of a list; ask the list's head for its length",
                           static_cast<const void *>(buf));
    *num_elements = buf->list_len();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_chain_list(doca_buf *list1, doca_buf *list2)
{
    if (list1 == nullptr || list2 == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return list1->chain(list1->last_in_list(), *list2);
}

extern "C" doca_error_t doca_buf_chain_list_tail(doca_buf *list1_head, doca_buf *list1_tail,
                                                 doca_buf *list2)
{
    if (list1_head == nullptr || list1_tail == nullptr || list2 == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return list1_head->chain(*list1_tail, *list2);
}

extern "C" doca_error_t doca_buf_unchain_list(doca_buf *list1, doca_buf *list2)
{
    if (list1 == nullptr || list2 == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return list1->unchain(*list2);
}
