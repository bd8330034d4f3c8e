/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A local DMA copy from beginning to end. Each task has its own part of a source block and of a
 * destination block, cut into pieces that are chained to lists.
 */

#include "dma_local_copy.h"

#include "../common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(DMA_LOCAL_COPY);

#define NAP_US 10
#define CACHE_LINE 64 /* what a card copies best from and to */

/* The blocks of memory and the lists of buffers over them; entry i belongs to task i. */
struct side {
    char *memory;
    struct doca_mmap *mmap;
    struct doca_buf *lists[MAX_NUM_TASKS];
};

struct local_copy {
    const struct dma_local_copy_config *config;
    size_t text_size; /* bytes that a task copies */

    struct doca_dev *dev;
    struct side src;
    struct side dst;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx; /* the same object as dma */

    uint32_t num_remaining_tasks;
    bool is_running;
    doca_error_t result; /* the first failure of a task */
};

/* ---- callbacks, all called by doca_ctx_start, doca_ctx_stop and doca_pe_progress ---- */

static void end_task(struct local_copy *copy, struct doca_dma_task_memcpy *task)
{
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    if (--copy->num_remaining_tasks == 0)
        (void)doca_ctx_stop(copy->ctx); /* idle in a later doca_pe_progress */
}

static void memcpy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                             union doca_data ctx_user_data)
{
    (void)task_user_data;
    DOCA_LOG_INFO("DMA task was completed successfully");
    end_task(ctx_user_data.ptr, task);
}

static void memcpy_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                          union doca_data ctx_user_data)
{
    struct local_copy *copy = ctx_user_data.ptr;
    const doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    (void)task_user_data;
    DOCA_LOG_ERR("DMA task failed: %s", doca_error_get_descr(status));
    DOCA_ERROR_PROPAGATE(copy->result, status);
    end_task(copy, task);
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct local_copy *copy = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("DMA context has been stopped");
        copy->is_running = false;
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_ERR("DMA context entered into starting state. Unexpected transition");
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("DMA context is running");
        copy->is_running = true;
        break;
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO(
            "DMA context entered into stopping state. Any inflight tasks will be flushed");
        break;
    }
}

static void progress_until_idle(struct local_copy *copy)
{
    while (copy->is_running) {
        if (doca_pe_progress(copy->pe) == 0)
            usleep(NAP_US);
    }
}

/* ---- set-up ---- */

