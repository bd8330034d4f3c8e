// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "installed.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

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

std::vector<std::string> caller_directories(const char *variable)
{
    const char *current = std::getenv(variable);
    return split(current == nullptr ? "" : current);
}

std::string other(const std::string &side)
{
    return side == "host" ? "dpu" : "host";
}

} // namespace

std::string PathVariable::with_front() const
{
    std::vector<std::string> rest = caller_directories(name);

    std::erase(rest, wanted);
    std::erase(rest, other_side);
    std::string list = wanted;
    if (!companion.empty() && std::ranges::find(rest, companion) == rest.end())
        list += ':' + companion;
    for (const std::string &directory : rest)
        list += ':' + directory;
    return list;
}

std::string PathVariable::with_back() const
{
    std::string list;

    for (const std::string &directory : caller_directories(name))
        if (directory != wanted)
            list += directory + ':';
        else
            return std::getenv(name);
    return list + wanted;
}

std::optional<fs::path> installed_prefix()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path prefix = program.parent_path().parent_path();

    if (!error && fs::is_directory(prefix / "lib/host/pkgconfig", error))
        return prefix;
    return std::nullopt;
}

PathVariable path_of_programs(const fs::path &prefix, const std::string &side)
{
    return {"PATH", prefix / "bin" / side, prefix / "bin" / other(side), prefix / "bin"};
}

PathVariable path_of_modules(const fs::path &prefix, const std::string &side)
{
    return {"PKG_CONFIG_PATH",
            prefix / "lib" / side / "pkgconfig",
            prefix / "lib" / other(side) / "pkgconfig",
            {}};
}

PathVariable path_of_libraries(const fs::path &prefix, const std::string &side)
{
    return {"LD_LIBRARY_PATH", prefix / "lib" / side, prefix / "lib" / other(side), {}};
}

void enter_node(const Node &node)
{
    const std::optional<fs::path> prefix = installed_prefix();
    const std::string side = node.side == Side::dpu ? "dpu" : "host";

    setenv("SOFTDOCA_ROLE", node.name.c_str(), 1);
    if (!prefix || prefix->native().find(':') != std::string::npos)
        return;
    const PathVariable programs = path_of_programs(*prefix, side);
    const PathVariable libraries = path_of_libraries(*prefix, side);
    setenv(programs.name, programs.with_front().c_str(), 1);
    setenv(libraries.name, libraries.with_back().c_str(), 1);
}

} // namespace softdoca::tool
