/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "dma_copy_core.h"

#include "../../samples/common.h"

#include <doca_dma.h>
#include <doca_log.h>

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_COPY::CORE);

#define SERVER_NAME "dma copy server"
#define NAP_US 10
#define CACHE_LINE 64

/* ---- messages ---- */

uint32_t dma_copy_type_of(const void *msg, uint32_t len)
{
    const size_t min_lens[] = {
        [MESSAGE_DIRECTION] = sizeof(struct direction_message),
        [MESSAGE_EXPORT] = sizeof(struct export_message),
        [MESSAGE_STATUS] = sizeof(struct status_message),
    };
    uint32_t type = 0;

    if (len < sizeof(type))
        return 0;
    memcpy(&type, msg, sizeof(type));
    type = ntohl(type);
    return type < sizeof(min_lens) / sizeof(min_lens[0]) && len >= min_lens[type] ? type : 0;
}

static doca_error_t send_message(struct dma_copy *copy, const char *name, const void *msg,
                                 size_t len)
{
    const doca_error_t result = comch_utils_send(copy->connection, msg, (uint32_t)len);

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to send %s message: %s", name, doca_error_get_descr(result));
    return result;
}

doca_error_t dma_copy_send_direction(struct dma_copy *copy)
{
    const struct dma_copy_config *config = copy->config;

    copy->sent_direction = (struct direction_message){
        .type = htonl(MESSAGE_DIRECTION),
        .has_file = htonl(config->has_file ? 1 : 0),
        .file_size = htobe64(config->file_size),
    };
    return send_message(copy, "direction", &copy->sent_direction, sizeof(copy->sent_direction));
}

doca_error_t dma_copy_send_status(struct dma_copy *copy, bool is_success)
{
    copy->sent_status = (struct status_message){
        .type = htonl(MESSAGE_STATUS),
        .is_success = htonl(is_success ? 1 : 0),
    };
    return send_message(copy, "status", &copy->sent_status, sizeof(copy->sent_status));
}

doca_error_t dma_copy_negotiate(struct dma_copy *copy)
{
    while (!copy->is_agreed && copy->result == DOCA_SUCCESS) {
        if (comch_utils_get_connection(copy->comch) == NULL) {
            DOCA_LOG_ERR("Comch connection unexpectedly dropped");
            return DOCA_ERROR_CONNECTION_ABORTED;
        }
        const doca_error_t result = comch_utils_progress_connection(copy->connection);
        if (result != DOCA_SUCCESS)
            return result;
        usleep(NAP_US);
    }
    return copy->result;
}

/* ---- device and memory ---- */

doca_error_t dma_copy_open_device(struct dma_copy *copy)
{
    struct doca_devinfo **devinfos = NULL;
    uint32_t num_devs = 0;
    doca_error_t result = doca_devinfo_create_list(&devinfos, &num_devs);

    if (result == DOCA_SUCCESS) {
        result = DOCA_ERROR_NOT_FOUND;
        for (uint32_t i = 0; i < num_devs && result == DOCA_ERROR_NOT_FOUND; i++) {
            if (doca_dma_cap_task_memcpy_is_supported(devinfos[i]) == DOCA_SUCCESS)
                result = doca_dev_open(devinfos[i], &copy->dev);
        }
        (void)doca_devinfo_destroy_list(devinfos);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open a DOCA device that can do DMA: %s",
                     doca_error_get_descr(result));
    return result;
}

static doca_error_t allocate(struct dma_copy *copy)
{
    void *memory = NULL;

    if (posix_memalign(&memory, CACHE_LINE, copy->file_size) != 0) {
        DOCA_LOG_ERR("Failed to allocate memory for the file");
        return DOCA_ERROR_NO_MEMORY;
    }
    copy->memory = memory;
    return DOCA_SUCCESS;
}

static doca_error_t start_mmap(struct dma_copy *copy, uint32_t access_mask)
{
    doca_error_t result = doca_mmap_create(&copy->mmap);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(copy->mmap, copy->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(copy->mmap, access_mask);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(copy->mmap, copy->memory, copy->file_size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(copy->mmap);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start mmap: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t read_file(struct dma_copy *copy)
{
    const char *path = copy->config->file_path;
    FILE *file = fopen(path, "rb");
    size_t num_read = 0;

    if (file != NULL) {
        num_read = fread(copy->memory, 1, copy->file_size, file);
        fclose(file);
    }
    if (num_read == copy->file_size)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("Failed to read file %s: %s", path,
                 file == NULL ? strerror(errno) : "it has become shorter");
    return DOCA_ERROR_IO_FAILED;
}

doca_error_t dma_copy_load_file(struct dma_copy *copy, uint32_t access_mask)
{
    doca_error_t result = allocate(copy);

    if (result == DOCA_SUCCESS)
        result = read_file(copy);
    if (result == DOCA_SUCCESS)
        result = start_mmap(copy, access_mask);
    return result;
}

doca_error_t dma_copy_make_room(struct dma_copy *copy, uint32_t access_mask)
{
    doca_error_t result = allocate(copy);

    if (result == DOCA_SUCCESS) {
        memset(copy->memory, 0, copy->file_size);
        result = start_mmap(copy, access_mask);
    }
    return result;
}

doca_error_t dma_copy_save_file(const struct dma_copy *copy)
{
    const char *path = copy->config->file_path;

    DOCA_LOG_INFO("Writing DMA buffer into a file on %s", path);

    FILE *file = fopen(path, "wb");
    const size_t num_written = file == NULL ? 0 : fwrite(copy->memory, 1, copy->file_size, file);

    if (file != NULL && fclose(file) == 0 && num_written == copy->file_size)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("Failed to write file %s: %s", path, strerror(errno));
    return DOCA_ERROR_IO_FAILED;
}

/* Nobody copies any more, so the mmap may outlive its memory for a moment. */
doca_error_t dma_copy_release(struct dma_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    free(copy->memory);
    if (copy->mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(copy->mmap), "destroy mmap");
    if (copy->dev != NULL)
        keep_first_error(&result, doca_dev_close(copy->dev), "close DMA device");
    copy->memory = NULL;
    copy->mmap = NULL;
    copy->dev = NULL;
    return result;
}

/* ---- the whole ---- */

doca_error_t dma_copy_run(const struct dma_copy_config *config)
{
    struct dma_copy copy = {.config = config, .file_size = config->file_size};
    doca_error_t result =
        comch_utils_init(SERVER_NAME, config->pci_addr, config->rep_pci_addr, &copy,
                         dma_copy_host_received, dma_copy_dpu_received, &copy.comch);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to connect: %s", doca_error_get_descr(result));
        return result;
    }
    copy.connection = comch_utils_get_connection(copy.comch);
    if (copy.connection == NULL)
        result = DOCA_ERROR_CONNECTION_ABORTED;
#ifdef DOCA_ARCH_DPU
    if (result == DOCA_SUCCESS)
        result = dma_copy_on_dpu(&copy);
#else
    if (result == DOCA_SUCCESS)
        result = dma_copy_on_host(&copy);
#endif
    const doca_error_t destroyed = comch_utils_destroy(copy.comch);
    DOCA_ERROR_PROPAGATE(result, destroyed);
    free(copy.sent_export);
    free(copy.export);
    return result;
}