static doca_error_t check_list_len(const struct local_copy *copy)
{
    const uint64_t num_bufs = (uint64_t)copy->config->num_src_buf + copy->config->num_dst_buf;
    uint32_t max_list_len = 0;
    const doca_error_t result = doca_dma_cap_task_memcpy_get_max_buf_list_len(
        doca_dev_as_devinfo(copy->dev), &max_list_len);

    if (result != DOCA_SUCCESS)
        return result;
    if (num_bufs > max_list_len) {
        DOCA_LOG_ERR("A task has %llu buffers, the device supports lists of %u",
                     (unsigned long long)num_bufs, max_list_len);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

/* Devices now, memory when the context runs: an mmap can be completed at any time before its start.
 */
static doca_error_t create_mmap(struct local_copy *copy, struct side *side)
{
    const doca_error_t result = doca_mmap_create(&side->mmap);

    if (result != DOCA_SUCCESS)
        return result;
    return doca_mmap_add_dev(side->mmap, copy->dev);
}

static doca_error_t create_core_objects(struct local_copy *copy)
{
    const struct dma_local_copy_config *config = copy->config;
    const size_t num_bufs = ((size_t)config->num_src_buf + config->num_dst_buf) * config->num_tasks;
    doca_error_t result = create_mmap(copy, &copy->src);

    if (result == DOCA_SUCCESS)
        result = create_mmap(copy, &copy->dst);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(num_bufs, &copy->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(copy->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&copy->pe);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to create DOCA core objects: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t request_profiling(const struct local_copy *copy)
{
    if (copy->config->max_num_ranges == 0)
        return DOCA_SUCCESS;
    const doca_error_t result =
        doca_ctx_profiler_set_max_nranges(copy->ctx, copy->config->max_num_ranges);
    if (result != DOCA_ERROR_NOT_SUPPORTED)
        return result;
    DOCA_LOG_WARN("Range profiling is not supported; going on without");
    return DOCA_SUCCESS;
}

static doca_error_t configure_dma(struct local_copy *copy)
{
    const uint32_t num_tasks = copy->config->num_tasks;
    const union doca_data ctx_user_data = {.ptr = copy};
    uint32_t max_num_tasks = 0;
    doca_error_t result = doca_ctx_set_state_changed_cb(copy->ctx, state_changed);

    if (result == DOCA_SUCCESS)
        result = doca_dma_cap_get_max_num_tasks(copy->dma, &max_num_tasks);
    if (result != DOCA_SUCCESS)
        return result;
    if (num_tasks > max_num_tasks) {
        DOCA_LOG_ERR("%u tasks requested, the device supports %u", num_tasks, max_num_tasks);
        return DOCA_ERROR_INVALID_VALUE;
    }
    result = doca_dma_task_memcpy_set_conf(copy->dma, memcpy_completed, memcpy_failed, num_tasks);
    if (result == DOCA_SUCCESS)
        result = request_profiling(copy);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(copy->ctx, ctx_user_data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(copy->pe, copy->ctx);
    return result;
}

static doca_error_t start_dma(struct local_copy *copy)
{
    doca_error_t result = doca_dma_create(copy->dev, &copy->dma);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to create DMA context: %s", doca_error_get_descr(result));
        return result;
    }
    copy->ctx = doca_dma_as_ctx(copy->dma);
    result = configure_dma(copy);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(copy->ctx);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start DMA context: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t give_memory(struct local_copy *copy, struct side *side)
{
    const size_t len = copy->text_size * copy->config->num_tasks;
    doca_error_t result = doca_mmap_set_memrange(side->mmap, side->memory, len);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(side->mmap);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start mmap: %s", doca_error_get_descr(result));
    return result;
}

/* ---- tasks ---- */

/*
 * Cover len bytes at addr with a list of num buffers. All have the same size, but for the first,
 * which takes the remainder. Only a source has data; the copy fills a destination.
 */
static doca_error_t get_buf_list(struct local_copy *copy, struct side *side, char *addr,
                                 uint32_t num, bool has_data, struct doca_buf **list)
{
    const size_t piece_len = copy->text_size / num;
    size_t len = piece_len + copy->text_size % num;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < num && len != 0; i++) {
        struct doca_buf *buf = NULL;

        result = doca_buf_inventory_buf_get_by_addr(copy->inventory, side->mmap, addr, len, &buf);
        if (result != DOCA_SUCCESS)
            break;
        if (has_data)
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

static doca_error_t submit_task(struct local_copy *copy, uint32_t index)
{
    const size_t offset = index * copy->text_size;
    const union doca_data task_user_data = {.u64 = index};
    struct doca_dma_task_memcpy *task = NULL;
    doca_error_t result = get_buf_list(copy, &copy->src, copy->src.memory + offset,
                                       copy->config->num_src_buf, true, &copy->src.lists[index]);

    if (result == DOCA_SUCCESS)
        result = get_buf_list(copy, &copy->dst, copy->dst.memory + offset,
                              copy->config->num_dst_buf, false, &copy->dst.lists[index]);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dma_task_memcpy_alloc_init(copy->dma, copy->src.lists[index],
                                             copy->dst.lists[index], task_user_data, &task);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to allocate DMA task: %s", doca_error_get_descr(result));
        return result;
    }
    struct doca_task *generic_task = doca_dma_task_memcpy_as_task(task);
    if (copy->config->max_num_ranges == 0)
        result = doca_task_submit(generic_task);
    else
        result =
            doca_task_submit_ex(generic_task, DOCA_TASK_SUBMIT_FLAG_FLUSH |
                                                  DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to submit DMA task: %s", doca_error_get_descr(result));
        doca_task_free(generic_task);
        return result;
    }
    copy->num_remaining_tasks++;
    return DOCA_SUCCESS;
}

static doca_error_t compare(const struct local_copy *copy)
{
    for (uint32_t i = 0; i < copy->config->num_tasks; i++) {
        if (strcmp(copy->dst.memory + i * copy->text_size, copy->config->text) != 0) {
            DOCA_LOG_ERR("DMA memory task %u: the copy differs from the text", i);
            return DOCA_ERROR_UNEXPECTED;
        }
        DOCA_LOG_INFO("Success, DMA memory task %d copied and verified as correct", (int)i);
    }
    return DOCA_SUCCESS;
}

static doca_error_t run_tasks(struct local_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    memset(copy->dst.memory, 0, copy->text_size * copy->config->num_tasks);
    for (uint32_t i = 0; i < copy->config->num_tasks && result == DOCA_SUCCESS; i++)
        result = submit_task(copy, i);
    if (result != DOCA_SUCCESS)
        return result;
    progress_until_idle(copy);
    return copy->result != DOCA_SUCCESS ? copy->result : compare(copy);
}

/* ---- clean-up ---- */

static doca_error_t release_lists(struct side *side, uint32_t num)
{
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < num; i++) {
        if (side->lists[i] != NULL) /* the whole list goes with its head */
            keep_first_error(&result, doca_buf_dec_refcount(side->lists[i], NULL),
                             "release a list of buffers");
    }
    return result;
}

/* After a good run the context is idle already, and stopping it once more changes nothing. */
static doca_error_t stop_dma(struct local_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    if (copy->dma == NULL)
        return result;
    const doca_error_t stopped = doca_ctx_stop(copy->ctx);
    if (stopped == DOCA_ERROR_IN_PROGRESS)
        progress_until_idle(copy);
    else
        keep_first_error(&result, stopped, "stop DMA context");
    keep_first_error(&result, doca_dma_destroy(copy->dma), "destroy DMA context");
    return result;
}

static doca_error_t destroy_core_objects(struct local_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    if (copy->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(copy->pe), "destroy PE");
    if (copy->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(copy->inventory), "destroy inventory");
    if (copy->src.mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(copy->src.mmap), "destroy source mmap");
    if (copy->dst.mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(copy->dst.mmap), "destroy destination mmap");
    keep_first_error(&result, doca_dev_close(copy->dev), "close device");
    copy->dev = NULL;
    return result;
}

static doca_error_t clean_up(struct local_copy *copy)
{
    const uint32_t num_tasks = copy->config->num_tasks;
    doca_error_t result = DOCA_SUCCESS;

    if (copy->is_running && copy->num_remaining_tasks != 0) { /* a submit failed half-way */
        (void)doca_ctx_stop(copy->ctx);
        progress_until_idle(copy);
    }
    keep_first_error(&result, release_lists(&copy->src, num_tasks), "release source lists");
    keep_first_error(&result, release_lists(&copy->dst, num_tasks), "release destination lists");
    keep_first_error(&result, stop_dma(copy), "end DMA context");
    keep_first_error(&result, destroy_core_objects(copy), "destroy core objects");
    /* Closed and forgotten above: closing nothing is no error, whoever owns the device last. */
    keep_first_error(&result, doca_dev_close(copy->dev), "close device");
    free(copy->src.memory);
    free(copy->dst.memory);
    return result;
}

static char *allocate_block(size_t len)
{
    void *block = NULL;

    return posix_memalign(&block, CACHE_LINE, len) == 0 ? block : NULL;
}

static doca_error_t allocate_memory(struct local_copy *copy)
{
    const size_t num_tasks = copy->config->num_tasks;

    copy->text_size = strlen(copy->config->text) + 1;
    copy->src.memory = allocate_block(copy->text_size * num_tasks);
    copy->dst.memory = allocate_block(copy->text_size * num_tasks);
    if (copy->src.memory == NULL || copy->dst.memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (size_t i = 0; i < num_tasks; i++)
        memcpy(copy->src.memory + i * copy->text_size, copy->config->text, copy->text_size);
    return DOCA_SUCCESS;
}

doca_error_t dma_local_copy(const struct dma_local_copy_config *config)
{
    struct local_copy copy = {.config = config};
    doca_error_t result = allocate_memory(&copy);

    if (result == DOCA_SUCCESS)
        result = open_device(config->pci_addr, doca_dma_cap_task_memcpy_is_supported, &copy.dev);
    if (result == DOCA_SUCCESS)
        result = check_list_len(&copy);
    if (result == DOCA_SUCCESS)
        result = create_core_objects(&copy);
    if (result == DOCA_SUCCESS)
        result = start_dma(&copy);
    if (result == DOCA_SUCCESS)
        result = give_memory(&copy, &copy.dst);
    if (result == DOCA_SUCCESS)
        result = give_memory(&copy, &copy.src);
    if (result == DOCA_SUCCESS)
        result = run_tasks(&copy);

    const doca_error_t cleaned = clean_up(&copy);
    DOCA_ERROR_PROPAGATE(result, cleaned);
    return result;
}
