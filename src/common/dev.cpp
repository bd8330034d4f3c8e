// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/dev.hpp"

#include "base/api_guard.hpp"
#include "base/fork_safe_lock.hpp"
#include "base/log_sink.hpp"
#include "base/never_destroyed.hpp"
#include "fabric/role.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

LOG_SOURCE("CORE::DEV");

namespace softdoca {

namespace {

/// Guards what follows and the references of each doca_dev. Held for a few instructions, never
/// while something is logged: a log backend may be the program's own code.
constinit ForkSafeLock device_mutex;

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

bool is_member(const std::vector<std::unique_ptr<doca_dev>> &devs, const doca_dev *dev) noexcept
{
    return std::ranges::any_of(devs, [dev](const auto &known) { return known.get() == dev; });
}

/// The most likely first failure of all: an address of the real machine that does not exist here.
void report_failed_search(const DevinfoList &list)
{
    static std::atomic<bool> was_reported{false};
    if (!list.search.has_failed() || was_reported.exchange(true))
        return;
    const Node *const node = local_node();
    LOG_WRN("no device has the address %s; this process is the %s and sees %s "
            "(doca_caps --list-devs)",
            list.search.wanted().text().data(), to_string(node->side), addresses_of(*node).text);
}

doca_error_t create_list(doca_devinfo ***dev_list, std::uint32_t *nb_devs)
{
    const Node *const node = local_node();
    if (!topology_fault().empty())
        return LOG_REFUSED(DOCA_ERROR_NOT_FOUND, nullptr,
                           "doca_devinfo_create_list: the file in SOFTDOCA_TOPOLOGY is refused, so "
                           "there are no devices; correct it or unset the variable: %s",
                           topology_fault().c_str());
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
    log_forget(dev_list);
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

} // namespace

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

const Function *function_of(const doca_devinfo *devinfo) noexcept
{
    const Device *const device = device_of(devinfo);
    return device == nullptr ? nullptr : &device->function;
}

AddressText addresses_of(const Node &node) noexcept
{
    AddressText out;
    for (const Device &device : node.devices)
        out.add(device.function);
    return out;
}

const Device *device_of(const doca_devinfo *devinfo) noexcept
{
    const DevinfoEntry *const entry = entry_of(devinfo);
    return entry == nullptr ? nullptr : entry->device;
}

doca_error_t check_open(LogSite site, const char *call, const doca_dev *dev) noexcept
{
    bool is_open = false, is_inherited = false;
    {
        const std::scoped_lock lock(device_mutex);
        const bool is_known = is_member(registry->devs, dev);
        is_open = is_known && dev->is_open();
        is_inherited = is_known && dev->is_inherited();
    }
    if (is_open)
        return DOCA_SUCCESS;
    if (is_inherited)
        return log_refusal(
            site, DOCA_ERROR_BAD_STATE, call,
            "%s: device %s was opened before this process was forked; only the parent "
            "may use it",
            call, dev->name());
    return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call,
                       "%s: dev %p is NULL or not open (doca_dev_open)", call,
                       static_cast<const void *>(dev));
}

bool is_device(const doca_dev *dev) noexcept
{
    const std::scoped_lock lock(device_mutex);
    return is_member(registry->devs, dev);
}

bool is_open_more_often(const doca_dev &dev, std::uint32_t num) noexcept
{
    const std::scoped_lock lock(device_mutex);
    return dev.num_refs_ > num;
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

DeviceHold::DeviceHold(doca_dev &dev, const char *kind, const void *holder,
                       StateText state) noexcept
    : dev_(dev), kind_(kind), holder_(holder), state_(state)
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

doca_error_t doca_dev::refuse_close(std::unique_lock<softdoca::ForkSafeLock> &lock) noexcept
{
    char holders[200] = "";
    int len = 0;
    holds_.for_each([&](const softdoca::DeviceHold &hold) {
        const char *const state = hold.state_ == nullptr ? nullptr : hold.state_(hold.holder_);
        const std::size_t room = sizeof holders - static_cast<std::size_t>(len);
        const int more = std::snprintf(holders + len, room, "%s%s %p%s%s%s", len == 0 ? "" : ", ",
                                       hold.kind_, hold.holder_, state == nullptr ? "" : " (",
                                       state == nullptr ? "" : state, state == nullptr ? "" : ")");
        len = std::min<int>(len + more, sizeof holders - 1); // the rest is cut
    });
    lock.unlock();
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "device %s is still used by %s; stop and destroy them before the last "
                       "doca_dev_close",
                       name(), holders);
}

using softdoca::refuse_devinfo;

extern "C" doca_error_t doca_devinfo_create_list(doca_devinfo ***dev_list, uint32_t *nb_devs)
{
    if (dev_list == nullptr || nb_devs == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_create_list: dev_list or nb_devs is NULL");
    return softdoca::api_guard(LOG_SITE, __func__,
                               [&] { return softdoca::create_list(dev_list, nb_devs); });
}

extern "C" doca_error_t doca_devinfo_destroy_list(doca_devinfo **dev_list)
{
    if (dev_list == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_devinfo_destroy_list: dev_list is NULL");
    return softdoca::api_guard(LOG_SITE, __func__,
                               [&] { return softdoca::destroy_list(dev_list); });
}

extern "C" doca_error_t doca_dev_open(doca_devinfo *devinfo, doca_dev **dev)
{
    const softdoca::DevinfoEntry *const entry = softdoca::entry_of(devinfo);
    if (entry == nullptr)
        return refuse_devinfo("doca_dev_open", devinfo);
    if (dev == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr, "doca_dev_open: dev is NULL");
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
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
