/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Messages at full speed in both directions at once, over one Comch connection. Each side has three
 * threads, each with a progress engine of its own: the main thread turns that of the connection,
 * one thread produces, one consumes.
 *
 *   both       announce what they will send (metadata), so that the other can size its consumer
 *   both       produce and consume
 *   DPU, host  END_MSG, when both threads of the DPU have finished
 *   host       leaves, when both of its threads have finished too; then the DPU ends
 */

#ifndef APPLICATIONS_SECURE_CHANNEL_CORE_H_
#define APPLICATIONS_SECURE_CHANNEL_CORE_H_

#include "../common/comch_utils.h"

#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_error.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define MAX_MSG_SIZE 65535
#define MAX_NUM_TASKS 1024 /* of a producer or consumer; each carries many messages in turn */

/* What the command line says. */
struct secure_channel_config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    uint32_t msg_size;
    uint32_t num_msgs;
};

enum metadata_type {
    START_MSG = 1,
    END_MSG = 2,
};

/* A message between the main threads. Big-endian but for the type. */
struct metadata_msg {
    uint32_t type;
    uint32_t num_msgs; /* START_MSG: what will be sent */
    uint32_t msg_size;
};

/* What a thread is to do, and what has become of it. */
struct direction {
    uint32_t num_msgs;
    uint32_t msg_size;
    struct timespec begin;
    struct timespec end;
    doca_error_t result;
    atomic_bool is_done; /* the last that the thread writes; whoever reads it may read the rest */
};

struct secure_channel {
    const struct secure_channel_config *config;
    struct comch_cfg *comch;
    struct doca_comch_connection *connection;
    struct metadata_msg sent_start; /* must not change while it is sent */
    struct metadata_msg sent_end;

    int64_t num_expected; /* messages, as the peer says; 0: nothing yet, -1: nonsense */
    uint32_t expected_size;
    bool has_end; /* END_MSG has come */

    struct direction producer;
    struct direction consumer;
    _Atomic uint32_t consumer_id; /* the peer's, 0: none yet. The main thread tells the producer */
    atomic_bool is_lost;          /* the connection. The main thread tells both */
};

/* What the threads run; the argument is the struct secure_channel. */
void *secure_channel_produce(void *channel);
void *secure_channel_consume(void *channel);

/* The whole exchange. */
doca_error_t secure_channel_run(const struct secure_channel_config *config);

#endif /* APPLICATIONS_SECURE_CHANNEL_CORE_H_ */
