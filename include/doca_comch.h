/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Comch, the control path: messages between a program on the host and one on the DPU, over PCIe,
 * with no network and no address.
 *
 * A server (DPU side only) is bound to a device and to the representor of a host function, a client
 * (host side only) to its device; both name the same service. Each pair of a client and its server
 * is a connection; a server has many, a client one. The order of starting does not matter: a client
 * waits in STARTING until its server comes. Both are contexts:
 *
 *   server  doca_ctx_start gives SUCCESS, the state is RUNNING at once
 *   client  doca_ctx_start gives IN_PROGRESS; RUNNING comes in a later doca_pe_progress, when the
 *           server's program has seen its connect event; messages come in later calls still
 *
 * To be registered before start, else doca_ctx_start gives INVALID_VALUE: on both the receive
 * callback, on a server the connection callbacks too. Send tasks and consumer events are optional.
 * It gives NOT_SUPPORTED on a device of the wrong side, and ALREADY_EXIST if another server has the
 * name on that representor. A client waits without limit, unless SOFTDOCA_COMCH_TIMEOUT_MS sets
 * one; when it is over, or when a server has no room for the client, it goes to STOPPING and IDLE.
 *
 * Messages are copied, arrive in order in each direction, and are never lost for want of room: a
 * peer that is slow holds its sender back. A send task completes when the receive queue of the peer
 * has taken the message. A submitted message leaves at once: it arrives even if the sender stops,
 * exits or never progresses again. A task that could be taken can always be submitted (no AGAIN).
 *
 * Stop: earlier sends are delivered first, as successes, then the peer is told; the context goes to
 * STOPPING and, in doca_pe_progress, to IDLE (a server without clients inside the call). With
 * producers or consumers alive, stop gives IN_USE and nothing changes. Peer stopped or lost: sends
 * that it has not taken complete with CONNECTION_RESET; a server gets one disconnect event, a
 * client goes to STOPPING by itself and to IDLE when its producers and consumers are destroyed.
 * What the peer sent before its end is delivered before the end. An IDLE context may be configured
 * anew and started again.
 *
 * Threads: a server or client and its connections belong to the thread of their progress engine.
 * Callbacks are called in doca_pe_progress and must not call it; they may submit, free, stop.
 * After a fork, objects made before it answer BAD_STATE in the child. Out-parameters are written on
 * success only.
 *
 * Large data goes by producers and consumers (doca_comch_producer.h, doca_comch_consumer.h).
 */

#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/**
 * A pair of a client and its server. The library's. On a server valid from the connect callback
 * until the disconnect callback has returned, or doca_comch_server_disconnect, or IDLE. On a client
 * from RUNNING until it is started again or destroyed, though nothing can be sent after the end.
 */
struct doca_comch_connection;

/** A server, and the context of its connections. */
struct doca_comch_server;

/** A client, and the context of its connection. */
struct doca_comch_client;

/** Task: send a message. */
struct doca_comch_task_send;

/** Event: a message has come. */
struct doca_comch_event_msg_recv;

/** Event: a client has come or gone. */
struct doca_comch_event_connection_status_changed;

/** Event: the peer has a consumer more, or less. */
struct doca_comch_event_consumer;

/**
 * A send has ended; the task is the program's again, to be submitted once more or freed. As error
 * callback, doca_task_get_status tells why: CONNECTION_RESET the peer has gone or was disconnected,
 * INVALID_VALUE the message is longer than the peer's doca_comch_client_set_max_msg_size (or
 * server) allows. A stop flushes no sends: it waits until they are taken.
 */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * A message of msg_len bytes has come. recv_buffer is the library's and valid until the callback
 * returns; it is 8-byte aligned, and the message and one byte behind it may be written. The event,
 * as that of the other callbacks, is for no call, and NULL here.
 */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);

/**
 * A client has connected (the first event of its connection), or has disconnected (the last; the
 * handle is invalid afterwards). change_successful: 1, or 0 when a client was refused because the
 * server has as many as it can: that handle is valid in the callback only. No event tells of the
 * end of a connection that the server itself ended, by disconnect or stop.
 */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_successful);

/** What a connection counts. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< messages sent */
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,    /**< their bytes */
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< messages received */
    DOCA_COMCH_COUNTER_RECV_BYTES = 4,    /**< their bytes */
};

/**
 * The peer has started a consumer of this id, or has stopped it. In order with the messages of the
 * connection. The id is for doca_comch_producer_task_send_alloc_init.
 */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/**
 * Keep a value of the program with the connection; zero at first. Any state, callbacks too.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  connection is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);

/** Read the value; zero if none was set or connection is NULL. Any state, callbacks too. */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/** The server that the connection belongs to; NULL for the connection of a client. */
DOCA_STABLE
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);

