// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Topology files made of arbitrary bytes. A good one must describe a world in which each host
// function of a card has one representor, each fault must stand in the file.

#include "fabric/topology_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

using namespace softdoca;

namespace {

void must(bool is_so)
{
    if (!is_so)
        std::abort();
}

void check(const Topology &world)
{
    std::size_t num_behind = 0, num_representors = 0;
    must(!world.nodes.empty());
    for (const Node &node : world.nodes) {
        must(world.find(node.name) == &node && !node.devices.empty());
        for (const Device &device : node.devices) {
            must(device.is_uplink || device.representors.empty());
            must(device.function.card.empty() || world.find(device.function.card) != nullptr);
            num_behind += node.side == Side::host && !device.function.card.empty() ? 1 : 0;
            num_representors += device.representors.size();
        }
    }
    must(num_behind == num_representors);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const TopologyResult result = parse_topology(text, "fuzz.toml");

    if (const auto *const fault = std::get_if<TopologyFault>(&result))
        must(!fault->reason.empty() && (fault->place.line != 0 || size > kMaxTopologyFileSize));
    else
        check(std::get<Topology>(result));
    return 0;
}
