/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "comch_common.h"

#include "common.h"

#include <doca_argp.h>
#include <doca_log.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(COMCH_COMMON);

#define NAP_US 10
#define NUM_SENDS 1024
#define RECV_QUEUE_SIZE 10

/* ---- callbacks: all but the first state changes are told inside doca_pe_progress ---- */

/* Events carry no user data: it is with the context that the connection belongs to. */
static struct comch_end *end_of(const struct doca_comch_connection *connection)
{
    struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
    const struct doca_ctx *ctx =
        server != NULL ? doca_comch_server_as_ctx(server)
                       : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection));
    union doca_data user_data = {0};

    (void)doca_ctx_get_user_data(ctx, &user_data);
    return user_data.ptr;
}

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                             uint32_t msg_len, struct doca_comch_connection *connection)
{
    struct comch_end *end = end_of(connection);

    (void)event;
    end->events->received(end, connection, (const char *)recv_buffer, msg_len);
}

static void message_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
                         union doca_data ctx_user_data)
{
    struct comch_end *end = ctx_user_data.ptr;

    (void)task_user_data;
    doca_task_free(doca_comch_task_send_as_task(task));
    end->events->sent(end);
}

static void message_failed(struct doca_comch_task_send *task, union doca_data task_user_data,
                           union doca_data ctx_user_data)
{
    const doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

    (void)task_user_data;
    DOCA_LOG_ERR("Failed to send message: %s", doca_error_get_descr(status));
    doca_task_free(doca_comch_task_send_as_task(task));
    comch_stop(ctx_user_data.ptr, status);
}

static void client_came(struct doca_comch_event_connection_status_changed *event,
                        struct doca_comch_connection *connection, uint8_t is_successful)
{
    (void)event;
    (void)connection;
    if (is_successful == 0)
        DOCA_LOG_ERR("A client could not be connected to server");
    else
        DOCA_LOG_INFO("New client connected to server");
}

static void client_went(struct doca_comch_event_connection_status_changed *event,
                        struct doca_comch_connection *connection, uint8_t is_successful)
{
    struct comch_end *end = end_of(connection);

    (void)event;
    (void)is_successful;
    DOCA_LOG_INFO("A client was disconnected from server");
    if (connection == end->connection)
        comch_stop(end, DOCA_ERROR_CONNECTION_ABORTED);
}

static void consumer_came(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    DOCA_LOG_INFO("Got a new remote consumer with ID = [%u]", id);
    end_of(connection)->consumer_id = id;
}

/* The peer's consumers go after they have received what they wait for: no loss. */
static void consumer_went(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    (void)connection;
    (void)id;
}

static void server_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                                 enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct comch_end *end = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    end->is_active = next_state != DOCA_CTX_STATE_IDLE;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("CC server context has been stopped");
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_ERR("CC server context entered into starting state. Unexpected transition");
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("CC server context is running. Waiting for clients to connect");
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("CC server context entered into stopping state. Terminating connections with "
                      "clients");
        break;
    }
}

/* A client stops by itself when its server has gone, or when the wait for one has an end. */
static void explain_stop(struct comch_end *end, enum doca_ctx_states prev_state)
{
    if (end->is_stop_requested)
        return;
    if (prev_state == DOCA_CTX_STATE_STARTING) {
        DOCA_LOG_ERR("There was no server to connect to");
        DOCA_ERROR_PROPAGATE(end->result, DOCA_ERROR_INITIALIZATION);
    } else {
        DOCA_LOG_ERR("The server has gone");
        DOCA_ERROR_PROPAGATE(end->result, DOCA_ERROR_CONNECTION_RESET);
    }
}

static void client_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                                 enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct comch_end *end = user_data.ptr;

    (void)ctx;
    end->is_active = next_state != DOCA_CTX_STATE_IDLE;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("CC client context has been stopped");
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_INFO("CC client context entered into starting state. Waiting for connection "
                      "establishment");
        break;
    case DOCA_CTX_STATE_RUNNING:
        end->events->connected(end);
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("CC client context entered into stopping state. Waiting for connection "
                      "termination");
        end->connection = NULL;
        explain_stop(end, prev_state);
        break;
    }
}

/* ---- start ---- */

static doca_error_t accept_any(const struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return DOCA_SUCCESS;
}

