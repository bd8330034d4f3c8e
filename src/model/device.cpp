// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/device.hpp"

#include "base/api_guard.hpp"
#include "model/context.hpp"
#include "model/fault.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

LOG_SOURCE("MODEL::DEVICE");

namespace softdoca {

OpenDevice *ModelContext::find_device(const doca_dev *dev) noexcept
{
    const auto found = std::ranges::find_if(devices_, [dev](const OpenDevice &device) {
        return device.dev == dev && device.num_opens > 0;
    });
    return is_live_ && found != devices_.end() ? &*found : nullptr;
}

doca_error_t ModelContext::open(doca_devinfo *info, doca_dev **out)
{
    std::list<OpenDevice> made(1); // first, since it may throw
    doca_dev *dev = nullptr;
    if (const doca_error_t bad = doca_dev_open(info, &dev); bad != DOCA_SUCCESS)
        return bad;
    bool is_live = false;
    {
        const std::scoped_lock lock(model_lock);
        is_live = is_live_;
        auto device = std::ranges::find(devices_, dev, &OpenDevice::dev);
        if (is_live && device == devices_.end()) {
            made.front().dev = dev;
            devices_.splice(devices_.end(), made);
            device = std::prev(devices_.end());
        }
        if (is_live)
            ++device->num_opens;
    }
    if (!is_live) { // another thread has destroyed it meanwhile
        (void)doca_dev_close(dev);
        return refuse_dead(LOG_SITE, "doca_dev_open", "devinfo", info);
    }
    settle();
    *out = dev;
    return DOCA_SUCCESS;
}

std::optional<doca_error_t> ModelContext::close(doca_dev *dev)
{
    std::uint32_t num_mems = 0;
    bool is_foreign = false; // a reference that the program did not get from the Context
    {
        const std::scoped_lock lock(model_lock);
        OpenDevice *const device = find_device(dev);
        if (device == nullptr)
            return std::nullopt;
        if (device->num_opens == 1 && device->num_mems > 0) {
            is_foreign = is_open_more_often(*dev, 1);
            num_mems = is_foreign ? 0 : device->num_mems;
        } else {
            --device->num_opens;
        }
    }
    if (num_mems > 0)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, dev,
                           "device %s still has %u memor%s; call doca_mem_unreg first", dev->name(),
                           num_mems, num_mems == 1 ? "y" : "ies");
    const doca_error_t result = doca_dev_close(dev);
    if (!is_foreign)
        finish_close(dev, result);
    return result;
}

/// The close has been counted before it was tried.
void ModelContext::finish_close(doca_dev *dev, doca_error_t result)
{
    std::list<OpenDevice> ended;
    {
        const std::scoped_lock lock(model_lock);
        const auto device = std::ranges::find(devices_, dev, &OpenDevice::dev);
        if (device == devices_.end()) // the Context was destroyed, or another thread was here
            return;
        // INVALID_VALUE: the program has closed it without us.
        if (result != DOCA_SUCCESS && result != DOCA_ERROR_INVALID_VALUE)
            ++device->num_opens;
        else if (device->num_opens == 0)
            ended.splice(ended.end(), devices_, device);
    }
    for (const OpenDevice &device : ended) {
        const softdoca_model_device_counters &c = device.counters;
        LOG_INF(
            "device %s of context %p is closed: tx_frames %llu, tx_bytes %llu, rx_frames %llu, "
            "rx_bytes %llu, dropped %llu, runts %llu",
            dev->name(), static_cast<void *>(this), static_cast<unsigned long long>(c.tx_frames),
            static_cast<unsigned long long>(c.tx_bytes),
            static_cast<unsigned long long>(c.rx_frames),
            static_cast<unsigned long long>(c.rx_bytes), static_cast<unsigned long long>(c.dropped),
            static_cast<unsigned long long>(c.runts));
    }
    settle();
}

doca_error_t ModelContext::read_counters(const doca_dev *dev,
                                         softdoca_model_device_counters *out) noexcept
{
    {
        const std::scoped_lock lock(model_lock);
        if (const OpenDevice *const device = find_device(dev); device != nullptr) {
            *out = device->counters;
            return DOCA_SUCCESS;
        }
    }
    return refuse_dead(LOG_SITE, "softdoca_model_counters", "device", dev);
}

} // namespace softdoca

using softdoca::check_not_null;
using softdoca::check_own_process;
using softdoca::live_context;
using softdoca::ModelContext;
using softdoca::refuse_dead;

namespace {

/// The Context that gave out this devinfo.
std::shared_ptr<ModelContext> context_of(const doca_devinfo *info) noexcept
{
    std::shared_ptr<ModelContext> context = live_context();
    return context != nullptr && context->has_devinfo(info) ? context : nullptr;
}

} // namespace

extern "C" doca_error_t softdoca_model_dev_open(doca_devinfo *info, doca_dev **dev)
{
    static constexpr char kCall[] = "doca_dev_open";
    const std::shared_ptr<ModelContext> context = context_of(info);
    if (context == nullptr)
        return doca_dev_open(info, dev);
    if (const doca_error_t bad = check_own_process(LOG_SITE, kCall); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_not_null(LOG_SITE, kCall, "dev", dev); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t fault = softdoca::model_fault(softdoca::FaultPoint::open);
        fault != DOCA_SUCCESS)
        return fault;
    return softdoca::api_guard(LOG_SITE, kCall, [&] { return context->open(info, dev); });
}

extern "C" doca_error_t softdoca_model_dev_close(doca_dev *dev)
{
    static constexpr char kCall[] = "doca_dev_close";
    if (dev == nullptr)
        return DOCA_SUCCESS;
    const std::shared_ptr<ModelContext> context =
        softdoca::is_own_process() ? live_context() : nullptr;
    if (context != nullptr)
        if (const auto result = context->close(dev); result)
            return *result;
    return softdoca::is_device(dev) ? doca_dev_close(dev)
                                    : refuse_dead(LOG_SITE, kCall, "device", dev);
}

extern "C" doca_error_t softdoca_model_counters(const doca_dev *dev,
                                                softdoca_model_device_counters *counters)
{
    if (const doca_error_t bad = check_not_null(LOG_SITE, __func__, "dev", dev);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_not_null(LOG_SITE, __func__, "counters", counters);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_own_process(LOG_SITE, __func__); bad != DOCA_SUCCESS)
        return bad;
    const std::shared_ptr<ModelContext> context = live_context();
    return context == nullptr ? refuse_dead(LOG_SITE, __func__, "device", dev)
                              : context->read_counters(dev, counters);
}
