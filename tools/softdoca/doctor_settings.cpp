// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include "nodes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace softdoca::tool {

namespace {

constexpr std::string_view kPrefix = "SOFTDOCA_";

constexpr std::string_view kKnown[] = {
    "SOFTDOCA_COMCH_TIMEOUT_MS",
    "SOFTDOCA_FABRIC",
    "SOFTDOCA_LOG",
    "SOFTDOCA_MODEL_FAULT",
    "SOFTDOCA_MODEL_MAX_BUF",
    "SOFTDOCA_MODEL_MAX_MEM",
    "SOFTDOCA_MODEL_ORDER",
    "SOFTDOCA_MODEL_PCAP",
    "SOFTDOCA_PTRACER",
    "SOFTDOCA_QUIET",
    "SOFTDOCA_ROLE",
    "SOFTDOCA_TOPOLOGY",
    "SOFTDOCA_WINDOW",
};
constexpr std::string_view kReserved[] = {
    "SOFTDOCA_ENGINE",
    "SOFTDOCA_FAULTS",
    "SOFTDOCA_STRICT",
    "SOFTDOCA_TRACE",
};

/// How many letters must be changed, added or left out to make one word of the other.
std::size_t distance(std::string_view one, std::string_view other)
{
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string nearest_known(std::string_view name)
{
    const auto is_nearer = [name](std::string_view one, std::string_view other) {
        return distance(name, one) < distance(name, other);
    };
    return std::string(*std::min_element(std::begin(kKnown), std::end(kKnown), is_nearer));
}

void examine_value(Diagnosis &diagnosis, std::string_view name, const std::string &value)
{
    constexpr std::string_view kRoutes[] = {"mapped", "cross", "agent"};
    const std::string setting = std::string(name) + '=' + value;

    if (name == "SOFTDOCA_ROLE" && node_named(value) == nullptr)
        diagnosis.failure(setting + ": " + complaint_about_node(value),
                          "unset it, or name one of those");
    else if (name == "SOFTDOCA_WINDOW" &&
             std::find(std::begin(kRoutes), std::end(kRoutes), value) == std::end(kRoutes))
        diagnosis.warning(setting + " is no route", "mapped, cross or agent; or unset it");
    else
        diagnosis.note(setting);
}

std::string devices_of(const Node &node)
{
    std::string text;
    for (const Device &device : node.devices) {
        const Function &function = device.function;
        text += (text.empty() ? "" : "; ") + std::string(function.pci.text().data()) + " (" +
                function.ibdev_name + ", " + function.iface_name + ')';
        for (const Function &representor : device.representors)
            text +=
                std::string(&representor == device.representors.data() ? " with representors of "
                                                                       : ", ") +
                representor.pci.text().data() + " (" + representor.iface_name + ')';
    }
    return text.empty() ? "no devices" : text;
}

} // namespace

void examine_settings(Diagnosis &diagnosis)
{
    bool has_any = false;

    for (char **entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (!name.starts_with(kPrefix) || name.size() == text.size())
            continue;
        has_any = true;
        if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown))
            examine_value(diagnosis, name, std::string(text.substr(name.size() + 1)));
        else if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
            diagnosis.warning(std::string(name) + " has no effect in this release", "unset it");
        else
            diagnosis.warning(std::string(name) + " is no variable of SoftDOCA, and has no effect",
                              "perhaps " + nearest_known(name) + " was meant (man 7 softdoca)");
    }
    if (!has_any)
        diagnosis.good("no SOFTDOCA_ variable is set");
}

void list_devices(Diagnosis &diagnosis)
{
    if (!topology_fault().empty())
        diagnosis.failure(topology_fault() + "; there are no devices",
                          "correct the file (softdoca topology check FILE), or unset "
                          "SOFTDOCA_TOPOLOGY");
    for (const Node &node : topology().nodes)
        diagnosis.note(node.name + " (" + to_string(node.side) + "): " + devices_of(node));
}

} // namespace softdoca::tool
