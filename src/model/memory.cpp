// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/memory.hpp"

#include "base/api_guard.hpp"
#include "model/context.hpp"
#include "model/fault.hpp"

#include <limits>
#include <mutex>
#include <utility>

LOG_SOURCE("MODEL::MEMORY");

namespace softdoca {

/// A Memory that is being made: its bytes are counted, and its device cannot be closed. Whatever
/// is not committed is taken back.
class ModelContext::Reservation {
public:
    explicit Reservation(ModelContext &context) noexcept : context_(context) {}
    ~Reservation()
    {
        if (device_ != nullptr)
            context_.uncount_mem(*device_, len_);
    }
    Reservation(const Reservation &) = delete;
    Reservation &operator=(const Reservation &) = delete;

    [[nodiscard]] doca_error_t take(doca_dev *dev, std::size_t len) noexcept;
    OpenDevice *device() const noexcept { return device_; }
    /// It is a Memory from now on. Under model_lock.
    void commit() noexcept { device_ = nullptr; }

private:
    ModelContext &context_;
    OpenDevice *device_ = nullptr;
    std::size_t len_ = 0;
};

void ModelContext::uncount_mem(OpenDevice &device, std::size_t len) noexcept
{
    const std::scoped_lock lock(model_lock);
    --device.num_mems;
    mem_len_ -= len;
}

doca_error_t ModelContext::Reservation::take(doca_dev *dev, std::size_t len) noexcept
{
    const std::uint64_t max_len = context_.settings_.max_mem_len;
    std::uint64_t used_len = 0;
    OpenDevice *device = nullptr;
    {
        const std::scoped_lock lock(model_lock);
        device = context_.find_device(dev);
        used_len = context_.mem_len_;
        if (device != nullptr && used_len <= max_len && len <= max_len - used_len) {
            ++device->num_mems;
            context_.mem_len_ += len;
            device_ = device;
            len_ = len;
            return DOCA_SUCCESS;
        }
    }
    if (device == nullptr)
        return refuse_dead(LOG_SITE, "doca_mem_reg", "device", dev);
    return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, &context_,
                       "doca_mem_reg: %zu bytes do not fit, %llu of %llu are registered "
                       "(SOFTDOCA_MODEL_MAX_MEM); call doca_mem_unreg for others first",
                       len, static_cast<unsigned long long>(used_len),
                       static_cast<unsigned long long>(max_len));
}

