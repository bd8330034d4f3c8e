// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology_draft.hpp"
#include "fabric/topology_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace softdoca {

/// Makes a world of a draft. Works in the order of build(): each step needs only what those before
/// it have set. The first fault ends it.
class TopologyBuilder {
public:
    explicit TopologyBuilder(const TopologyDraft &draft);
    std::variant<Topology, TopologyFault> build();

private:
    /// A function on its way from draft to world.
    struct Item {
        const FunctionDraft *draft;
        Function function;
        bool has_pci = false;

        bool is_pf() const noexcept { return function.type == DOCA_PCI_FUNC_TYPE_PF; }
        bool is_sf() const noexcept { return function.type == DOCA_PCI_FUNC_TYPE_SF; }
    };

    /// A node on its way.
    struct Machine {
        const NodeDraft *draft;
        std::uint32_t ordinal; ///< among the nodes of its side
        Node node;
        std::vector<Item> items;

        bool is_host() const noexcept { return node.side == Side::host; }
        std::string scope() const { return "node " + node.name; }
    };

    using Family = std::vector<Item *>;

    bool name_nodes();
    bool add_node(const NodeDraft &draft, Side side, std::uint32_t ordinal);
    bool find_cards();
    bool find_cards_of(Machine &host);
    bool set_limits();
    bool set_limits_of(Item &item, const Machine &machine);
    bool number_functions();
    template <typename Number>
    bool number(const Family &family, Given<std::uint32_t> FunctionDraft::*given,
                Number Function::*member, const char *name, std::uint32_t max);
    bool give_addresses();
    bool give_address(Machine &machine, Item &item);
    bool take_address(const Machine &machine, Item &item, Place place);
    bool is_free(const Machine &machine, const Item &item, const PciAddress &pci) const;
    bool choose_bus(const Machine &machine, const Item &item, PciAddress &pci) const;
    bool give_identifiers();
    bool give_identifiers_to(Machine &machine, Item &item, const Standing &standing);
    bool name_ibdevs(Machine &machine);
    bool join();
    bool add_representor(const Item &item, Node &dpu);

    bool fail(Place place, std::string reason)
    {
        fault_ = {{}, place, std::move(reason)};
        return false;
    }

    /// Each thing is had once in its scope. The name in a fault is "what text".
    bool claim(const std::string &scope, const char *what, const std::string &text, Place place)
    {
        const auto [other, is_new] = claims_.emplace(std::tuple(scope, what, text), place);
        return is_new || fail_twice(std::string(what) + " " + text, other->second, place);
    }
    /// Blames the later one in the file.
    bool fail_twice(const std::string &what, Place one, Place other)
    {
        return fail(std::max(one, other), what + " is already taken (line " +
                                              std::to_string(std::min(one, other).line) + ")");
    }
    bool is_claimed(const std::string &scope, const char *what, const std::string &text) const
    {
        return claims_.contains(std::tuple(scope, what, text));
    }

    /// A value that the file gives is to blame where it stands, a default where its owner stands.
    template <typename Value>
    static Place place_of(const Given<Value> &given, Place owner) noexcept
    {
        return given.value ? given.place : owner;
    }

    Machine *find_dpu(const std::string &name)
    {
        const auto found = std::ranges::find_if(machines_, [&](const Machine &machine) {
            return !machine.is_host() && machine.node.name == name;
        });
        return found == machines_.end() ? nullptr : &*found;
    }

    template <typename Body>
    bool for_each_item(Body body)
    {
        for (Machine &machine : machines_)
            for (Item &item : machine.items)
                if (!body(machine, item))
                    return false;
        return true;
    }

    TopologyDraft draft_;
    std::vector<Machine> machines_; // hosts, then DPUs
    std::map<std::tuple<std::string, std::string, std::string>, Place> claims_;
    std::set<std::tuple<std::string, std::uint16_t, std::uint8_t>> buses_; // that have functions
    Topology world_;
    TopologyFault fault_;
};

} // namespace softdoca
