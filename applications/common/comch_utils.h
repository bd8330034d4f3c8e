/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * One Comch connection between the two halves of an application: a program built for the DPU is
 * the server, one built for the host the client. The server takes one client and rejects others.
 *
 * Callbacks run inside comch_utils_progress_connection, and in init already; they may send, but not
 * progress. One thread.
 */

#ifndef APPLICATIONS_COMMON_COMCH_UTILS_H_
#define APPLICATIONS_COMMON_COMCH_UTILS_H_

#include <doca_comch.h>
#include <doca_error.h>

#include <stdint.h>

/* The connection and what it rests on. */
struct comch_cfg;

/*
 * Connect. The server waits for its client and the client for its server, each without limit.
 * rep_pci_addr is the DPU's handle for the host's function; a client does not look at it.
 * comch_utils_get_user_data gives user_data back to the callbacks.
 */
doca_error_t comch_utils_init(const char *server_name, const char *pci_addr,
                              const char *rep_pci_addr, void *user_data,
                              doca_comch_event_msg_recv_cb_t client_recv_cb,
                              doca_comch_event_msg_recv_cb_t server_recv_cb,
                              struct comch_cfg **comch_cfg);

/* The same, with news of the peer's consumers. */
doca_error_t comch_utils_fast_path_init(const char *server_name, const char *pci_addr,
                                        const char *rep_pci_addr, void *user_data,
                                        doca_comch_event_msg_recv_cb_t client_recv_cb,
                                        doca_comch_event_msg_recv_cb_t server_recv_cb,
                                        doca_comch_event_consumer_cb_t new_consumer_cb,
                                        doca_comch_event_consumer_cb_t expired_consumer_cb,
                                        struct comch_cfg **comch_cfg);

/* The connection; NULL once it has been lost. */
struct doca_comch_connection *comch_utils_get_connection(const struct comch_cfg *comch_cfg);

/* The longest message in bytes. */
uint32_t comch_utils_get_max_msg_size(const struct comch_cfg *comch_cfg);

/* The user_data of init; NULL for a connection that is not (yet) one of comch_utils. */
void *comch_utils_get_user_data(const struct doca_comch_connection *connection);

/*
 * Send a message, whose bytes must not change until it has been sent.
 * NOT_FOUND: not a connection of comch_utils; INVALID_VALUE: too long; AGAIN: too many in flight.
 */
doca_error_t comch_utils_send(struct doca_comch_connection *connection, const void *msg,
                              uint32_t len);

/* One turn of the progress engine. NOT_FOUND: not a connection of comch_utils. */
doca_error_t comch_utils_progress_connection(const struct doca_comch_connection *connection);

/* After a failure: drop the peer, for which comch_utils_destroy would wait. */
void comch_utils_disconnect(struct comch_cfg *comch_cfg);

/* End the connection. The server first waits until the client has gone. NULL is allowed. */
doca_error_t comch_utils_destroy(struct comch_cfg *comch_cfg);

#endif /* APPLICATIONS_COMMON_COMCH_UTILS_H_ */
