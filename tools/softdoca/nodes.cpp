// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "nodes.hpp"

#include <strings.h>

#include <algorithm>

namespace softdoca::tool {

const Node *node_named(const std::string &name)
{
    if (const Node *const node = topology().find(name); node != nullptr)
        return node;
    if (strcasecmp(name.c_str(), "host") == 0)
        return topology().first_of(Side::host);
    if (strcasecmp(name.c_str(), "dpu") == 0)
        return topology().first_of(Side::dpu);
    return nullptr;
}

std::string complaint_about_node(const std::string &name)
{
    if (node_named(name) != nullptr)
        return {};
    if (!topology_fault().empty())
        return "the topology is refused: " + topology_fault() + " (SOFTDOCA_TOPOLOGY names it)";
    std::string names;
    for (const Node &node : topology().nodes)
        names += (names.empty() ? "" : ", ") + node.name;
    return "there is no node '" + name + "'; the topology has: " + names;
}

const Node *host_of(const Node &dpu)
{
    const auto is_behind = [&](const Device &device) { return device.function.card == dpu.name; };

    for (const Node &node : topology().nodes)
        if (node.side == Side::host && std::ranges::any_of(node.devices, is_behind))
            return &node;
    return topology().first_of(Side::host);
}

} // namespace softdoca::tool
