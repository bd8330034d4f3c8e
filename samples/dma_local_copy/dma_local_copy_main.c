/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "dma_local_copy.h"

#include "../common.h"

#include <doca_argp.h>
#include <doca_log.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(DMA_LOCAL_COPY::MAIN);

static doca_error_t set_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct dma_local_copy_config *)config)->pci_addr);
}

static doca_error_t set_text(void *value, void *config)
{
    const size_t len = strlen(value);

    if (len > MAX_TEXT_LEN) {
        DOCA_LOG_ERR("Entered text exceeding the maximum size of %d", MAX_TEXT_LEN);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(((struct dma_local_copy_config *)config)->text, value, len + 1);
    return DOCA_SUCCESS;
}

static doca_error_t keep_number(const char *name, int value, int min, int max, uint32_t *number)
{
    if (value < min || value > max) {
        DOCA_LOG_ERR("Entered %s %d, expected %d to %d", name, value, min, max);
        return DOCA_ERROR_INVALID_VALUE;
    }
    *number = (uint32_t)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_num_tasks(void *value, void *config)
{
    return keep_number("number of tasks", *(int *)value, 1, MAX_NUM_TASKS,
                       &((struct dma_local_copy_config *)config)->num_tasks);
}

static doca_error_t set_max_num_ranges(void *value, void *config)
{
    return keep_number("number of profiling ranges", *(int *)value, 0, MAX_NUM_RANGES,
                       &((struct dma_local_copy_config *)config)->max_num_ranges);
}

static const struct param params[] = {
    {"p", "pci-addr", "<PCI-ADDRESS>", "DOCA DMA device PCI address (default " DEFAULT_PCI_ADDR ")",
     DOCA_ARGP_TYPE_STRING, set_pci_addr},
    {"t", "text", "<TEXT>", "Text to copy, at most 4096 characters", DOCA_ARGP_TYPE_STRING,
     set_text},
    {"nt", "num-tasks", "<NUMBER>", "Number of copy tasks, 1 to 128 (default 1)",
     DOCA_ARGP_TYPE_INT, set_num_tasks},
    {"mnr", "max-num-range-profiling-displayed", "<NUMBER>",
     "Number of tasks shown as profiling ranges, 0 to 128 (default 0: no profiling)",
     DOCA_ARGP_TYPE_INT, set_max_num_ranges},
};

#ifdef DOCA_ARCH_DPU
static doca_error_t set_num_src_buf(void *value, void *config)
{
    return keep_number("number of source buffers", *(int *)value, 1, INT32_MAX,
                       &((struct dma_local_copy_config *)config)->num_src_buf);
}

static doca_error_t set_num_dst_buf(void *value, void *config)
{
    return keep_number("number of destination buffers", *(int *)value, 1, INT32_MAX,
                       &((struct dma_local_copy_config *)config)->num_dst_buf);
}

static const struct param dpu_params[] = {
    {"ns", "num-src-buf", "<NUMBER>", "Number of source buffers of a task (default 1)",
     DOCA_ARGP_TYPE_INT, set_num_src_buf},
    {"nd", "num-dst-buf", "<NUMBER>", "Number of destination buffers of a task (default 1)",
     DOCA_ARGP_TYPE_INT, set_num_dst_buf},
};
#endif

static doca_error_t register_params(const struct param *list, size_t num)
{
    doca_error_t result = DOCA_SUCCESS;

    for (size_t i = 0; i < num && result == DOCA_SUCCESS; i++)
        result = register_param(&list[i]);
    return result;
}

static doca_error_t parse_args(int argc, char **argv, struct dma_local_copy_config *config)
{
    doca_error_t result = doca_argp_init("doca_dma_local_copy", config);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to init ARGP resources: %s", doca_error_get_descr(result));
        return result;
    }
    result = register_params(params, sizeof(params) / sizeof(params[0]));
#ifdef DOCA_ARCH_DPU
    if (result == DOCA_SUCCESS)
        result = register_params(dpu_params, sizeof(dpu_params) / sizeof(dpu_params[0]));
#endif
    if (result == DOCA_SUCCESS) {
        result = doca_argp_start(argc, argv);
        if (result != DOCA_SUCCESS)
            DOCA_LOG_ERR("Failed to parse sample input: %s", doca_error_get_descr(result));
    }
    (void)doca_argp_destroy();
    return result;
}

/* Copies within a host's memory gain nothing: there the sample runs for its profile only. */
static bool may_run_here(const struct dma_local_copy_config *config)
{
#ifdef DOCA_ARCH_DPU
    (void)config;
    return true;
#else
    if (config->max_num_ranges != 0)
        return true;
    DOCA_LOG_ERR("Local DMA copy can run only on the DPU");
    return false;
#endif
}

int main(int argc, char **argv)
{
    struct dma_local_copy_config config = {
        .pci_addr = DEFAULT_PCI_ADDR,
        .text = "This is a sample piece of text",
        .num_src_buf = 1,
        .num_dst_buf = 1,
        .num_tasks = 1,
    };
    int exit_status = EXIT_FAILURE;

    if (create_log_backends() != DOCA_SUCCESS)
        return exit_status;
    DOCA_LOG_INFO("Starting the sample");
    if (parse_args(argc, argv, &config) == DOCA_SUCCESS && may_run_here(&config)) {
        const doca_error_t result = dma_local_copy(&config);

        if (result == DOCA_SUCCESS)
            exit_status = EXIT_SUCCESS;
        else
            DOCA_LOG_ERR("dma_local_copy() encountered an error: %s", doca_error_get_descr(result));
    }
    if (exit_status == EXIT_SUCCESS)
        DOCA_LOG_INFO("Sample finished successfully");
    else
        DOCA_LOG_INFO("Sample finished with errors");
    return exit_status;
}
