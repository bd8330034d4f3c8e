/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The host side of a copy across PCIe: memory that the DPU may read, until Enter is pressed. */

#include "../common.h"
#include "../dma_common.h"
#include "../dma_copy_common.h"

#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_COPY_HOST);

#define MAX_INFO_LEN 64 /* two numbers of 64 bits and a newline */

struct host_side {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    char *memory;
    size_t len;
};

static doca_error_t create_mmap(struct host_side *host, const char *text)
{
    doca_error_t result = DOCA_ERROR_NO_MEMORY;

    host->len = strlen(text) + 1;
    host->memory = dma_allocate(host->len);
    if (host->memory != NULL) {
        memcpy(host->memory, text, host->len);
        result = doca_mmap_create(&host->mmap);
    }
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(host->mmap, host->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(host->mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(host->mmap, host->memory, host->len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(host->mmap);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start mmap: %s", doca_error_get_descr(result));
    return result;
}

/* Whoever reads the descriptor may reach the memory: it is nobody else's business. */
static doca_error_t write_file(const char *path, const void *content, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const ssize_t num_written = fd < 0 ? -1 : write(fd, content, len);

    if (fd >= 0 && close(fd) == 0 && num_written == (ssize_t)len)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("Failed to write file %s: %s", path, strerror(errno));
    return DOCA_ERROR_IO_FAILED;
}

static doca_error_t export_memory(const struct host_side *host,
                                  const struct dma_copy_config *config)
{
    const void *descriptor = NULL; /* belongs to the mmap */
    size_t descriptor_len = 0;
    char info[MAX_INFO_LEN] = "";
    doca_error_t result = doca_mmap_export_pci(host->mmap, host->dev, &descriptor, &descriptor_len);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to export mmap: %s", doca_error_get_descr(result));
        return result;
    }
    snprintf(info, sizeof(info), "%zu\n%zu", (size_t)host->memory, host->len);
    result = write_file(config->descriptor_path, descriptor, descriptor_len);
    if (result == DOCA_SUCCESS)
        result = write_file(config->buffer_path, info, strlen(info));
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Please copy %s and %s to the DPU and run DMA Copy DPU sample",
                      config->descriptor_path, config->buffer_path);
    return result;
}

/* The memory can be reached as long as this waits. */
static doca_error_t wait_for_enter(void)
{
    int key = 0;

    DOCA_LOG_INFO("Wait till the DPU has finished and press enter");
    while (key != '\r' && key != '\n' && key != EOF)
        key = getchar();
    if (key != EOF)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("The standard input ended before enter was pressed, so the export ends now; "
                 "keep it open until the DPU has finished");
    return DOCA_ERROR_IO_FAILED;
}

static doca_error_t clean_up(struct host_side *host)
{
    doca_error_t result = DOCA_SUCCESS;

    if (host->mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(host->mmap), "destroy mmap");
    if (host->dev != NULL)
        keep_first_error(&result, doca_dev_close(host->dev), "close device");
    free(host->memory);
    return result;
}

static doca_error_t dma_copy_host(const struct dma_copy_config *config)
{
    struct host_side host = {0};
    doca_error_t result =
        open_device(config->pci_addr, doca_dma_cap_task_memcpy_is_supported, &host.dev);

    if (result == DOCA_SUCCESS)
        result = create_mmap(&host, config->text);
    if (result == DOCA_SUCCESS)
        result = export_memory(&host, config);
    if (result == DOCA_SUCCESS)
        result = wait_for_enter();

    const doca_error_t cleaned = clean_up(&host);
    DOCA_ERROR_PROPAGATE(result, cleaned);
    return result;
}

int main(int argc, char **argv)
{
    const struct dma_copy_program program = {
        .name = "doca_dma_copy_host",
#ifdef DOCA_ARCH_DPU
        .wrong_side = "Sample can run only on the Host",
#endif
        .run = dma_copy_host,
    };

    return dma_copy_main(argc, argv, &program);
}
