// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Graphs of tasks: not offered yet.

#include <doca_graph.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::GRAPH");

using softdoca::not_offered;

extern "C" doca_error_t doca_graph_create(doca_pe *pe, doca_graph **graph)
{
    return not_offered(LOG_SITE, __func__, pe, graph);
}

extern "C" doca_error_t doca_graph_destroy(doca_graph *graph)
{
    return not_offered(LOG_SITE, __func__, graph);
}

extern "C" doca_error_t doca_graph_set_conf(doca_graph *graph,
                                            doca_graph_completion_cb_t graph_completion_cb,
                                            doca_graph_completion_cb_t graph_error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, graph, graph_completion_cb, graph_error_cb);
}

extern "C" doca_error_t doca_graph_set_user_data(doca_graph *graph, doca_data)
{
    return not_offered(LOG_SITE, __func__, graph);
}

extern "C" doca_error_t doca_graph_get_user_data(const doca_graph *graph, doca_data *user_data)
{
    return not_offered(LOG_SITE, __func__, graph, user_data);
}

extern "C" doca_error_t doca_graph_node_create_from_ctx(doca_graph *graph, const doca_ctx *ctx,
                                                        doca_graph_node **node)
{
    return not_offered(LOG_SITE, __func__, graph, ctx, node);
}

extern "C" doca_error_t doca_graph_node_create_from_user(doca_graph *graph,
                                                         doca_graph_user_node_cb_t cb,
                                                         doca_graph_node **node)
{
    return not_offered(LOG_SITE, __func__, graph, cb, node);
}

extern "C" doca_error_t doca_graph_node_create_from_graph(doca_graph *graph, doca_graph *sub_graph,
                                                          doca_graph_node **node)
{
    return not_offered(LOG_SITE, __func__, graph, sub_graph, node);
}

extern "C" doca_error_t doca_graph_add_dependency(doca_graph *graph, doca_graph_node *from,
                                                  doca_graph_node *to)
{
    return not_offered(LOG_SITE, __func__, graph, from, to);
}

extern "C" doca_error_t doca_graph_start(doca_graph *graph)
{
    return not_offered(LOG_SITE, __func__, graph);
}

extern "C" doca_error_t doca_graph_stop(doca_graph *graph)
{
    return not_offered(LOG_SITE, __func__, graph);
}

extern "C" doca_error_t doca_graph_instance_create(const doca_graph *graph,
                                                   doca_graph_instance **graph_instance)
{
    return not_offered(LOG_SITE, __func__, graph, graph_instance);
}

extern "C" doca_error_t doca_graph_instance_destroy(doca_graph_instance *graph_instance)
{
    return not_offered(LOG_SITE, __func__, graph_instance);
}

extern "C" doca_error_t doca_graph_instance_set_user_data(doca_graph_instance *graph_instance,
                                                          doca_data)
{
    return not_offered(LOG_SITE, __func__, graph_instance);
}

extern "C" doca_error_t doca_graph_instance_get_user_data(const doca_graph_instance *graph_instance,
                                                          doca_data *user_data)
{
    return not_offered(LOG_SITE, __func__, graph_instance, user_data);
}

extern "C" doca_error_t doca_graph_instance_set_ctx_node_data(doca_graph_instance *graph_instance,
                                                              doca_graph_node *node,
                                                              doca_task *task)
{
    return not_offered(LOG_SITE, __func__, graph_instance, node, task);
}

extern "C" doca_error_t doca_graph_instance_set_user_node_data(doca_graph_instance *graph_instance,
                                                               doca_graph_node *node, void *)
{
    return not_offered(LOG_SITE, __func__, graph_instance, node);
}

extern "C" doca_error_t
doca_graph_instance_set_sub_graph_node_data(doca_graph_instance *graph_instance,
                                            doca_graph_node *node,
                                            doca_graph_instance *sub_graph_instance)
{
    return not_offered(LOG_SITE, __func__, graph_instance, node, sub_graph_instance);
}

extern "C" doca_error_t doca_graph_instance_submit(doca_graph_instance *graph_instance)
{
    return not_offered(LOG_SITE, __func__, graph_instance);
}
