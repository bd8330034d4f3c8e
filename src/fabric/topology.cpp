// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology.hpp"

#include "base/log_sink.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

LOG_SOURCE("FABRIC::TOPOLOGY");

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

/// The two ports of the one card. Its identifiers are made up; MACs are locally administered.
Function card_function(std::uint8_t port, Side side, PciAddress pci, const char *iface,
                       std::uint32_t iface_index)
{
    Function function;
    function.pci = pci;
    function.iface_name = iface;
    function.iface_index = iface_index;
    const bool is_dpu = side == Side::dpu;
    function.mac = {0x02, 0x5d, 0x0c, 0xa0, static_cast<std::uint8_t>(is_dpu ? 0x01 : 0x00), port};
    function.vuid = std::string(is_dpu ? "SOFTDOCA0001EC" : "SOFTDOCA0001") + "MLNXS0D0F" +
                    std::to_string(port);
    function.vhca_id = static_cast<std::uint16_t>((is_dpu ? 2 : 0) + port);
    function.pf_index = port;
    return function;
}

Topology built_in_topology()
{
    Node host{"host", Side::host, {}};
    Node dpu{"dpu", Side::dpu, {}};
    const char *const host_ifaces[] = {"ens1f0np0", "ens1f1np1"};
    const char *const dpu_ifaces[] = {"p0", "p1"};
    const char *const rep_ifaces[] = {"pf0hpf", "pf1hpf"};
    for (std::uint8_t port = 0; port < 2; ++port) {
        const PciAddress host_pci{0, 0x3b, 0, port};
        Function on_host = card_function(port, Side::host, host_pci, host_ifaces[port], 4u + port);
        Function on_dpu = card_function(port, Side::dpu, PciAddress{0, 0x03, 0, port},
                                        dpu_ifaces[port], 4u + port);
        Function representor =
            card_function(port, Side::host, host_pci, rep_ifaces[port], 12u + port);
        on_host.ibdev_name = on_dpu.ibdev_name = "mlx5_" + std::to_string(port);

        host.devices.push_back({std::move(on_host), {}});
        dpu.devices.push_back({std::move(on_dpu), {std::move(representor)}});
    }
    return {{std::move(host), std::move(dpu)}};
}

void report_ignored_file()
{
    if (const char *const file = std::getenv("SOFTDOCA_TOPOLOGY"); file != nullptr && *file != '\0')
        LOG_WRN("SOFTDOCA_TOPOLOGY=%s: topology files are not read by this release; using the "
                "built-in host (3b:00.0, 3b:00.1) and DPU (03:00.0, 03:00.1)",
                file);
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

Ipv6Address Function::ipv6() const noexcept
{
    const auto first = static_cast<std::uint8_t>(mac[0] ^ 0x02); // modified EUI-64
    return {0xfe,  0x80,   0,      0,    0,    0,      0,      0,
            first, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
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

const Topology &topology()
{
    // Never destroyed: objects of the library outlive the program's own destructors.
    static const Topology *const kTopology = new Topology(built_in_topology());
    // Not within the initialiser: a log backend may be the program's own code and call us again.
    static std::atomic<bool> is_reported{false};
    if (!is_reported.exchange(true))
        report_ignored_file();
    return *kTopology;
}

} // namespace softdoca
