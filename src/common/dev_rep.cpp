// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/dev_rep.hpp"

#include "base/api_guard.hpp"
#include "base/fork_safe_lock.hpp"
#include "base/handle.hpp"
#include "base/log_sink.hpp"
#include "base/never_destroyed.hpp"
#include "fabric/role.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

LOG_SOURCE("CORE::DEV_REP");

namespace softdoca {

struct RepList {
    std::vector<doca_devinfo_rep> entries;
    std::vector<doca_devinfo_rep *> pointers;
    const doca_dev *dev = nullptr;
    AddressSearch search;
};

namespace {

/// Guards what follows; never held while something is logged.
constinit ForkSafeLock rep_mutex;

/// All lists and open representors that exist, to recognise stale pointers.
struct RepRegistry {
    std::vector<std::unique_ptr<RepList>> lists;
    std::vector<std::unique_ptr<doca_dev_rep>> open;
};

constinit NeverDestroyed<RepRegistry> registry;

/// The entry behind a pointer, checked against all that exist; nullptr for NULL and stale ones.
const doca_devinfo_rep *rep_entry_of(const doca_devinfo_rep *info) noexcept
{
    if (info == nullptr)
        return nullptr;
    const std::scoped_lock lock(rep_mutex);
    for (const auto &list : registry->lists)
        if (std::ranges::find(list->pointers, info) != list->pointers.end())
            return info;
    for (const auto &rep : registry->open)
        if (rep->devinfo() == info)
            return info;
    return nullptr;
}

bool is_open_rep(const doca_dev_rep *rep) noexcept
{
    const std::scoped_lock lock(rep_mutex);
    return std::ranges::any_of(registry->open, [&](const auto &each) { return each.get() == rep; });
}

doca_error_t refuse_info(const char *call, const doca_devinfo_rep *info) noexcept
{
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                       "%s: representor info %p is NULL or stale; its list was destroyed or its "
                       "representor closed",
                       call, static_cast<const void *>(info));
}

AddressText representors_of(const Device &device) noexcept
{
    AddressText known;
    for (const Function &function : device.representors)
        known.add(function);
    return known;
}

/// As for devices: an address of the real machine, or another device's.
void report_failed_search(const RepList &list)
{
    static std::atomic<bool> was_reported{false};
    if (!list.search.has_failed() || was_reported.exchange(true))
        return;
    std::string others;
    for (const Device &device : local_node()->devices)
        if (&device != &list.dev->device() && !device.representors.empty())
            others += "; " + std::string(device.function.pci.text().data()) + " of " +
                      representors_of(device).text;
    LOG_WRN("no representor has the address %s; device %s has representors of %s%s",
            list.search.wanted().text().data(), list.dev->name(),
            representors_of(list.dev->device()).text, others.c_str());
}

doca_error_t create_list(doca_dev &dev, doca_devinfo_rep ***dev_list_rep, std::uint32_t *num_reps)
{
    auto list = std::make_unique<RepList>();
    for (const Function &function : dev.device().representors)
        list->entries.push_back({&function, &dev, list.get()});
    list->dev = &dev;
    for (doca_devinfo_rep &entry : list->entries)
        list->pointers.push_back(&entry);
    list->pointers.push_back(nullptr); // so that an empty list is not a null pointer

    RepList &made = *list;
    const std::scoped_lock lock(rep_mutex);
    registry->lists.push_back(std::move(list));
    *dev_list_rep = made.pointers.data();
    *num_reps = static_cast<std::uint32_t>(made.entries.size());
    return DOCA_SUCCESS;
}

std::unique_ptr<RepList> take_list(doca_devinfo_rep **pointers)
{
    const std::scoped_lock lock(rep_mutex);
    const auto found = std::ranges::find_if(
        registry->lists, [&](const auto &each) { return each->pointers.data() == pointers; });
    if (found == registry->lists.end())
        return nullptr;
    std::unique_ptr<RepList> list = std::move(*found);
    registry->lists.erase(found);
    return list;
}

doca_error_t query_filter(const char *call, const doca_devinfo *devinfo, std::uint8_t *out,
                          bool is_offered) noexcept
{
    const Device *const device = device_of(devinfo);
    if (device == nullptr || out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                           "%s: devinfo %p is NULL or stale, or the out-parameter is NULL", call,
                           static_cast<const void *>(devinfo));
    *out = is_offered && device->is_uplink ? 1 : 0;
    return DOCA_SUCCESS;
}

template <typename Value, typename Answer>
doca_error_t query(const char *call, const doca_devinfo_rep *info, Value *out, Answer &&answer)
{
    const doca_devinfo_rep *const entry = rep_entry_of(info);
    if (entry == nullptr)
        return refuse_info(call, info);
    if (out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: the out-parameter is NULL", call);
    *out = answer(*entry->function);
    return DOCA_SUCCESS;
}

doca_error_t close_rep(doca_dev_rep *rep) noexcept
{
    std::unique_ptr<doca_dev_rep> closed;
    {
        const std::scoped_lock lock(rep_mutex);
        const auto found = std::ranges::find_if(
            registry->open, [&](const auto &each) { return each.get() == rep; });
        if (found != registry->open.end() && !rep->is_inherited() && rep->num_holds() == 0) {
            closed = std::move(*found);
            registry->open.erase(found);
        }
    }
    if (closed != nullptr)
        return DOCA_SUCCESS;
    if (is_open_rep(rep) && !rep->is_inherited())
        return LOG_REFUSED(DOCA_ERROR_IN_USE, rep,
                           "representor %p (%s) is still used by %u server(s); destroy them first",
                           static_cast<void *>(rep), rep->function().pci.text().data(),
                           rep->num_holds());
    if (is_open_rep(rep))
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, rep,
                           "representor %p belongs to the process that forked this one",
                           static_cast<void *>(rep));
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                       "doca_dev_rep_close: representor %p is not open", static_cast<void *>(rep));
}

} // namespace

} // namespace softdoca

