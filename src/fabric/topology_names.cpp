// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology_names.hpp"

#include <cstdarg>
#include <cstdio>

namespace softdoca {

namespace {

[[gnu::format(printf, 1, 2)]] std::string print(const char *format, ...)
{
    char text[128];
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return text;
}

} // namespace

std::string default_iface(const Function &function, const Standing &standing)
{
    const std::uint32_t pf = function.pf_index;
    const std::string port =
        standing.side == Side::host ? print("ens%uf%u", standing.slot, pf) : print("enp3s0f%u", pf);
    switch (function.type) {
    case DOCA_PCI_FUNC_TYPE_VF:
        return port + print("v%u", function.vf_index);
    case DOCA_PCI_FUNC_TYPE_SF:
        return port + print("s%u", function.sf_index);
    case DOCA_PCI_FUNC_TYPE_PF:
        break;
    }
    return standing.side == Side::host ? port + print("np%u", pf) : print("p%u", pf);
}

std::string default_rep_iface(const Function &function)
{
    const std::string port = (function.host_index == 0 ? "" : print("c%u", function.host_index)) +
                             print("pf%u", function.pf_index);
    switch (function.type) {
    case DOCA_PCI_FUNC_TYPE_VF:
        return port + print("vf%u", function.vf_index);
    case DOCA_PCI_FUNC_TYPE_SF:
        return port + print("sf%u", function.sf_index);
    case DOCA_PCI_FUNC_TYPE_PF:
        break;
    }
    return port + "hpf";
}

std::string default_vuid(const Function &function, const Standing &standing)
{
    std::string vuid =
        print("SOFTDOCA%s%0*u%s", function.card.empty() ? "N" : "", function.card.empty() ? 3 : 4,
              standing.card + 1, standing.side == Side::dpu ? "EC" : "");
    vuid += print("MLNXS%uD0F%u", function.host_index, function.pf_index);
    if (function.type == DOCA_PCI_FUNC_TYPE_VF)
        vuid += print("VF%u", function.vf_index + 1);
    else if (function.type == DOCA_PCI_FUNC_TYPE_SF)
        vuid += print("SF%u", function.sf_index);
    return vuid;
}

MacAddress default_mac(const Standing &standing) noexcept
{
    const std::uint32_t node = 2 * standing.node + (standing.side == Side::dpu ? 1 : 0);
    return {0x02,
            0x5d,
            0x0c,
            0xa0,
            static_cast<std::uint8_t>(node),
            static_cast<std::uint8_t>(standing.index)};
}

Ipv6Address default_ipv6(const MacAddress &mac) noexcept
{
    const auto first = static_cast<std::uint8_t>(mac[0] ^ 0x02); // modified EUI-64
    return {0xfe,  0x80,   0,      0,    0,    0,      0,      0,
            first, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]};
}

std::string text_of(const MacAddress &mac)
{
    return print("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

} // namespace softdoca
