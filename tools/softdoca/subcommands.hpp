// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of softdoca, each in a file of its own. A function adds its subcommand to the
/// program; when the user has chosen it, it runs and sets the exit status (0 by default).
namespace softdoca::tool {

void add_complete(CLI::App &program, int &exit_status); // complete.cpp
void add_doctor(CLI::App &program, int &exit_status);   // doctor.cpp
void add_env(CLI::App &program, int &exit_status);      // env.cpp
void add_ls(CLI::App &program, int &exit_status);       // ls.cpp
void add_pair(CLI::App &program, int &exit_status);     // pair.cpp
void add_topology(CLI::App &program, int &exit_status); // topology.cpp

/// The command is what follows "--": words of another program, ending with a null pointer.
void add_run(CLI::App &program, char **command, int &exit_status); // run.cpp

} // namespace softdoca::tool
