/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "comch_utils.h"

#include "../../samples/common.h"

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <stdlib.h>
#include <unistd.h>

DOCA_LOG_REGISTER(COMCH_UTILS);

#define NAP_US 10
#define NUM_SENDS 1024

/* The user data of the context, and of the connection when there is one. */
struct comch_cfg {
    void *user_data; /* the application's */
    uint32_t max_msg_size;

    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_ctx *ctx; /* the same object as the server or client */
    struct doca_comch_connection *connection;
#ifdef DOCA_ARCH_DPU
    struct doca_dev_rep *rep;
    struct doca_comch_server *server;
#else
    struct doca_comch_client *client;
#endif
};

struct comch_callbacks {
    doca_comch_event_msg_recv_cb_t received;
    doca_comch_event_consumer_cb_t new_consumer; /* NULL: consumers are of no interest */
    doca_comch_event_consumer_cb_t expired_consumer;
};

/* ---- both sides ---- */

static void send_completed(struct doca_comch_task_send *task, union doca_data task_user_data,
                           union doca_data ctx_user_data)
{
    (void)task_user_data;
    (void)ctx_user_data;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data,
                        union doca_data ctx_user_data)
{
    struct doca_task *base = doca_comch_task_send_as_task(task);

    (void)task_user_data;
    (void)ctx_user_data;
    DOCA_LOG_ERR("Failed to send message: %s", doca_error_get_descr(doca_task_get_status(base)));
    doca_task_free(base);
}

static void progress_or_nap(struct comch_cfg *cfg)
{
    if (doca_pe_progress(cfg->pe) == 0)
        usleep(NAP_US);
}

static enum doca_ctx_states state_of(const struct comch_cfg *cfg)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    (void)doca_ctx_get_state(cfg->ctx, &state);
    return state;
}

static doca_error_t accept_any(const struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return DOCA_SUCCESS;
}

static doca_error_t open_comch_device(struct comch_cfg *cfg, const char *pci_addr)
{
    const doca_error_t result = open_device(pci_addr, accept_any, &cfg->dev);

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open Comm Channel DOCA device based on PCI address: %s",
                     doca_error_get_descr(result));
    return result;
}

static doca_error_t connect_to_pe(struct comch_cfg *cfg)
{
    const union doca_data user_data = {.ptr = cfg};
    doca_error_t result = doca_pe_create(&cfg->pe);

    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(cfg->pe, cfg->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(cfg->ctx, user_data);
    if (result == DOCA_SUCCESS)
        result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(cfg->dev), &cfg->max_msg_size);
    return result;
}

/* From now on those who know the connection find us. */
static doca_error_t adopt(struct comch_cfg *cfg, struct doca_comch_connection *connection)
{
    const union doca_data user_data = {.ptr = cfg};
    const doca_error_t result = doca_comch_connection_set_user_data(connection, user_data);

    if (result == DOCA_SUCCESS)
        cfg->connection = connection;
    return result;
}

static struct comch_cfg *cfg_of(const struct doca_comch_connection *connection)
{
    return doca_comch_connection_get_user_data(connection).ptr;
}

/* ---- the server ---- */

#ifdef DOCA_ARCH_DPU
static struct comch_cfg *cfg_of_server(const struct doca_comch_connection *connection)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
    union doca_data user_data = {0};

    (void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data);
    return user_data.ptr;
}

static void client_came(struct doca_comch_event_connection_status_changed *event,
                        struct doca_comch_connection *connection, uint8_t is_successful)
{
    struct comch_cfg *cfg = cfg_of_server(connection);
    doca_error_t result = DOCA_SUCCESS;

    (void)event;
    if (is_successful == 0) {
        DOCA_LOG_ERR("A client could not be connected");
    } else if (cfg->connection != NULL) {
        DOCA_LOG_ERR("A connection already exists on the server - rejecting new attempt");
        result = doca_comch_server_disconnect(cfg->server, connection);
    } else {
        result = adopt(cfg, connection);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to handle a new client: %s", doca_error_get_descr(result));
}

static void client_went(struct doca_comch_event_connection_status_changed *event,
                        struct doca_comch_connection *connection, uint8_t is_successful)
{
    struct comch_cfg *cfg = cfg_of_server(connection);

