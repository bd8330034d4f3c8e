// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of softdoca, each in a file of its own. A function adds its subcommand to the
/// program; when the user has chosen it, it runs and sets the exit status (0 by default).
namespace softdoca::tool {

void add_env(CLI::App &program, int &exit_status); // env.cpp

} // namespace softdoca::tool
