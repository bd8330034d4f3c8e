// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/api_guard.hpp"
#include "common/buf.hpp"
#include "model/context.hpp"
#include "model/fault.hpp"

#include <doca_buf_inventory.h>

#include <mutex>

LOG_SOURCE("MODEL::BUFFER");

namespace softdoca {

namespace {

/// Gives a buffer back that has not become a Buffer.
struct BufEnd {
    void operator()(doca_buf *buf) const noexcept { (void)doca_buf_dec_refcount(buf, nullptr); }
};
using OwnedBuf = std::unique_ptr<doca_buf, BufEnd>;

bool is_inside(std::size_t offset, std::size_t len, std::size_t whole) noexcept
{
    return offset <= whole && len <= whole - offset;
}

} // namespace

/// The program may have returned a Buffer by a call of DOCA, which the table does not hear of; a
/// task in flight can hold it even then.
doca_mem *ModelContext::find_mem_of(const doca_buf *buf) noexcept
{
    const auto found = is_live_ ? bufs_.find(buf) : bufs_.end();
    return found == bufs_.end() || buf->refcount() == 0 ? nullptr : find_mem(found->second);
}

doca_error_t ModelContext::create_buf(doca_mem *mem, std::size_t offset, std::size_t len,
                                      doca_buf **out)
{
    std::size_t mem_len = 0;
    {
        const std::scoped_lock lock(model_lock);
        const doca_mem *const found = find_mem(mem);
        std::uint32_t num_free = 0;
        mem_len = found == nullptr ? 0 : found->len;
        (void)doca_buf_inventory_get_num_free_elements(inventory_, &num_free);
        if (settings_.max_num_bufs > 0 && num_free > 0 && is_inside(offset, len, mem_len)) {
            doca_buf *taken = nullptr; // succeeds, and so without a line in the log
            auto *const head = static_cast<std::byte *>(found->addr) + offset;
            const doca_error_t result = doca_buf_inventory_buf_get_by_args(
                inventory_, found->mmap, head, len, head, len, &taken);
            OwnedBuf buf(taken);
            if (result != DOCA_SUCCESS)
                return result;
            bufs_.insert_or_assign(taken, found);
            log_forget(taken); // addresses come again
            *out = buf.release();
            return DOCA_SUCCESS;
        }
    }
    if (mem_len == 0)
        return refuse_dead(LOG_SITE, "doca_buf_create", "memory", mem);
    if (!is_inside(offset, len, mem_len))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mem,
                           "doca_buf_create: %zu bytes at offset %zu are not inside memory %p, "
                           "which has %zu bytes",
                           len, offset, static_cast<void *>(mem), mem_len);
    LOG_ONCE(LogLevel::info, this,
             "doca_buf_create: all %u Buffers are in use; give some back (doca_buf_destroy) or "
             "allow more (SOFTDOCA_MODEL_MAX_BUF)",
             settings_.max_num_bufs);
    return DOCA_ERROR_NO_MEMORY;
}

doca_error_t ModelContext::destroy_buf(doca_buf *buf)
{
    bool is_alive = false, is_quiet = false;
    {
        const std::scoped_lock lock(model_lock);
        is_alive = find_mem_of(buf) != nullptr;
        is_quiet = is_alive && buf->is_list_head() && !buf->is_pinned();
        if (is_alive && buf->is_list_head())
            bufs_.erase(buf);
        if (is_quiet) // within the lock, for the mmap counts its buffers without one
            (void)doca_buf_dec_refcount(buf, nullptr);
    }
    if (!is_alive)
        return refuse_dead(LOG_SITE, "doca_buf_destroy", "buffer", buf);
    return is_quiet ? DOCA_SUCCESS : doca_buf_dec_refcount(buf, nullptr); // which says why
}

/// All references, those of the program too. Elements of a list go with its head.
void ModelContext::release_bufs() noexcept
{
    for (const auto &[handle, mem] : bufs_) {
        auto *const buf = const_cast<doca_buf *>(handle);
        while (buf->refcount() > 0 && buf->is_list_head())
            if (doca_buf_dec_refcount(buf, nullptr) != DOCA_SUCCESS)
                break;
    }
}

} // namespace softdoca

using softdoca::check_not_null;
using softdoca::check_own_process;
using softdoca::live_context;
using softdoca::ModelContext;
using softdoca::refuse_dead;

extern "C" doca_error_t softdoca_model_buf_create(doca_mem *mem, size_t offset, size_t len,
                                                  doca_buf **buf)
{
    static constexpr char kCall[] = "doca_buf_create";
    if (const doca_error_t bad = check_not_null(LOG_SITE, kCall, "mem", mem); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_not_null(LOG_SITE, kCall, "buf", buf); bad != DOCA_SUCCESS)
        return bad;
    if (len == 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, kCall, "%s: len is 0; give at least 1 byte",
                           kCall);
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t fault = softdoca::model_fault(softdoca::FaultPoint::buf);
        fault != DOCA_SUCCESS)
        return fault;
    const std::shared_ptr<ModelContext> context = live_context();
    if (context == nullptr)
        return refuse_dead(LOG_SITE, kCall, "memory", mem);
    return softdoca::api_guard(LOG_SITE, kCall,
                               [&] { return context->create_buf(mem, offset, len, buf); });
}

extern "C" doca_error_t softdoca_model_buf_destroy(doca_buf *buf)
{
    static constexpr char kCall[] = "doca_buf_destroy";
    if (buf == nullptr)
        return DOCA_SUCCESS;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    const std::shared_ptr<ModelContext> context = live_context();
    return context == nullptr ? refuse_dead(LOG_SITE, kCall, "buffer", buf)
                              : context->destroy_buf(buf);
}
