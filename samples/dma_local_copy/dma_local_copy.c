/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A local DMA copy from beginning to end. Each task has its own part of a source block and of a
 * destination block, cut into pieces that are chained to lists.
 */

#include "dma_local_copy.h"

#include "../common.h"
#include "../dma_common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(DMA_LOCAL_COPY);

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
    struct dma_engine engine;

    uint32_t num_remaining_tasks;
    doca_error_t result; /* the first failure of a task */
};

/* ---- callbacks, all called by doca_pe_progress; a task carries the struct local_copy ---- */

static void end_task(struct local_copy *copy, struct doca_dma_task_memcpy *task)
{
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    if (--copy->num_remaining_tasks == 0)
        (void)doca_ctx_stop(copy->engine.ctx); /* idle in a later doca_pe_progress */
}

static void memcpy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                             union doca_data ctx_user_data)
{
    (void)ctx_user_data;
    DOCA_LOG_INFO("DMA task was completed successfully");
    end_task(task_user_data.ptr, task);
}

static void memcpy_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                          union doca_data ctx_user_data)
{
    struct local_copy *copy = task_user_data.ptr;
    const doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    (void)ctx_user_data;
    DOCA_LOG_ERR("DMA task failed: %s", doca_error_get_descr(status));
    DOCA_ERROR_PROPAGATE(copy->result, status);
    end_task(copy, task);
}

/* ---- set-up ---- */

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
        result = doca_pe_create(&copy->engine.pe);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to create DOCA core objects: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t request_profiling(const struct local_copy *copy)
{
    if (copy->config->max_num_ranges == 0)
        return DOCA_SUCCESS;
    const doca_error_t result =
        doca_ctx_profiler_set_max_nranges(copy->engine.ctx, copy->config->max_num_ranges);
    if (result != DOCA_ERROR_NOT_SUPPORTED)
        return result;
    DOCA_LOG_WARN("Range profiling is not supported; going on without");
    return DOCA_SUCCESS;
}

static doca_error_t check_num_tasks(const struct local_copy *copy)
{
    const uint32_t num_tasks = copy->config->num_tasks;
    uint32_t max_num_tasks = 0;
    const doca_error_t result = doca_dma_cap_get_max_num_tasks(copy->engine.dma, &max_num_tasks);

    if (result != DOCA_SUCCESS)
        return result;
    if (num_tasks > max_num_tasks) {
        DOCA_LOG_ERR("%u tasks requested, the device supports %u", num_tasks, max_num_tasks);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

static doca_error_t start_dma(struct local_copy *copy)
{
    struct dma_engine *engine = &copy->engine;
    doca_error_t result = doca_dma_create(copy->dev, &engine->dma);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to create DMA context: %s", doca_error_get_descr(result));
        return result;
    }
    engine->ctx = doca_dma_as_ctx(engine->dma);
    result = check_num_tasks(copy);
    if (result == DOCA_SUCCESS)
        result = dma_configure(engine, memcpy_completed, memcpy_failed, copy->config->num_tasks);
    if (result == DOCA_SUCCESS)
        result = request_profiling(copy);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(engine->ctx);
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

static doca_error_t get_buf_lists(struct local_copy *copy, uint32_t index)
{
    const size_t offset = index * copy->text_size;
    const struct dma_area src = {copy->src.mmap, copy->src.memory + offset, copy->text_size,
                                 copy->config->num_src_buf, true};
    const struct dma_area dst = {copy->dst.mmap, copy->dst.memory + offset, copy->text_size,
                                 copy->config->num_dst_buf, false};
    const doca_error_t result = dma_get_buf_list(copy->inventory, &src, &copy->src.lists[index]);

    if (result != DOCA_SUCCESS)
        return result;
    return dma_get_buf_list(copy->inventory, &dst, &copy->dst.lists[index]);
}

static doca_error_t submit_task(struct local_copy *copy, uint32_t index)
{
    const union doca_data task_user_data = {.ptr = copy};
    struct doca_dma_task_memcpy *task = NULL;
    doca_error_t result = get_buf_lists(copy, index);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_dma_task_memcpy_alloc_init(copy->engine.dma, copy->src.lists[index],
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
    dma_progress_until_idle(&copy->engine);
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

static doca_error_t destroy_core_objects(struct local_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    if (copy->engine.pe != NULL)
        keep_first_error(&result, doca_pe_destroy(copy->engine.pe), "destroy PE");
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

    /* First, for its tasks use the lists: after a submit that failed some are still in flight. */
    keep_first_error(&result, dma_destroy(&copy->engine), "end DMA context");
    keep_first_error(&result, release_lists(&copy->src, num_tasks), "release source lists");
    keep_first_error(&result, release_lists(&copy->dst, num_tasks), "release destination lists");
    keep_first_error(&result, destroy_core_objects(copy), "destroy core objects");
    /* Closed and forgotten above: closing nothing is no error, whoever owns the device last. */
    keep_first_error(&result, doca_dev_close(copy->dev), "close device");
    free(copy->src.memory);
    free(copy->dst.memory);
    return result;
}

static doca_error_t allocate_memory(struct local_copy *copy)
{
    const size_t num_tasks = copy->config->num_tasks;

    copy->text_size = strlen(copy->config->text) + 1;
    copy->src.memory = dma_allocate(copy->text_size * num_tasks);
    copy->dst.memory = dma_allocate(copy->text_size * num_tasks);
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
        result = dma_check_list_len(copy.dev, config->num_src_buf, config->num_dst_buf);
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
