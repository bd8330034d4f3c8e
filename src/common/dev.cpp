// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/dev.hpp"

#include "base/api_guard.hpp"
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

LOG_SOURCE("CORE::DEV");

namespace softdoca {

/// What doca_devinfo_create_list hands out: the array of pointers that the program sees, and the
/// entries behind it.
struct DevinfoList {
    std::vector<doca_devinfo> entries;
    std::vector<doca_devinfo *> pointers;
    std::atomic<bool> was_searched{false}; // an address was compared ...
    std::atomic<bool> was_found{false};    // ... and one was equal
};

namespace {

/// Guards what follows and the references of each doca_dev. Held for a few instructions, never
/// while something is logged: a log backend may be the program's own code.
constinit std::mutex device_mutex;

/// All lists and devices that exist.
struct Registry {
    std::vector<std::unique_ptr<DevinfoList>> lists;
    std::vector<std::unique_ptr<doca_dev>> devs;
};

constinit NeverDestroyed<Registry> registry;

bool is_member(const DevinfoList &list, const doca_devinfo *devinfo) noexcept
{
    return std::ranges::find(list.pointers, devinfo) != list.pointers.end();
}

/// The entry behind a devinfo pointer, checked against all that exist.
const DevinfoEntry *entry_of(const doca_devinfo *devinfo) noexcept
{
    if (devinfo == nullptr)
        return nullptr;
    const std::scoped_lock lock(device_mutex);
    for (const auto &list : registry->lists)
        if (is_member(*list, devinfo))
            return devinfo;
    for (const auto &dev : registry->devs)
        if (dev->devinfo() == devinfo && dev->is_open())
            return devinfo;
    return nullptr;
}

doca_error_t refuse_devinfo(const char *call, const doca_devinfo *devinfo) noexcept
{
    if (devinfo == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: devinfo is NULL", call);
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                       "%s: devinfo %p belongs to no list and to no open device; its list was "
                       "destroyed or its device closed (keep one of them)",
                       call, static_cast<const void *>(devinfo));
}

std::string addresses_of(const Node &node)
{
    std::string text;
    for (const Device &device : node.devices)
        text += (text.empty() ? "" : ", ") + std::string(device.function.pci.text().data());
    return text;
}

/// The most likely first failure of all: an address of the real machine that does not exist here.
void report_failed_search(const DevinfoList &list)
{
    static std::atomic<bool> was_reported{false};
    if (!list.was_searched || list.was_found || was_reported.exchange(true))
        return;
    const Node *const node = local_node();
    LOG_WRN("no device has the address that was looked for; this process is the %s and sees %s "
            "(doca_caps --list-devs)",
            to_string(node->side), addresses_of(*node).c_str());
}

doca_error_t create_list(doca_devinfo ***dev_list, std::uint32_t *nb_devs)
{
    const Node *const node = local_node();
    if (node == nullptr)
        return LOG_REFUSED(DOCA_ERROR_NOT_FOUND, nullptr,
                           "doca_devinfo_create_list: this process belongs to no node of the "
                           "topology; correct or unset SOFTDOCA_ROLE");
    auto list = std::make_unique<DevinfoList>();
    for (const Device &device : node->devices)
        list->entries.push_back({{&device, list.get()}});
    for (doca_devinfo &entry : list->entries)
        list->pointers.push_back(&entry);
    list->pointers.push_back(nullptr); // so that an empty list is not a null pointer

    DevinfoList &made = *list;
    const std::scoped_lock lock(device_mutex);
    registry->lists.push_back(std::move(list));
    *dev_list = made.pointers.data();
    *nb_devs = static_cast<std::uint32_t>(made.entries.size());
    return DOCA_SUCCESS;
}

std::unique_ptr<DevinfoList> take_list(doca_devinfo **dev_list)
{
    const std::scoped_lock lock(device_mutex);
    auto &lists = registry->lists;
    const auto found = std::ranges::find_if(
        lists, [&](const auto &each) { return each->pointers.data() == dev_list; });
    if (found == lists.end())
        return nullptr;
    std::unique_ptr<DevinfoList> list = std::move(*found);
    lists.erase(found);
    return list;
}

doca_error_t destroy_list(doca_devinfo **dev_list)
{
    const std::unique_ptr<DevinfoList> list = take_list(dev_list);
    if (list == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dev_list,
                           "doca_devinfo_destroy_list: %p is not a list that exists",
                           static_cast<void *>(dev_list));
    report_failed_search(*list);
    return DOCA_SUCCESS;
}

/// The one doca_dev of a device; made when it is opened first.
doca_dev &dev_of(const Device &device)
{
    const std::scoped_lock lock(device_mutex);
    auto &devs = registry->devs;
    const auto found =
        std::ranges::find_if(devs, [&](const auto &dev) { return &dev->device() == &device; });
    if (found != devs.end())
        return **found;
    devs.push_back(std::make_unique<doca_dev>(device));
    return *devs.back();
}

template <std::size_t kSize>
doca_error_t copy_bytes(const char *call, const std::array<std::uint8_t, kSize> &bytes,
                        std::uint8_t *out, std::uint32_t size) noexcept
{
    if (out == nullptr || size < kSize)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                           "%s: buffer %p has %u bytes; give at least %zu", call,
                           static_cast<void *>(out), size, kSize);
    std::memcpy(out, bytes.data(), kSize);
    return DOCA_SUCCESS;
}

/// A query whose answer is one value of the function.
template <typename Value, typename Answer>
doca_error_t query(const char *call, const doca_devinfo *devinfo, Value *out, Answer &&answer)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(call, devinfo);
    if (out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: the out-parameter is NULL", call);
    *out = answer(*function);
    return DOCA_SUCCESS;
}

} // namespace