namespace {

/// The flags of doca_mmap for an access; nothing if it is none.
std::optional<std::uint32_t> permissions_of(std::uint32_t access) noexcept
{
    switch (access) {
    case DOCA_MEM_ACCESS_RO:
        return DOCA_ACCESS_FLAG_LOCAL_READ_ONLY;
    case DOCA_MEM_ACCESS_RW:
        return DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    case DOCA_MEM_ACCESS_PCI_RO:
        return DOCA_ACCESS_FLAG_LOCAL_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_ONLY;
    case DOCA_MEM_ACCESS_PCI_RW:
        return DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
    default:
        return std::nullopt;
    }
}

bool is_writable(std::uint32_t access) noexcept
{
    return access == DOCA_MEM_ACCESS_RW || access == DOCA_MEM_ACCESS_PCI_RW;
}

doca_error_t start_mmap(doca_mmap *mmap, doca_dev *dev, void *addr, std::size_t len,
                        std::uint32_t permissions) noexcept
{
    doca_error_t result = doca_mmap_set_memrange(mmap, addr, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(mmap, permissions);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(mmap, dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(mmap);
    return result;
}

/// Destroys an mmap that no Memory has taken over.
struct MmapEnd {
    void operator()(doca_mmap *mmap) const noexcept { (void)doca_mmap_destroy(mmap); }
};
using OwnedMmap = std::unique_ptr<doca_mmap, MmapEnd>;

} // namespace

doca_mem *ModelContext::find_mem(const doca_mem *mem) noexcept
{
    const auto found = is_live_ ? mems_.find(mem) : mems_.end();
    return found == mems_.end() ? nullptr : found->second.get();
}

doca_error_t ModelContext::reg(doca_dev *dev, void *addr, std::size_t len, std::uint32_t access,
                               doca_mem **out)
{
    Reservation reservation(*this);
    if (const doca_error_t bad = reservation.take(dev, len); bad != DOCA_SUCCESS)
        return bad;
    doca_mmap *made = nullptr;
    if (const doca_error_t bad = doca_mmap_create(&made); bad != DOCA_SUCCESS)
        return bad;
    OwnedMmap mmap(made);
    if (const doca_error_t bad = start_mmap(made, dev, addr, len, *permissions_of(access));
        bad != DOCA_SUCCESS)
        return bad;
    auto mem = std::make_unique<doca_mem>(
        doca_mem{reservation.device(), made, addr, len, is_writable(access)});
    doca_mem *const handle = mem.get();
    bool is_live = false;
    {
        const std::scoped_lock lock(model_lock);
        is_live = is_live_;
        if (is_live) {
            mems_.emplace(handle, std::move(mem));
            (void)mmap.release();
            reservation.commit();
        }
    }
    if (!is_live) // another thread has destroyed the Context meanwhile
        return refuse_dead(LOG_SITE, "doca_mem_reg", "device", dev);
    log_forget(handle);
    LOG_DBG("memory %p is registered: [%p, %zu bytes] for device %s", static_cast<void *>(handle),
            addr, len, dev->name());
    *out = handle;
    return DOCA_SUCCESS;
}

doca_error_t ModelContext::unreg(doca_mem *mem)
{
    decltype(mems_)::node_type ended;
    bool is_alive = false;
    std::uint32_t num = 0;
    std::size_t len = 0;
    {
        const std::scoped_lock lock(model_lock);
        if (const doca_mem *const found = find_mem(mem); found != nullptr) {
            is_alive = true;
            num = found->num_bufs();
            len = found->len;
            if (num == 0)
                ended = mems_.extract(mem);
        }
    }
    if (!is_alive)
        return refuse_dead(LOG_SITE, "doca_mem_unreg", "memory", mem);
    if (num > 0)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, mem,
                           "memory %p (%zu bytes) still has %u buffer%s; call doca_buf_destroy "
                           "first",
                           static_cast<void *>(mem), len, num, num == 1 ? "" : "s");
    if (const doca_error_t bad = doca_mmap_destroy(mem->mmap); bad != DOCA_SUCCESS) {
        const std::scoped_lock lock(model_lock); // a buffer has come in between: it goes on living
        mems_.insert(std::move(ended));
        return bad;
    }
    uncount_mem(*mem->device, len);
    log_forget(mem);
    return DOCA_SUCCESS;
}

doca_error_t ModelContext::read_addr(const doca_mem *mem, std::uint64_t *host_addr,
                                     std::uint64_t *device_addr) noexcept
{
    {
        const std::scoped_lock lock(model_lock);
        if (const doca_mem *const found = find_mem(mem); found != nullptr) {
            *host_addr = *device_addr = reinterpret_cast<std::uintptr_t>(found->addr);
            return DOCA_SUCCESS;
        }
    }
    return refuse_dead(LOG_SITE, "softdoca_model_mem_addr", "memory", mem);
}

namespace {

/// What is wrong with a range that is to be registered, before anything is looked up.
doca_error_t check_range(const char *call, const doca_dev *dev, const void *addr, std::size_t len,
                         std::uint32_t access) noexcept
{
    if (len == 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev, "%s: len is 0; give at least 1 byte",
                           call);
    if (reinterpret_cast<std::uintptr_t>(addr) > std::numeric_limits<std::uintptr_t>::max() - len)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev,
                           "%s: [%p, %zu bytes] ends beyond the address space", call, addr, len);
    if (!permissions_of(access))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev,
                           "%s: %u is no access; give one of DOCA_MEM_ACCESS_RO, _RW, _PCI_RO and "
                           "_PCI_RW",
                           call, access);
    return DOCA_SUCCESS;
}

} // namespace

} // namespace softdoca

using softdoca::check_own_process;
using softdoca::live_context;
using softdoca::ModelContext;
using softdoca::refuse_dead;

extern "C" doca_error_t softdoca_model_mem_reg(doca_dev *dev, void *addr, size_t len,
                                               uint32_t access, doca_mem **mem)
{
    static constexpr char kCall[] = "doca_mem_reg";
    if (dev == nullptr || addr == nullptr || mem == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, kCall, "%s: dev, addr or mem is NULL", kCall);
    if (const doca_error_t bad = softdoca::check_range(kCall, dev, addr, len, access);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t fault = softdoca::model_fault(softdoca::FaultPoint::reg);
        fault != DOCA_SUCCESS)
        return fault;
    const std::shared_ptr<ModelContext> context = live_context();
    if (context == nullptr)
        return refuse_dead(LOG_SITE, kCall, "device", dev);
    return softdoca::api_guard(LOG_SITE, kCall,
                               [&] { return context->reg(dev, addr, len, access, mem); });
}

extern "C" doca_error_t softdoca_model_mem_unreg(doca_mem *mem)
{
    static constexpr char kCall[] = "doca_mem_unreg";
    if (mem == nullptr)
        return DOCA_SUCCESS;
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    const std::shared_ptr<ModelContext> context = live_context();
    if (context == nullptr)
        return refuse_dead(LOG_SITE, kCall, "memory", mem);
    return softdoca::api_guard(LOG_SITE, kCall, [&] { return context->unreg(mem); });
}

extern "C" doca_error_t softdoca_model_mem_addr(const doca_mem *mem, uint64_t *host_addr,
                                                uint64_t *device_addr)
{
    if (mem == nullptr || host_addr == nullptr || device_addr == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, __func__,
                           "%s: mem, host_addr or device_addr is NULL", __func__);
    if (const doca_error_t bad = check_own_process(LOG_SITE, __func__); bad != DOCA_SUCCESS)
        return bad;
    const std::shared_ptr<ModelContext> context = live_context();
    return context == nullptr ? refuse_dead(LOG_SITE, __func__, "memory", mem)
                              : context->read_addr(mem, host_addr, device_addr);
}
