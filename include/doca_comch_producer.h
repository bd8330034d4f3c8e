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
 *           needed. NOT_CONNECTED: there is no consumer of that id, or no longer
 *   stop    flushes sends that have not moved (SHUTDOWN)
 *
 * A send completes when the consumer will surely receive it, also if that stops now; the buffer may
 * be changed from then on. A send that does not fit the posted buffer, carries more immediate data
 * than the consumer takes, or is empty, ends with INVALID_VALUE: nothing is consumed and the
 * producer stays RUNNING. A peer that is lost ends sends with CONNECTION_RESET, and the producer
 * goes to STOPPING and IDLE by itself.
 *
 * The library comes with a later release: here are the declarations, so that programs compile.
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
 * doca_task_get_status tells why.
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
 *         DOCA_ERROR_NO_MEMORY      allocation failed, or all ids are in use
 *         DOCA_ERROR_BAD_STATE      the connection is not up
 *         DOCA_ERROR_NOT_PERMITTED  the peer runs another version of the library
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);

/**
 * End a producer that is IDLE.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  producer is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Can the device have producers?
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * The id by which the consumer knows the producer; unique in its connection, never 0. Any state.
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
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);

/**
 * The most bytes that one send can carry, a list of buffers taken together.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have producers
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);

/**
 * The most buffers in the list of one send; 1: no lists.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  the device cannot have producers
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);

/**
 * The most producers that a connection can have.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
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
 * ended. The task is freed with doca_task_free. In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL that must not be, or the immediate data is
 *                                   too long
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use
 *         DOCA_ERROR_BAD_STATE      the producer is not RUNNING
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);

/** The buffer of the task; NULL if it has none. */
DOCA_STABLE
const struct doca_buf *
doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task);

/** Change the buffer of a task that is not in flight; NULL: immediate data only. */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);

/** The id that the task is sent to. */
DOCA_STABLE
uint32_t
doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task);

/** Change the id, of a task that is not in flight. */
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

/** Change the immediate data (copied) of a task that is not in flight; NULL and 0: none. */
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
