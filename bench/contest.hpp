// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch_peer.hpp"
#include "harness.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Contests in which each side of a contestant has a process of its own. By wall time, and without
/// what it takes to make the other process begin.
namespace softdoca::bench {

/// Does `num_ops` operations; nanoseconds for each.
using Measure = std::function<double(std::uint64_t num_ops)>;

struct Contestant {
    Measure measure;
    std::uint64_t num_ops; ///< in one measurement
};

/// `body` in this process while the peer does its part, which is `activity` with the same number.
Measure beside(const ComchPeer &peer, const std::string &activity, const Body &body);

/// With as many operations as last long enough.
Contestant calibrated(const Options &options, const Measure &measure);

/// All in turn, round by round.
Rounds run_in_turn(const Options &options, const std::vector<Contestant> &contestants);

} // namespace softdoca::bench
