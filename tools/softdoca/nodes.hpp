// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <string>

/// The nodes of the topology, as arguments name them.
namespace softdoca::tool {

/// The node of that name, or the first host or DPU for "host" and "dpu"; nullptr if there is none.
const Node *node_named(const std::string &name);

/// For CLI11: empty if there is such a node, else what is wrong.
std::string complaint_about_node(const std::string &name);

/// The first host whose functions are of the DPU's card, or the first host.
const Node *host_of(const Node &dpu);

} // namespace softdoca::tool
