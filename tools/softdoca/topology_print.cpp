// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "topology_print.hpp"

#include "fabric/topology_limits.hpp"

#include <arpa/inet.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace softdoca::tool {

namespace {

constexpr std::uint64_t kGiga = 1'000'000'000;

const char *name_of(doca_pci_func_type type)
{
    switch (type) {
    case DOCA_PCI_FUNC_TYPE_VF:
        return "VF";
    case DOCA_PCI_FUNC_TYPE_SF:
        return "SF";
    case DOCA_PCI_FUNC_TYPE_PF:
        break;
    }
    return "PF";
}

std::string text_of(const MacAddress &mac)
{
    char text[18];
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                  mac[3], mac[4], mac[5]);
    return text;
}

template <int kFamily, typename Address>
std::string text_of_ip(const Address &address)
{
    char text[INET6_ADDRSTRLEN] = "";
    (void)::inet_ntop(kFamily, address.data(), text, sizeof text);
    return text;
}

std::string value_of(const LimitKey &key, const Function &function)
{
    const std::uint64_t value = key.get(function);
    return !key.is_flag ? std::to_string(value) : value != 0 ? "true" : "false";
}

/// Calls body(table, text) for each table of limits, with "name = value, ..." of those that choose
/// picks, if there are any.
template <typename Choose, typename Body>
void for_each_limits(const Function &function, Choose choose, Body body)
{
    std::string_view table;
    std::string text;
    const auto put = [&] {
        if (!text.empty())
            body(table, text);
        text.clear();
    };
    for (const LimitKey &key : limit_keys()) {
        if (table != key.table)
            put();
        table = key.table;
        if (choose(key))
            text += (text.empty() ? "" : ", ") + std::string(key.name) + " = " +
                    value_of(key, function);
    }
    put();
}

/// The uplink under which a function is represented, and as what.
struct Representation {
    const Function *uplink = nullptr;
    const Function *representor = nullptr;
};

Representation find_representation(const Topology &world, const Function &function)
{
    for (const Node &node : world.nodes)
        for (const Device &device : node.devices)
            for (const Function &representor : device.representors)
                if (representor.vuid == function.vuid)
                    return {&device.function, &representor};
    return {};
}

const Node *find_owner(const Topology &world, const Function &representor)
{
    for (const Node &node : world.nodes)
        for (const Device &device : node.devices)
            if (device.function.vuid == representor.vuid)
                return &node;
    return nullptr;
}

std::string index_of(const Function &function)
{
    std::string text = "pf_index " + std::to_string(function.pf_index);
    if (function.type == DOCA_PCI_FUNC_TYPE_VF)
        text += ", vf_index " + std::to_string(function.vf_index);
    if (function.type == DOCA_PCI_FUNC_TYPE_SF)
        text += ", sf_index " + std::to_string(function.sf_index);
    return text;
}

void print_function(const Function &function, const Node &node)
{
    std::printf("    %s %s, %s", function.pci.text().data(), name_of(function.type),
                index_of(function).c_str());
    if (node.side == Side::host)
        std::printf(", %s%s", function.card.empty() ? "a plain network card" : "behind ",
                    function.card.c_str());
    std::printf("\n        ibdev %s, iface %s (index %u), vhca_id %u, %llu Gb/s\n",
                function.ibdev_name.c_str(), function.iface_name.c_str(), function.iface_index,
                function.vhca_id, static_cast<unsigned long long>(function.active_rate / kGiga));
    std::printf("        mac %s, ipv4 %s, ipv6 %s\n        vuid %s\n",
                text_of(function.mac).c_str(),
                function.ipv4 ? text_of_ip<AF_INET>(*function.ipv4).c_str() : "none",
                text_of_ip<AF_INET6>(function.ipv6).c_str(), function.vuid.c_str());
    for_each_limits(
        function, [](const LimitKey &) { return true; },
        [](std::string_view table, const std::string &text) {
            std::printf("        %s: %s\n", table.data(), text.c_str());
        });
}

void print_toml_function(const Topology &world, const Node &node, const Function &function)
{
    std::printf("\n[[%s.function]]\ntype = \"%s\"\npci = \"%s\"\npf_index = %u\n",
                node.side == Side::host ? "host" : "dpu", name_of(function.type),
                function.pci.text().data(), function.pf_index);
    if (function.type == DOCA_PCI_FUNC_TYPE_VF)
        std::printf("vf_index = %u\n", function.vf_index);
    if (function.type == DOCA_PCI_FUNC_TYPE_SF)
        std::printf("sf_index = %u\n", function.sf_index);
    if (node.side == Side::host) {
        std::printf("behind = \"%s\"\n", function.card.c_str());
        if (const Representation found = find_representation(world, function);
            found.representor != nullptr)
            std::printf("uplink = \"%s\"\nrep_iface = \"%s\"\n", found.uplink->pci.text().data(),
                        found.representor->iface_name.c_str());
    }
    std::printf("iface = \"%s\"\nibdev = \"%s\"\nmac = \"%s\"\n", function.iface_name.c_str(),
                function.ibdev_name.c_str(), text_of(function.mac).c_str());
    if (function.ipv4)
        std::printf("ipv4 = \"%s\"\n", text_of_ip<AF_INET>(*function.ipv4).c_str());
    std::printf("ipv6 = \"%s\"\nvuid = \"%s\"\nvhca_id = %u\nrate_gbps = %llu\n",
                text_of_ip<AF_INET6>(function.ipv6).c_str(), function.vuid.c_str(),
                function.vhca_id, static_cast<unsigned long long>(function.active_rate / kGiga));

    Function usual;
    if (function.card.empty())
        make_plain(usual);
    for_each_limits(
        function, [&](const LimitKey &key) { return key.get(function) != key.get(usual); },
        [](std::string_view table, const std::string &text) {
            std::printf("%s = { %s }\n", table.data(), text.c_str());
        });
}

} // namespace

void print_as_tree(const Topology &world)
{
    if (!world.group.empty())
        std::printf("fabric: open to the group %s\n", world.group.c_str());
    for (const Node &node : world.nodes) {
        std::printf("%s %s%s%s\n", to_string(node.side), node.name.c_str(),
                    node.profile.empty() ? "" : ", a ", node.profile.c_str());
        for (const Device &device : node.devices) {
            print_function(device.function, node);
            for (const Function &each : device.representors) {
                const Node *const owner = find_owner(world, each);
                std::printf("        represents %s %s of %s as %s (index %u)\n",
                            each.pci.text().data(), name_of(each.type),
                            owner == nullptr ? "nobody" : owner->name.c_str(),
                            each.iface_name.c_str(), each.iface_index);
            }
        }
    }
}

void print_as_toml(const Topology &world)
{
    const char *before = "";
    if (!world.group.empty()) {
        std::printf("[fabric]\ngroup = \"%s\"\n", world.group.c_str());
        before = "\n";
    }
    for (const Node &node : world.nodes) {
        std::printf("%s[[%s]]\nname = \"%s\"\n", before, node.side == Side::host ? "host" : "dpu",
                    node.name.c_str());
        if (!node.profile.empty())
            std::printf("profile = \"%s\"\n", node.profile.c_str());
        for (const Device &device : node.devices)
            print_toml_function(world, node, device.function);
        before = "\n";
    }
}

} // namespace softdoca::tool
