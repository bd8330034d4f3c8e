// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "installed.hpp"
#include "subcommands.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace softdoca::tool {

namespace {

/// In single quotes, so that a shell takes it as it is.
std::string quoted(const std::string &text)
{
    std::string result = "'";

    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

int print_env(const std::string &side)
{
    const std::optional<std::filesystem::path> prefix = installed_prefix();

    if (!prefix) {
        std::fputs("softdoca: this is not an installed copy (../lib/host/pkgconfig is not there); "
                   "make one with ./dev install --prefix DIR and run its bin/softdoca\n",
                   stderr);
        return 1;
    }
    if (prefix->native().find(':') != std::string::npos) {
        std::fprintf(stderr, "softdoca: a colon in %s cannot stand in PATH; install elsewhere\n",
                     prefix->c_str());
        return 1;
    }
    for (const PathVariable &variable :
         {path_of_programs(*prefix, side), path_of_modules(*prefix, side),
          path_of_libraries(*prefix, side)})
        std::printf("export %s=%s\n", variable.name, quoted(variable.with_front()).c_str());
    return 0;
}

} // namespace

void add_env(CLI::App &program, int &exit_status)
{
    CLI::App *env =
        program.add_subcommand("env", "Print the exports that select a side, for a shell");

    env->footer("Use it so:  eval \"$(softdoca env dpu)\"\n"
                "Compilers then find the headers and libraries of that side, and the shell its "
                "tools and samples.");
    auto *side =
        env->add_option("side", "host or dpu")->required()->check(CLI::IsMember({"host", "dpu"}));
    env->callback([side, &exit_status] { exit_status = print_env(side->as<std::string>()); });
}

} // namespace softdoca::tool
