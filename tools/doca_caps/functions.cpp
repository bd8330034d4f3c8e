// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "functions.hpp"

#include "device_list.hpp"

#include "fabric/role.hpp"

#include <array>
#include <cstdio>
#include <span>
#include <string>

namespace softdoca::tool {

namespace {

constexpr int kDeviceIndent = 4;
constexpr int kRepresentorIndent = 8;
constexpr int kRepresentorFieldIndent = 12;

// The public calls do not tell these; a function of a BlueField has one port, and a GID table of
// this size in which only the link-local address is set.
constexpr const char *kUplinkIbPort = "1";
constexpr const char *kGidTableSize = "255";

/// What the topology knows of a device beyond the public calls; nullptr if it is unknown there.
const Device *find_device(const std::string &ibdev_name)
{
    const Node *node = local_node();

    if (node == nullptr)
        return nullptr;
    for (const Device &device : node->devices) {
        if (device.function.ibdev_name == ibdev_name)
            return &device;
    }
    return nullptr;
}

const Function *find_representor(const std::string &vuid)
{
    const Node *node = local_node();

    if (node == nullptr)
        return nullptr;
    for (const Device &device : node->devices) {
        for (const Function &function : device.representors) {
            if (function.vuid == vuid)
                return &function;
        }
    }
    return nullptr;
}

const char *name_of(doca_pci_func_type type)
{
    switch (type) {
    case DOCA_PCI_FUNC_TYPE_PF:
        return "PF";
    case DOCA_PCI_FUNC_TYPE_VF:
        return "VF";
    case DOCA_PCI_FUNC_TYPE_SF:
        return "SF";
    }
    return "unknown";
}

std::string as_hex(std::span<const std::uint8_t> bytes, std::size_t group_size)
{
    std::string text;

    for (std::size_t i = 0; i < bytes.size(); i++) {
        char digits[4];
        std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
        if (i != 0 && i % group_size == 0)
            text += ':';
        text += digits;
    }
    return text;
}

std::string ipv4_of(const doca_devinfo *devinfo)
{
    std::array<std::uint8_t, DOCA_DEVINFO_IPV4_ADDR_SIZE> addr{}; // 0.0.0.0 if there is none
    char text[16];

    (void)doca_devinfo_get_ipv4_addr(devinfo, addr.data(), addr.size());
    std::snprintf(text, sizeof(text), "%u.%u.%u.%u", addr[0], addr[1], addr[2], addr[3]);
    return text;
}

std::string ipv6_of(const doca_devinfo *devinfo)
{
    std::array<std::uint8_t, DOCA_DEVINFO_IPV6_ADDR_SIZE> addr{};

    (void)doca_devinfo_get_ipv6_addr(devinfo, addr.data(), addr.size());
    return as_hex(addr, 2);
}

std::string mac_of(const doca_devinfo *devinfo)
{
    std::array<std::uint8_t, DOCA_DEVINFO_MAC_ADDR_SIZE> addr{};

    (void)doca_devinfo_get_mac_addr(devinfo, addr.data(), addr.size());
    return as_hex(addr, 1);
}

void print_representor(const doca_devinfo_rep *rep)
{
    char pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {};
    char vuid[DOCA_DEVINFO_REP_VUID_SIZE] = {};
    char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE] = {};
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    std::uint8_t is_hotplug = 0;

    (void)doca_devinfo_rep_get_pci_addr_str(rep, pci_addr);
    (void)doca_devinfo_rep_get_vuid(rep, vuid, sizeof(vuid));
    (void)doca_devinfo_rep_get_iface_name(rep, iface_name, sizeof(iface_name));
    (void)doca_devinfo_rep_get_pci_func_type(rep, &type);
    (void)doca_devinfo_rep_get_is_hotplug(rep, &is_hotplug);

    std::printf("%*srepresentor-PCI: %s\n", kRepresentorIndent, "", pci_addr);
    const auto print = [](const char *name, const std::string &value) {
        print_field(kRepresentorFieldIndent, name, value);
    };
    print("pci_func_type", name_of(type));
    print("hotplug", is_hotplug != 0 ? "yes" : "no");
    print("vuid", vuid);
    print("rep_type", "NET");
    print("iface_name", iface_name);
    const Function *function = find_representor(vuid);
    if (function == nullptr)
        return;
    print("iface_index", std::to_string(function->iface_index));
    print("host_index", std::to_string(function->host_index));
    print("pf_index", std::to_string(function->pf_index));
    if (type == DOCA_PCI_FUNC_TYPE_VF)
        print("vf_index", std::to_string(function->vf_index));
    if (type == DOCA_PCI_FUNC_TYPE_SF)
        print("sf_index", std::to_string(function->sf_index));
}

} // namespace

void print_device_properties(const doca_devinfo *devinfo)
{
    char ibdev_name[DOCA_DEVINFO_IBDEV_NAME_SIZE] = {};
    char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE] = {};
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;

    (void)doca_devinfo_get_ibdev_name(devinfo, ibdev_name, sizeof(ibdev_name));
    (void)doca_devinfo_get_iface_name(devinfo, iface_name, sizeof(iface_name));
    (void)doca_devinfo_get_pci_func_type(devinfo, &type);

    print_device(devinfo);
    const auto print = [](const char *name, const std::string &value) {
        print_field(kDeviceIndent, name, value);
    };
    print("ibdev_name", ibdev_name);
    print("iface_name", iface_name);
    if (const Device *device = find_device(ibdev_name); device != nullptr)
        print("iface_index", std::to_string(device->function.iface_index));
    print("pci_func_type", name_of(type));
    print("uplink_ib_port", kUplinkIbPort);
    print("mac_addr", mac_of(devinfo));
    print("ipv4_addr", ipv4_of(devinfo));
    print("ipv6_addr", ipv6_of(devinfo));
    print("gid_table_size", kGidTableSize);
    print("GID[0]", ipv6_of(devinfo));
}

void print_representors(doca_devinfo *devinfo)
{
    doca_dev *dev = nullptr;
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    std::uint8_t has_net_filter = 0;

    print_device(devinfo);
    if (doca_devinfo_rep_cap_is_filter_net_supported(devinfo, &has_net_filter) != DOCA_SUCCESS ||
        has_net_filter == 0 || doca_dev_open(devinfo, &dev) != DOCA_SUCCESS)
        return; // as on a host: nothing is represented
    if (doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num) ==
        DOCA_SUCCESS) {
        for (std::uint32_t i = 0; i < num; i++)
            print_representor(list[i]);
        (void)doca_devinfo_rep_destroy_list(list);
    }
    (void)doca_dev_close(dev);
}

} // namespace softdoca::tool
