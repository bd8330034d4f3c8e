// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "subcommands.hpp"

#include <doca_version.h>

#include <algorithm>
#include <string_view>

namespace {

constexpr int kUsageError = 2;

} // namespace

int main(int argc, char **argv)
{
    // What follows "--" belongs to another program; CLI11 would look for subcommands in it.
    char **const separator = std::find_if(
        argv, argv + argc, [](const char *word) { return std::string_view(word) == "--"; });
    char **const command = separator == argv + argc ? separator : separator + 1;

    int exit_status = 0;
    CLI::App program{"SoftDOCA: DOCA programs on a machine without a BlueField.", "softdoca"};

    program.set_version_flag("-v,--version",
                             "softdoca " SOFTDOCA_VERSION " (DOCA API " DOCA_VERSION_STRING ")");
    program.require_subcommand(1);
    softdoca::tool::add_env(program, exit_status);
    softdoca::tool::add_run(program, command, exit_status);
    softdoca::tool::add_pair(program, exit_status);
    softdoca::tool::add_topology(program, exit_status);
    softdoca::tool::add_ls(program, exit_status);
    softdoca::tool::add_doctor(program, exit_status);
    softdoca::tool::add_complete(program, exit_status);

    try {
        program.parse(static_cast<int>(separator - argv), argv);
    } catch (const CLI::ParseError &error) { // also --help and --version
        return program.exit(error) == 0 ? 0 : kUsageError;
    }
    return exit_status;
}
