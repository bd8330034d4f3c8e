/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Comch message queues: producers and consumers between a program and code on a DPA, the data path
 * processor of a card.
 *
 * There is no such processor here: every call answers INVALID_VALUE for a NULL pointer and
 * otherwise NOT_SUPPORTED. The comments say what a call is for.
 */

#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message queue between the CPU and a DPA. */
struct doca_comch_msgq;

struct doca_comch_producer;
struct doca_comch_consumer;
struct doca_dev;
struct doca_dpa;

/** Make a queue on dev; the caller destroys it. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/** End a queue that is stopped. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/** The consumers are on this DPA, the producers on the CPU. Before start. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/** Set the most consumers. Before start. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);

/** The producers are on this DPA, the consumers on the CPU. Before start. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/** Set the most producers. Before start. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/** Begin to use the queue; consumers and producers can be made from now on. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/** End the use; its consumers and producers must be destroyed before. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/** Make a consumer on the queue; the caller destroys it (doca_comch_consumer_destroy). */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);

/** Make a producer on the queue; the caller destroys it (doca_comch_producer_destroy). */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
