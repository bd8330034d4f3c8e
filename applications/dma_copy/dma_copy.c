/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "dma_copy_core.h"

#include "../../samples/common.h"
#include "../common/command_line.h"

#include <doca_log.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

DOCA_LOG_REGISTER(DMA_COPY);

static doca_error_t set_file_path(void *value, void *config)
{
    const size_t len = strlen(value);

    if (len == 0 || len > MAX_FILE_PATH_LEN) {
        DOCA_LOG_ERR("Entered file path of %zu characters, expected 1 to %d", len,
                     MAX_FILE_PATH_LEN);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(((struct dma_copy_config *)config)->file_path, value, len + 1);
    return DOCA_SUCCESS;
}

static doca_error_t set_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct dma_copy_config *)config)->pci_addr);
}

static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct dma_copy_config *)config)->rep_pci_addr);
}

/* Who has the file sends it. */
static doca_error_t look_for_file(void *arg)
{
    struct dma_copy_config *config = arg;
    struct stat status;

    config->has_file = stat(config->file_path, &status) == 0;
    if (!config->has_file)
        return DOCA_SUCCESS;
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        DOCA_LOG_ERR("%s is no file, or an empty one", config->file_path);
        return DOCA_ERROR_INVALID_VALUE;
    }
    config->file_size = (uint64_t)status.st_size;
    DOCA_LOG_INFO("The file size is %ld", (long)status.st_size);
    return DOCA_SUCCESS;
}

static const struct app_param params[] = {
    {"f", "file", "<PATH>", "File to copy, at most 127 characters; one side has it",
     DOCA_ARGP_TYPE_STRING, true, set_file_path},
    {"p", "pci-addr", "<PCI-ADDRESS>", "DOCA Comch device PCI address", DOCA_ARGP_TYPE_STRING, true,
     set_pci_addr},
    {"r", "rep-pci", "<PCI-ADDRESS>",
     "DOCA Comch device representor PCI address, needed only on the DPU", DOCA_ARGP_TYPE_STRING,
     false, set_rep_pci_addr},
};

int main(int argc, char **argv)
{
    const struct app_command_line line = {
        .name = "doca_dma_copy",
        .params = params,
        .num_params = sizeof(params) / sizeof(params[0]),
        .validate = look_for_file,
    };
    struct dma_copy_config config = {0};
    doca_error_t result = create_log_backends();

    if (result == DOCA_SUCCESS)
        result = app_parse(argc, argv, &line, &config);
    if (result == DOCA_SUCCESS)
        result = dma_copy_run(&config);
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
