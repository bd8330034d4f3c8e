/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Progress engine and tasks: how work is given to a context and how its end is told.
 *
 * A progress engine (PE) drives any number of contexts, of any type and device. Callbacks of tasks
 * and events run inside doca_pe_progress and nowhere else; so do those of state changes, but for
 * the ones that doca_ctx_start and doca_ctx_stop make themselves.
 *
 * Order: doca_pe_create; per context doca_pe_connect_ctx before doca_ctx_start; submit tasks and
 * call doca_pe_progress in turn; stop and destroy the contexts; doca_pe_destroy.
 *
 * A task, and whom it belongs to:
 *
 *     pool --alloc_init--> program --submit--> library --callback--> program --free--> pool
 *                             ^                                         |
 *                             +------------- change, submit again ------+
 *
 * Each library makes its own kinds of task (doca_dma_task_memcpy_alloc_init) from a pool that is
 * allocated at start and holds exactly the configured number; a task counts until it is freed. A
 * submitted task and its buffers belong to the library until its callback has begun. Submitting
 * never completes a task: each accepted task gets exactly one callback, success or error, from a
 * later progress. A failed DMA task stops its context: tasks behind it come back with
 * DOCA_ERROR_SHUTDOWN.
 *
 * Waiting without polling: get the notification handle once; then in a loop progress until 0,
 * doca_pe_request_notification, wait for the handle to become readable, doca_pe_clear_notification.
 * No wake-up is lost between the first two. With the handle always follow a progress; a wake-up
 * with nothing to do is possible.
 *
 * Threads: an engine, its contexts and their tasks are used by one thread at a time. Different
 * engines are independent, also on one device. Any thread may wait for the handle. In a callback
 * everything is allowed but to progress or destroy its own engine. After a fork, engines made
 * before it answer DOCA_ERROR_BAD_STATE in the child. Out-parameters are written on success only.
 */

#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The part that objects of all libraries have in common (doca_ctx.h). */
struct doca_ctx;

/** A progress engine. */
struct doca_pe;

/** A task of any kind. */
struct doca_task;

/** Many tasks submitted and completed as one. No library of this release makes any. */
struct doca_task_batch;

/** A function, described (doca_dev.h). */
struct doca_devinfo;

/** How many tasks a batch can take. */
enum doca_task_batch_max_tasks_number {
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,  /**< 16 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,  /**< 32 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,  /**< 64 tasks */
    DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3, /**< 128 tasks */
};

/** How many events are reported as one. */
enum doca_event_batch_events_number {
    DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,   /**< 1 event */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,   /**< 2 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,   /**< 4 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,   /**< 8 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,  /**< 16 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,  /**< 32 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,  /**< 64 events */
    DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7, /**< 128 events */
};

/** Wishes for one submit (doca_task_submit_ex). A mask. */
enum doca_task_submit_flag {
    DOCA_TASK_SUBMIT_FLAG_NONE = 0,             /**< the task may wait for a flush */
    DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,            /**< begin it, and all that wait in front of it */
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2, /**< its report may be late; no effect here */
    DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4, /**< record its range; no effect here */
};

/** Which contexts an armed engine progresses after a wake-up. Here both serve all contexts. */
enum doca_pe_event_mode {
    DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /**< those with an event; clear it afterwards */
    DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,       /**< all; clearing is optional */
};

