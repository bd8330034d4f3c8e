// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "subcommands.hpp"
#include "topology_print.hpp"

#include "fabric/topology_file.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <variant>

namespace softdoca::tool {

namespace {

/// What a subcommand was given.
struct Request {
    std::string file; ///< empty: the world of this environment
    bool as_toml = false;
};

/// The world of a file; if it is refused, says why and returns false.
bool find_world(const std::string &file, Topology &out)
{
    std::string fault;
    if (file.empty()) {
        out = topology();
        fault = topology_fault();
    } else {
        const TopologyResult result = read_topology(file);
        if (const auto *const refused = std::get_if<TopologyFault>(&result))
            fault = refused->text();
        else
            out = std::get<Topology>(result);
    }
    if (!fault.empty())
        std::fprintf(stderr, "softdoca topology: %s\n", fault.c_str());
    return fault.empty();
}

std::string counted(std::size_t num, const char *thing)
{
    return std::to_string(num) + ' ' + thing + (num == 1 ? "" : "s");
}

int check(const Request &request)
{
    Topology world;
    if (!find_world(request.file, world))
        return 1;
    std::size_t num_hosts = 0, num_functions = 0, num_representors = 0;
    for (const Node &node : world.nodes) {
        num_hosts += node.side == Side::host ? 1 : 0;
        num_functions += node.devices.size();
        for (const Device &device : node.devices)
            num_representors += device.representors.size();
    }
    std::printf("%s: good: %s, %s, %s, %s\n", request.file.c_str(),
                counted(num_hosts, "host").c_str(),
                counted(world.nodes.size() - num_hosts, "DPU").c_str(),
                counted(num_functions, "function").c_str(),
                counted(num_representors, "representor").c_str());
    return 0;
}

int show(const Request &request)
{
    Topology world;
    if (!find_world(request.file, world))
        return 1;
    if (request.as_toml)
        print_as_toml(world);
    else
        print_as_tree(world);
    return 0;
}

} // namespace

void add_topology(CLI::App &program, int &exit_status)
{
    CLI::App *topology = program.add_subcommand(
        "topology", "Check or show the world that a topology file describes");
    topology->require_subcommand(1);
    topology->footer("Programs find the file by the variable SOFTDOCA_TOPOLOGY.");
    auto request = std::make_shared<Request>();

    CLI::App *check_file = topology->add_subcommand("check", "Say what is wrong with a file");
    check_file->add_option("file", request->file, "The topology file")->required();
    check_file->callback([request, &exit_status] { exit_status = check(*request); });

    CLI::App *show_world = topology->add_subcommand("show", "Print nodes, functions and limits");
    show_world->add_option(
        "file", request->file,
        "The topology file; without it, SOFTDOCA_TOPOLOGY or the built-in world");
    show_world->add_flag("--toml", request->as_toml, "As a topology file with nothing left out");
    show_world->callback([request, &exit_status] { exit_status = show(*request); });
}

} // namespace softdoca::tool