static doca_error_t open_representor(struct comch_end *end)
{
    struct doca_devinfo_rep **reps = NULL;
    uint32_t num_reps = 0;
    doca_error_t result =
        doca_devinfo_rep_create_list(end->dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num_reps);

    if (result == DOCA_SUCCESS) {
        result = DOCA_ERROR_NOT_FOUND;
        for (uint32_t i = 0; i < num_reps && result == DOCA_ERROR_NOT_FOUND; i++) {
            uint8_t is_equal = 0;
            const doca_error_t compared =
                doca_devinfo_rep_is_equal_pci_addr(reps[i], end->config->rep_pci_addr, &is_equal);

            if (compared == DOCA_SUCCESS && is_equal == 1)
                result = doca_dev_rep_open(reps[i], &end->rep);
        }
        (void)doca_devinfo_rep_destroy_list(reps);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open Comm Channel DOCA device representor based on PCI address: %s",
                     doca_error_get_descr(result));
    return result;
}

static doca_error_t open_comch_device(struct comch_end *end)
{
    const doca_error_t result = open_device(end->config->pci_addr, accept_any, &end->dev);

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open Comm Channel DOCA device based on PCI address: %s",
                     doca_error_get_descr(result));
    return result;
}

static doca_error_t set_user_data(struct comch_end *end)
{
    const union doca_data user_data = {.ptr = end};

    return doca_ctx_set_user_data(end->ctx, user_data);
}

static doca_error_t configure_server(struct comch_end *end)
{
    struct doca_comch_server *server = end->server;
    uint32_t max_msg_size = 0;
    doca_error_t result = doca_pe_connect_ctx(end->pe, end->ctx);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(end->ctx, server_state_changed);
    if (result == DOCA_SUCCESS)
        result =
            doca_comch_server_task_send_set_conf(server, message_sent, message_failed, NUM_SENDS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_msg_recv_register(server, message_received);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_event_connection_status_changed_register(server, client_came,
                                                                            client_went);
    if (result == DOCA_SUCCESS && end->events->has_data_path)
        result = doca_comch_server_event_consumer_register(server, consumer_came, consumer_went);
    if (result == DOCA_SUCCESS)
        result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(end->dev), &max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_set_max_msg_size(server, max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_set_recv_queue_size(server, RECV_QUEUE_SIZE);
    if (result == DOCA_SUCCESS)
        result = set_user_data(end);
    return result;
}

static doca_error_t configure_client(struct comch_end *end)
{
    struct doca_comch_client *client = end->client;
    uint32_t max_msg_size = 0;
    doca_error_t result = doca_pe_connect_ctx(end->pe, end->ctx);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(end->ctx, client_state_changed);
    if (result == DOCA_SUCCESS)
        result =
            doca_comch_client_task_send_set_conf(client, message_sent, message_failed, NUM_SENDS);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_event_msg_recv_register(client, message_received);
    if (result == DOCA_SUCCESS && end->events->has_data_path)
        result = doca_comch_client_event_consumer_register(client, consumer_came, consumer_went);
    if (result == DOCA_SUCCESS)
        result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(end->dev), &max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_set_max_msg_size(client, max_msg_size);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_set_recv_queue_size(client, RECV_QUEUE_SIZE);
    if (result == DOCA_SUCCESS)
        result = set_user_data(end);
    return result;
}

doca_error_t comch_start_server(struct comch_end *end, const char *service)
{
    doca_error_t result = open_comch_device(end);

    if (result == DOCA_SUCCESS)
        result = open_representor(end);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_pe_create(&end->pe);
    if (result == DOCA_SUCCESS)
        result = doca_comch_server_create(end->dev, end->rep, service, &end->server);
    if (result == DOCA_SUCCESS) {
        end->ctx = doca_comch_server_as_ctx(end->server);
        result = configure_server(end);
    }
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(end->ctx); /* nothing to wait for: it runs */
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start server: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t comch_start_client(struct comch_end *end, const char *service)
{
    doca_error_t result = open_comch_device(end);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_pe_create(&end->pe);
    if (result == DOCA_SUCCESS)
        result = doca_comch_client_create(end->dev, service, &end->client);
    if (result == DOCA_SUCCESS) {
        end->ctx = doca_comch_client_as_ctx(end->client);
        result = configure_client(end);
    }
    if (result == DOCA_SUCCESS) {
        result = doca_ctx_start(end->ctx);
        if (result == DOCA_ERROR_IN_PROGRESS) /* it runs when the server has answered */
            return DOCA_SUCCESS;
    }
    DOCA_LOG_ERR("Failed to start client: %s", doca_error_get_descr(result));
    return result == DOCA_SUCCESS ? DOCA_ERROR_UNEXPECTED : result;
}

/* ---- use and end ---- */

doca_error_t comch_send(struct comch_end *end, struct doca_comch_connection *connection,
                        const char *text)
{
    const uint32_t len = (uint32_t)strlen(text);
    struct doca_comch_task_send *task = NULL;
    doca_error_t result =
        end->server != NULL
            ? doca_comch_server_task_send_alloc_init(end->server, connection, text, len, &task)
            : doca_comch_client_task_send_alloc_init(end->client, connection, text, len, &task);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to allocate send task: %s", doca_error_get_descr(result));
        return result;
    }
    result = doca_task_submit(doca_comch_task_send_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to submit send task: %s", doca_error_get_descr(result));
        doca_task_free(doca_comch_task_send_as_task(task));
    }
    return result;
}

void comch_stop(struct comch_end *end, doca_error_t reason)
{
    DOCA_ERROR_PROPAGATE(end->result, reason);
    end->connection = NULL;
    end->is_stop_requested = true;

    const doca_error_t stopped = doca_ctx_stop(end->ctx);
    if (stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS)
        return;
    keep_first_error(&end->result, stopped, "stop Comch context");
    end->is_active = false; /* nobody is to wait for it */
}

void comch_progress_or_nap(struct doca_pe *pe)
{
    if (doca_pe_progress(pe) == 0)
        usleep(NAP_US);
}

doca_error_t comch_close(struct comch_end *end)
{
    if (end->is_active)
        comch_stop(end, DOCA_SUCCESS);
    while (end->is_active)
        comch_progress_or_nap(end->pe);

    doca_error_t result = end->result;
    if (end->server != NULL)
        keep_first_error(&result, doca_comch_server_destroy(end->server), "destroy server");
    if (end->client != NULL)
        keep_first_error(&result, doca_comch_client_destroy(end->client), "destroy client");
    if (end->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(end->pe), "destroy PE");
    if (end->rep != NULL)
        keep_first_error(&result, doca_dev_rep_close(end->rep), "close representor");
    if (end->dev != NULL)
        keep_first_error(&result, doca_dev_close(end->dev), "close device");
    return result;
}

/* ---- the program ---- */

static doca_error_t set_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct comch_config *)config)->pci_addr);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct comch_config *)config)->rep_pci_addr);
}

