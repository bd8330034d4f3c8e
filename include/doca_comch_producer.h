/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Comch, the fast path: the sending end.
 *
 * A producer belongs to a connection (doca_comch.h) of either side and sends buffers to consumers
 * of the peer, which are named by their ids (consumer events of the connection). It is a context of
 * its own and may have a progress engine and thread of its own. Any number of producers may send to
 * one consumer; what one producer sends to one consumer arrives in order.
 *
 *   start   needs a send configuration (INVALID_VALUE without); SUCCESS, RUNNING at once
 *   submit  needs a posted receive at the consumer, else AGAIN: repeat the submit, nothing else is
 *           needed. NOT_CONNECTED: there is no consumer of that id, or no longer. On each error the
 *           task stays the program's
 *   stop    flushes sends that have not begun to move (SHUTDOWN); one that has begun is finished
 *
 * A send completes when the consumer will surely receive it, also if that stops now; the buffer may
 * be changed from then on. A send that does not fit the posted buffer, carries more immediate data
 * than the consumer takes, or is empty, ends with INVALID_VALUE: nothing is consumed and the
 * producer stays RUNNING. A consumer that ends before a send has begun to move ends it with
 * CONNECTION_RESET, as does a peer that is lost: then the producer goes to STOPPING and IDLE by
 * itself.
 *
 * Up to 256 bytes, and any message to memory that both sides map, have left when submit returns.
 * Longer ones to other memory move in submit as far as 1 MiB of room allows, then in
 * doca_pe_progress; those of one consumer one after the other, so a thread that does not progress
 * in the middle of one holds up all its producers.
 *
 * Threads: a producer and its tasks belong to the thread of their engine. Any thread may create it,
 * as long as no other ends the connection meanwhile. Callbacks may submit, free and stop.
 */

#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

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
struct doca_dpa_thread;
struct doca_comch_connection;

/** A producer, and its context. */
struct doca_comch_producer;

struct doca_dpa_completion;

/** Task: send a buffer, immediate data, or both. */
struct doca_comch_producer_task_send;

/** The producer in DPA code. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/**
 * A send has ended; the task is the program's again, to be submitted once more or freed. Called in
 * doca_pe_progress of the producer's engine; may submit and stop. As error callback,
 * doca_task_get_status tells why: INVALID_VALUE, SHUTDOWN or CONNECTION_RESET (see above).
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Make a producer on a connection that is up; the caller destroys it before the connection's
 * context can stop.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      allocation failed, or the connection has as many as it can
 *                                   (doca_comch_producer_cap_get_max_producers)
 *         DOCA_ERROR_BAD_STATE      the connection is not up
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);

/**
 * End a producer that is IDLE; also in its own state callback for IDLE. The thread of its engine.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  producer is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Can the device have producers? As all capability queries: any thread, callbacks too; the device
 * need not be open.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id by which the consumer knows the producer; on this side of its connection unique among
 * consumers and producers, never 0 or 0xffff. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/**
 * The most send tasks that a producer can be configured with.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The most bytes that one send can carry, a list of buffers taken together.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have producers
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The most buffers in the list of one send; 1: no lists.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have producers
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The most producers that a connection can have.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);

/**
 * The producer as a context, for doca_pe_connect_ctx, doca_ctx_start and stop. The producer's own;
 * NULL for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * For a producer in DPA code: the most sends in flight. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  producer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);

/**
 * For a producer in DPA code: where it reports. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);

/**
 * The producer for DPA code. There is no DPA here.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * Set the callbacks and the number of send tasks. Needed for start.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, num_send_tasks is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the producer is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a task that sends the data of buf to the consumer of that id, with imm_data_len bytes of
 * immediate data (copied). buf may be NULL if there is immediate data; imm_data may be NULL with
 * length 0. The buffer is only read, may serve many sends at once, and must live until they have
 * ended. The buffer and the id are looked at by submit: a list, no data, too much data, an mmap
 * without the connection's device end the task with INVALID_VALUE (doca_task_try_submit refuses
 * it). The task is freed with doca_task_free. In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL that must not be, there is neither a buffer
 *                                   nor immediate data, or more of that than
 *                                   doca_comch_consumer_cap_get_max_imm_data_len
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use
 *         DOCA_ERROR_BAD_STATE      the producer is not RUNNING
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);

/** The buffer of the task; NULL if it has none, or task is NULL. */
DOCA_STABLE
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);

/** Change the buffer of a task that is not in flight (else ignored); NULL: immediate data only. */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);

/** The id that the task is sent to. */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/** Change the id, of a task that is not in flight (else ignored). */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id);

/** The immediate data, in the task; NULL if there is none. */
DOCA_STABLE
uint8_t *
doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task);

/** The bytes of immediate data. */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task);

/**
 * Change the immediate data (copied) of a task that is not in flight; NULL and 0: none. Ignored in
 * flight, and if there is too much of it.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len);

/** The task in its common form, for submit and free; NULL for NULL. */
DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */
