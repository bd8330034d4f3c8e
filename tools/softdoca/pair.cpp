// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "conductor.hpp"
#include "keeper.hpp"
#include "nodes.hpp"
#include "private_fabric.hpp"
#include "subcommands.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace softdoca::tool {

namespace {

constexpr int kUsageError = 2;
constexpr double kMaxSeconds = 1e9;

/// The options as they are given.
struct PairOptions {
    std::string dpu_command;
    std::string host_command;
    std::string dpu_role;
    std::string host_role;
    std::string first = "dpu";
    std::string last_word;
    std::vector<std::string> until_files;
    double wait = 10;
    double timeout = 300;
    double grace = 5;
    bool is_verbose = false;
};

Milliseconds milliseconds(double seconds)
{
    return std::chrono::ceil<Milliseconds>(std::chrono::duration<double>(seconds));
}

/// The node of a side; nullptr (said) if there is none, or it is of the other side.
const Node *node_of(Side side, const std::string &role, const Node *fallback)
{
    const Node *const node = role.empty() ? fallback : node_named(role);

    if (node != nullptr && node->side == side)
        return node;
    if (!topology_fault().empty())
        std::fprintf(stderr, "softdoca pair: %s\n", topology_fault().c_str());
    else if (node == nullptr)
        std::fprintf(stderr, "softdoca pair: the topology has no %s\n", to_string(side));
    else
        std::fprintf(stderr, "softdoca pair: node '%s' is a %s, not a %s\n", node->name.c_str(),
                     to_string(node->side), to_string(side));
    return nullptr;
}

int conduct(const PairPlan &plan)
{
    PrivateFabric fabric;
    const char *const given = std::getenv("SOFTDOCA_FABRIC");

    if ((given == nullptr || *given == '\0') && !fabric.make())
        return EXIT_FAILURE;
    return Conductor(plan).run();
}

int run_pair(const PairOptions &options)
{
    const Node *const dpu = node_of(Side::dpu, options.dpu_role, topology().first_of(Side::dpu));
    if (dpu == nullptr)
        return kUsageError;
    const Node *const host = node_of(Side::host, options.host_role, host_of(*dpu));
    if (host == nullptr)
        return kUsageError;

    PairPlan plan;
    const std::size_t dpu_place = options.first == "dpu" ? 0 : 1;
    const std::size_t host_place = 1 - dpu_place;
    plan.sides[dpu_place] = {dpu, options.dpu_role.empty() ? "dpu" : dpu->name, options.dpu_command,
                             "36"};
    plan.sides[host_place] = {host, options.host_role.empty() ? "host" : host->name,
                              options.host_command, "33"};
    plan.until_files = options.until_files;
    plan.max_wait = milliseconds(options.wait);
    plan.timeout = milliseconds(options.timeout);
    plan.grace = milliseconds(options.grace);
    if (!options.last_word.empty())
        plan.last_word = options.last_word == "dpu" ? dpu_place : host_place;
    plan.is_verbose = options.is_verbose;
    return in_keeper([&plan] { return conduct(plan); });
}

void add_options(CLI::App &pair, PairOptions &options)
{
    const auto side = CLI::IsMember({"dpu", "host"});
    const auto seconds = [](const std::string &text) {
        double value = -1;
        return CLI::detail::lexical_cast(text, value) && value >= 0 && value <= kMaxSeconds
                   ? std::string()
                   : "'" + text + "' is no number of seconds";
    };

    pair.add_option("--dpu", options.dpu_command, "the DPU's command line, for /bin/sh")
        ->required()
        ->type_name("CMD");
    pair.add_option("--host", options.host_command, "the host's command line, for /bin/sh")
        ->required()
        ->type_name("CMD");
    pair.add_option("--dpu-role", options.dpu_role, "the DPU's node, if not the first one")
        ->type_name("NODE")
        ->check(complaint_about_node);
    pair.add_option("--host-role", options.host_role, "the host's node, if not the DPU's host")
        ->type_name("NODE")
        ->check(complaint_about_node);
    pair.add_option("--first", options.first, "the side that starts first (default dpu)")
        ->type_name("SIDE")
        ->check(side);
    pair.add_option("--until-file", options.until_files,
                    "start the other side when this file is written (may be repeated), instead of "
                    "when the first one serves")
        ->type_name("PATH")
        ->allow_extra_args(false);
    pair.add_option("--wait", options.wait, "start it anyway after so long (default 10)")
        ->type_name("SECONDS")
        ->check(seconds);
    pair.add_option("--timeout", options.timeout,
                    "end everything after so long (default 300; 0 never)")
        ->type_name("SECONDS")
        ->check(seconds);
    pair.add_option("--grace", options.grace,
                    "when one side has failed, end the other after so long (default 5)")
        ->type_name("SECONDS")
        ->check(seconds);
    pair.add_option("--last-word", options.last_word,
                    "when this side has ended, end the other one, too (a service)")
        ->type_name("SIDE")
        ->check(side);
    pair.add_flag("--verbose", options.is_verbose, "say what happens when");
}

} // namespace

void add_pair(CLI::App &program, int &exit_status)
{
    CLI::App *pair =
        program.add_subcommand("pair", "Run a DPU program and a host program together");

    pair->footer(
        "Use it so:  softdoca pair --dpu './server -p 03:00.0' --host './client -p 3b:00.0'\n"
        "The exit status is that of the first side to fail (128 + n for signal n), 124 when the "
        "time "
        "was over, 0 if both ended well. No process of either side is left.");
    auto options = std::make_shared<PairOptions>();
    add_options(*pair, *options);
    pair->callback([options, &exit_status] { exit_status = run_pair(*options); });
}

} // namespace softdoca::tool