    (void)event;
    (void)is_successful;
    if (connection == cfg->connection)
        cfg->connection = NULL; /* it ends with this callback */
}

static doca_error_t open_representor(struct comch_cfg *cfg, const char *rep_pci_addr)
{
    struct doca_devinfo_rep **reps = NULL;
    uint32_t num_reps = 0;
    doca_error_t result =
        doca_devinfo_rep_create_list(cfg->dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num_reps);

    if (result == DOCA_SUCCESS) {
        result = DOCA_ERROR_NOT_FOUND;
        for (uint32_t i = 0; i < num_reps && result == DOCA_ERROR_NOT_FOUND; i++) {
            uint8_t is_equal = 0;
            const doca_error_t compared =
                doca_devinfo_rep_is_equal_pci_addr(reps[i], rep_pci_addr, &is_equal);

            if (compared == DOCA_SUCCESS && is_equal == 1)
                result = doca_dev_rep_open(reps[i], &cfg->rep);
        }
        (void)doca_devinfo_rep_destroy_list(reps);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open Comm Channel DOCA device representor based on PCI address: %s",
                     doca_error_get_descr(result));
    return result;
}

static doca_error_t configure(struct comch_cfg *cfg, const struct comch_callbacks *callbacks)
{
    doca_error_t result = connect_to_pe(cfg);

    if (result == DOCA_SUCCESS)
        result = doca_comch_server_set_max_msg_size(cfg->server, cfg->max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_task_send_set_conf(cfg->server, send_completed, send_failed,
                                                      NUM_SENDS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_msg_recv_register(cfg->server, callbacks->received);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_connection_status_changed_register(
            cfg->server, client_came, client_went);
    if (result == DOCA_SUCCESS && callbacks->new_consumer != NULL)
        result = doca_comch_server_event_consumer_register(cfg->server, callbacks->new_consumer,
                                                           callbacks->expired_consumer);
    return result;
}

static doca_error_t connect_end(struct comch_cfg *cfg, const char *name, const char *rep_pci_addr,
                                const struct comch_callbacks *callbacks)
{
    doca_error_t result = open_representor(cfg, rep_pci_addr);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_server_create(cfg->dev, cfg->rep, name, &cfg->server);
    if (result == DOCA_SUCCESS) {
        cfg->ctx = doca_comch_server_as_ctx(cfg->server);
        result = configure(cfg, callbacks);
    }
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(cfg->ctx);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to start server: %s", doca_error_get_descr(result));
        return result;
    }
    DOCA_LOG_INFO("Server waiting on a client to connect");
    while (cfg->connection == NULL)
        progress_or_nap(cfg);
    DOCA_LOG_INFO("Server connection established");
    return DOCA_SUCCESS;
}

static void destroy_end(struct comch_cfg *cfg, doca_error_t *result)
{
    if (cfg->server != NULL)
        keep_first_error(result, doca_comch_server_destroy(cfg->server), "destroy server");
    if (cfg->rep != NULL)
        keep_first_error(result, doca_dev_rep_close(cfg->rep), "close representor");
}

void comch_utils_disconnect(struct comch_cfg *cfg)
{
    while (cfg->connection != NULL) {
        const doca_error_t result = doca_comch_server_disconnect(cfg->server, cfg->connection);

        if (result == DOCA_ERROR_AGAIN) { /* the way to the client is full */
            progress_or_nap(cfg);
            continue;
        }
        if (result != DOCA_SUCCESS)
            DOCA_LOG_ERR("Failed to drop the client: %s", doca_error_get_descr(result));
        cfg->connection = NULL;
    }
}

/* ---- the client ---- */

#else
static void client_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                                 enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct comch_cfg *cfg = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    if (next_state == DOCA_CTX_STATE_STOPPING)
        cfg->connection = NULL; /* the server has gone, or it is the end */
}

static doca_error_t configure(struct comch_cfg *cfg, const struct comch_callbacks *callbacks)
{
    doca_error_t result = connect_to_pe(cfg);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(cfg->ctx, client_state_changed);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_set_max_msg_size(cfg->client, cfg->max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_task_send_set_conf(cfg->client, send_completed, send_failed,
                                                      NUM_SENDS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_event_msg_recv_register(cfg->client, callbacks->received);
    if (result == DOCA_SUCCESS && callbacks->new_consumer != NULL)
        result = doca_comch_client_event_consumer_register(cfg->client, callbacks->new_consumer,
                                                           callbacks->expired_consumer);
    return result;
}

/* A turn that lets the client run brings no message yet, so none comes before adopt(). */
static doca_error_t connect_end(struct comch_cfg *cfg, const char *name, const char *rep_pci_addr,
                                const struct comch_callbacks *callbacks)
{
    struct doca_comch_connection *connection = NULL;
    doca_error_t result = doca_comch_client_create(cfg->dev, name, &cfg->client);

    (void)rep_pci_addr;
    if (result == DOCA_SUCCESS) {
        cfg->ctx = doca_comch_client_as_ctx(cfg->client);
        result = configure(cfg, callbacks);
    }
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(cfg->ctx);
    if (result != DOCA_ERROR_IN_PROGRESS) {
        DOCA_LOG_ERR("Failed to start client: %s", doca_error_get_descr(result));
        return result == DOCA_SUCCESS ? DOCA_ERROR_UNEXPECTED : result;
    }
    while (state_of(cfg) == DOCA_CTX_STATE_STARTING)
        progress_or_nap(cfg);
    if (state_of(cfg) != DOCA_CTX_STATE_RUNNING) {
        DOCA_LOG_ERR("There is no server to connect to");
        return DOCA_ERROR_INITIALIZATION;
    }
    result = doca_comch_client_get_connection(cfg->client, &connection);
    if (result == DOCA_SUCCESS)
        result = adopt(cfg, connection);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to get the connection: %s", doca_error_get_descr(result));
    return result;
}

static void destroy_end(struct comch_cfg *cfg, doca_error_t *result)
{
    if (cfg->client != NULL)
        keep_first_error(result, doca_comch_client_destroy(cfg->client), "destroy client");
}

void comch_utils_disconnect(struct comch_cfg *cfg)
{
    (void)cfg; /* comch_utils_destroy stops the client, and waits for nobody */
}
#endif

/* ---- the calls ---- */

doca_error_t comch_utils_fast_path_init(const char *server_name, const char *pci_addr,
                                        const char *rep_pci_addr, void *user_data,
                                        doca_comch_event_msg_recv_cb_t client_recv_cb,
                                        doca_comch_event_msg_recv_cb_t server_recv_cb,
                                        doca_comch_event_consumer_cb_t new_consumer_cb,
                                        doca_comch_event_consumer_cb_t expired_consumer_cb,
                                        struct comch_cfg **comch_cfg)
{
#ifdef DOCA_ARCH_DPU
    const doca_comch_event_msg_recv_cb_t received = server_recv_cb;
    (void)client_recv_cb;
#else
    const doca_comch_event_msg_recv_cb_t received = client_recv_cb;
    (void)server_recv_cb;
#endif
    const struct comch_callbacks callbacks = {received, new_consumer_cb, expired_consumer_cb};
    struct comch_cfg *cfg = calloc(1, sizeof(*cfg));

    if (cfg == NULL)
        return DOCA_ERROR_NO_MEMORY;
    cfg->user_data = user_data;

    doca_error_t result = open_comch_device(cfg, pci_addr);
    if (result == DOCA_SUCCESS)
        result = connect_end(cfg, server_name, rep_pci_addr, &callbacks);
    if (result != DOCA_SUCCESS) {
        (void)comch_utils_destroy(cfg);
        return result;
    }
    *comch_cfg = cfg;
    return DOCA_SUCCESS;
}

doca_error_t comch_utils_init(const char *server_name, const char *pci_addr,
                              const char *rep_pci_addr, void *user_data,
                              doca_comch_event_msg_recv_cb_t client_recv_cb,
                              doca_comch_event_msg_recv_cb_t server_recv_cb,
                              struct comch_cfg **comch_cfg)
{
    return comch_utils_fast_path_init(server_name, pci_addr, rep_pci_addr, user_data,
                                      client_recv_cb, server_recv_cb, NULL, NULL, comch_cfg);
}

struct doca_comch_connection *comch_utils_get_connection(const struct comch_cfg *cfg)
{
    return cfg->connection;
}

uint32_t comch_utils_get_max_msg_size(const struct comch_cfg *cfg)
{
    return cfg->max_msg_size;
}

void *comch_utils_get_user_data(const struct doca_comch_connection *connection)
{
    const struct comch_cfg *cfg = cfg_of(connection);

    return cfg == NULL ? NULL : cfg->user_data;
}

doca_error_t comch_utils_send(struct doca_comch_connection *connection, const void *msg,
                              uint32_t len)
{
    const struct comch_cfg *cfg = cfg_of(connection);
    struct doca_comch_task_send *task = NULL;

    if (cfg == NULL)
        return DOCA_ERROR_NOT_FOUND;
    if (len > cfg->max_msg_size)
        return DOCA_ERROR_INVALID_VALUE;
#ifdef DOCA_ARCH_DPU
    doca_error_t result =
        doca_comch_server_task_send_alloc_init(cfg->server, connection, msg, len, &task);
#else
    doca_error_t result =
        doca_comch_client_task_send_alloc_init(cfg->client, connection, msg, len, &task);
#endif
    if (result == DOCA_ERROR_NO_MEMORY) /* of the tasks; those in flight come back by progress */
        return DOCA_ERROR_AGAIN;
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_submit(doca_comch_task_send_as_task(task));
    if (result != DOCA_SUCCESS)
        doca_task_free(doca_comch_task_send_as_task(task));
    return result;
}

doca_error_t comch_utils_progress_connection(const struct doca_comch_connection *connection)
{
    const struct comch_cfg *cfg = cfg_of(connection);

    if (cfg == NULL)
        return DOCA_ERROR_NOT_FOUND;
    (void)doca_pe_progress(cfg->pe);
    return DOCA_SUCCESS;
}

static doca_error_t stop(struct comch_cfg *cfg)
{
    if (state_of(cfg) == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS;

    const doca_error_t result = doca_ctx_stop(cfg->ctx);
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (state_of(cfg) != DOCA_CTX_STATE_IDLE)
        progress_or_nap(cfg);
    return DOCA_SUCCESS;
}

doca_error_t comch_utils_destroy(struct comch_cfg *cfg)
{
    doca_error_t result = DOCA_SUCCESS;

    if (cfg == NULL)
        return result;
#ifdef DOCA_ARCH_DPU
    while (cfg->connection != NULL)
        progress_or_nap(cfg);
#endif
    if (cfg->ctx != NULL)
        keep_first_error(&result, stop(cfg), "stop Comch context");
    destroy_end(cfg, &result);
    if (cfg->dev != NULL)
        keep_first_error(&result, doca_dev_close(cfg->dev), "close device");
    if (cfg->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(cfg->pe), "destroy PE");
    free(cfg);
    return result;
}
