/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The DPU decides what is to be done and does it: one DMA task from or to the host's memory. The
 * DMA context has a progress engine of its own; it runs before there is anything to be copied.
 */

#include "dma_copy_core.h"

#include "../../samples/common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_COPY::DPU);

#define NAP_US 10
#define NUM_BUFS 2

struct engine {
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx; /* the same object as dma */
    struct doca_mmap *remote_mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *local;
    struct doca_buf *remote;
    bool is_done;
    doca_error_t result; /* of the task */
};

/* ---- messages ---- */

static doca_error_t check_direction(struct dma_copy *copy, bool has_host_file)
{
    if (copy->config->has_file == has_host_file) {
        if (has_host_file)
            DOCA_LOG_ERR("Error - File was found on both Host and DPU");
        else
            DOCA_LOG_ERR("Error - File was not found on both Host and DPU");
        return DOCA_ERROR_INVALID_VALUE;
    }
    if (copy->file_size > copy->max_size) {
        DOCA_LOG_ERR("DMA device maximum allowed file size in bytes is %" PRIu64
                     ", the file has %" PRIu64,
                     copy->max_size, copy->file_size);
        return DOCA_ERROR_INVALID_VALUE;
    }
    if (copy->file_size == 0) {
        DOCA_LOG_ERR("The file is empty");
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

static doca_error_t direction_received(struct dma_copy *copy, const struct direction_message *msg)
{
    const bool has_host_file = ntohl(msg->has_file) != 0;

    if (!copy->config->has_file)
        copy->file_size = be64toh(msg->file_size);

    const doca_error_t result = check_direction(copy, has_host_file);
    return result == DOCA_SUCCESS ? dma_copy_send_direction(copy) : result;
}

/* The message's bytes are the library's: what is needed later is kept. */
static doca_error_t export_received(struct dma_copy *copy, const struct export_message *msg,
                                    uint32_t len)
{
    if (copy->export != NULL || ntohl(msg->descriptor_len) != len - sizeof(*msg) ||
        be64toh(msg->len) != copy->file_size) {
        DOCA_LOG_ERR("The host's export message makes no sense");
        return DOCA_ERROR_INVALID_VALUE;
    }
    copy->export = malloc(len);
    if (copy->export == NULL)
        return DOCA_ERROR_NO_MEMORY;
    memcpy(copy->export, msg, len);
    copy->is_agreed = true;
    return DOCA_SUCCESS;
}

void dma_copy_dpu_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
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
    case MESSAGE_EXPORT:
        result = export_received(copy, msg, msg_len);
        break;
    default:
        DOCA_LOG_ERR("Received a message that makes no sense");
        break;
    }
    DOCA_ERROR_PROPAGATE(copy->result, result);
}

/* ---- DMA ---- */