const Function *function_of(const doca_devinfo *devinfo) noexcept
{
    const Device *const device = device_of(devinfo);
    return device == nullptr ? nullptr : &device->function;
}

const Device *device_of(const doca_devinfo *devinfo) noexcept
{
    const DevinfoEntry *const entry = entry_of(devinfo);
    return entry == nullptr ? nullptr : entry->device;
}

doca_error_t check_open(LogSite site, const char *call, const doca_dev *dev) noexcept
{
    bool is_known = false, is_open = false;
    {
        const std::scoped_lock lock(device_mutex);
        is_known = std::ranges::any_of(registry->devs,
                                       [dev](const auto &known) { return known.get() == dev; });
        is_open = is_known && dev->is_open();
    }
    if (is_open)
        return DOCA_SUCCESS;
    if (is_known && dev->is_inherited())
        return log_refusal(site, DOCA_ERROR_BAD_STATE, call,
                           "%s: device %s was opened before this process was forked; only the parent "
                           "may use it",
                           call, dev->name());
    return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call,
                       "%s: dev %p is NULL or not open (doca_dev_open)", call,
                       static_cast<const void *>(dev));
}

doca_error_t copy_text(const char *call, const std::string &text, char *out, std::uint32_t size,
                       std::uint32_t min_size) noexcept
{
    if (out == nullptr || size < min_size)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                           "%s: buffer %p has %u bytes; give at least %u", call,
                           static_cast<void *>(out), size, min_size);
    std::memset(out, 0, size);
    std::memcpy(out, text.data(), std::min<std::size_t>(text.size(), min_size - 1));
    return DOCA_SUCCESS;
}

DeviceHold::DeviceHold(doca_dev &dev, const char *kind, const void *holder) noexcept
    : dev_(dev), kind_(kind), holder_(holder)
{
    const std::scoped_lock lock(device_mutex);
    dev_.holds_.push_back(*this);
}

DeviceHold::~DeviceHold()
{
    const std::scoped_lock lock(device_mutex);
    unlink();
}

} // namespace softdoca

doca_dev::doca_dev(const softdoca::Device &device) noexcept
    : device_(device), name_(device.function.pci.text()), devinfo_{{&device, nullptr}}
{
}

bool doca_dev::is_open() const noexcept
{
    return num_refs_ > 0 && !owner_.is_another();
}

bool doca_dev::is_inherited() const noexcept
{
    return num_refs_ > 0 && owner_.is_another();
}

doca_error_t doca_dev::open() noexcept
{
    std::unique_lock lock(softdoca::device_mutex);
    if (num_refs_ == 0)
        owner_ = softdoca::OwnerProcess(); // a forked child may open what its parent had not
    if (owner_.is_another()) {
        lock.unlock();
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "device %s was opened before this process was forked; open it after "
                           "the fork, or exec",
                           name());
    }
    ++num_refs_;
    return DOCA_SUCCESS;
}

