// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// What `softdoca pair` was told to do.
namespace softdoca::tool {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// One of the two programs.
struct SidePlan {
    const Node *node = nullptr;
    std::string label;   ///< in front of its lines
    std::string command; ///< for /bin/sh
    const char *colour = "";
};

struct PairPlan {
    std::array<SidePlan, 2> sides;        ///< in the order in which they start
    std::vector<std::string> until_files; ///< if any: the second starts when all are written
    Milliseconds max_wait{};              ///< before the second starts anyway
    Milliseconds timeout{};               ///< of the whole; 0: none
    Milliseconds grace{};                 ///< for a side whose peer has failed
    std::optional<std::size_t> last_word; ///< the side whose good end ends the other one too
    bool is_verbose = false;
};

constexpr int kTimedOut = 124; // as timeout(1) says it

} // namespace softdoca::tool