/** The client that the connection belongs to; NULL for a connection of a server. */
DOCA_STABLE
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/**
 * The longest name of a service in bytes, its final NUL counted. As all capability queries: any
 * thread, callbacks too; the device need not be open.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);

/**
 * The most bytes that a message can have.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * The most messages that a receive queue can hold.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);

/**
 * The most clients that a server can have at once.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/**
 * Make a server for the service name (copied; any bytes) on dev, for the host function behind repr,
 * which is one of dev's. Both must stay open until the server is destroyed by its caller. The same
 * name may serve other representors too.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, the name is empty or too long, or repr
 *                                   belongs to another device
 *         DOCA_ERROR_NO_MEMORY      allocation failed
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);

/**
 * End a server that is IDLE; also in its own state callback for IDLE.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_server is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Can the device have servers? On the DPU side yes.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Set the most bytes of a message, in both directions; 4080 at first, or the capability if that is
 * less. The smaller value of the two sides holds.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_server is NULL, size is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);

/**
 * Read the most bytes of a message. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);

/**
 * Set how many messages of a connection are taken before their receive callback has run; 64 at
 * first, or the capability if that is less. Those beyond wait at the sender.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_server is NULL, size is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);

/**
 * Read how many messages are taken before their receive callback has run. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);

/**
 * The device that the server was created on; no new reference. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);

/**
 * The representor that the server was created for; no new reference. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);

/**
 * The server as a context, for doca_pe_connect_ctx, doca_ctx_start and stop. The server's own; NULL
 * for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * End one connection; the client is told when it has taken the messages sent before. No disconnect
 * event follows, nothing more is received, the handle is invalid at once. In RUNNING; callbacks
 * too, that for the connect event included.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or the connection is not (any more) one of
 *                                   this server
 *         DOCA_ERROR_IN_USE         producers or consumers of the connection are not destroyed
 *         DOCA_ERROR_NO_MEMORY      allocation failed
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/**
 * Make a client for the service name (copied; any bytes) on dev, which must stay open until the
 * client is destroyed by its caller.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or the name is empty or too long
 *         DOCA_ERROR_NO_MEMORY      allocation failed
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);

/**
 * End a client that is IDLE; also in its own state callback for IDLE.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_client is NULL
 *         DOCA_ERROR_IN_USE         it is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Can the device have clients? On the host side yes.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  devinfo is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  no
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Set the most bytes of a message, in both directions; 4080 at first, or the capability if that is
 * less. The smaller value of the two sides holds.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_client is NULL, size is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the client is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);

/**
 * Read the most bytes of a message. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);

/**
 * Set how many messages are taken before their receive callback has run; 64 at first, or the
 * capability if that is less. Those beyond wait at the sender.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  comch_client is NULL, size is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the client is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);

/**
 * Read how many messages are taken before their receive callback has run. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);

/**
 * The device that the client was created on; no new reference. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev);

/**
 * The client as a context, for doca_pe_connect_ctx, doca_ctx_start and stop. The client's own; NULL
 * for NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * The connection to the server; the library's. In RUNNING, from the RUNNING callback on.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the client is not RUNNING
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);

/**
 * The most send tasks that a server or client can be configured with.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo is stale
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);

/**
 * Set the callbacks and the number of send tasks. A task that could be taken can always be
 * submitted.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, num_send_tasks is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Set the callbacks and the number of send tasks. A task that could be taken can always be
 * submitted.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, num_send_tasks is 0 or above the capability
 *         DOCA_ERROR_BAD_STATE      the client is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Take a task that sends len bytes at msg to peer. The bytes stay the program's and must not change
 * from submit to completion. The task is freed with doca_task_free. In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, len is 0 or above the configured size, peer
 *                                   is not a connection of this server
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use, or none are configured
 *         DOCA_ERROR_BAD_STATE      the server is not RUNNING
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * Take a task that sends len bytes at msg to the server; peer is the client's connection. The bytes
 * stay the program's and must not change from submit to completion. The task is freed with
 * doca_task_free. In RUNNING.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, len is 0 or above the configured size, peer
 *                                   is not the connection of this client
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are in use, or none are configured
 *         DOCA_ERROR_BAD_STATE      the client is not RUNNING
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/** The task in its common form, for submit and free; NULL for NULL. */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/**
 * Set the callback for messages from clients. Needed for start.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Set the callback for messages from the server. Needed for start.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the client is not IDLE
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Set the callbacks for clients that come and go. Needed for start.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Bring the counters that doca_comch_connection_get_counter reads up to date. While the connection
 * is up; the last counters stay readable.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE       comch_connection is NULL
 *         DOCA_ERROR_CONNECTION_ABORTED  it could not be made, or has ended
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * Read a counter as it was at the last doca_comch_connection_update_info. Any state.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or there is no such counter
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/**
 * Set the callbacks for consumers that clients start and stop. Optional; producers need the ids.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the server is not IDLE
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Set the callbacks for consumers that the server starts and stops. Optional; producers need the
 * ids.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the client is not IDLE
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
