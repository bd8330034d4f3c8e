// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology_builder.hpp"

#include <strings.h>

namespace softdoca {

namespace {

std::string quoted(const std::string &text)
{
    return '"' + text + '"';
}

} // namespace

TopologyBuilder::TopologyBuilder(const TopologyDraft &draft) : draft_(draft)
{
    for (std::vector<NodeDraft> *const side : {&draft_.hosts, &draft_.dpus}) {
        for (NodeDraft &node : *side) {
            if (!node.functions.empty())
                continue;
            node.functions.resize(2); // two ports
            for (FunctionDraft &function : node.functions)
                function.place = node.place;
        }
    }
}

std::variant<Topology, TopologyFault> TopologyBuilder::build()
{
    if (name_nodes() && find_cards() && set_limits() && number_functions() && give_addresses() &&
        give_identifiers() && join())
        return std::move(world_);
    return std::move(fault_);
}

bool TopologyBuilder::name_nodes()
{
    world_.group = draft_.group;
    std::uint32_t ordinal = 0;
    for (const NodeDraft &host : draft_.hosts)
        if (!add_node(host, Side::host, ordinal++))
            return false;
    ordinal = 0;
    for (const NodeDraft &dpu : draft_.dpus)
        if (!add_node(dpu, Side::dpu, ordinal++))
            return false;
    return true;
}

bool TopologyBuilder::add_node(const NodeDraft &draft, Side side, std::uint32_t ordinal)
{
    const bool is_host = side == Side::host;
    const std::string number = ordinal == 0 ? "" : std::to_string(ordinal);
    const std::string name = draft.name.value.value_or((is_host ? "host" : "dpu") + number);
    const Place place = place_of(draft.name, draft.place);
    if (strcasecmp(name.c_str(), is_host ? "dpu" : "host") == 0)
        return fail(place, "a " + std::string(to_string(side)) + " cannot be called " +
                               quoted(name) + ", which is the word for the other side");

    Machine machine{&draft, ordinal, {name, side, {}, {}}, {}};
    if (!is_host)
        machine.node.profile = draft.profile.value.value_or(kDefaultProfile);
    for (const FunctionDraft &function : draft.functions) {
        machine.items.push_back({&function, {}});
        machine.items.back().function.type = function.type;
    }
    machines_.push_back(std::move(machine));
    return claim("", "the node name", name, place);
}

bool TopologyBuilder::find_cards()
{
    std::map<std::string, std::uint32_t> num_hosts; // behind each card
    for (Machine &machine : machines_) {
        if (!machine.is_host()) {
            for (Item &item : machine.items)
                item.function.card = machine.node.name;
            continue;
        }
        if (!find_cards_of(machine))
            return false;
        std::map<std::string, std::uint32_t> index;
        for (Item &item : machine.items) {
            const std::string &card = item.function.card;
            if (!card.empty() && !index.contains(card))
                index[card] = num_hosts[card]++;
            item.function.host_index = card.empty() ? 0 : index[card];
        }
    }
    return true;
}

bool TopologyBuilder::find_cards_of(Machine &host)
{
    std::string dpus;
    for (const Machine &machine : machines_)
        if (!machine.is_host())
            dpus += (dpus.empty() ? "" : ", ") + machine.node.name;
    const auto is_known = [&](const Given<std::string> &behind) {
        if (!behind.value || behind.value->empty() || find_dpu(*behind.value) != nullptr)
            return true;
        return fail(behind.place,
                    "no DPU is called " + quoted(*behind.value) +
                        (dpus.empty() ? "; the file has no [[dpu]]" : "; the file has: " + dpus));
    };
    if (!is_known(host.draft->behind))
        return false;
    for (Item &item : host.items) {
        const FunctionDraft &draft = *item.draft;
        if (!is_known(draft.behind))
            return false;
        if (draft.behind.value)
            item.function.card = *draft.behind.value;
        else if (host.draft->behind.value)
            item.function.card = *host.draft->behind.value;
        else if (draft_.dpus.size() == 1)
            item.function.card = dpus;
        else if (!draft_.dpus.empty())
            return fail(draft.place, "say which DPU this is behind, with behind = \"NAME\" (" +
                                         dpus + "; \"\" for a plain network card)");
    }
    return true;
}

namespace {

/// Functions that copy, those that do not, plain network cards; each in the order of the file. (A
/// stable sort would do it, but hides that memory has run out.)
template <typename Item>
void put_usable_first(std::vector<Item> &items)
{
    const auto rank = [](const Item &item) {
        return item.function.card.empty() ? 2 : item.function.dma.has_memcpy ? 0 : 1;
    };
    std::vector<Item> ordered;
    ordered.reserve(items.size());
    for (int wanted = 0; wanted <= 2; ++wanted)
        for (const Item &item : items) // copied: what was moved from has another rank
            if (rank(item) == wanted)
                ordered.push_back(item);
    items = std::move(ordered);
}

} // namespace

/// What is known of the card first, then what the file says of the card, of the node, of the
/// function.
bool TopologyBuilder::set_limits()
{
    if (!for_each_item(
            [this](Machine &machine, Item &item) { return set_limits_of(item, machine); }))
        return false;
    for (Machine &machine : machines_)
        put_usable_first(machine.items);
    return true;
}

bool TopologyBuilder::set_limits_of(Item &item, const Machine &machine)
{
    Function &function = item.function;
    const auto apply = [&](const std::vector<GivenLimit> &limits) {
        for (const GivenLimit &limit : limits)
            limit.key->set(function, limit.value);
    };
    if (const Machine *const dpu = find_dpu(function.card); dpu != nullptr) {
        const auto profile =
            std::ranges::find(kCardProfiles, dpu->node.profile, &CardProfile::name);
        function.active_rate = profile->port_gbps * std::uint64_t{1'000'000'000};
        apply(dpu->draft->limits);
    }
    if (machine.is_host())
        apply(machine.draft->limits);
    if (function.card.empty())
        make_plain(function);
    apply(item.draft->limits);
    if (item.draft->rate_gbps.value)
        function.active_rate = *item.draft->rate_gbps.value * std::uint64_t{1'000'000'000};

    if (!function.card.empty() || !(function.dma.has_memcpy || function.comch.is_supported))
        return true;
    const auto blamed = std::ranges::find_if(item.draft->limits, [](const GivenLimit &limit) {
        return limit.key->is_flag && limit.value != 0;
    });
    return fail(blamed->place, std::string(blamed->key->table) + "." + blamed->key->name +
                                   " needs a function behind a DPU (key behind)");
}

/// Makes the nodes, then gives each host function its representor.
bool TopologyBuilder::join()
{
    for (Machine &machine : machines_) {
        for (const Item &item : machine.items)
            machine.node.devices.push_back({item.function, {}, !machine.is_host() && item.is_pf()});
    }
    for (Machine &machine : machines_)
        for (const Item &item : machine.items)
            if (machine.is_host() && !item.function.card.empty() &&
                !add_representor(item, find_dpu(item.function.card)->node))
                return false;
    for (Machine &machine : machines_)
        world_.nodes.push_back(std::move(machine.node));
    return true;
}

bool TopologyBuilder::add_representor(const Item &item, Node &dpu)
{
    const FunctionDraft &draft = *item.draft;
    std::size_t num_representors = 0;
    Device *uplink = nullptr, *first = nullptr;
    for (Device &device : dpu.devices) {
        num_representors += device.representors.size();
        if (!device.is_uplink)
            continue;
        if (first == nullptr)
            first = &device;
        if (draft.uplink.value ? device.function.pci == *draft.uplink.value
                               : device.function.pf_index == item.function.pf_index)
            uplink = &device;
    }
    if (uplink == nullptr && draft.uplink.value)
        return fail(draft.uplink.place,
                    "the DPU " + dpu.name + " has no PF " + draft.uplink.value->text().data());
    Function seen = item.function;
    seen.iface_name = draft.rep_iface.value.value_or(default_rep_iface(seen));
    // Interfaces of the DPU have their indexes first; there are rarely more than eight.
    seen.iface_index = static_cast<std::uint32_t>(
        std::max<std::size_t>(12, 4 + dpu.devices.size()) + num_representors);
    seen.ibdev_name.clear();
    seen.ipv4.reset();
    (uplink != nullptr ? uplink : first)->representors.push_back(seen);
    return claim("node " + dpu.name, "the interface name", seen.iface_name,
                 place_of(draft.rep_iface, draft.place));
}

std::variant<Topology, TopologyFault> build_topology(const TopologyDraft &draft)
{
    return TopologyBuilder(draft).build();
}

} // namespace softdoca
