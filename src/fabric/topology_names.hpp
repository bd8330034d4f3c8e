// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <cstdint>
#include <string>

/// The identifiers of a function that nobody has named. All are made up from where it stands, so
/// that the same file always gives the same world; MACs are locally administered.
namespace softdoca {

/// Where a function stands.
struct Standing {
    Side side;
    std::uint32_t node;  ///< ordinal of its node among those of its side
    std::uint32_t index; ///< of the function in its node
    std::uint32_t slot;  ///< ordinal of its card in its node, counted from 1
    std::uint32_t card;  ///< ordinal of its card's DPU; of a plain card: of its host
};

/// "ens1f0np0" on a host, "p0" on a DPU.
std::string default_iface(const Function &function, const Standing &standing);

/// "pf0hpf"
std::string default_rep_iface(const Function &function);

std::string default_vuid(const Function &function, const Standing &standing);
MacAddress default_mac(const Standing &standing) noexcept;

/// Link-local, made from the MAC.
Ipv6Address default_ipv6(const MacAddress &mac) noexcept;

/// "02:5d:0c:a0:00:00"
std::string text_of(const MacAddress &mac);

} // namespace softdoca
