// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The numbers, addresses and names of functions.

#include "fabric/topology_builder.hpp"

namespace softdoca {

/// Those whose number the draft gives have it, the others take the lowest free ones.
template <typename Number>
bool TopologyBuilder::number(const Family &family, Given<std::uint32_t> FunctionDraft::*given,
                             Number Function::*member, const char *name, std::uint32_t max)
{
    std::map<std::uint32_t, Place> taken;
    for (Item *const item : family) {
        const Given<std::uint32_t> &wanted = item->draft->*given;
        if (!wanted.value)
            continue;
        const auto [other, is_new] = taken.emplace(*wanted.value, wanted.place);
        if (!is_new)
            return fail_twice(std::string(name) + " " + std::to_string(*wanted.value),
                              other->second, wanted.place);
        item->function.*member = static_cast<Number>(*wanted.value);
    }
    std::uint32_t next = 0;
    for (Item *const item : family) {
        if ((item->draft->*given).value)
            continue;
        while (taken.contains(next))
            ++next;
        if (next > max)
            return fail(item->draft->place,
                        "no " + std::string(name) + " is left for this function");
        item->function.*member = static_cast<Number>(next);
        taken.emplace(next, item->draft->place);
    }
    return true;
}

bool TopologyBuilder::number_functions()
{
    using Card = std::pair<std::string, std::string>; // node and card
    std::map<Card, Family> pfs;
    std::map<std::tuple<Card, int, std::uint32_t>, Family> children;
    std::map<std::string, Family> of_card;
    for_each_item([&](Machine &machine, Item &item) {
        const std::string &card = item.function.card;
        const Card key{machine.node.name, card};
        of_card[card.empty() ? "plain " + machine.node.name : "card " + card].push_back(&item);
        if (item.is_pf()) {
            pfs[key].push_back(&item);
            return true;
        }
        item.function.pf_index = item.draft->pf_index.value.value_or(0);
        children[{key, item.function.type, item.function.pf_index}].push_back(&item);
        return true;
    });
    for (const auto &[card, family] : pfs)
        if (!number(family, &FunctionDraft::pf_index, &Function::pf_index, "pf_index", kMaxPfIndex))
            return false;
    for (const auto &[key, family] : children) {
        const auto &[card, type, pf_index] = key;
        if (std::ranges::none_of(pfs[card], [index = pf_index](const Item *pf) {
                return pf->function.pf_index == index;
            })) {
            const FunctionDraft &draft = *family.front()->draft;
            return fail(place_of(draft.pf_index, draft.place),
                        "there is no PF with pf_index " + std::to_string(pf_index) +
                            " on the same node and card for this function");
        }
        const bool is_good = type == DOCA_PCI_FUNC_TYPE_VF
                                 ? number(family, &FunctionDraft::vf_index, &Function::vf_index,
                                          "vf_index", kMaxVfIndex)
                                 : number(family, &FunctionDraft::sf_index, &Function::sf_index,
                                          "sf_index", kMaxSfIndex);
        if (!is_good)
            return false;
    }
    for (const auto &[card, family] : of_card)
        if (!number(family, &FunctionDraft::vhca_id, &Function::vhca_id, "vhca_id", kMaxVhcaId))
            return false;
    return true;
}

/// First all addresses that the file gives, so that the chosen ones keep clear of them.
bool TopologyBuilder::give_addresses()
{
    const auto is_given = [](const Item &item) { return item.draft->pci.value.has_value(); };
    return for_each_item([&](Machine &machine, Item &item) {
               if (!is_given(item) || item.is_sf())
                   return true;
               item.function.pci = *item.draft->pci.value;
               return take_address(machine, item, item.draft->pci.place);
           }) &&
           for_each_item([&](Machine &machine, Item &item) {
               return !item.is_pf() || is_given(item) || give_address(machine, item);
           }) &&
           for_each_item([&](Machine &machine, Item &item) {
               if (item.is_sf())
                   return give_address(machine, item);
               return item.is_pf() || is_given(item) || give_address(machine, item);
           });
}

bool TopologyBuilder::give_address(Machine &machine, Item &item)
{
    Function &function = item.function;
    PciAddress pci;
    if (item.is_pf()) {
        if (!choose_bus(machine, item, pci))
            return fail(item.draft->place, "no PCI bus is left for this function; give it a pci");
    } else {
        const auto pf = std::ranges::find_if(machine.items, [&](const Item &other) {
            return other.is_pf() && other.function.card == function.card &&
                   other.function.pf_index == function.pf_index;
        });
        pci = pf->function.pci;
    }
    if (item.is_sf()) {
        function.pci = pci;
        if (item.draft->pci.value.value_or(pci) == pci)
            return true;
        return fail(item.draft->pci.place, std::string("an SF has the address of its PF, here ") +
                                               pci.text().data() + "; leave pci out");
    }
    for (std::uint32_t at = item.is_pf() ? function.pf_index : 2; at < 256; ++at) {
        pci.device = static_cast<std::uint8_t>(at / 8);
        pci.function = static_cast<std::uint8_t>(at % 8);
        if (!is_free(machine, item, pci))
            continue;
        function.pci = pci;
        return take_address(machine, item, item.draft->place);
    }
    return fail(item.draft->place, "no PCI address is left on its bus; give this function a pci");
}

/// The bus of the card's other PFs, else the first on which neither the node nor the card has
/// anything.
bool TopologyBuilder::choose_bus(const Machine &machine, const Item &item, PciAddress &pci) const
{
    for (const Item &other : machine.items) {
        if (other.has_pci && other.is_pf() && other.function.card == item.function.card) {
            pci = other.function.pci;
            return true;
        }
    }
    for (std::uint32_t bus = machine.is_host() ? 0x3b : 0x03; bus < 256; ++bus) {
        pci = {0, static_cast<std::uint8_t>(bus), 0, 0};
        if (!buses_.contains({machine.scope(), 0, pci.bus}) &&
            !(machine.is_host() && buses_.contains({"card " + item.function.card, 0, pci.bus})))
            return true;
    }
    return false;
}

bool TopologyBuilder::is_free(const Machine &machine, const Item &item, const PciAddress &pci) const
{
    return !is_claimed(machine.scope(), "the PCI address", pci.text().data()) &&
           !(machine.is_host() &&
             is_claimed("card " + item.function.card, "the PCI address", pci.text().data()));
}

/// An address is unique on its node, and among the representors of a card.
bool TopologyBuilder::take_address(const Machine &machine, Item &item, Place place)
{
    const PciAddress &pci = item.function.pci;
    item.has_pci = true;
    const auto take = [&](const std::string &scope) {
        buses_.emplace(scope, pci.domain, pci.bus);
        return claim(scope, "the PCI address", pci.text().data(), place);
    };
    return take(machine.scope()) &&
           (!machine.is_host() || item.function.card.empty() || take("card " + item.function.card));
}

bool TopologyBuilder::give_identifiers()
{
    for (Machine &machine : machines_) {
        std::vector<std::string> cards;
        std::uint32_t index = 0;
        for (Item &item : machine.items) {
            const std::string &card = item.function.card;
            auto slot = std::ranges::find(cards, card);
            if (slot == cards.end())
                slot = cards.insert(slot, card);
            const Machine *const dpu = find_dpu(card);
            const Standing standing{machine.node.side, machine.ordinal, index++,
                                    static_cast<std::uint32_t>(slot - cards.begin()) + 1,
                                    dpu == nullptr ? machine.ordinal : dpu->ordinal};
            if (!give_identifiers_to(machine, item, standing))
                return false;
        }
        if (!name_ibdevs(machine))
            return false;
    }
    return true;
}

bool TopologyBuilder::give_identifiers_to(Machine &machine, Item &item, const Standing &standing)
{
    const FunctionDraft &draft = *item.draft;
    Function &function = item.function;
    function.iface_name = draft.iface.value.value_or(default_iface(function, standing));
    function.iface_index = 4 + standing.index;
    function.vuid = draft.vuid.value.value_or(default_vuid(function, standing));
    function.mac = draft.mac.value.value_or(default_mac(standing));
    function.ipv4 = draft.ipv4.value;
    function.ipv6 = draft.ipv6.value.value_or(default_ipv6(function.mac));
    return (function.iface_name.empty() ||
            claim(machine.scope(), "the interface name", function.iface_name,
                  place_of(draft.iface, draft.place))) &&
           claim("", "the MAC address", text_of(function.mac), place_of(draft.mac, draft.place)) &&
           claim("", "the vuid", function.vuid, place_of(draft.vuid, draft.place));
}

bool TopologyBuilder::name_ibdevs(Machine &machine)
{
    const std::string scope = machine.scope();
    for (Item &item : machine.items) {
        const Given<std::string> &given = item.draft->ibdev;
        if (!given.value)
            continue;
        item.function.ibdev_name = *given.value;
        if (!claim(scope, "the ibdev name", *given.value, given.place))
            return false;
    }
    std::uint32_t next = 0;
    for (Item &item : machine.items) {
        if (item.draft->ibdev.value)
            continue;
        do
            item.function.ibdev_name = "mlx5_" + std::to_string(next++);
        while (is_claimed(scope, "the ibdev name", item.function.ibdev_name));
    }
    return true;
}

} // namespace softdoca