using softdoca::copy_text;
using softdoca::Function;
using softdoca::query;
using softdoca::query_filter;
using softdoca::refuse_info;
using softdoca::rep_entry_of;

extern "C" doca_error_t doca_devinfo_rep_create_list(doca_dev *dev, int filter,
                                                     doca_devinfo_rep ***dev_list_rep,
                                                     uint32_t *nb_devs_rep)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (dev_list_rep == nullptr || nb_devs_rep == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev, "%s: an out-parameter is NULL", __func__);
    if (filter != DOCA_DEVINFO_REP_FILTER_ALL && filter != DOCA_DEVINFO_REP_FILTER_NET &&
        filter != DOCA_DEVINFO_REP_FILTER_EMULATED)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev,
                           "doca_devinfo_rep_create_list: filter %d is none of ALL (0), NET (2), "
                           "EMULATED (4)",
                           filter);
    if (!dev->device().is_uplink)
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, dev,
                           "device %s has no representors: only PFs of the DPU side do (this "
                           "process is on the %s side; see SOFTDOCA_ROLE)",
                           dev->name(), softdoca::to_string(softdoca::local_node()->side));
    if (filter == DOCA_DEVINFO_REP_FILTER_EMULATED)
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, dev,
                           "device %s has no emulated functions (see "
                           "doca_devinfo_rep_cap_is_filter_emulated_supported)",
                           dev->name());
    return softdoca::api_guard(
        LOG_SITE, __func__, [&] { return softdoca::create_list(*dev, dev_list_rep, nb_devs_rep); });
}

extern "C" doca_error_t doca_devinfo_rep_destroy_list(doca_devinfo_rep **dev_list_rep)
{
    const auto list = dev_list_rep == nullptr ? nullptr : softdoca::take_list(dev_list_rep);
    if (list == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_rep_destroy_list: %p is not a list that exists",
                           static_cast<void *>(dev_list_rep));
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        softdoca::report_failed_search(*list);
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_dev_rep_open(doca_devinfo_rep *devinfo, doca_dev_rep **dev_rep)
{
    const doca_devinfo_rep *const entry = rep_entry_of(devinfo);
    if (entry == nullptr)
        return refuse_info(__func__, devinfo);
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, entry->dev);
        bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, dev_rep);
        bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        auto rep = std::make_unique<doca_dev_rep>(*entry);
        doca_dev_rep *const opened = rep.get();
        const std::scoped_lock lock(softdoca::rep_mutex);
        softdoca::registry->open.push_back(std::move(rep));
        *dev_rep = opened;
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_dev_rep_close(doca_dev_rep *dev)
{
    return softdoca::close_rep(dev);
}