doca_error_t doca_dev::close() noexcept
{
    std::unique_lock lock(softdoca::device_mutex);
    if (owner_.is_another()) {
        lock.unlock();
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "device %s belongs to the process that forked this one", name());
    }
    if (num_refs_ == 0) {
        lock.unlock();
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this, "device %s is not open", name());
    }
    if (num_refs_ == 1 && !holds_.empty())
        return refuse_close(lock);
    const bool is_last = --num_refs_ == 0;
    lock.unlock();
    if (is_last) {
        LOG_INF("device %s closed", name());
        softdoca::log_forget(this);
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_dev::refuse_close(std::unique_lock<std::mutex> &lock) noexcept
{
    const char *const kind = holds_.front().kind_;
    const void *const holder = holds_.front().holder_;
    std::size_t num_holds = 0;
    holds_.for_each([&](const softdoca::DeviceHold &) { ++num_holds; });
    lock.unlock();
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "device %s is still used by %s %p and %zu other(s); stop and destroy them "
                       "before the last doca_dev_close",
                       name(), kind, holder, num_holds - 1);
}

using softdoca::copy_bytes;
using softdoca::copy_text;
using softdoca::Function;
using softdoca::function_of;
using softdoca::query;
using softdoca::refuse_devinfo;

extern "C" doca_error_t doca_devinfo_create_list(doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    if (dev_list == nullptr || nb_devs == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_create_list: dev_list or nb_devs is NULL");
    return softdoca::api_guard([&] { return softdoca::create_list(dev_list, nb_devs); });
}

extern "C" doca_error_t doca_devinfo_destroy_list(doca_devinfo **dev_list)
{
    if (dev_list == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_destroy_list: dev_list is NULL");
    return softdoca::api_guard([&] { return softdoca::destroy_list(dev_list); });
}

extern "C" doca_error_t doca_dev_open(doca_devinfo *devinfo, doca_dev **dev)
{
    const softdoca::DevinfoEntry *const entry = softdoca::entry_of(devinfo);
    if (entry == nullptr)
        return refuse_devinfo("doca_dev_open", devinfo);
    if (dev == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr, "doca_dev_open: dev is NULL");
    return softdoca::api_guard([&] {
        doca_dev &opened = softdoca::dev_of(*entry->device);
        const doca_error_t result = opened.open();
        if (result == DOCA_SUCCESS)
            *dev = &opened;
        return result;
    });
}

extern "C" doca_error_t doca_dev_close(doca_dev *dev)
{
    if (dev == nullptr) // programs close the pointer that they have already set to NULL
        return DOCA_SUCCESS;
    return dev->close();
}

extern "C" doca_error_t doca_dev_accelerate_resource_reclaim(doca_dev *dev)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, dev,
                       "doca_dev_accelerate_resource_reclaim: not offered by device %s (see "
                       "doca_devinfo_cap_is_accelerate_resource_reclaim_supported)",
                       dev->name());
}

extern "C" doca_devinfo *doca_dev_as_devinfo(const doca_dev *dev)
{
    if (softdoca::check_open(LOG_SITE, __func__, dev) != DOCA_SUCCESS)
        return nullptr;
    return const_cast<doca_dev *>(dev)->devinfo();
}

extern "C" doca_error_t doca_devinfo_get_pci_addr_str(const doca_devinfo *devinfo,
                                                      char *pci_addr_str)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_text(__func__, function->pci.text().data(), pci_addr_str,
                     DOCA_DEVINFO_PCI_ADDR_SIZE, DOCA_DEVINFO_PCI_ADDR_SIZE);
}

