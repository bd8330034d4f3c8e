// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "nodes.hpp"
#include "subcommands.hpp"

#include <cstdio>

namespace softdoca::tool {

/// For the shells' completion files: the names that may follow an option, one a line.
void add_complete(CLI::App &program, int &)
{
    CLI::App *complete =
        program.add_subcommand("complete", "Print names for the shell's completion");

    complete->group(""); // not among those that --help lists
    complete->add_option("kind", "what to list")->required()->check(CLI::IsMember({"nodes"}));
    complete->callback([] {
        for (const Node &node : topology().nodes)
            std::puts(node.name.c_str());
    });
}

} // namespace softdoca::tool