extern "C" doca_devinfo_rep *doca_dev_rep_as_devinfo(doca_dev_rep *dev_rep)
{
    if (!softdoca::is_open_rep(dev_rep)) {
        (void)LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                          "doca_dev_rep_as_devinfo: representor %p is not open",
                          static_cast<void *>(dev_rep));
        return nullptr;
    }
    return dev_rep->devinfo();
}

extern "C" doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const doca_devinfo *devinfo,
                                                                     uint8_t *filter_all_supported)
{
    return query_filter(__func__, devinfo, filter_all_supported, true);
}

extern "C" doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const doca_devinfo *devinfo,
                                                                     uint8_t *filter_net_supported)
{
    return query_filter(__func__, devinfo, filter_net_supported, true);
}

extern "C" doca_error_t
doca_devinfo_rep_cap_is_filter_emulated_supported(const doca_devinfo *devinfo,
                                                  uint8_t *filter_emulated_supported)
{
    return query_filter(__func__, devinfo, filter_emulated_supported, false);
}

extern "C" doca_error_t doca_devinfo_rep_get_vuid(const doca_devinfo_rep *devinfo_rep,
                                                  char *rep_vuid, uint32_t size)
{
    const doca_devinfo_rep *const entry = rep_entry_of(devinfo_rep);
    if (entry == nullptr)
        return refuse_info(__func__, devinfo_rep);
    return copy_text(__func__, entry->function->vuid, rep_vuid, size, DOCA_DEVINFO_REP_VUID_SIZE);
}

extern "C" doca_error_t doca_devinfo_rep_get_pci_addr_str(const doca_devinfo_rep *devinfo_rep,
                                                          char *pci_addr_str)
{
    const doca_devinfo_rep *const entry = rep_entry_of(devinfo_rep);
    if (entry == nullptr)
        return refuse_info(__func__, devinfo_rep);
    if (pci_addr_str == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr, "%s: pci_addr_str is NULL", __func__);
    std::memcpy(pci_addr_str, entry->function->pci.text().data(), DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_devinfo_rep_get_pci_func_type(const doca_devinfo_rep *devinfo_rep,
                                                           enum doca_pci_func_type *pci_func_type)
{
    return query(__func__, devinfo_rep, pci_func_type,
                 [](const Function &function) { return function.type; });
}

extern "C" doca_error_t doca_devinfo_rep_get_is_hotplug(const doca_devinfo_rep *devinfo_rep,
                                                        uint8_t *is_hotplug)
{
    return query(__func__, devinfo_rep, is_hotplug,
                 [](const Function &) -> std::uint8_t { return 0; });
}

extern "C" doca_error_t doca_devinfo_rep_get_iface_name(const doca_devinfo_rep *devinfo_rep,
                                                        char *iface_name, uint32_t size)
{
    const doca_devinfo_rep *const entry = rep_entry_of(devinfo_rep);
    if (entry == nullptr)
        return refuse_info(__func__, devinfo_rep);
    return copy_text(__func__, entry->function->iface_name, iface_name, size,
                     DOCA_DEVINFO_IFACE_NAME_SIZE);
}

extern "C" doca_error_t doca_devinfo_rep_get_vhca_id(const doca_devinfo_rep *devinfo_rep,
                                                     uint16_t *vhca_id)
{
    return query(__func__, devinfo_rep, vhca_id,
                 [](const Function &function) { return function.vhca_id; });
}

extern "C" doca_error_t doca_devinfo_rep_is_equal_pci_addr(const doca_devinfo_rep *devinfo_rep,
                                                           const char *pci_addr_str,
                                                           uint8_t *is_equal)
{
    const doca_devinfo_rep *const entry = rep_entry_of(devinfo_rep);
    if (entry == nullptr)
        return refuse_info(__func__, devinfo_rep);
    if (pci_addr_str == nullptr || is_equal == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_rep_is_equal_pci_addr: the address or is_equal is NULL");
    const auto address = softdoca::PciAddress::parse(pci_addr_str);
    if (!address)
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, nullptr,
            "\"%.32s\" is not a PCI address (DDDD:BB:DD.F or BB:DD.F); device %s has "
            "representors of %s",
            pci_addr_str, entry->dev->name(), softdoca::representors_of(entry->dev->device()).text);
    const bool equal = *address == entry->function->pci;
    if (entry->list != nullptr)
        entry->list->search.note(*address, equal);
    *is_equal = equal ? 1 : 0;
    return DOCA_SUCCESS;
}
