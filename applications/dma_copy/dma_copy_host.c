/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The host offers its memory, with the file or with room for it, and waits for the DPU's verdict.
 */

#include "dma_copy_core.h"

#include "../../samples/common.h"

#include <doca_log.h>

#include <arpa/inet.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(DMA_COPY::HOST);

static doca_error_t send_export(struct dma_copy *copy)
{
    const void *descriptor = NULL; /* belongs to the mmap */
    size_t descriptor_len = 0;
    doca_error_t result = doca_mmap_export_pci(copy->mmap, copy->dev, &descriptor, &descriptor_len);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to export mmap: %s", doca_error_get_descr(result));
        return result;
    }
    const size_t len = sizeof(*copy->sent_export) + descriptor_len;
    copy->sent_export = malloc(len);
    if (copy->sent_export == NULL)
        return DOCA_ERROR_NO_MEMORY;
    *copy->sent_export = (struct export_message){
        .type = htonl(MESSAGE_EXPORT),
        .descriptor_len = htonl((uint32_t)descriptor_len),
        .addr = htobe64((uint64_t)(uintptr_t)copy->memory),
        .len = htobe64(copy->file_size),
    };
    memcpy(copy->sent_export->descriptor, descriptor, descriptor_len);
    result = comch_utils_send(copy->connection, copy->sent_export, (uint32_t)len);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to send export message: %s", doca_error_get_descr(result));
    return result;
}

/* The DPU agrees. If it has the file, its length is known only now. */
static doca_error_t direction_received(struct dma_copy *copy, const struct direction_message *msg)
{
    doca_error_t result = DOCA_SUCCESS;

    if (copy->sent_export != NULL)
        return DOCA_ERROR_UNEXPECTED;
    if (!copy->config->has_file) {
        copy->file_size = be64toh(msg->file_size);
        result = dma_copy_make_room(copy, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    }
    return result == DOCA_SUCCESS ? send_export(copy) : result;
}

static doca_error_t status_received(struct dma_copy *copy, const struct status_message *msg)
{
    if (ntohl(msg->is_success) == 0) {
        DOCA_LOG_ERR("The DPU reports that the file was not copied");
        return DOCA_ERROR_IO_FAILED;
    }
    DOCA_LOG_INFO("Final status message was successfully received");
    copy->is_agreed = true;
    return DOCA_SUCCESS;
}

void dma_copy_host_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                            uint32_t msg_len, struct doca_comch_connection *connection)
{
    struct dma_copy *copy = comch_utils_get_user_data(connection);
    const void *msg = recv_buffer;
    doca_error_t result = DOCA_ERROR_UNEXPECTED;

    (void)event;
    if (copy == NULL)
        return;
    switch (dma_copy_type_of(msg, msg_len)) {
    case MESSAGE_DIRECTION:
        result = direction_received(copy, msg);
        break;
    case MESSAGE_STATUS:
        result = status_received(copy, msg);
        break;
    default:
        DOCA_LOG_ERR("Received a message that makes no sense");
        break;
    }
    DOCA_ERROR_PROPAGATE(copy->result, result);
}

doca_error_t dma_copy_on_host(struct dma_copy *copy)
{
    const bool has_file = copy->config->has_file;

    if (has_file)
        DOCA_LOG_INFO("File was found locally, it will be DMA copied to the DPU");
    else
        DOCA_LOG_INFO("File was not found locally, it will be DMA copied from the DPU");

    doca_error_t result = dma_copy_open_device(copy);
    if (result == DOCA_SUCCESS && has_file)
        result = dma_copy_load_file(copy, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    if (result == DOCA_SUCCESS)
        result = dma_copy_send_direction(copy);
    if (result == DOCA_SUCCESS)
        result = dma_copy_negotiate(copy);
    if (result == DOCA_SUCCESS && !has_file)
        result = dma_copy_save_file(copy);

    const doca_error_t released = dma_copy_release(copy);
    DOCA_ERROR_PROPAGATE(result, released);
    return result;
}
