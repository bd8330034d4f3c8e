// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "installed.hpp"
#include "nodes.hpp"
#include "subcommands.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace softdoca::tool {

namespace {

constexpr int kUsageError = 2;
constexpr int kNotExecutable = 126; // these two as in the shell
constexpr int kNotFound = 127;

/// Becomes the program; returns only if that fails.
int run_as(const Node &node, char **args)
{
    if (args[0] == nullptr) {
        std::fputs("softdoca run: which program? Use: softdoca run --role NODE -- CMD...\n",
                   stderr);
        return kUsageError;
    }

    enter_node(node);
    execvp(args[0], args);
    const int error = errno;
    std::fprintf(stderr, "softdoca run: %s: %s\n", args[0], std::strerror(error));
    return error == ENOENT ? kNotFound : kNotExecutable;
}

} // namespace

void add_run(CLI::App &program, char **command, int &exit_status)
{
    CLI::App *run = program.add_subcommand("run", "Run a program as a node of the topology");

    run->footer("Use it so:  softdoca run --role dpu -- ./app -p 03:00.0\n"
                "The program runs in place of this one, with SOFTDOCA_ROLE set.");
    auto role = std::make_shared<std::string>();
    run->add_option("-r,--role", *role, "host, dpu or the name of a node")
        ->required()
        ->type_name("NODE")
        ->check(complaint_about_node);
    run->callback(
        [role, command, &exit_status] { exit_status = run_as(*node_named(*role), command); });
}

} // namespace softdoca::tool
