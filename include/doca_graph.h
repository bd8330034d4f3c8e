/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Graphs: a set of tasks with an order between them, submitted as one.
 *
 * A graph belongs to a progress engine. Its nodes are tasks of contexts that are connected to that
 * engine, functions of the program, and other graphs; an edge says "not before that one has ended".
 * When the graph is started, instances are made of it; each gets the task, cookie or sub-graph
 * instance for every node, is submitted, and reports once, in doca_pe_progress, when all its nodes
 * have ended. The callbacks of the tasks themselves are not called. One thread, that of the engine.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_GRAPH_H_
#define DOCA_GRAPH_H_

#include <stdint.h>
#include <stddef.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;

/** A graph: nodes and the order between them. */
struct doca_graph;

/** A node of a graph. Belongs to the graph and ends with it. */
struct doca_graph_node;

/** A graph filled in and ready to be submitted, again and again. */
struct doca_graph_instance;

/**
 * An instance has ended: all nodes well, or (as error callback) a node failed and the nodes then in
 * flight have ended. Called in doca_pe_progress; may submit or destroy the instance.
 */
typedef void (*doca_graph_completion_cb_t)(struct doca_graph_instance *instance,
                                           union doca_data instance_user_data,
                                           union doca_data graph_user_data);

/**
 * The function of a user node, called in doca_pe_progress with the cookie of the instance. Any
 * answer but DOCA_SUCCESS fails the instance.
 */
typedef doca_error_t (*doca_graph_user_node_cb_t)(void *cookie);

/**
 * Make an empty graph whose instances report in pe; the caller destroys it.
 * NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_create(struct doca_pe *pe, struct doca_graph **graph);

/** End a stopped graph and its nodes. BAD_STATE: it is started. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_destroy(struct doca_graph *graph);

/**
 * Set the callbacks for instances that end well and for those that fail, and how many instances
 * there may be at once. Before start only. BAD_STATE: the graph is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_conf(struct doca_graph *graph,
                                 doca_graph_completion_cb_t graph_completion_cb,
                                 doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances);

/** Set the value that the callbacks get as graph_user_data. BAD_STATE: the graph is started. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_set_user_data(struct doca_graph *graph, union doca_data user_data);

/** Read the value set by doca_graph_set_user_data. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_get_user_data(const struct doca_graph *graph, union doca_data *user_data);

/**
 * Add a node that runs a task of ctx. At least one node must be of this kind. Starts as a root.
 * BAD_STATE: the graph is started. NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_ctx(struct doca_graph *graph, const struct doca_ctx *ctx,
                                             struct doca_graph_node **node);

/**
 * Add a node that calls a function of the program. Starts as a root.
 * BAD_STATE: the graph is started. NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_user(struct doca_graph *graph,
                                              doca_graph_user_node_cb_t cb,
                                              struct doca_graph_node **node);

/**
 * Add a node that runs an instance of another graph, which must be started. Starts as a root.
 * BAD_STATE: the graph is started, or sub_graph is not. NOT_PERMITTED: the graphs would contain
 * each other. NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_node_create_from_graph(struct doca_graph *graph,
                                               struct doca_graph *sub_graph,
                                               struct doca_graph_node **node);

/**
 * Let node to begin only after node from has ended; both are nodes of this graph.
 * BAD_STATE: the graph is started. NOT_PERMITTED: that would close a circle. NO_MEMORY: allocation
 * failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_add_dependency(struct doca_graph *graph, struct doca_graph_node *from,
                                       struct doca_graph_node *to);

/**
 * Fix the graph; instances can be made from now on. The contexts of its nodes must be running.
 * BAD_STATE: no node is of a context. NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_start(struct doca_graph *graph);

/** Make the graph changeable again. IN_USE: instances exist, destroy them first. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_stop(struct doca_graph *graph);

/**
 * Make an instance of a started graph; the caller destroys it.
 * BAD_STATE: the graph is not started. NO_MEMORY: all configured instances exist.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
                                        struct doca_graph_instance **graph_instance);

/** End an instance; its tasks stay the caller's. IN_USE: it is in flight. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance);

/**
 * Set the value that the callbacks get as instance_user_data. IN_USE: the instance is in flight.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_data(struct doca_graph_instance *graph_instance,
                                               union doca_data user_data);

/** Read the value set by doca_graph_instance_set_user_data. */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_get_user_data(const struct doca_graph_instance *graph_instance,
                                               union doca_data *user_data);

/**
 * Set the task for a context node. The task stays the caller's and must live while the instance is
 * in flight. BAD_STATE: the instance is in flight. NOT_PERMITTED: the node is of another graph or
 * kind, or the task of another context.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
                                                   struct doca_graph_node *node,
                                                   struct doca_task *task);

/**
 * Set the cookie (any value, NULL too) for a user node.
 * BAD_STATE: the instance is in flight. NOT_PERMITTED: the node is of another graph or kind.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
                                                    struct doca_graph_node *node, void *cookie);

/**
 * Set the instance for a graph node.
 * BAD_STATE: the instance is in flight. NOT_PERMITTED: the node is of another graph or kind, or the
 * sub-instance of another graph.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_graph_instance_set_sub_graph_node_data(struct doca_graph_instance *graph_instance,
                                            struct doca_graph_node *node,
                                            struct doca_graph_instance *sub_graph_instance);

/**
 * Begin with the roots. It cannot be cancelled; the end is reported by one callback. A full queue
 * of a context is waited for. IN_USE: the instance is in flight.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_graph_instance_submit(struct doca_graph_instance *graph_instance);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GRAPH_H_ */
