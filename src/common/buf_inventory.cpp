// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/buf_inventory.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/log_sink.hpp"

#include <limits>

LOG_SOURCE("CORE::BUF_INVENTORY");

namespace {

doca_error_t check(const char *call, const doca_buf_inventory *inventory) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "inventory", inventory);
}

} // namespace

doca_buf_inventory::doca_buf_inventory(std::size_t num_elements)
{
    chunks_.push_back(std::make_unique<doca_buf[]>(num_elements));
    add(chunks_.back().get(), num_elements);
}

doca_buf_inventory::~doca_buf_inventory()
{
    softdoca::log_forget(this);
}

doca_error_t doca_buf_inventory::expand(std::uint32_t num)
{
    if (!is_started())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "inventory %p is not started; expand it after doca_buf_inventory_start",
                           static_cast<void *>(this));
    if (num == 0 || num > std::numeric_limits<std::uint32_t>::max() - num_elements())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "inventory %p of %u elements cannot grow by %u",
                           static_cast<void *>(this), num_elements(), num);
    chunks_.push_back(std::make_unique<doca_buf[]>(num));
    add(chunks_.back().get(), num);
    return DOCA_SUCCESS;
}

/// The first call, or several threads share the inventory.
doca_error_t doca_buf_inventory::get_later(doca_mmap &mmap, void *addr, std::size_t len, void *data,
                                           std::size_t data_len, doca_buf **out) noexcept
{
    doca_buf *buf = nullptr;
    {
        const std::scoped_lock lock(lock_);
        buf = take();
    }
    if (buf == nullptr)
        return report_empty();
    buf->set(mmap, addr, len, data, data_len);
    *out = buf;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory::refuse_get(const doca_mmap &mmap, const void *addr,
                                            std::size_t len, const void *data,
                                            std::size_t data_len) const noexcept
{
    if (!is_started())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "inventory %p is not started (doca_buf_inventory_start)",
                           static_cast<const void *>(this));
    if (mmap.is_inherited())
        return LOG_REFUSED(
            DOCA_ERROR_BAD_STATE, this,
            "mmap %p was made before this process was forked; only the parent may use it",
            static_cast<const void *>(&mmap));
    if (!mmap.is_started())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this, "mmap %p is not started (doca_mmap_start)",
                           static_cast<const void *>(&mmap));
    if (!mmap.contains(addr, len))
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, this, "[%p, %zu bytes] is not inside %s %p [%p, %zu bytes]%s",
            addr, len, mmap.window() == nullptr ? "mmap" : "import",
            static_cast<const void *>(&mmap), static_cast<void *>(mmap.base()), mmap.len(),
            mmap.window() == nullptr ? " (doca_mmap_get_memrange)"
                                     : "; use the exporter's addresses (doca_mmap_get_memrange)");
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                       "data [%p, %zu bytes] is not inside the buffer [%p, %zu bytes]", data,
                       data_len, addr, len);
}

/// Back-pressure, no fault: the program frees finished buffers and tries again.
doca_error_t doca_buf_inventory::report_empty() const noexcept
{
    LOG_ONCE(
        softdoca::LogLevel::info, this,
        "inventory %p: all %u buffers are out; return finished ones (doca_buf_dec_refcount) or "
        "create it larger",
        static_cast<const void *>(this), num_elements());
    return DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_buf_inventory::dup(const doca_buf &src, doca_buf **out) noexcept
{
    if (!is_started())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "inventory %p is not started (doca_buf_inventory_start)",
                           static_cast<void *>(this));
    if (!src.is_list_head())
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "buffer %p is an element of a list; only a list's head is duplicated",
                           static_cast<const void *>(&src));
    for (const doca_buf *from = &src; from != nullptr; from = from->next())
        if (from->mmap() == nullptr || from->store().is_inherited() || !from->mmap()->is_started())
            return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                               "buffer %p cannot be duplicated: it was returned, belongs to the "
                               "parent process, or its mmap is not "
                               "started",
                               static_cast<const void *>(from));

    doca_buf *const first = take_list(src.list_len());
    if (first == nullptr)
        return report_empty();
    doca_buf *to = first;
    for (const doca_buf *from = &src; from != nullptr; from = from->next()) {
        doca_buf *const next = to->next();
        to->set(*from->mmap(), from->head(), from->len(), from->data(), from->data_len());
        if (next != nullptr)
            to->link(*next);
        to = next;
    }
    *out = first;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_create(size_t num_elements,
                                                  doca_buf_inventory **inventory)
{
    if (inventory == nullptr || num_elements == 0 ||
        num_elements > std::numeric_limits<std::uint32_t>::max())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_buf_inventory_create: inventory is NULL, or %zu elements are not "
                           "within 1 and 2^32-1",
                           num_elements);
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *inventory = new doca_buf_inventory(num_elements);
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_buf_inventory_destroy(doca_buf_inventory *inventory)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    const std::uint32_t num_out = inventory->num_elements() - inventory->num_free();
    if (num_out != 0)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, inventory,
                           "inventory %p: %u buffers are still out; return them "
                           "(doca_buf_dec_refcount) before doca_buf_inventory_destroy",
                           static_cast<void *>(inventory), num_out);
    delete inventory;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_start(doca_buf_inventory *inventory)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    inventory->start();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_stop(doca_buf_inventory *inventory)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    inventory->stop();
    return DOCA_SUCCESS;
}

