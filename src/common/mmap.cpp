// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/mmap.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/log_sink.hpp"
#include "common/mmap_export.hpp"

#include <fcntl.h>

#include <algorithm>

LOG_SOURCE("CORE::MMAP");

namespace {

constexpr std::uint32_t kAllAccess =
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
    DOCA_ACCESS_FLAG_RDMA_ATOMIC | DOCA_ACCESS_FLAG_PCI_READ_ONLY |
    DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING;
constexpr std::uint32_t kBothPci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
constexpr std::size_t kCacheLine = 64;

doca_error_t check(const char *call, const doca_mmap *mmap) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "mmap", mmap);
}

/// A query: the value if both pointers are good.
template <typename Value>
doca_error_t get(const char *call, const doca_mmap *mmap, Value *out,
                 Value (doca_mmap::*value)() const noexcept) noexcept
{
    if (const doca_error_t bad = check(call, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = (mmap->*value)();
    return DOCA_SUCCESS;
}

/// Memory crosses between the sides of a card, so a function must be of one.
doca_error_t answer_has_card(const char *call, const doca_devinfo *devinfo,
                             std::uint8_t *out) noexcept
{
    const softdoca::Function *const function = softdoca::function_of(devinfo);
    if (function == nullptr || out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                           "%s: devinfo %p is NULL or stale, or the out-parameter is NULL", call,
                           static_cast<const void *>(devinfo));
    *out = function->card.empty() ? 0 : 1;
    return DOCA_SUCCESS;
}

} // namespace

doca_mmap::doca_mmap() = default;

doca_mmap::~doca_mmap()
{
    end_exports();
    softdoca::log_forget(this);
}

doca_error_t doca_mmap::check_own(const char *what) const noexcept
{
    if (window_ == nullptr)
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                       "mmap %p was made from an export; it is usable as it is, %s cannot be "
                       "changed (doca_mmap_destroy ends it)",
                       static_cast<const void *>(this), what);
}

doca_mmap::FreeCall doca_mmap::due_free_call() const noexcept
{
    return {is_free_cb_due_ ? free_cb_ : nullptr, base_, len_, free_cookie_};
}