static doca_error_t set_text(void *value, void *config)
{
    const size_t len = strlen(value);

    if (len == 0 || len > COMCH_MAX_TEXT_LEN) {
        DOCA_LOG_ERR("Entered text of %zu characters, expected 1 to %d", len, COMCH_MAX_TEXT_LEN);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(((struct comch_config *)config)->text, value, len + 1);
    return DOCA_SUCCESS;
}

static const struct param params[] = {
    {"p", "pci-addr", "<PCI-ADDRESS>",
     "DOCA Comch device PCI address (default " COMCH_SERVER_PCI_ADDR
     " for a server, " COMCH_CLIENT_PCI_ADDR " for a client)",
     DOCA_ARGP_TYPE_STRING, set_pci_addr},
    {"r", "rep-pci", "<PCI-ADDRESS>",
     "DOCA Comch device representor PCI address, needed only on the DPU "
     "(default " COMCH_CLIENT_PCI_ADDR ")",
     DOCA_ARGP_TYPE_STRING, set_rep_pci_addr},
    {"t", "text", "<TEXT>", "Text to send to the peer, at most 4080 characters",
     DOCA_ARGP_TYPE_STRING, set_text},
};

static doca_error_t parse_args(int argc, char **argv, const char *name, struct comch_config *config)
{
    doca_error_t result = doca_argp_init(name, config);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to init ARGP resources: %s", doca_error_get_descr(result));
        return result;
    }
    for (size_t i = 0; i < sizeof(params) / sizeof(params[0]) && result == DOCA_SUCCESS; i++)
        result = register_param(&params[i]);
    if (result == DOCA_SUCCESS) {
        result = doca_argp_start(argc, argv);
        if (result != DOCA_SUCCESS)
            DOCA_LOG_ERR("Failed to parse sample input: %s", doca_error_get_descr(result));
    }
    (void)doca_argp_destroy();
    return result;
}

int comch_main(int argc, char **argv, const struct comch_program *program)
{
    struct comch_config config = {
        .rep_pci_addr = COMCH_CLIENT_PCI_ADDR,
        .text = "Message from the client",
    };
    doca_error_t result = create_log_backends();

    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    DOCA_LOG_INFO("Starting the sample");
    result = keep_pci_addr(program->pci_addr, config.pci_addr);
    if (result == DOCA_SUCCESS)
        result = parse_args(argc, argv, program->name, &config);
    if (result == DOCA_SUCCESS) {
        result = program->run(&config);
        if (result != DOCA_SUCCESS)
            DOCA_LOG_ERR("%s encountered an error: %s", program->name,
                         doca_error_get_descr(result));
    }
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_INFO("Sample finished with errors");
        return EXIT_FAILURE;
    }
    DOCA_LOG_INFO("Sample finished successfully");
    return EXIT_SUCCESS;
}
