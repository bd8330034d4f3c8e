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

/// The pretended machines: which nodes there are, and which PCI functions each of them sees. Today
/// there is the built-in world of one host and one DPU joined by one BlueField-3; everything above
/// asks through topology() and does not know where the description comes from.
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
using Ipv6Address = std::array<std::uint8_t, 16>;

/// What the DMA library may promise on a function.
struct DmaLimits {
    bool has_memcpy = true;
    std::uint64_t max_buf_size = 2 * 1024 * 1024; ///< bytes of one copy, all elements together
    std::uint32_t max_buf_list_len = 64;          ///< elements of a list, each side
    std::uint32_t max_num_tasks = 65536;          ///< of one context
};

/// What a node sees of one PCI function: a device of its own, or a representor's host function.
struct __attribute__((visibility("default"))) Function {
    PciAddress pci;
    std::string iface_name;
    std::uint32_t iface_index = 0;
    std::string ibdev_name; ///< empty for a representor
    MacAddress mac{};
    std::string vuid;
    std::uint16_t vhca_id = 0;
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_PF;
    std::uint32_t host_index = 0;
    std::uint32_t pf_index = 0;
    std::uint32_t sf_index = 0;                  ///< of an SF
    std::uint64_t active_rate = 200'000'000'000; ///< bits per second
    DmaLimits dma;

    /// Link-local, made from the MAC.
    Ipv6Address ipv6() const noexcept;
};

/// A device of a node, with the representors that it manages (on a DPU).
struct Device {
    Function function;
    std::vector<Function> representors;
};

enum class Side : std::uint8_t { host, dpu };

[[gnu::visibility("default")]] const char *to_string(Side side) noexcept;

/// One pretended machine.
struct Node {
    std::string name;
    Side side;
    std::vector<Device> devices;
};

struct Topology {
    std::vector<Node> nodes;

    const Node *find(std::string_view name) const noexcept;
    const Node *first_of(Side side) const noexcept;
};

/// The world of this process; made at the first call and unchanged from then on.
/// Throws std::bad_alloc. Any thread.
[[gnu::visibility("default")]] const Topology &topology();

} // namespace softdoca
