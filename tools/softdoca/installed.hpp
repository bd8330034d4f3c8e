// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <filesystem>
#include <optional>
#include <string>

/// What the copy of SoftDOCA that this program belongs to offers to each side.
namespace softdoca::tool {

/// An environment variable that holds directories, and what a side wants in it.
struct PathVariable {
    const char *name;
    std::string wanted;
    std::string other_side; ///< what the choice of the other side put there
    std::string companion;  ///< comes next unless the list has it anyway; may be empty

    /// The wanted directory, then what the caller has, without the traces of an earlier choice:
    /// however often sides are chosen, the list does not grow.
    std::string with_front() const;
    /// What the caller has, then the wanted directory unless it is there anyway.
    std::string with_back() const;
};

/// The folder in which this program is bin/softdoca, if that is an installed copy.
std::optional<std::filesystem::path> installed_prefix();

/// The variables of a side ("host" or "dpu") of an installed copy.
PathVariable path_of_programs(const std::filesystem::path &prefix, const std::string &side);
PathVariable path_of_modules(const std::filesystem::path &prefix, const std::string &side);
PathVariable path_of_libraries(const std::filesystem::path &prefix, const std::string &side);

/// Changes the environment of this process, for a program that shall run as that node:
/// SOFTDOCA_ROLE; in an installed copy also PATH (its tools and samples first) and LD_LIBRARY_PATH
/// (its libraries last, so that they are found, and a choice of the caller's holds).
void enter_node(const Node &node);

} // namespace softdoca::tool
