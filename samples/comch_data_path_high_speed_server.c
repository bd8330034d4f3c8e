/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The DPU side of an exchange over the fast path: receives the client's text with a consumer, sends
 * its own with a producer. Messages say when to begin and when to end.
 */

#include "comch_data_path_common.h"

#include "common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA_PATH_HIGH_SPEED_SERVER);

static void received(struct comch_end *end, struct doca_comch_connection *connection,
                     const char *text, uint32_t len)
{
    doca_error_t result = DOCA_ERROR_UNEXPECTED;

    if (data_path_is_text(DATA_PATH_START_TEXT, text, len)) {
        end->connection = connection;
        result = comch_send(end, connection, DATA_PATH_START_TEXT);
        if (result != DOCA_SUCCESS)
            comch_stop(end, result);
    } else if (data_path_is_text(DATA_PATH_STOP_TEXT, text, len)) {
        result = comch_send(end, connection, DATA_PATH_STOP_TEXT);
        comch_stop(end, result); /* what has been submitted is delivered before */
    } else {
        DOCA_LOG_ERR("Received an unknown message of %u bytes", len);
        comch_stop(end, result);
    }
}

static void sent(struct comch_end *end)
{
    (void)end;
    DOCA_LOG_INFO("Server task sent successfully");
}

static doca_error_t run(const struct comch_config *config)
{
    const struct comch_events events = {.received = received, .sent = sent, .has_data_path = true};
    struct comch_end end = {.config = config, .events = &events};
    doca_error_t result = comch_start_server(&end, DATA_PATH_SERVICE);

    while (end.is_active && end.connection == NULL)
        comch_progress_or_nap(end.pe);
    if (end.is_active)
        result = data_path_receive(&end);
    if (result == DOCA_SUCCESS && end.is_active)
        result = data_path_send(&end);
    while (result == DOCA_SUCCESS && end.is_active)
        comch_progress_or_nap(end.pe);

    const doca_error_t closed = comch_close(&end);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

int main(int argc, char **argv)
{
    const struct comch_program program = {.name = "doca_comch_data_path_high_speed_server",
                                          .pci_addr = COMCH_SERVER_PCI_ADDR,
                                          .run = run};

    return comch_main(argc, argv, &program);
}