static void memcpy_ended(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                         union doca_data ctx_user_data)
{
    struct engine *engine = ctx_user_data.ptr;

    (void)task_user_data;
    engine->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    engine->is_done = true;
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static doca_error_t start_dma(struct dma_copy *copy, struct engine *engine)
{
    const union doca_data user_data = {.ptr = engine};
    doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(copy->dev), &copy->max_size);

    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&engine->pe);
    if (result == DOCA_SUCCESS)
        result = doca_dma_create(copy->dev, &engine->dma);
    if (result == DOCA_SUCCESS) {
        engine->ctx = doca_dma_as_ctx(engine->dma);
        result = doca_pe_connect_ctx(engine->pe, engine->ctx);
    }
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(engine->ctx, user_data);
    if (result == DOCA_SUCCESS) /* one callback for both: the status tells */
        result = doca_dma_task_memcpy_set_conf(engine->dma, memcpy_ended, memcpy_ended, 1);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(engine->ctx);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start DMA: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t import_memory(struct dma_copy *copy, struct engine *engine)
{
    const struct export_message *export = copy->export;
    const doca_error_t result = doca_mmap_create_from_export(
        NULL, export->descriptor, ntohl(export->descriptor_len), copy->dev, &engine->remote_mmap);

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to create mmap from export: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t get_bufs(struct dma_copy *copy, struct engine *engine)
{
    void *remote_addr = (void *)(uintptr_t)be64toh(copy->export->addr);
    doca_error_t result = doca_buf_inventory_create(NUM_BUFS, &engine->inventory);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(engine->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(engine->inventory, copy->mmap, copy->memory,
                                                    copy->file_size, &engine->local);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(engine->inventory, engine->remote_mmap,
                                                    remote_addr, copy->file_size, &engine->remote);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to get buffers: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t copy_bytes(struct dma_copy *copy, struct engine *engine)
{
    const bool is_source = copy->config->has_file;
    struct doca_buf *src = is_source ? engine->local : engine->remote;
    struct doca_buf *dst = is_source ? engine->remote : engine->local;
    struct doca_dma_task_memcpy *task = NULL;
    void *addr = NULL;
    doca_error_t result = doca_buf_get_head(src, &addr);

    if (result == DOCA_SUCCESS)
        result = doca_buf_set_data(src, addr, copy->file_size);
    if (result == DOCA_SUCCESS)
        result =
            doca_dma_task_memcpy_alloc_init(engine->dma, src, dst, (union doca_data){0}, &task);
    if (result == DOCA_SUCCESS) {
        result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
        if (result != DOCA_SUCCESS)
            doca_task_free(doca_dma_task_memcpy_as_task(task));
    }
    while (result == DOCA_SUCCESS && !engine->is_done) {
        if (doca_pe_progress(engine->pe) == 0)
            usleep(NAP_US);
    }
    DOCA_ERROR_PROPAGATE(result, engine->result);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("DMA copy was done Successfully");
    else
        DOCA_LOG_ERR("DMA copy failed: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t stop_dma(struct engine *engine)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    const doca_error_t result = doca_ctx_stop(engine->ctx);

    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (doca_ctx_get_state(engine->ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
        (void)doca_pe_progress(engine->pe);
    return DOCA_SUCCESS;
}

static doca_error_t release(struct dma_copy *copy, struct engine *engine)
{
    doca_error_t result = DOCA_SUCCESS;

    if (engine->local != NULL)
        keep_first_error(&result, doca_buf_dec_refcount(engine->local, NULL), "release buffer");
    if (engine->remote != NULL)
        keep_first_error(&result, doca_buf_dec_refcount(engine->remote, NULL), "release buffer");
    if (engine->ctx != NULL)
        keep_first_error(&result, stop_dma(engine), "stop DMA");
    if (engine->dma != NULL)
        keep_first_error(&result, doca_dma_destroy(engine->dma), "destroy DMA");
    if (engine->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(engine->pe), "destroy PE");
    if (engine->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(engine->inventory),
                         "destroy inventory");
    if (engine->remote_mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(engine->remote_mmap), "destroy remote mmap");

    const doca_error_t released = dma_copy_release(copy);
    DOCA_ERROR_PROPAGATE(result, released);
    return result;
}

/* ---- the whole ---- */

static doca_error_t transfer(struct dma_copy *copy, struct engine *engine)
{
    const bool is_source = copy->config->has_file;
    doca_error_t result = dma_copy_open_device(copy);

    if (result == DOCA_SUCCESS)
        result = start_dma(copy, engine);
    if (result == DOCA_SUCCESS)
        result = dma_copy_negotiate(copy);
    if (result == DOCA_SUCCESS)
        result = import_memory(copy, engine);
    if (result == DOCA_SUCCESS)
        result = is_source ? dma_copy_load_file(copy, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY)
                           : dma_copy_make_room(copy, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = get_bufs(copy, engine);
    if (result == DOCA_SUCCESS)
        result = copy_bytes(copy, engine);
    if (result == DOCA_SUCCESS && !is_source)
        result = dma_copy_save_file(copy);
    return result;
}

doca_error_t dma_copy_on_dpu(struct dma_copy *copy)
{
    struct engine engine = {0};

    if (copy->config->has_file)
        DOCA_LOG_INFO("File was found locally, it will be DMA copied to the Host");
    else
        DOCA_LOG_INFO("File was not found locally, it will be DMA copied from the Host");

    doca_error_t result = transfer(copy, &engine);
    if (comch_utils_get_connection(copy->comch) != NULL) {
        const doca_error_t sent = dma_copy_send_status(copy, result == DOCA_SUCCESS);

        if (sent != DOCA_SUCCESS) /* the host would wait for ever, and we for the host */
            comch_utils_disconnect(copy->comch);
        DOCA_ERROR_PROPAGATE(result, sent);
    }
    const doca_error_t released = release(copy, &engine);
    DOCA_ERROR_PROPAGATE(result, released);
    return result;
}
