/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Comch, the fast path: the receiving end.
 *
 * A consumer belongs to a connection (doca_comch.h) of either side and has an mmap; the program
 * posts buffers of that mmap, which the peer's producers fill. It is a context of its own and may
 * have a progress engine and thread of its own.
 *
 *   start   needs a post_recv configuration (INVALID_VALUE without); always IN_PROGRESS. RUNNING
 *           comes in a later doca_pe_progress of its own engine, once the peer has been told: the
 *           peer progresses the engine of its server or client and gets the new-consumer event.
 *           The engine of this side's server or client is not needed
 *   post    each posted buffer takes one message, in the order of posting, whoever the producer is
 *   stop    IN_PROGRESS. What producers were told is sent is received first; the other posts are
 *           flushed (SHUTDOWN) in their order; the peer gets the expired-consumer event. It waits
 *           for nobody's progress, but for a producer that is in the middle of a message
 *
 * A peer that is lost ends posts with CONNECTION_RESET, and the consumer goes to STOPPING and IDLE
 * by itself. While its connection is up it may be started again.
 *
 * Memory: the mmap must be started, be of this process, allow DOCA_ACCESS_FLAG_PCI_READ_WRITE and
 * hold the device of the connection. Producers write memory of softdoca_memory_alloc
 * (softdoca/memory.h), or of a sealed memfd, straight; to any other, messages are copied by the
 * consumer's own doca_pe_progress. A posted buffer is the library's until its callback.
 *
 * Threads: a consumer and its tasks belong to the thread of their engine. Any thread may create it,
 * as long as no other ends the connection meanwhile. Callbacks may submit, free and stop.
 */

#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_dpa_thread;
struct doca_comch_connection;

/** A consumer, and its context. */
struct doca_comch_consumer;

/** Where consumers in DPA code report. */
struct doca_comch_consumer_completion;

/** Task: post a buffer for one message. */
struct doca_comch_consumer_task_post_recv;

/** A completion in DPA code. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** The consumer in DPA code. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * A message has come (its bytes stand behind the data that the buffer held, and count as data now),
 * or, as error callback, the post has ended without one, which doca_task_get_status explains:
 * SHUTDOWN the consumer was stopped, CONNECTION_RESET the peer was lost, INVALID_VALUE the buffer
 * cannot be posted (see alloc_init). The task is the program's again, to be submitted once more or
 * freed. Called in doca_pe_progress of the consumer's engine; may submit and stop.
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Make a consumer on a connection that is up, for buffers of buf_mmap, which must live as long. The
 * caller destroys it before the connection's context can stop.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL; the mmap is not started, is an import, or
 *                                   does not hold the connection's device
 *         DOCA_ERROR_NO_MEMORY      allocation failed, or the connection has as many as it can
 *                                   (doca_comch_consumer_cap_get_max_consumers)
 *         DOCA_ERROR_BAD_STATE      the connection is not up
 *         DOCA_ERROR_NOT_PERMITTED  the mmap does not allow PCI_READ_WRITE
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/**
 * End a consumer that is IDLE; also in its own state callback for IDLE. The thread of its engine.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Can the device have consumers? As all capability queries: any thread, callbacks too; the device
 * need not be open.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id by which producers of the peer name the consumer; on this side of its connection unique
 * among consumers and producers, never 0 or 0xffff, and not given again. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * The most post_recv tasks that a consumer can be configured with.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The most bytes that one post can take, a list of buffers taken together.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have consumers
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The most buffers in the list of one post; 1: no lists.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have consumers
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The most consumers that a connection can have.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);

/**
 * The most bytes of immediate data that a message can carry.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/**
 * Read how many bytes of immediate data the consumer takes. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);

/**
 * Set how many bytes of immediate data the consumer takes; 0 at first.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer is NULL, or the length is above the capability
 *         DOCA_ERROR_BAD_STATE      the consumer is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);

/**
 * The consumer as a context, for doca_pe_connect_ctx, doca_ctx_start and stop. The consumer's own;
 * NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * For consumers in DPA code: make the object they report to. There is no DPA here, so neither this
 * call nor the others on completions can do anything.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp);

/**
 * Set the DPA thread to wake.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread);

/**
 * End a completion.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp);

/**
 * Begin to use a completion.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp);

/**
 * End the use of a completion.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp);

/**
 * The completion for DPA code.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * Set how many consumers may report to a completion.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * Read how many consumers may report to a completion.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * Set how many posts a completion has room for.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * Read how many posts a completion has room for.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * Set how many bytes of immediate data a completion has room for.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer_comp is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * Read how many bytes of immediate data a completion has room for.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * For a consumer in DPA code: the most posts at once. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);

/**
 * For a consumer in DPA code: where it reports, with what value. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data);

/**
 * The consumer for DPA code. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * Set the callbacks and the number of post_recv tasks. Needed for start. As many can be posted at
 * once: a task that could be taken can always be submitted (no AGAIN).
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, num_post_recv_tasks is 0 or above the
 *                                   capability
 *         DOCA_ERROR_BAD_STATE      the consumer is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/**
 * Take a task that posts buf: the message goes behind the data that the buffer has when it is
 * submitted. The buffer must live until the task has ended. The task is freed with doca_task_free.
 * In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or the buffer is not of the consumer's mmap,
 *                                   is a list, or is above the capability
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use
 *         DOCA_ERROR_BAD_STATE      the consumer is not RUNNING
 */
DOCA_STABLE
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);

/** The buffer of the task; NULL for NULL. */
DOCA_STABLE
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);

/**
 * Change the buffer of a task that is not in flight (else ignored). A buffer that cannot be posted
 * ends the task with INVALID_VALUE; doca_task_try_submit refuses it.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);

/** Who sent the message: the id of the peer's producer; 0 if none has. On completion only. */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);

/**
 * The immediate data of the message, in the task, valid until it is submitted or freed; NULL if
 * there is none. On completion only.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);

/** The bytes of immediate data. On completion only. */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);

/** The task in its common form, for submit and free; NULL for NULL. */
DOCA_STABLE
struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */
