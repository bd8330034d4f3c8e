/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "dma_copy_common.h"

#include "common.h"

#include <doca_argp.h>
#include <doca_log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_COPY_COMMON);

#define DEFAULT_DESCRIPTOR_PATH P_tmpdir "/export_desc.txt"
#define DEFAULT_BUFFER_PATH P_tmpdir "/buffer_info.txt"

static doca_error_t keep_string(const char *name, const char *value, size_t max_len, char *kept)
{
    const size_t len = strlen(value);

    if (len > max_len) {
        DOCA_LOG_ERR("Entered %s exceeding the maximum size of %zu", name, max_len);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(kept, value, len + 1);
    return DOCA_SUCCESS;
}

static doca_error_t set_pci_addr(void *value, void *config)
{
    return keep_pci_addr(value, ((struct dma_copy_config *)config)->pci_addr);
}

static doca_error_t set_text(void *value, void *config)
{
    return keep_string("text", value, MAX_TEXT_LEN, ((struct dma_copy_config *)config)->text);
}

static doca_error_t keep_path(const char *path, const struct dma_copy_config *config, char *kept)
{
    if (config->reads_files && access(path, F_OK) != 0) {
        DOCA_LOG_ERR("Failed to find file %s", path);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return keep_string("path", path, MAX_PATH_LEN, kept);
}

static doca_error_t set_descriptor_path(void *value, void *config)
{
    return keep_path(value, config, ((struct dma_copy_config *)config)->descriptor_path);
}

static doca_error_t set_buffer_path(void *value, void *config)
{
    return keep_path(value, config, ((struct dma_copy_config *)config)->buffer_path);
}

#ifdef DOCA_ARCH_DPU
static doca_error_t keep_number(const char *name, int value, uint32_t *number)
{
    if (value < 1) {
        DOCA_LOG_ERR("Entered number of %s buffers %d, expected at least 1", name, value);
        return DOCA_ERROR_INVALID_VALUE;
    }
    *number = (uint32_t)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_num_src_buf(void *value, void *config)
{
    return keep_number("source", *(int *)value, &((struct dma_copy_config *)config)->num_src_buf);
}

static doca_error_t set_num_dst_buf(void *value, void *config)
{
    return keep_number("destination", *(int *)value,
                       &((struct dma_copy_config *)config)->num_dst_buf);
}
#endif

static const struct param params[] = {
    {"p", "pci-addr", "<PCI-ADDRESS>", "DOCA DMA device PCI address (default " DEFAULT_PCI_ADDR ")",
     DOCA_ARGP_TYPE_STRING, set_pci_addr},
    {"t", "text", "<TEXT>", "Text that the host exports, at most 4096 characters",
     DOCA_ARGP_TYPE_STRING, set_text},
    {"d", "descriptor-path", "<PATH>",
     "File of the export descriptor (default " DEFAULT_DESCRIPTOR_PATH ")", DOCA_ARGP_TYPE_STRING,
     set_descriptor_path},
    {"b", "buffer-path", "<PATH>",
     "File of the address and length of the memory (default " DEFAULT_BUFFER_PATH ")",
     DOCA_ARGP_TYPE_STRING, set_buffer_path},
#ifdef DOCA_ARCH_DPU
    {"ns", "num-src-buf", "<NUMBER>", "Number of source buffers (default 1)", DOCA_ARGP_TYPE_INT,
     set_num_src_buf},
    {"nd", "num-dst-buf", "<NUMBER>", "Number of destination buffers (default 1)",
     DOCA_ARGP_TYPE_INT, set_num_dst_buf},
#endif
};

static doca_error_t parse_args(int argc, char **argv, const char *name,
                               struct dma_copy_config *config)
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

static doca_error_t run(const struct dma_copy_program *program,
                        const struct dma_copy_config *config)
{
    if (program->wrong_side != NULL) {
        DOCA_LOG_ERR("%s", program->wrong_side);
        return DOCA_ERROR_NOT_SUPPORTED;
    }
    const doca_error_t result = program->run(config);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("%s encountered an error: %s", program->name, doca_error_get_descr(result));
    return result;
}

int dma_copy_main(int argc, char **argv, const struct dma_copy_program *program)
{
    struct dma_copy_config config = {
        .pci_addr = DEFAULT_PCI_ADDR,
        .text = "This is a sample piece of text",
        .descriptor_path = DEFAULT_DESCRIPTOR_PATH,
        .buffer_path = DEFAULT_BUFFER_PATH,
        .num_src_buf = 1,
        .num_dst_buf = 1,
        .reads_files = program->reads_files,
    };

    if (create_log_backends() != DOCA_SUCCESS)
        return EXIT_FAILURE;
    DOCA_LOG_INFO("Starting the sample");
    if (parse_args(argc, argv, program->name, &config) == DOCA_SUCCESS &&
        run(program, &config) == DOCA_SUCCESS) {
        DOCA_LOG_INFO("Sample finished successfully");
        return EXIT_SUCCESS;
    }
    DOCA_LOG_INFO("Sample finished with errors");
    return EXIT_FAILURE;
}
