/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The host side of an exchange of messages: sends one as soon as it can, waits for the reply. */

#include "comch_common.h"

#include "common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_CLIENT);

/* In the state callback: the context runs, so tasks can be submitted here already. */
static void connected(struct comch_end *end)
{
    DOCA_LOG_INFO("CC client context is running. Sending message");

    doca_error_t result = doca_comch_client_get_connection(end->client, &end->connection);
    if (result == DOCA_SUCCESS)
        result = comch_send(end, end->connection, end->config->text);
    if (result != DOCA_SUCCESS)
        comch_stop(end, result);
}

static void received(struct comch_end *end, struct doca_comch_connection *connection,
                     const char *text, uint32_t len)
{
    (void)connection;
    DOCA_LOG_INFO("Message received: '%.*s'", (int)len, text);
    comch_stop(end, DOCA_SUCCESS);
}

static void sent(struct comch_end *end)
{
    (void)end;
    DOCA_LOG_INFO("Task sent successfully");
}

static doca_error_t run(const struct comch_config *config)
{
    const struct comch_events events = {.connected = connected, .received = received, .sent = sent};
    struct comch_end end = {.config = config, .events = &events};
    doca_error_t result = comch_start_client(&end, "comch_ctrl_path_sample_server");

    while (end.is_active)
        comch_progress_or_nap(end.pe);

    const doca_error_t closed = comch_close(&end);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

int main(int argc, char **argv)
{
    const struct comch_program program = {
        .name = "doca_comch_ctrl_path_client", .pci_addr = COMCH_CLIENT_PCI_ADDR, .run = run};

    return comch_main(argc, argv, &program);
}
