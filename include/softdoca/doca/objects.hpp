// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Owners, and no more, of the objects of core that have no class of their own: to be made by the
/// C calls and handed to these. Not part of doca.hpp, because the vendor calls most of them
/// experimental (DOCA_ALLOW_EXPERIMENTAL_API).

#pragma once

#include "handle.hpp"

#include <doca_buf_array.h>
#include <doca_graph.h>
#include <doca_sync_event.h>

namespace doca {

using BufferArrayHandle =
    detail::Handle<doca_buf_arr, doca_buf_arr_destroy, "doca_buf_arr_destroy">;
using GraphHandle = detail::Handle<doca_graph, doca_graph_destroy, "doca_graph_destroy">;
using SyncEventHandle =
    detail::Handle<doca_sync_event, doca_sync_event_destroy, "doca_sync_event_destroy">;

} // namespace doca
