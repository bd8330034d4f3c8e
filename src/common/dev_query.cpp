// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a device says of itself: doca_devinfo_get_*, doca_devinfo_is_*, doca_devinfo_cap_*.

#include "common/dev.hpp"

#include "base/handle.hpp"
#include "fabric/role.hpp"

#include <algorithm>
#include <cstring>

LOG_SOURCE("CORE::DEV");

namespace softdoca {

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

namespace {

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

} // namespace softdoca

using softdoca::copy_bytes;
using softdoca::copy_text;
using softdoca::Function;
using softdoca::function_of;
using softdoca::query;
using softdoca::refuse_devinfo;

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
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "\"%.32s\" is not a PCI address (DDDD:BB:DD.F or BB:DD.F); this process "
                           "sees %s",
                           pci_addr_str, softdoca::addresses_of(*softdoca::local_node()).text);
    const bool equal = *address == entry->device->function.pci;
    if (entry->list != nullptr)
        entry->list->search.note(*address, equal);
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
    if (!function->ipv4)
        return DOCA_ERROR_NOT_FOUND; // silent: searches ask this of every device
    std::memcpy(ipv4_addr, function->ipv4->data(), function->ipv4->size());
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_devinfo_get_ipv6_addr(const doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                                   uint32_t size)
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        return refuse_devinfo(__func__, devinfo);
    return copy_bytes(__func__, function->ipv6, ipv6_addr, size);
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
    return DOCA_ERROR_NOT_SUPPORTED; // an Ethernet port; silent: searches ask this of every device
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
