/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "secure_channel_core.h"

#include "../../samples/common.h"
#include "../common/command_line.h"

#include <doca_log.h>

#include <stdlib.h>

DOCA_LOG_REGISTER(SECURE_CHANNEL);

static doca_error_t set_msg_size(void *value, void *config)
{
    const int size = *(int *)value;

    if (size < 1 || size > MAX_MSG_SIZE) {
        DOCA_LOG_ERR("Entered message size %d, expected 1 to %d", size, MAX_MSG_SIZE);
        return DOCA_ERROR_INVALID_VALUE;
    }
    ((struct secure_channel_config *)config)->msg_size = (uint32_t)size;
    return DOCA_SUCCESS;
}

static doca_error_t set_num_msgs(void *value, void *config)
{
    const int num = *(int *)value;

    if (num < 1) {
        DOCA_LOG_ERR("Entered number of messages %d, expected at least 1", num);
        return DOCA_ERROR_INVALID_VALUE;
    }
    ((struct secure_channel_config *)config)->num_msgs = (uint32_t)num;
    return DOCA_SUCCESS;
}

static doca_error_t set_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct secure_channel_config *)config)->pci_addr);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct secure_channel_config *)config)->rep_pci_addr);
}

static const struct app_param params[] = {
    {"s", "msg-size", "<SIZE>", "Message size in bytes, 1 to 65535", DOCA_ARGP_TYPE_INT, true,
     set_msg_size},
    {"n", "num-msgs", "<NUMBER>", "Number of messages to send", DOCA_ARGP_TYPE_INT, true,
     set_num_msgs},
    {"p", "pci-addr", "<PCI-ADDRESS>", "DOCA Comch device PCI address", DOCA_ARGP_TYPE_STRING, true,
     set_pci_addr},
    {"r", "rep-pci", "<PCI-ADDRESS>",
     "DOCA Comch device representor PCI address, needed only on the DPU", DOCA_ARGP_TYPE_STRING,
     false, set_rep_pci_addr},
};

int main(int argc, char **argv)
{
    const struct app_command_line line = {
        .name = "doca_secure_channel",
        .params = params,
        .num_params = sizeof(params) / sizeof(params[0]),
    };
    struct secure_channel_config config = {0};
    doca_error_t result = create_log_backends();

    if (result == DOCA_SUCCESS)
        result = app_parse(argc, argv, &line, &config);
    if (result == DOCA_SUCCESS)
        result = secure_channel_run(&config);
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
