/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "dma_common.h"

#include "common.h"

#include <doca_log.h>

#include <stdlib.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_COMMON);

#define NAP_US 10
#define CACHE_LINE 64

char *dma_allocate(size_t len)
{
    void *memory = NULL;

    return posix_memalign(&memory, CACHE_LINE, len) == 0 ? memory : NULL;
}

doca_error_t dma_check_list_len(const struct doca_dev *dev, uint32_t num_src_buf,
                                uint32_t num_dst_buf)
{
    const uint64_t num_bufs = (uint64_t)num_src_buf + num_dst_buf;
    uint32_t max_list_len = 0;
    const doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(dev), &max_list_len);

    if (result != DOCA_SUCCESS)
        return result;
    if (num_bufs > max_list_len) {
        DOCA_LOG_ERR("A task has %llu buffers, the device supports lists of %u",
                     (unsigned long long)num_bufs, max_list_len);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

doca_error_t dma_get_buf_list(struct doca_buf_inventory *inventory, const struct dma_area *area,
                              struct doca_buf **list)
{
    const size_t piece_len = area->len / area->num_bufs;
    size_t len = piece_len + area->len % area->num_bufs;
    char *addr = area->addr;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < area->num_bufs && len != 0; i++) {
        struct doca_buf *buf = NULL;

        result = doca_buf_inventory_buf_get_by_addr(inventory, area->mmap, addr, len, &buf);
        if (result != DOCA_SUCCESS)
            break;
        if (area->has_data)
            (void)doca_buf_set_data(buf, addr, len);
        if (*list == NULL)
            *list = buf;
        else
            result = doca_buf_chain_list(*list, buf);
        if (result != DOCA_SUCCESS) {
            (void)doca_buf_dec_refcount(buf, NULL);
            break;
        }
        addr += len;
        len = piece_len;
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to get a list of buffers: %s", doca_error_get_descr(result));
    return result;
}

/* Called by doca_ctx_start, doca_ctx_stop and doca_pe_progress. */
static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct dma_engine *engine = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("DMA context has been stopped");
        engine->is_running = false;
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_ERR("DMA context entered into starting state. Unexpected transition");
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("DMA context is running");
        engine->is_running = true;
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO(
            "DMA context entered into stopping state. Any inflight tasks will be flushed");
        break;
    }
}

doca_error_t dma_configure(struct dma_engine *engine,
                           doca_dma_task_memcpy_completion_cb_t completed,
                           doca_dma_task_memcpy_completion_cb_t failed, uint32_t num_tasks)
{
    const union doca_data ctx_user_data = {.ptr = engine};
    doca_error_t result = doca_ctx_set_state_changed_cb(engine->ctx, state_changed);

    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_set_conf(engine->dma, completed, failed, num_tasks);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(engine->ctx, ctx_user_data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(engine->pe, engine->ctx);
    return result;
}

void dma_progress_until_idle(struct dma_engine *engine)
{
    while (engine->is_running) {
        if (doca_pe_progress(engine->pe) == 0)
            usleep(NAP_US);
    }
}

doca_error_t dma_destroy(struct dma_engine *engine)
{
    doca_error_t result = DOCA_SUCCESS;

    if (engine->dma == NULL)
        return result;
    if (engine->is_running) { /* something failed before the last task had ended */
        const doca_error_t stopped = doca_ctx_stop(engine->ctx);

        if (stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS)
            dma_progress_until_idle(engine);
        else
            keep_first_error(&result, stopped, "stop DMA context");
    }
    keep_first_error(&result, doca_dma_destroy(engine->dma), "destroy DMA context");
    return result;
}
