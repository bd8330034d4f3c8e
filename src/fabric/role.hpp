// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

namespace softdoca {

/// The node that this process belongs to, found at the first call and fixed from then on, or
/// nullptr if there is none (logged, unless the topology's file was refused). In this order:
/// SOFTDOCA_ROLE (host, dpu or a node's name); the role note of the executable
/// (doca_build_config.h); the note of the first loaded object that has one; the directory through
/// which libdoca_common was loaded (lib/host, lib/dpu); host. Throws std::bad_alloc. Any thread.
[[gnu::visibility("default")]] const Node *local_node();

} // namespace softdoca
