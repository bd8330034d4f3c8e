/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Context: what DMA, Comch and all other libraries have in common. Each library's object is a
 * context too (doca_dma_as_ctx), with these states:
 *
 *          start                      progress
 *     IDLE -------> (STARTING) ----------------------> RUNNING
 *      ^                | stop, or the start fails       | stop, or a fatal error
 *      |                v                                v
 *      +----------- STOPPING <---------------------------+
 *
 * A context that has to wait for nobody goes from IDLE to RUNNING at once.
 *
 * Order: create it with its library, configure (task types, callbacks), doca_pe_connect_ctx,
 * doca_ctx_start, allocate and submit tasks while RUNNING, doca_ctx_stop, progress until IDLE, then
 * destroy it with its library, or configure and start again.
 *
 * STOPPING lasts until no task is in flight and every task is freed. Tasks in flight come back
 * through their callbacks, those that were not carried out with DOCA_ERROR_SHUTDOWN. Tasks may be
 * freed, but neither allocated nor submitted. A stop with no task left, outside callbacks, passes
 * through STOPPING to IDLE inside the call.
 *
 * Ownership: the context belongs to the program; it holds its device. destroy while it is not IDLE
 * is refused with DOCA_ERROR_IN_USE.
 *
 * Threads: a context, its tasks and its progress engine form one domain, used by one thread at a
 * time; different engines are independent. State changes that no call of the program makes happen
 * only inside doca_pe_progress. After a fork, contexts made before it answer DOCA_ERROR_BAD_STATE
 * in the child. Out-parameters are written on success only.
 */

#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The part that objects of all libraries have in common. */
struct doca_ctx;

/** A function, described (doca_dev.h). */
struct doca_devinfo;

/** A graphics processor. None exists here. */
struct doca_gpu;

/** A data path accelerator. None exists here. */
struct doca_dpa;

/** States of a context. */
enum doca_ctx_states {
    DOCA_CTX_STATE_IDLE = 0, /**< created or stopped: may be configured, started and destroyed */
    DOCA_CTX_STATE_STARTING = 1, /**< waits for an event from outside; no tasks yet */
    DOCA_CTX_STATE_RUNNING = 2,  /**< tasks may be allocated and submitted */
    DOCA_CTX_STATE_STOPPING = 3, /**< tasks come back; free them all */
};

/**
 * Told of every change of state, after it happened.
 *
 * Runs on the thread that calls start, stop or progress, inside that call. It may allocate and
 * submit tasks (RUNNING), stop, and in IDLE destroy the context; not progress the same engine.
 *
 * @param user_data   user data of the context
 * @param ctx         the context, already in next_state
 * @param prev_state  the state before
 * @param next_state  the state now
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/**
 * Start an IDLE context. Its tasks are allocated here, its configuration is fixed.
 *
 * DMA and most other contexts are RUNNING when the call returns, and the state callback has run
 * inside it. A context that has to wait for the other side (Comch client and consumer) is STARTING
 * and becomes RUNNING inside a later doca_pe_progress. The thread of its engine; also in callbacks,
 * also for other contexts.
 *
 * @param ctx  IDLE context, connected to an engine
 * @return DOCA_SUCCESS               it is RUNNING;
 *         DOCA_ERROR_IN_PROGRESS     it is STARTING, no failure
 *         DOCA_ERROR_INVALID_VALUE   the pointer is NULL, or a mandatory configuration is missing
 *                                    (DMA: a task type); the log names the call
 *         DOCA_ERROR_NOT_SUPPORTED   its device cannot do this kind of work
 *         DOCA_ERROR_BAD_STATE       it is not IDLE
 *         DOCA_ERROR_NOT_CONNECTED   it has no engine (doca_pe_connect_ctx)
 *         DOCA_ERROR_ALREADY_EXIST   (Comch server) another one has the name under the representor
 *         DOCA_ERROR_INITIALIZATION  an allocation failed
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * Stop a context. One that is IDLE and connected stays so, without a callback: stopping twice is no
 * mistake.
 *
 * Without tasks and outside callbacks the context is IDLE when the call returns, and the state
 * callback has seen STOPPING and IDLE. Otherwise it is STOPPING: progress the engine and free the
 * tasks until the state callback reports IDLE. The thread of its engine; also in callbacks.
 *
 * @param ctx  context, connected to an engine
 * @return DOCA_SUCCESS              it is IDLE;
 *         DOCA_ERROR_IN_PROGRESS    it is STOPPING: tasks are in flight or not freed, or the call
 *                                   came from a callback of its engine; no failure
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_CONNECTED  it has never had an engine
 *         DOCA_ERROR_IN_USE         a Comch client or server still has producers or consumers;
 *                                   nothing changed
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * The number of tasks submitted and not reported yet. In its callback a task no longer counts.
 *
 * In any state; the thread of its engine; also in callbacks.
 *
 * @param ctx                 context
 * @param num_inflight_tasks  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/**
 * Have a graphics processor submit the tasks of an IDLE context instead of the program.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED, once arguments and state are right.
 * Also in callbacks.
 *
 * @param ctx      context
 * @param gpu_dev  the graphics processor
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/**
 * Store a value of the program with the context; callbacks of its tasks get it, as it is when they
 * run. In any state; the thread of its engine; also in callbacks.
 *
 * @param ctx        context
 * @param user_data  any value; what a pointer points to stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * What the program stored with the context. In any state; the thread of its engine; also in
 * callbacks.
 *
 * @param ctx        context
 * @param user_data  gets the value, 0 if none was set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/**
 * Be told of every change of state. One callback a context: the last one set holds. In any state;
 * the thread of its engine; also in callbacks.
 *
 * @param ctx  context
 * @param cb   the callback
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);

/**
 * The state of the context. In any state; the thread of its engine; also in callbacks.
 *
 * @param ctx    context
 * @param state  gets the state
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/**
 * Let the tasks begin that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH. Waits for nothing
 * and completes nothing. Nothing happens if the context is not RUNNING or NULL.
 *
 * The thread of its engine; also in callbacks.
 *
 * @param ctx  RUNNING context
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/**
 * Have a data path accelerator submit the tasks of an IDLE context instead of the program.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED, once arguments and state are right.
 * Also in callbacks.
 *
 * @param ctx      context
 * @param dpa_dev  the accelerator
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/**
 * Choose the interrupt vector that completions of the context come through. There is one, number 0.
 *
 * The thread of its engine; also in callbacks.
 *
 * @param ctx          IDLE context
 * @param comp_vector  number of the vector, below doca_ctx_cap_get_num_completion_vectors
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or there is no such vector
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/**
 * The number of vectors that doca_ctx_set_completion_vector may choose from. Any thread, any time.
 *
 * @param devinfo           function
 * @param num_comp_vectors  gets 1
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);

/**
 * Set how many ranges a profiler may record of the context's tasks. Accepted, and without effect
 * here: nothing is recorded.
 *
 * The thread of its engine; also in callbacks.
 *
 * @param ctx          IDLE context
 * @param max_nranges  number of ranges
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_profiler_set_max_nranges(struct doca_ctx *ctx, uint32_t max_nranges);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
