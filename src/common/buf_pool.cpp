// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/buf_pool.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/log_sink.hpp"

#include <bit>
#include <limits>

LOG_SOURCE("CORE::BUF_POOL");

namespace {

doca_error_t check(const char *call, const doca_buf_pool *pool) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "buffer pool", pool);
}

template <typename Value, typename Answer>
doca_error_t get(const char *call, const doca_buf_pool *pool, Value *out, Answer &&answer) noexcept
{
    if (const doca_error_t bad = check(call, pool); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = answer(*pool);
    return DOCA_SUCCESS;
}

} // namespace

doca_buf_pool::doca_buf_pool(std::size_t num_elements, std::size_t element_size, doca_mmap &mmap)
    : mmap_(mmap), element_size_(element_size), bufs_(std::make_unique<doca_buf[]>(num_elements))
{
    add(bufs_.get(), num_elements);
}

doca_buf_pool::~doca_buf_pool()
{
    softdoca::log_forget(this);
}

/// Decides where the elements lie. The range need not be aligned; the elements are.
doca_error_t doca_buf_pool::lay_out() noexcept
{
    const auto base = reinterpret_cast<std::uintptr_t>(mmap_.base());
    const std::size_t lead = -base & (alignment_ - 1);
    const std::size_t stride = (element_size_ + alignment_ - 1) & ~(alignment_ - 1);
    const std::size_t num_gaps = num_elements() - 1;
    // lead + num_gaps * stride + element_size_ <= range, written so that nothing overflows
    const std::size_t range = mmap_.len();
    if (stride < element_size_ || lead > range || element_size_ > range - lead ||
        (num_gaps != 0 && stride > (range - lead - element_size_) / num_gaps))
        return LOG_REFUSED(
            DOCA_ERROR_INITIALIZATION, this,
            "buffer pool %p: %u elements of %zu bytes, aligned to %zu, do not fit into "
            "the %zu bytes of mmap %p",
            static_cast<void *>(this), num_elements(), element_size_, alignment_, range,
            static_cast<void *>(&mmap_));
    first_element_ = mmap_.base() + lead;
    stride_ = stride;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool::start() noexcept
{
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this, "buffer pool %p is started already",
                           static_cast<void *>(this));
    if (!mmap_.is_started())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "buffer pool %p: its mmap %p is not started (doca_mmap_start)",
                           static_cast<void *>(this), static_cast<void *>(&mmap_));
    const doca_error_t result = lay_out();
    is_started_ = result == DOCA_SUCCESS;
    return result;
}

doca_error_t doca_buf_pool::stop() noexcept
{
    const doca_error_t result = check_all_back("doca_buf_pool_stop");
    if (result == DOCA_SUCCESS)
        is_started_ = false;
    return result;
}

doca_error_t doca_buf_pool::check_all_back(const char *call) const noexcept
{
    const std::uint32_t num_out = num_elements() - num_free();
    if (num_out == 0)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "%s: %u buffers of pool %p are still out; return them "
                       "(doca_buf_dec_refcount)",
                       call, num_out, static_cast<const void *>(this));
}

doca_error_t doca_buf_pool::alloc(doca_buf **out) noexcept
{
    if (!is_started_) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "buffer pool %p is not started (doca_buf_pool_start)",
                           static_cast<void *>(this));
    if (!mmap_.is_started()) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "buffer pool %p: its mmap %p was stopped (doca_mmap_start)",
                           static_cast<void *>(this), static_cast<void *>(&mmap_));
    lock_.lock();
    doca_buf *const buf = take();
    lock_.unlock();
    if (buf == nullptr) [[unlikely]] {
        LOG_ONCE(softdoca::LogLevel::info, this,
                 "buffer pool %p: all %u buffers are out; return finished ones "
                 "(doca_buf_dec_refcount) or create it larger",
                 static_cast<void *>(this), num_elements());
        return DOCA_ERROR_EMPTY;
    }
    std::byte *const element =
        first_element_ + static_cast<std::size_t>(buf - bufs_.get()) * stride_;
    buf->set(mmap_, element, element_size_, element, 0);
    *out = buf;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool::set_element_alignment(std::size_t alignment) noexcept
{
    if (!std::has_single_bit(alignment))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "buffer pool %p: alignment %zu is no power of two",
                           static_cast<void *>(this), alignment);
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "buffer pool %p is started; set the alignment before",
                           static_cast<void *>(this));
    alignment_ = alignment;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool::set_user_data(doca_data user_data) noexcept
{
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "buffer pool %p is started; set its user data before",
                           static_cast<void *>(this));
    user_data_ = user_data;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                             const doca_mmap *mmap, doca_buf_pool **buf_pool)
{
    if (const doca_error_t bad = softdoca::check_handle(LOG_SITE, __func__, "mmap", mmap);
        bad != DOCA_SUCCESS)
        return bad;
    if (buf_pool == nullptr || num_elements == 0 || element_size == 0 || !mmap->has_range() ||
        num_elements > std::numeric_limits<std::uint32_t>::max())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "doca_buf_pool_create: %zu elements of %zu bytes: buf_pool is NULL, a "
                           "number is 0 or above 2^32-1, or mmap %p has no range",
                           num_elements, element_size, static_cast<const void *>(mmap));
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        // The pool counts its buffers in the mmap, though the API calls it const.
        *buf_pool = new doca_buf_pool(num_elements, element_size, *const_cast<doca_mmap *>(mmap));
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_buf_pool_destroy(doca_buf_pool *buf_pool)
{
    if (const doca_error_t bad = check(__func__, buf_pool); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = buf_pool->check_all_back(__func__); bad != DOCA_SUCCESS)
        return bad;
    delete buf_pool;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_pool_start(doca_buf_pool *buf_pool)
{
    const doca_error_t bad = check(__func__, buf_pool);
    return bad != DOCA_SUCCESS ? bad : buf_pool->start();
}

extern "C" doca_error_t doca_buf_pool_stop(doca_buf_pool *buf_pool)
{
    const doca_error_t bad = check(__func__, buf_pool);
    return bad != DOCA_SUCCESS ? bad : buf_pool->stop();
}

extern "C" doca_error_t doca_buf_pool_buf_alloc(doca_buf_pool *buf_pool, doca_buf **buf)
{
    if (const doca_error_t bad = check(__func__, buf_pool); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, buf); bad != DOCA_SUCCESS)
        return bad;
    return buf_pool->alloc(buf);
}

extern "C" doca_error_t doca_buf_pool_set_user_data(doca_buf_pool *buf_pool,
                                                    union doca_data user_data)
{
    const doca_error_t bad = check(__func__, buf_pool);
    return bad != DOCA_SUCCESS ? bad : buf_pool->set_user_data(user_data);
}

extern "C" doca_error_t doca_buf_pool_set_element_alignment(doca_buf_pool *buf_pool,
                                                            size_t element_alignment)
{
    const doca_error_t bad = check(__func__, buf_pool);
    return bad != DOCA_SUCCESS ? bad : buf_pool->set_element_alignment(element_alignment);
}

extern "C" doca_error_t doca_buf_pool_get_num_elements(const doca_buf_pool *buf_pool,
                                                       uint32_t *num_of_elements)
{
    return get(__func__, buf_pool, num_of_elements,
               [](const doca_buf_pool &pool) { return pool.num_elements(); });
}

extern "C" doca_error_t doca_buf_pool_get_num_free_elements(const doca_buf_pool *buf_pool,
                                                            uint32_t *num_of_free_elements)
{
    return get(__func__, buf_pool, num_of_free_elements,
               [](const doca_buf_pool &pool) { return pool.num_free(); });
}

extern "C" doca_error_t doca_buf_pool_get_user_data(const doca_buf_pool *buf_pool,
                                                    union doca_data *user_data)
{
    return get(__func__, buf_pool, user_data,
               [](const doca_buf_pool &pool) { return pool.user_data(); });
}

extern "C" doca_error_t doca_buf_pool_get_element_alignment(const doca_buf_pool *buf_pool,
                                                            size_t *element_alignment)
{
    return get(__func__, buf_pool, element_alignment,
               [](const doca_buf_pool &pool) { return pool.element_alignment(); });
}
