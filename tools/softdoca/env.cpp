// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "subcommands.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

/// One variable that holds directories, and what the chosen side wants in front of them.
struct PathVariable {
    const char *name;
    std::string wanted;
    std::string other_side; ///< what `softdoca env` of the other side put there
    std::string companion;  ///< comes next unless the list has it anyway; may be empty
};

/// Where this program is installed: it is PREFIX/bin/softdoca, wherever the prefix has moved to.
std::optional<fs::path> installed_prefix(const std::string &side)
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path prefix = program.parent_path().parent_path();

    if (!error && fs::is_directory(prefix / "lib" / side / "pkgconfig", error))
        return prefix;
    std::fprintf(stderr,
                 "softdoca: %s is not an installed copy (there is no %s/lib/%s/pkgconfig); "
                 "make one with ./dev install --prefix DIR and run its bin/softdoca\n",
                 program.c_str(), prefix.c_str(), side.c_str());
    return std::nullopt;
}

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> directories;

    while (!list.empty()) {
        const std::size_t end = list.find(':');
        directories.emplace_back(list.substr(0, end));
        if (end == std::string_view::npos)
            break;
        list.remove_prefix(end + 1);
        if (list.empty()) // an empty last entry means the current directory
            directories.emplace_back();
    }
    return directories;
}

/// In single quotes, so that a shell takes it as it is.
std::string quoted(const std::string &text)
{
    std::string result = "'";

    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// The wanted directory, then what the caller has, without the traces of an earlier choice: however
/// often sides are chosen, the list does not grow.
std::string with_front(const PathVariable &variable)
{
    const char *current = std::getenv(variable.name);
    std::vector<std::string> rest = split(current == nullptr ? "" : current);

    std::erase(rest, variable.wanted);
    std::erase(rest, variable.other_side);
    std::string list = variable.wanted;
    if (!variable.companion.empty() && std::ranges::find(rest, variable.companion) == rest.end())
        list += ':' + variable.companion;
    for (const std::string &directory : rest)
        list += ':' + directory;
    return list;
}

int print_env(const std::string &side)
{
    const std::string other_side = side == "host" ? "dpu" : "host";
    const std::optional<fs::path> prefix = installed_prefix(side);

    if (!prefix)
        return 1;
    if (prefix->native().find(':') != std::string::npos) {
        std::fprintf(stderr, "softdoca: a colon in %s cannot stand in PATH; install elsewhere\n",
                     prefix->c_str());
        return 1;
    }
    const PathVariable variables[] = {
        {"PATH", *prefix / "bin" / side, *prefix / "bin" / other_side, *prefix / "bin"},
        {"PKG_CONFIG_PATH",
         *prefix / "lib" / side / "pkgconfig",
         *prefix / "lib" / other_side / "pkgconfig",
         {}},
        {"LD_LIBRARY_PATH", *prefix / "lib" / side, *prefix / "lib" / other_side, {}},
    };
    for (const PathVariable &variable : variables)
        std::printf("export %s=%s\n", variable.name, quoted(with_front(variable)).c_str());
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
