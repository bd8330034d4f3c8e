/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The host side of an exchange over the fast path: sends its text with a producer, receives the
 * server's with a consumer. Messages say when to begin and when to end.
 */

#include "comch_data_path_common.h"

#include "common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA_PATH_HIGH_SPEED_CLIENT);

static void connected(struct comch_end *end)
{
    DOCA_LOG_INFO("CC client context is running. Get a connection from server");

    doca_error_t result = doca_comch_client_get_connection(end->client, &end->connection);
    if (result == DOCA_SUCCESS)
        result = comch_send(end, end->connection, DATA_PATH_START_TEXT);
    if (result != DOCA_SUCCESS)
        comch_stop(end, result);
}

static void received(struct comch_end *end, struct doca_comch_connection *connection,
                     const char *text, uint32_t len)
{
    (void)connection;
    if (data_path_is_text(DATA_PATH_STOP_TEXT, text, len)) {
        comch_stop(end, DOCA_SUCCESS);
    } else if (!data_path_is_text(DATA_PATH_START_TEXT, text, len)) {
        DOCA_LOG_ERR("Received an unknown message of %u bytes", len);
        comch_stop(end, DOCA_ERROR_UNEXPECTED);
    }
}

static void sent(struct comch_end *end)
{
    (void)end;
    DOCA_LOG_INFO("Client task sent successfully");
}

static doca_error_t run(const struct comch_config *config)
{
    const struct comch_events events = {
        .connected = connected, .received = received, .sent = sent, .has_data_path = true};
    struct comch_end end = {.config = config, .events = &events};
    doca_error_t result = comch_start_client(&end, DATA_PATH_SERVICE);

    if (result == DOCA_SUCCESS)
        result = data_path_send(&end);
    if (result == DOCA_SUCCESS)
        result = data_path_receive(&end);
    if (result == DOCA_SUCCESS)
        result = comch_send(&end, end.connection, DATA_PATH_STOP_TEXT);
    while (result == DOCA_SUCCESS && end.is_active)
        comch_progress_or_nap(end.pe);

    const doca_error_t closed = comch_close(&end);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

int main(int argc, char **argv)
{
    const struct comch_program program = {.name = "doca_comch_data_path_high_speed_client",
                                          .pci_addr = COMCH_CLIENT_PCI_ADDR,
                                          .run = run};

    return comch_main(argc, argv, &program);
}