doca_error_t doca_mmap::set_memrange(void *addr, std::size_t len) noexcept
{
    if (const doca_error_t bad = check_own("its range"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "mmap %p is started; set its range before doca_mmap_start",
                           static_cast<void *>(this));
    if (has_range())
        return LOG_REFUSED(
            DOCA_ERROR_NOT_PERMITTED, this,
            "mmap %p has the range [%p, %zu bytes] already; a range is set once, make "
            "another mmap",
            static_cast<void *>(this), static_cast<void *>(base_), len_);
    if (reinterpret_cast<std::uintptr_t>(addr) % kCacheLine != 0) {
        softdoca::LogSite site = LOG_SITE;
        site.is_hint = true;
        softdoca::log_once(
            softdoca::LogLevel::warning, site, this,
            "mmap %p: range [%p, %zu bytes] is not aligned to a cache line; it works, "
            "but %zu-byte alignment is faster on a card",
            static_cast<void *>(this), addr, len, kCacheLine);
    }
    base_ = static_cast<std::byte *>(addr);
    len_ = len;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::set_permissions(std::uint32_t access_mask) noexcept
{
    if ((access_mask & ~kAllAccess) != 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "mmap %p: permissions 0x%x hold unknown bits (known: 0x%x, "
                           "DOCA_ACCESS_FLAG_*)",
                           static_cast<void *>(this), access_mask, kAllAccess);
    if ((access_mask & kBothPci) == kBothPci)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "mmap %p: permissions 0x%x hold both PCI_READ_ONLY and PCI_READ_WRITE; "
                           "choose one",
                           static_cast<void *>(this), access_mask);
    if (const doca_error_t bad = check_own("its permissions"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "mmap %p is started; set permissions before doca_mmap_start",
                           static_cast<void *>(this));
    permissions_ = access_mask;
    is_writable_ =
        (access_mask & (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)) != 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::set_free_cb(doca_mmap_memrange_free_cb_t *callback, void *cookie) noexcept
{
    if (const doca_error_t bad = check_own("its free callback"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "mmap %p is started; set its free callback before doca_mmap_start",
                           static_cast<void *>(this));
    free_cb_ = callback;
    free_cookie_ = cookie;
    is_free_cb_due_ = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::set_user_data(doca_data user_data) noexcept
{
    if (const doca_error_t bad = check_own("its user data"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "mmap %p is started; set its user data before doca_mmap_start",
                           static_cast<void *>(this));
    user_data_ = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::set_max_num_devices(std::uint32_t max_num_devices) noexcept
{
    if (max_num_devices == 0 || max_num_devices < devs_.size())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "mmap %p: at most %u devices is fewer than 1 or than the %zu it has",
                           static_cast<void *>(this), max_num_devices, devs_.size());
    if (const doca_error_t bad = check_own("its number of devices"); bad != DOCA_SUCCESS)
        return bad;
    if (was_started_)
        return LOG_REFUSED(
            DOCA_ERROR_NOT_PERMITTED, this,
            "mmap %p was started before; the number of devices is fixed by the first "
            "start",
            static_cast<void *>(this));
    max_num_devices_ = max_num_devices;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::enable_thread_safety() noexcept
{
    if ((is_started_ && window_ == nullptr) || num_bufs() != 0)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p is started or has %u buffers out; enable thread safety before "
                           "doca_mmap_start",
                           static_cast<void *>(this), num_bufs());
    is_thread_safe_ = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::add_dev(doca_dev &dev)
{
    if (const doca_error_t bad = check_own("its devices"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p is started; add devices before doca_mmap_start",
                           static_cast<void *>(this));
    if (has(dev))
        return LOG_REFUSED(DOCA_ERROR_ALREADY_EXIST, this, "mmap %p has device %s already",
                           static_cast<void *>(this), dev.name());
    if (devs_.size() >= max_num_devices_)
        return LOG_REFUSED(
            DOCA_ERROR_NO_MEMORY, this,
            "mmap %p has %zu devices, the limit is %u (doca_mmap_set_max_num_devices)",
            static_cast<void *>(this), devs_.size(), max_num_devices_);
    devs_.reserve(devs_.size() + 1);
    devs_.push_back(std::make_unique<softdoca::DeviceHold>(dev, "mmap", this));
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::rm_dev(doca_dev &dev) noexcept
{
    if (const doca_error_t bad = check_own("its devices"); bad != DOCA_SUCCESS)
        return bad;
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p is started; stop it before devices are removed",
                           static_cast<void *>(this));
    const auto found =
        std::ranges::find_if(devs_, [&](const auto &hold) { return &hold->dev() == &dev; });
    if (found == devs_.end())
        return LOG_REFUSED(DOCA_ERROR_NOT_FOUND, this, "mmap %p does not have device %s",
                           static_cast<void *>(this), dev.name());
    devs_.erase(found);
    LOG_DBG("mmap %p: device %s removed", static_cast<void *>(this), dev.name());
    return DOCA_SUCCESS;
}

bool doca_mmap::has(const doca_dev &dev) const noexcept
{
    return std::ranges::any_of(devs_, [&](const auto &hold) { return &hold->dev() == &dev; });
}

doca_error_t doca_mmap::start() noexcept
{
    if (const doca_error_t bad = check_own("its state"); bad != DOCA_SUCCESS)
        return bad;
    if (is_exported())
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p is started and exported (doca_mmap_stop ends both)",
                           static_cast<void *>(this));
    if (is_started_)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this, "mmap %p is started already",
                           static_cast<void *>(this));
    if (!has_range())
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "mmap %p has no memory range; call doca_mmap_set_memrange before "
                           "doca_mmap_start",
                           static_cast<void *>(this));
    is_started_ = was_started_ = is_free_cb_due_ = true;
    usable_dev_ = devs_.empty() ? nullptr : &devs_.front()->dev();
    LOG_DBG("mmap %p started: [%p, %zu bytes], permissions 0x%x", static_cast<void *>(this),
            static_cast<void *>(base_), len_, permissions_);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::stop() noexcept
{
    if (const doca_error_t bad = check_own("its state"); bad != DOCA_SUCCESS)
        return bad;
    if (!is_started_)
        return DOCA_SUCCESS;
    if (num_bufs() != 0)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p: %u buffers still point into it; return them "
                           "(doca_buf_dec_refcount) before doca_mmap_stop",
                           static_cast<void *>(this), num_bufs());
    end_exports();
    is_started_ = false;
    usable_dev_ = nullptr;
    LOG_INF("mmap %p stopped", static_cast<void *>(this));
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::check_destroy() const noexcept
{
    if (num_bufs() != 0)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p: %u buffers still point into it; return them "
                           "(doca_buf_dec_refcount) before doca_mmap_destroy",
                           static_cast<const void *>(this), num_bufs());
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_mmap_create(doca_mmap **mmap)
{
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *mmap = new doca_mmap;
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_mmap_destroy(doca_mmap *mmap)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = mmap->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    const doca_mmap::FreeCall free_call = mmap->due_free_call();
    LOG_INF("mmap %p destroyed", static_cast<void *>(mmap));
    delete mmap;
    if (free_call.callback != nullptr) // last: the program may close the device in it
        free_call.callback(free_call.addr, free_call.len, free_call.cookie);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_mmap_start(doca_mmap *mmap)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->start();
}

extern "C" doca_error_t doca_mmap_stop(doca_mmap *mmap)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->stop();
}

extern "C" doca_error_t doca_mmap_add_dev(doca_mmap *mmap, doca_dev *dev)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] { return mmap->add_dev(*dev); });
}

extern "C" doca_error_t doca_mmap_rm_dev(doca_mmap *mmap, doca_dev *dev)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    return mmap->rm_dev(*dev);
}

extern "C" doca_error_t doca_mmap_set_memrange(doca_mmap *mmap, void *addr, size_t len)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (addr == nullptr || len == 0 || reinterpret_cast<std::uintptr_t>(addr) + len < len)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "mmap %p: [%p, %zu bytes] is no memory range (NULL, empty, or past the "
                           "end of the address space)",
                           static_cast<void *>(mmap), addr, len);
    return mmap->set_memrange(addr, len);
}

