/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The DPU side of an exchange of messages: waits for a client's, replies, and ends. */

#include "comch_common.h"

#include "common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_SERVER);

static void received(struct comch_end *end, struct doca_comch_connection *connection,
                     const char *text, uint32_t len)
{
    DOCA_LOG_INFO("Message received: '%.*s'", (int)len, text);

    const doca_error_t result = comch_send(end, connection, end->config->text);
    if (result != DOCA_SUCCESS)
        comch_stop(end, result);
}

static void sent(struct comch_end *end)
{
    DOCA_LOG_INFO("Task sent successfully");
    comch_stop(end, DOCA_SUCCESS);
}

static doca_error_t run(const struct comch_config *config)
{
    const struct comch_events events = {.received = received, .sent = sent};
    struct comch_end end = {.config = config, .events = &events};
    doca_error_t result = comch_start_server(&end, "comch_ctrl_path_sample_server");

    while (end.is_active)
        comch_progress_or_nap(end.pe);

    const doca_error_t closed = comch_close(&end);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

int main(int argc, char **argv)
{
    const struct comch_program program = {
        .name = "doca_comch_ctrl_path_server", .pci_addr = COMCH_SERVER_PCI_ADDR, .run = run};

    return comch_main(argc, argv, &program);
}
