// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"
#include "fabric/topology_file.hpp"
#include "fabric/topology_limits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Between the text of a topology file and the world that it describes: what the file says, each
/// thing with its place; what it leaves out is for build_topology() to choose.
namespace softdoca {

template <typename Value>
struct Given {
    std::optional<Value> value;
    Place place; ///< of the value, if there is one
};

/// One limit that the file sets.
struct GivenLimit {
    const LimitKey *key;
    std::uint64_t value;
    Place place;
};

struct FunctionDraft {
    Place place;
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    Given<std::string> behind; ///< of a host's: the DPU; "" for a plain network card
    Given<PciAddress> uplink;  ///< of a host's: which PF of the DPU represents it
    Given<PciAddress> pci;
    Given<std::uint32_t> pf_index, vf_index, sf_index, vhca_id, rate_gbps;
    Given<std::string> iface, rep_iface, ibdev, vuid;
    Given<MacAddress> mac;
    Given<Ipv4Address> ipv4;
    Given<Ipv6Address> ipv6;
    std::vector<GivenLimit> limits;
};

struct NodeDraft {
    Place place;
    Given<std::string> name;
    Given<std::string> behind;  ///< of a host: what its functions are behind unless they say
    Given<std::string> profile; ///< of a DPU; a known one
    std::vector<GivenLimit> limits;
    std::vector<FunctionDraft> functions; ///< none: two PFs
};

struct TopologyDraft {
    std::string group;
    std::vector<NodeDraft> hosts;
    std::vector<NodeDraft> dpus;
};

/// What a generation of cards is.
struct CardProfile {
    const char *name;
    std::uint32_t port_gbps;
};

inline constexpr CardProfile kCardProfiles[] = {{"bluefield-2", 100}, {"bluefield-3", 200}};
inline constexpr const char *kDefaultProfile = "bluefield-3";

inline constexpr std::size_t kMaxNodes = 64; ///< hosts and DPUs together
inline constexpr std::size_t kMaxFunctionsOfNode = 128;
inline constexpr std::uint32_t kMaxPfIndex = 31;
inline constexpr std::uint32_t kMaxVfIndex = 126;
inline constexpr std::uint32_t kMaxSfIndex = 65535;
inline constexpr std::uint32_t kMaxVhcaId = 65535;

/// Gives each function what the draft leaves out, and finds what cannot be: two of a name or
/// address, a host behind a card that there is not. The fault names no file.
std::variant<Topology, TopologyFault> build_topology(const TopologyDraft &draft);

/// What the text says; unknown keys and impossible values are faults. The fault names no file.
std::variant<TopologyDraft, TopologyFault> draft_of_toml(std::string_view text);

} // namespace softdoca