extern "C" doca_error_t doca_mmap_set_dmabuf_memrange(doca_mmap *mmap, int dmabuf_fd, void *addr,
                                                      size_t dmabuf_offset, size_t len)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (::fcntl(dmabuf_fd, F_GETFD) < 0 || dmabuf_offset + len < len)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "mmap %p: %d is no open descriptor, or offset %zu + %zu bytes overflows",
                           static_cast<void *>(mmap), dmabuf_fd, dmabuf_offset, len);
    softdoca::UniqueFd kept(::fcntl(dmabuf_fd, F_DUPFD_CLOEXEC, 0)); // of memory, for exports
    const doca_error_t result = doca_mmap_set_memrange(mmap, addr, len);
    if (result == DOCA_SUCCESS)
        mmap->keep_memory_fd(std::move(kept));
    return result;
}

extern "C" doca_error_t doca_mmap_set_dpa_memrange(doca_mmap *mmap, doca_dpa *dpa, uint64_t, size_t)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (dpa == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "doca_mmap_set_dpa_memrange: dpa is NULL");
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, mmap,
                       "doca_mmap_set_dpa_memrange: there is no DPA here");
}

extern "C" doca_error_t doca_mmap_dev_get_dpa_handle(doca_mmap *mmap, const doca_dev *dev,
                                                     doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, dpa_mmap_handle);
        bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, mmap,
                       "doca_mmap_dev_get_dpa_handle: there is no DPA here");
}

extern "C" doca_error_t doca_mmap_get_memrange(const doca_mmap *mmap, void **addr, size_t *len)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (addr == nullptr || len == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "doca_mmap_get_memrange: addr or len is NULL");
    if (!mmap->has_range())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, mmap,
                           "mmap %p has no memory range yet (doca_mmap_set_memrange)",
                           static_cast<const void *>(mmap));
    *addr = mmap->base();
    *len = mmap->len();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_mmap_set_free_cb(doca_mmap *mmap,
                                              doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
    if (const doca_error_t bad = check(__func__, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (free_cb == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap,
                           "doca_mmap_set_free_cb: free_cb is NULL");
    return mmap->set_free_cb(free_cb, opaque);
}

extern "C" doca_error_t doca_mmap_set_user_data(doca_mmap *mmap, union doca_data user_data)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->set_user_data(user_data);
}

extern "C" doca_error_t doca_mmap_get_user_data(const doca_mmap *mmap, union doca_data *user_data)
{
    return get(__func__, mmap, user_data, &doca_mmap::user_data);
}

extern "C" doca_error_t doca_mmap_set_max_num_devices(doca_mmap *mmap, uint32_t max_num_devices)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->set_max_num_devices(max_num_devices);
}

extern "C" doca_error_t doca_mmap_get_max_num_devices(const doca_mmap *mmap,
                                                      uint32_t *max_num_devices)
{
    return get(__func__, mmap, max_num_devices, &doca_mmap::max_num_devices);
}

extern "C" doca_error_t doca_mmap_get_num_bufs(const doca_mmap *mmap, uint32_t *num_bufs)
{
    return get(__func__, mmap, num_bufs, &doca_mmap::num_bufs);
}

extern "C" doca_error_t doca_mmap_set_permissions(doca_mmap *mmap, uint32_t access_mask)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->set_permissions(access_mask);
}

extern "C" doca_error_t doca_mmap_enable_thread_safety(doca_mmap *mmap)
{
    const doca_error_t bad = check(__func__, mmap);
    return bad != DOCA_SUCCESS ? bad : mmap->enable_thread_safety();
}

extern "C" doca_error_t doca_mmap_cap_is_export_pci_supported(const doca_devinfo *devinfo,
                                                              uint8_t *mmap_export)
{
    return answer_has_card(__func__, devinfo, mmap_export);
}

extern "C" doca_error_t
doca_mmap_cap_is_create_from_export_pci_supported(const doca_devinfo *devinfo, uint8_t *from_export)
{
    return answer_has_card(__func__, devinfo, from_export);
}
