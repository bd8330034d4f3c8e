// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The pretended machines: which nodes there are, and which PCI functions each of them sees. Either
/// a file says so (SOFTDOCA_TOPOLOGY, docs/topology.md), or there is the built-in world of one host
/// and one DPU joined by one BlueField-3; everything above asks through topology() and does not
/// know where the description comes from.
namespace softdoca {

/// A PCI address DDDD:BB:DD.F.
struct __attribute__((visibility("default"))) PciAddress {
    std::uint16_t domain = 0;
    std::uint8_t bus = 0;
    std::uint8_t device = 0;
    std::uint8_t function = 0;

    bool operator==(const PciAddress &) const = default;

    /// Takes "DDDD:BB:DD.F" and "BB:DD.F" (domain 0), hex digits of either case; nothing else.
    static std::optional<PciAddress> parse(std::string_view text) noexcept;
    /// The long form, lower case, 12 characters and NUL.
    std::array<char, 13> text() const noexcept;
};

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::array<std::uint8_t, 4>;
using Ipv6Address = std::array<std::uint8_t, 16>;

/// What the DMA library may promise on a function.
struct DmaLimits {
    bool has_memcpy = true;
    std::uint64_t max_buf_size = 2 * 1024 * 1024; ///< bytes of one copy, all elements together
    std::uint32_t max_buf_list_len = 64;          ///< elements of a list, each side
    std::uint32_t max_num_tasks = 65536;          ///< of one context

    bool operator==(const DmaLimits &) const = default;
};

/// What the Comch library may promise on a function.
struct ComchLimits {
    bool is_supported = true;
    std::uint32_t max_msg_size = 4080; ///< bytes of a control message
    std::uint32_t max_name_len = 120;  ///< of a service, with its NUL
    std::uint32_t max_recv_queue_size = 8192;
    std::uint32_t max_send_tasks = 8192; ///< of one client or server
    std::uint32_t max_clients = 512;     ///< of one server
    std::uint32_t max_imm_data_len = 32; ///< bytes that a consumer takes beside the payload

    bool operator==(const ComchLimits &) const = default;
};

/// One end of Comch's fast path: that of the consumers, or that of the producers.
struct ComchEndLimits {
    std::uint32_t max_num = 1024; ///< of such ends on one connection
    std::uint32_t max_num_tasks = 65536;
    std::uint32_t max_buf_size = 1u << 30;
    std::uint32_t max_buf_list_len = 1; ///< 1: no lists

    bool operator==(const ComchEndLimits &) const = default;
};

/// What a node sees of one PCI function: a device of its own, or a representor's host function.
struct __attribute__((visibility("default"))) Function {
    PciAddress pci;
    /// The DPU node that owns the card which this function is of; empty for a plain network card,
    /// which neither copies nor exports.
    std::string card;
    std::string iface_name; ///< empty: a function without a network plane
    std::uint32_t iface_index = 0;
    std::string ibdev_name; ///< empty for a representor
    MacAddress mac{};
    std::optional<Ipv4Address> ipv4; ///< none of a representor
    Ipv6Address ipv6{};
    std::string vuid;
    std::uint16_t vhca_id = 0;
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    std::uint32_t host_index = 0;                ///< among the hosts behind one card
    std::uint32_t pf_index = 0;                  ///< of a VF or SF: that of its PF
    std::uint32_t vf_index = 0;                  ///< of a VF
    std::uint32_t sf_index = 0;                  ///< of an SF, which has the PCI address of its PF
    std::uint64_t active_rate = 200'000'000'000; ///< bits per second
    DmaLimits dma;
    ComchLimits comch;
    ComchEndLimits comch_consumer;
    ComchEndLimits comch_producer;

    bool operator==(const Function &) const = default;
};

/// A device of a node, with the representors that it manages.
struct Device {
    Function function;
    std::vector<Function> representors;
    bool is_uplink = false; ///< a PF of a DPU, the only kind that manages representors

    bool operator==(const Device &) const = default;
};

enum class Side : std::uint8_t { host, dpu };

[[gnu::visibility("default")]] const char *to_string(Side side) noexcept;

/// One pretended machine.
struct Node {
    std::string name;
    Side side;
    std::string profile;         ///< of a DPU: the card's generation
    std::vector<Device> devices; ///< those of a card, which copy and export, come first

    bool operator==(const Node &) const = default;
};

struct __attribute__((visibility("default"))) Topology {
    std::vector<Node> nodes;
    std::string group; ///< the Unix group to which the fabric is open; empty: nobody but the user

    const Node *find(std::string_view name) const noexcept;
    const Node *first_of(Side side) const noexcept;

    bool operator==(const Topology &) const = default;
};

/// The world if no file describes another.
[[gnu::visibility("default")]] Topology built_in_topology();

/// The world of this process: that of the file in SOFTDOCA_TOPOLOGY, or the built-in one. Read at
/// the first call and unchanged from then on. Without any node if the file was refused; logs
/// nothing then: who needs a node says topology_fault(). Throws std::bad_alloc. Any thread.
[[gnu::visibility("default")]] const Topology &topology();

/// Why the file in SOFTDOCA_TOPOLOGY was refused: "FILE:LINE:COLUMN: reason". Empty if it was not.
[[gnu::visibility("default")]] const std::string &topology_fault();

} // namespace softdoca