/**
 * Told of the end of a task. Runs inside doca_pe_progress, on its caller's thread.
 *
 * The task and its buffers are the program's again: it may change, submit, keep or free them here.
 *
 * @param task            the task; doca_task_get_status tells how it ended
 * @param task_user_data  user data of the task
 * @param ctx_user_data   user data of its context
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/**
 * Make an engine without contexts. The caller destroys it with doca_pe_destroy. Any thread, also in
 * callbacks.
 *
 * @param pe  gets the engine
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/**
 * End an engine. Its notification handle is closed. The thread of the engine; not in its callbacks.
 *
 * @param pe  engine whose contexts are all destroyed
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_IN_USE         a context is connected, IDLE or not, or the call came from a
 *                                   callback of this engine
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Do the next piece of work and tell the program of at most one thing: the end of a task, an event
 * or a change of state. Its callback has returned when this call returns.
 *
 * The failing task of a context and that context's change to STOPPING come in one call. The thread
 * of the engine; in a callback of the same engine the call does nothing.
 *
 * @param pe  engine
 * @return 1 if a callback ran or was due, else 0; 0 for NULL
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * The descriptor that becomes readable when an armed engine has work. It is the engine's: wait for
 * it with poll, select or epoll, do not read, write or close it. The thread of the engine; also in
 * callbacks.
 *
 * @param pe      engine; it need not have contexts yet
 * @param handle  gets the descriptor, the same for the life of the engine
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE     a pointer is NULL
 *         DOCA_ERROR_OPERATING_SYSTEM  no descriptor could be made (ulimit -n)
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/**
 * Make the handle unreadable again after a wake-up. To be followed by progress. The thread of the
 * engine; also in callbacks.
 *
 * @param pe      engine
 * @param handle  its handle; not looked at, 0 is fine
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE     pe is NULL
 *         DOCA_ERROR_OPERATING_SYSTEM  the descriptor could not be read: the program closed it
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/**
 * Arm the engine: the handle becomes readable when there is work for doca_pe_progress, at once if
 * there is some now. One wake-up a call. The thread of the engine; also in callbacks.
 *
 * @param pe  engine
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE     the pointer is NULL
 *         DOCA_ERROR_OPERATING_SYSTEM  no descriptor could be made (ulimit -n), or the program
 *                                      closed it
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/**
 * The number of tasks submitted and not reported yet, over all contexts of the engine. The thread
 * of the engine; also in callbacks.
 *
 * @param pe                  engine
 * @param num_inflight_tasks  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/**
 * Give a task to its context. It begins now (flushed), its callback comes from a later progress.
 *
 * The content is not checked: a bad task is accepted and ends in its error callback. The thread of
 * the engine; also in callbacks.
 *
 * @param task  task of a RUNNING context, not in flight; the library's until its callback
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not RUNNING, or the task is in flight or freed
 *         DOCA_ERROR_NOT_CONNECTED  (Comch) the connection is lost, or the consumer is not there
 *         DOCA_ERROR_AGAIN          no room now; repeat the call, it needs no progress between
 *                                   (never for DMA). On each error the task stays the program's
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/**
 * Give a task to its context with wishes. As doca_task_submit, which has the flag FLUSH.
 *
 * Without FLUSH the task may wait until a submit with that flag or doca_ctx_flush_tasks; here the
 * next progress begins it too. The thread of the engine; also in callbacks.
 *
 * @param task   task of a RUNNING context, not in flight; the library's until its callback
 * @param flags  bits of enum doca_task_submit_flag; others are ignored
 * @return as doca_task_submit
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/**
 * Give a batch to its context. Its tasks end in one callback.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED. Also in callbacks.
 *
 * @param task_batch  batch of a RUNNING context
 * @return DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/**
 * Check a task and give it to its context if it can be carried out. For development: it costs time.
 *
 * On each error nothing changed and the task stays the program's. The thread of the engine; also in
 * callbacks.
 *
 * @param task  task of a RUNNING context, not in flight; the library's until its callback
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or a buffer is missing, returned, without
 *                                   data, outside its memory, of an mmap that is stopped or lacks
 *                                   the device, or too long for the device or for its destination
 *         DOCA_ERROR_NOT_PERMITTED  the permissions of an mmap forbid the access
 *         DOCA_ERROR_BAD_STATE      the context is not RUNNING, or the task is in flight or freed
 *         DOCA_ERROR_AGAIN          no room now; repeat the call (never for DMA)
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/**
 * Check a batch and give it to its context.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED. Also in callbacks.
 *
 * @param task_batch  batch of a RUNNING context
 * @return DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/**
 * Give a task back to its context. Its buffers stay the program's. NULL: nothing happens.
 *
 * In any state of the context; in STOPPING the last one lets it become IDLE. The thread of the
 * engine; also in callbacks. Misuse that is tolerated with one WARNING: a task in flight is
 * withdrawn and gets no callback, a task that was freed before is left alone.
 *
 * @param task  task that is not in flight; must not be used afterwards
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/**
 * Give a batch back to its context. There are no batches in this release: nothing happens.
 *
 * The thread of the engine; also in callbacks.
 *
 * @param task_batch  batch that is not in flight
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/**
 * How the task ended. The thread of the engine; also in callbacks.
 *
 * @param task  task that is not in flight
 * @return DOCA_SUCCESS              it ended well, or was never submitted;
 *         DOCA_ERROR_IO_FAILED      it could not be carried out: bad buffers or a failed transfer
 *         DOCA_ERROR_SHUTDOWN       it was not carried out, as its context stops
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/**
 * How the batch ended. Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED. The thread of
 * the engine; also in callbacks.
 *
 * @param task_batch  batch that is not in flight
 * @return DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/**
 * Store a value of the program with the task; its callback gets it. NULL task: nothing happens. The
 * thread of the engine; also in callbacks.
 *
 * @param task       task that is not in flight
 * @param user_data  any value; what a pointer points to stays the caller's
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/**
 * Store a value of the program with the batch. There are no batches in this release: nothing
 * happens.
 *
 * The thread of the engine; also in callbacks.
 *
 * @param task_batch  batch that is not in flight
 * @param user_data   any value
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/**
 * What the program stored with the task. The thread of the engine; also in callbacks.
 *
 * @param task  task
 * @return the value of alloc_init or of the last doca_task_set_user_data; 0 for NULL
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/**
 * What the program stored with the batch. There are no batches in this release. The thread of the
 * engine; also in callbacks.
 *
 * @param task_batch  batch
 * @return 0
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/**
 * The context that the task was made from. The thread of the engine; also in callbacks.
 *
 * @param task  task
 * @return the context; NULL for NULL
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/**
 * The context that the batch was made from. There are no batches in this release. The thread of the
 * engine; also in callbacks.
 *
 * @param task_batch  batch
 * @return NULL
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/**
 * User data of the context that the batch was made from. There are no batches in this release. The
 * thread of the engine; also in callbacks.
 *
 * @param task_batch  batch
 * @return 0
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/**
 * The number of tasks in the batch. There are no batches in this release. The thread of the engine;
 * also in callbacks.
 *
 * @param task_batch  batch
 * @return 0
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/**
 * Have the engine drive a context, until the context is destroyed. A context has one engine for
 * life.
 *
 * To be done before doca_ctx_start. The thread of the engine; also in callbacks.
 *
 * @param pe   engine
 * @param ctx  IDLE context without an engine; stays the program's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 *         DOCA_ERROR_NOT_PERMITTED  the context has an engine, this one or another
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/**
 * Choose what an armed engine progresses after a wake-up; SELECTIVE without this call. Here both
 * modes serve all contexts, so that no one is left out. Any time; the thread of the engine; not in
 * callbacks of tasks.
 *
 * @param pe          engine
 * @param event_mode  the mode
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or there is no such mode
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
