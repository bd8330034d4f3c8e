// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace softdoca {

/// Where in a file, counted from 1; line 0: nowhere in particular.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    auto operator<=>(const Place &) const = default;
};

/// Why a topology file is refused: the first thing in it that is wrong.
struct __attribute__((visibility("default"))) TopologyFault {
    std::string file;
    Place place;
    std::string reason;

    /// "FILE:LINE:COLUMN: reason", one line without control characters whatever the file holds.
    std::string text() const;
};

using TopologyResult = std::variant<Topology, TopologyFault>;

inline constexpr std::size_t kMaxTopologyFileSize = 1024 * 1024;

/// The world that a file describes (docs/topology.md); file is its name in a fault. Logs nothing;
/// throws std::bad_alloc.
[[gnu::visibility("default")]] TopologyResult parse_topology(std::string_view text,
                                                             const std::string &file);

/// The same for a file on disk, which must be a regular one of at most kMaxTopologyFileSize bytes.
[[gnu::visibility("default")]] TopologyResult read_topology(const std::string &file);

} // namespace softdoca
