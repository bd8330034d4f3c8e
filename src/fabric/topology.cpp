// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology.hpp"

#include "fabric/topology_draft.hpp"
#include "fabric/topology_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

namespace softdoca {

namespace {

/// Reads num_digits hex digits at the start of text and removes them; nothing if one is missing.
std::optional<std::uint16_t> take_hex(std::string_view &text, std::size_t num_digits) noexcept
{
    if (text.size() < num_digits)
        return std::nullopt;
    std::uint32_t value = 0;
    for (const char digit : text.substr(0, num_digits)) {
        const char lower = static_cast<char>(digit | 0x20);
        if (digit >= '0' && digit <= '9')
            value = value * 16 + static_cast<std::uint32_t>(digit - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
        else
            return std::nullopt;
    }
    text.remove_prefix(num_digits);
    return static_cast<std::uint16_t>(value);
}

bool take_char(std::string_view &text, char expected) noexcept
{
    if (text.empty() || text.front() != expected)
        return false;
    text.remove_prefix(1);
    return true;
}

/// The world, or why there is none.
struct World {
    Topology topology;
    std::string fault;
};

World make_world()
{
    const char *const file = std::getenv("SOFTDOCA_TOPOLOGY");
    if (file == nullptr || *file == '\0')
        return {built_in_topology(), {}};
    TopologyResult result = read_topology(file);
    if (const TopologyFault *const fault = std::get_if<TopologyFault>(&result))
        return {{}, fault->text()};
    return {std::get<Topology>(std::move(result)), {}};
}

const World &world()
{
    // Never destroyed: objects of the library outlive the program's own destructors.
    static const World *const kWorld = new World(make_world());
    return *kWorld;
}

} // namespace

std::optional<PciAddress> PciAddress::parse(std::string_view text) noexcept
{
    PciAddress address;
    if (text.size() == 12) {
        const auto domain = take_hex(text, 4);
        if (!domain || !take_char(text, ':'))
            return std::nullopt;
        address.domain = *domain;
    }
    if (text.size() != 7)
        return std::nullopt;
    const auto bus = take_hex(text, 2);
    if (!bus || !take_char(text, ':'))
        return std::nullopt;
    const auto device = take_hex(text, 2);
    if (!device || *device > 0x1f || !take_char(text, '.'))
        return std::nullopt;
    const auto function = take_hex(text, 1);
    if (!function || *function > 7)
        return std::nullopt;
    address.bus = static_cast<std::uint8_t>(*bus);
    address.device = static_cast<std::uint8_t>(*device);
    address.function = static_cast<std::uint8_t>(*function);
    return address;
}

std::array<char, 13> PciAddress::text() const noexcept
{
    std::array<char, 13> out;
    std::snprintf(out.data(), out.size(), "%04x:%02x:%02x.%x", domain, bus,
                  static_cast<unsigned>(device & 0x1f), static_cast<unsigned>(function & 0x7));
    return out;
}

const char *to_string(Side side) noexcept
{
    return side == Side::host ? "host" : "DPU";
}

const Node *Topology::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find(nodes, name, &Node::name);
    return found == nodes.end() ? nullptr : &*found;
}

const Node *Topology::first_of(Side side) const noexcept
{
    const auto found = std::ranges::find(nodes, side, &Node::side);
    return found == nodes.end() ? nullptr : &*found;
}

Topology built_in_topology()
{
    TopologyDraft draft;
    draft.hosts.resize(1);
    draft.dpus.resize(1);
    return std::get<Topology>(build_topology(draft));
}

const Topology &topology()
{
    return world().topology;
}

const std::string &topology_fault()
{
    return world().fault;
}

} // namespace softdoca
