/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Comch, the fast path: the receiving end.
 *
 * A consumer belongs to a connection (doca_comch.h) of either side and has an mmap; the program
 * posts buffers of that mmap, which the peer's producers fill. It is a context of its own and may
 * have a progress engine and thread of its own.
 *
 *   start   needs a post_recv configuration (INVALID_VALUE without); IN_PROGRESS. RUNNING comes in
 * a later doca_pe_progress of its own engine, when the peer has been told: the peer must progress
 * the engine of its server or client, where it gets the new-consumer event post    each posted
 * buffer takes one message, in the order of posting, whoever the producer is stop    what producers
 * were told is sent is received first; the other posts are flushed (SHUTDOWN); the peer gets the
 * expired-consumer event
 *
 * A peer that is lost ends posts with CONNECTION_RESET, and the consumer goes to STOPPING and IDLE
 * by itself. The mmap must allow DOCA_ACCESS_FLAG_PCI_READ_WRITE and hold the device of the
 * connection.
 *
 * The library comes with a later release: here are the declarations, so that programs compile.
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
 * or the post has ended without one. The task is the program's again, to be submitted once more or
 * freed. Called in doca_pe_progress of the consumer's engine; may submit and stop.
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Make a consumer on a connection that is up, for buffers of buf_mmap, which must be started and
 * live as long. The caller destroys it before the connection's context can stop.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      allocation failed, or all ids are in use
 *         DOCA_ERROR_BAD_STATE      the connection is not up
 *         DOCA_ERROR_NOT_PERMITTED  the mmap does not allow PCI_READ_WRITE, or the peer runs
 *                                   another version of the library
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/**
 * End a consumer that is IDLE.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  consumer is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Can the device have consumers?
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id by which producers of the peer name the consumer; unique in its connection, never 0. Any
 * state.
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
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The most bytes that one post can take, a list of buffers taken together.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have consumers
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The most buffers in the list of one post; 1: no lists.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have consumers
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The most consumers that a connection can have.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);

/**
 * The most bytes of immediate data that a message can carry.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
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
 * Set the callbacks and the number of post_recv tasks. Needed for start.
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
 * Take a task that posts buf, which must live until the task has ended. The task is freed with
 * doca_task_free. In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or the buffer is not of the consumer's mmap
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use
 *         DOCA_ERROR_BAD_STATE      the consumer is not RUNNING
 */
DOCA_STABLE
doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
                                              struct doca_buf *buf,
                                              struct doca_comch_consumer_task_post_recv **task);

/** The buffer of the task. */
DOCA_STABLE
struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task);

/** Change the buffer of a task that is not in flight. */
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