namespace {

[[gnu::cold, gnu::noinline]] doca_error_t
refuse_args(const doca_buf_inventory *inventory, const doca_mmap *mmap, const void *out) noexcept
{
    static constexpr char kCall[] = "doca_buf_inventory_buf_get_by_args";
    if (const doca_error_t bad = check(kCall, inventory); bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, inventory, "%s: mmap %p or buf %p is NULL", kCall,
                       static_cast<const void *>(mmap), out);
}

} // namespace

extern "C" doca_error_t doca_buf_inventory_buf_get_by_args(doca_buf_inventory *inventory,
                                                           doca_mmap *mmap, void *addr, size_t len,
                                                           void *data, size_t data_len,
                                                           doca_buf **buf)
{
    if (inventory == nullptr || mmap == nullptr || buf == nullptr || inventory->is_inherited())
        [[unlikely]]
        return refuse_args(inventory, mmap, buf);
    return inventory->get(*mmap, addr, len, data, data_len, buf);
}

extern "C" doca_error_t doca_buf_inventory_buf_dup(doca_buf_inventory *inventory,
                                                   const doca_buf *src_buf, doca_buf **dst_buf)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    if (src_buf == nullptr || dst_buf == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, inventory, "%s: src_buf or dst_buf is NULL",
                           __func__);
    return inventory->dup(*src_buf, dst_buf);
}

extern "C" doca_error_t doca_buf_inventory_set_user_data(doca_buf_inventory *inventory,
                                                         union doca_data user_data)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    inventory->set_user_data(user_data);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_get_user_data(const doca_buf_inventory *inventory,
                                                         union doca_data *user_data)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, user_data);
        bad != DOCA_SUCCESS)
        return bad;
    *user_data = inventory->user_data();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_get_num_elements(const doca_buf_inventory *inventory,
                                                            uint32_t *num_of_elements)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, num_of_elements);
        bad != DOCA_SUCCESS)
        return bad;
    *num_of_elements = inventory->num_elements();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t
doca_buf_inventory_get_num_free_elements(const doca_buf_inventory *inventory,
                                         uint32_t *num_of_free_elements)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, num_of_free_elements);
        bad != DOCA_SUCCESS)
        return bad;
    *num_of_free_elements = inventory->num_free();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_buf_inventory_expand(doca_buf_inventory *inventory,
                                                  uint32_t num_elements)
{
    if (const doca_error_t bad = check(__func__, inventory); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] { return inventory->expand(num_elements); });
}

namespace {

/// A buffer that the program owns gets a new range within its mmap and keeps its handle.
doca_error_t reuse(const char *call, doca_buf *buf, void *addr, std::size_t len,
                   std::size_t data_len)
{
    if (buf == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: buf is NULL", call);
    const softdoca::BufStore *const store = &buf->store();
    const auto *const object = static_cast<const void *>(buf);
    if (store->is_inherited())
        return LOG_REFUSED(
            DOCA_ERROR_BAD_STATE, store,
            "%s: buffer %p was taken before this process was forked; only the parent "
            "may use it",
            call, object);
    if (buf->is_returned() || !buf->mmap()->contains(addr, len))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, store,
                           "%s: buffer %p was returned, or [%p, %zu bytes] is not inside its mmap",
                           call, object, addr, len);
    if (buf->is_pinned())
        return LOG_REFUSED(
            DOCA_ERROR_BAD_STATE, store,
            "%s: buffer %p is used by a task in flight; reuse it after the completion "
            "callback",
            call, object);
    buf->set_range(addr, len, addr, data_len);
    return DOCA_SUCCESS;
}

} // namespace

extern "C" doca_error_t doca_buf_inventory_buf_reuse_by_data(doca_buf *buf, void *data,
                                                             size_t data_len)
{
    return reuse(__func__, buf, data, data_len, data_len);
}

extern "C" doca_error_t doca_buf_inventory_buf_reuse_by_addr(doca_buf *buf, void *addr, size_t len)
{
    return reuse(__func__, buf, addr, len, 0);
}