extern "C" doca_error_t doca_devinfo_is_equal_pci_addr(const doca_devinfo *devinfo,
                                                       const char *pci_addr_str, uint8_t *is_equal)
{
    const softdoca::DevinfoEntry *const entry = softdoca::entry_of(devinfo);
    if (entry == nullptr)
        return refuse_devinfo(__func__, devinfo);
    if (pci_addr_str == nullptr || is_equal == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_is_equal_pci_addr: the address or is_equal is NULL");
    const auto address = softdoca::PciAddress::parse(pci_addr_str);
    if (!address)
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, nullptr,
            "\"%.32s\" is not a PCI address (DDDD:BB:DD.F or BB:DD.F); this device is "
            "%s",
            pci_addr_str, entry->device->function.pci.text().data());
    const bool equal = *address == entry->device->function.pci;
    if (entry->list != nullptr) {
        entry->list->was_searched = true;
        if (equal)
            entry->list->was_found = true;
    }
    *is_equal = equal ? 1 : 0;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_devinfo_get_ipv4_addr(const doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                                   uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    if (ipv4_addr == nullptr || size < DOCA_DEVINFO_IPV4_ADDR_SIZE)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_get_ipv4_addr: buffer %p has %u bytes; give at least %d",
                           static_cast<void *>(ipv4_addr), size, DOCA_DEVINFO_IPV4_ADDR_SIZE);
    return DOCA_ERROR_NOT_FOUND; // silent: searches ask this of every device
}

extern "C" doca_error_t doca_devinfo_get_ipv6_addr(const doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                                   uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_bytes(__func__, function->ipv6(), ipv6_addr, size);
}

extern "C" doca_error_t doca_devinfo_get_mac_addr(const doca_devinfo *devinfo, uint8_t *mac_addr,
                                                  uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_bytes(__func__, function->mac, mac_addr, size);
}

extern "C" doca_error_t doca_devinfo_get_iface_name(const doca_devinfo *devinfo, char *iface_name,
                                                    uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_text(__func__, function->iface_name, iface_name, size,
                     DOCA_DEVINFO_IFACE_NAME_SIZE);
}

extern "C" doca_error_t doca_devinfo_get_ibdev_name(const doca_devinfo *devinfo, char *ibdev_name,
                                                    uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_text(__func__, function->ibdev_name, ibdev_name, size,
                     DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

extern "C" doca_error_t doca_devinfo_get_lid(const doca_devinfo *devinfo, uint16_t *lid)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    if (lid == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr, "doca_devinfo_get_lid: lid is NULL");
    return LOG_REFUSED(
        DOCA_ERROR_NOT_SUPPORTED, function,
        "doca_devinfo_get_lid: device %s is an Ethernet port; only InfiniBand has a lid",
        function->pci.text().data());
}

extern "C" doca_error_t doca_devinfo_get_active_rate(const doca_devinfo *devinfo,
                                                     uint64_t *active_rate)
{
    return query(__func__, devinfo, active_rate,
                 [](const Function &function) { return function.active_rate; });
}

extern "C" doca_error_t doca_devinfo_get_vhca_id(const doca_devinfo *devinfo, uint16_t *vhca_id)
{
    return query(__func__, devinfo, vhca_id,
                 [](const Function &function) { return function.vhca_id; });
}

extern "C" doca_error_t doca_devinfo_get_pci_func_type(const doca_devinfo *devinfo,
                                                       enum doca_pci_func_type *pci_func_type)
{
    return query(__func__, devinfo, pci_func_type,
                 [](const Function &function) { return function.type; });
}

extern "C" doca_error_t doca_devinfo_get_sf_index(const doca_devinfo *devinfo, uint32_t *sf_index)
{
    const Function *const function = function_of(devinfo);
    if (function != nullptr && sf_index != nullptr && function->type != DOCA_PCI_FUNC_TYPE_SF)
        return DOCA_ERROR_NOT_SUPPORTED; // silent: searches ask this of every device
    return query(__func__, devinfo, sf_index, [](const Function &each) { return each.sf_index; });
}

// What no device of ours can do.

extern "C" doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const doca_devinfo *devinfo,
                                                                      uint8_t *is_hotplug_manager)
{
    return query(__func__, devinfo, is_hotplug_manager,
                 [](const Function &) -> std::uint8_t { return 0; });
}

extern "C" doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const doca_devinfo *devinfo,
                                                      uint8_t *is_notification_moderation_supported)
{
    return query(__func__, devinfo, is_notification_moderation_supported,
                 [](const Function &) -> std::uint8_t { return 0; });
}

extern "C" doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim)
{
    return query(__func__, devinfo, is_accelerate_resource_reclaim,
                 [](const Function &) -> std::uint8_t { return 0; });
}
