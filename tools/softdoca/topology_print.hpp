// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

namespace softdoca::tool {

/// For people: nodes, under them their functions, under these limits and representors.
void print_as_tree(const Topology &world);

/// A topology file that describes the same world and leaves nothing to defaults but limits that are
/// the usual ones.
void print_as_toml(const Topology &world);

} // namespace softdoca::tool
