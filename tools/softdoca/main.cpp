// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "subcommands.hpp"

#include <doca_version.h>

namespace {

constexpr int kUsageError = 2;

} // namespace

int main(int argc, char **argv)
{
    int exit_status = 0;
    CLI::App program{"SoftDOCA: DOCA programs on a machine without a BlueField.", "softdoca"};

    program.set_version_flag("-v,--version",
                             "softdoca " SOFTDOCA_VERSION " (DOCA API " DOCA_VERSION_STRING ")");
    program.require_subcommand(1);
    softdoca::tool::add_env(program, exit_status);

    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError &error) { // also --help and --version
        return program.exit(error) == 0 ? 0 : kUsageError;
    }
    return exit_status;
}
