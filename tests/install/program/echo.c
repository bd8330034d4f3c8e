/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Two programs of somebody else, which know the installed headers and libraries only. Built for the
 * DPU it is a server that sends a message back and waits until its client has gone, built for the
 * host a client that sends one. Exit code 0 only if all went well.
 */

#include <stdio.h>
#include <string.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const doca_error_t check_result = (call);                                                  \
        if (check_result != DOCA_SUCCESS) {                                                        \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_name(check_result));                 \
            return check_result;                                                                   \
        }                                                                                          \
    } while (0)

static const char service[] = "echo";
static int is_done, num_faults;

static doca_error_t open_dev(const char *pci_addr, struct doca_dev **dev)
{
    struct doca_devinfo **list;
    doca_error_t result = DOCA_ERROR_NOT_FOUND;
    uint32_t num;

    CHECK(doca_devinfo_create_list(&list, &num));
    for (uint32_t i = 0; i < num && result == DOCA_ERROR_NOT_FOUND; i++) {
        uint8_t is_wanted = 0;

        CHECK(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_wanted));
        if (is_wanted)
            result = doca_dev_open(list[i], dev);
    }
    CHECK(doca_devinfo_destroy_list(list));
    return result;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
                    union doca_data ctx_user_data)
{
    struct doca_task *const as_task = doca_comch_task_send_as_task(task);

    (void)task_user_data;
    (void)ctx_user_data;
    num_faults += doca_task_get_status(as_task) != DOCA_SUCCESS;
    doca_task_free(as_task);
}

/* Stops, and progresses until it has stopped. */
static doca_error_t finish(struct doca_pe *pe, struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    const doca_error_t result = doca_ctx_stop(ctx);

    if (result != DOCA_ERROR_IN_PROGRESS)
        CHECK(result);
    while (state != DOCA_CTX_STATE_IDLE) {
        (void)doca_pe_progress(pe);
        CHECK(doca_ctx_get_state(ctx, &state));
    }
    return DOCA_SUCCESS;
}

#ifdef DOCA_ARCH_DPU

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
                       struct doca_comch_connection *connection)
{
    struct doca_comch_task_send *task;

    (void)event;
    if (doca_comch_server_task_send_alloc_init(doca_comch_server_get_server_ctx(connection),
                                               connection, message, len, &task) != DOCA_SUCCESS ||
        doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
        num_faults++;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t is_successful)
{
    (void)event;
    (void)connection;
    num_faults += is_successful != 1;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t is_successful)
{
    (void)event;
    (void)connection;
    (void)is_successful;
    is_done = 1;
}

static doca_error_t talk(struct doca_dev *dev, struct doca_pe *pe)
{
    struct doca_devinfo_rep **list;
    struct doca_comch_server *server;
    struct doca_dev_rep *rep;
    uint32_t num;

    CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
    CHECK(doca_dev_rep_open(list[0], &rep));
    CHECK(doca_devinfo_rep_destroy_list(list));
    CHECK(doca_comch_server_create(dev, rep, service, &server));
    CHECK(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 1));
    CHECK(doca_comch_server_event_msg_recv_register(server, on_message));
    CHECK(doca_comch_server_event_connection_status_changed_register(server, on_connect,
                                                                     on_disconnect));
    CHECK(doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server)));
    CHECK(doca_ctx_start(doca_comch_server_as_ctx(server)));
    while (!is_done)
        (void)doca_pe_progress(pe);
    CHECK(finish(pe, doca_comch_server_as_ctx(server)));
    CHECK(doca_comch_server_destroy(server));
    return doca_dev_rep_close(rep);
}

#else

static const char text[] = "a message across PCIe";

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
                       struct doca_comch_connection *connection)
{
    (void)event;
    (void)connection;
    num_faults += len != sizeof(text) || memcmp(message, text, sizeof(text)) != 0;
    is_done = 1;
}

static doca_error_t talk(struct doca_dev *dev, struct doca_pe *pe)
{
    struct doca_comch_connection *connection;
    struct doca_comch_task_send *task;
    struct doca_comch_client *client;
    doca_error_t result;

    CHECK(doca_comch_client_create(dev, service, &client));
    CHECK(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 1));
    CHECK(doca_comch_client_event_msg_recv_register(client, on_message));
    CHECK(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
    result = doca_ctx_start(doca_comch_client_as_ctx(client));
    while (result == DOCA_ERROR_IN_PROGRESS) {
        enum doca_ctx_states state;

        (void)doca_pe_progress(pe);
        CHECK(doca_ctx_get_state(doca_comch_client_as_ctx(client), &state));
        if (state == DOCA_CTX_STATE_RUNNING)
            result = DOCA_SUCCESS;
    }
    CHECK(result);
    CHECK(doca_comch_client_get_connection(client, &connection));
    CHECK(doca_comch_client_task_send_alloc_init(client, connection, text, sizeof(text), &task));
    CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
    while (!is_done)
        (void)doca_pe_progress(pe);
    CHECK(finish(pe, doca_comch_client_as_ctx(client)));
    return doca_comch_client_destroy(client);
}

#endif

static doca_error_t run(const char *pci_addr)
{
    struct doca_dev *dev;
    struct doca_pe *pe;

    CHECK(open_dev(pci_addr, &dev));
    CHECK(doca_pe_create(&pe));
    CHECK(talk(dev, pe));
    CHECK(doca_pe_destroy(pe));
    return doca_dev_close(dev);
}

int main(int argc, char **argv)
{
    if (argc != 2 || run(argv[1]) != DOCA_SUCCESS || num_faults != 0)
        return 1;
    printf("echoed\n");
    return 0;
}
