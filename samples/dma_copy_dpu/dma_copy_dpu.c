/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The DPU side of a copy across PCIe: makes an mmap from what the host exported and copies the
 * host's memory into its own. The buffers of the source have addresses of the host, which mean
 * nothing to this process: only the device reaches them.
 */

#include "../common.h"
#include "../dma_common.h"
#include "../dma_copy_common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(DMA_COPY_DPU);

#define MAX_DESCRIPTOR_LEN 512 /* what an export has at most */
#define MAX_NUMBER_LEN 32      /* a line of the buffer information */

struct remote_copy {
    const struct dma_copy_config *config;
    char descriptor[MAX_DESCRIPTOR_LEN];
    size_t descriptor_len;
    uint64_t remote_addr; /* in the host's process */
    uint64_t len;
    char *memory;

    struct doca_dev *dev;
    struct doca_mmap *remote_mmap;
    struct doca_mmap *local_mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src;
    struct doca_buf *dst;
    struct dma_engine engine;

    doca_error_t result; /* of the task */
};

/* ---- callbacks, called by doca_pe_progress; the task carries the struct remote_copy ---- */

static void end_task(struct remote_copy *copy, struct doca_dma_task_memcpy *task)
{
    doca_task_free(doca_dma_task_memcpy_as_task(task));
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
    struct remote_copy *copy = task_user_data.ptr;

    (void)ctx_user_data;
    copy->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    DOCA_LOG_ERR("DMA task failed: %s", doca_error_get_descr(copy->result));
    end_task(copy, task);
}

/* ---- what the host left ---- */

static doca_error_t read_descriptor(struct remote_copy *copy)
{
    const char *path = copy->config->descriptor_path;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        DOCA_LOG_ERR("Failed to open file %s: %s", path, strerror(errno));
        return DOCA_ERROR_IO_FAILED;
    }
    copy->descriptor_len = fread(copy->descriptor, 1, sizeof(copy->descriptor), file);
    fclose(file);
    if (copy->descriptor_len == 0) {
        DOCA_LOG_ERR("Failed to read an export descriptor from file %s", path);
        return DOCA_ERROR_IO_FAILED;
    }
    return DOCA_SUCCESS;
}

static bool read_number(FILE *file, uint64_t *number)
{
    char line[MAX_NUMBER_LEN] = "", *end = line;

    if (fgets(line, sizeof(line), file) == NULL)
        return false;
    errno = 0;
    *number = strtoull(line, &end, 0);
    return errno == 0 && end != line && (*end == '\0' || isspace((unsigned char)*end));
}

static doca_error_t read_buffer_info(struct remote_copy *copy)
{
    const char *path = copy->config->buffer_path;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        DOCA_LOG_ERR("Failed to open file %s: %s", path, strerror(errno));
        return DOCA_ERROR_IO_FAILED;
    }
    const bool is_read = read_number(file, &copy->remote_addr) && read_number(file, &copy->len);
    fclose(file);
    if (!is_read) {
        DOCA_LOG_ERR("File %s does not hold an address and a length, a line each", path);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return DOCA_SUCCESS;
}

/* ---- set-up ---- */

static doca_error_t check_len(const struct remote_copy *copy)
{
    uint64_t max_len = 0;
    const doca_error_t result =
        doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(copy->dev), &max_len);

    if (result != DOCA_SUCCESS)
        return result;
    if (copy->len == 0) {
        DOCA_LOG_ERR("The host's memory is empty");
        return DOCA_ERROR_EMPTY;
    }
    if (copy->len > max_len) {
        DOCA_LOG_ERR("The host's memory has %llu bytes, the device copies at most %llu",
                     (unsigned long long)copy->len, (unsigned long long)max_len);
        return DOCA_ERROR_TOO_BIG;
    }
    return DOCA_SUCCESS;
}

static doca_error_t start_dma(struct remote_copy *copy)
{
    struct dma_engine *engine = &copy->engine;
    doca_error_t result = doca_pe_create(&engine->pe);

    if (result == DOCA_SUCCESS)
        result = doca_dma_create(copy->dev, &engine->dma);
    if (result == DOCA_SUCCESS) {
        engine->ctx = doca_dma_as_ctx(engine->dma);
        result = dma_configure(engine, memcpy_completed, memcpy_failed, 1);
    }
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(engine->ctx);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start DMA context: %s", doca_error_get_descr(result));
    return result;
}

/* One byte more than the copy needs ends what is shown as a text. */
static doca_error_t create_local_mmap(struct remote_copy *copy)
{
    doca_error_t result = DOCA_ERROR_NO_MEMORY;

    copy->memory = dma_allocate(copy->len + 1);
    if (copy->memory != NULL) {
        memset(copy->memory, 0, copy->len + 1);
        result = doca_mmap_create(&copy->local_mmap);
    }
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(copy->local_mmap, copy->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(copy->local_mmap, copy->memory, copy->len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(copy->local_mmap);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start local mmap: %s", doca_error_get_descr(result));
    return result;
}

/* It has the host's range already and is never started. */
static doca_error_t create_remote_mmap(struct remote_copy *copy)
{
    const doca_error_t result = doca_mmap_create_from_export(
        NULL, copy->descriptor, copy->descriptor_len, copy->dev, &copy->remote_mmap);

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to create mmap from export: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t get_buf_lists(struct remote_copy *copy)
{
    const struct dma_copy_config *config = copy->config;
    const struct dma_area src = {copy->remote_mmap, (char *)(uintptr_t)copy->remote_addr, copy->len,
                                 config->num_src_buf, true};
    const struct dma_area dst = {copy->local_mmap, copy->memory, copy->len, config->num_dst_buf,
                                 false};
    doca_error_t result = doca_buf_inventory_create(
        (size_t)config->num_src_buf + config->num_dst_buf, &copy->inventory);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(copy->inventory);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to start inventory: %s", doca_error_get_descr(result));
        return result;
    }
    result = dma_get_buf_list(copy->inventory, &src, &copy->src);
    if (result == DOCA_SUCCESS)
        result = dma_get_buf_list(copy->inventory, &dst, &copy->dst);
    return result;
}

/* ---- the copy ---- */

static doca_error_t run_task(struct remote_copy *copy)
{
    const union doca_data task_user_data = {.ptr = copy};
    struct doca_dma_task_memcpy *task = NULL;
    doca_error_t result = doca_dma_task_memcpy_alloc_init(copy->engine.dma, copy->src, copy->dst,
                                                          task_user_data, &task);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to allocate DMA task: %s", doca_error_get_descr(result));
        return result;
    }
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to submit DMA task: %s", doca_error_get_descr(result));
        doca_task_free(doca_dma_task_memcpy_as_task(task));
        return result;
    }
    dma_progress_until_idle(&copy->engine);
    if (copy->result == DOCA_SUCCESS) {
        DOCA_LOG_INFO("Remote DMA copy was done Successfully");
        DOCA_LOG_INFO("Memory content: %s", copy->memory);
    }
    DOCA_LOG_INFO("Host sample can be closed, DMA copy ended");
    return copy->result;
}

/* ---- clean-up ---- */

static doca_error_t clean_up(struct remote_copy *copy)
{
    doca_error_t result = DOCA_SUCCESS;

    if (copy->src != NULL) /* the whole list goes with its head */
        keep_first_error(&result, doca_buf_dec_refcount(copy->src, NULL), "release source");
    if (copy->dst != NULL)
        keep_first_error(&result, doca_buf_dec_refcount(copy->dst, NULL), "release destination");
    keep_first_error(&result, dma_destroy(&copy->engine), "end DMA context");
    if (copy->engine.pe != NULL)
        keep_first_error(&result, doca_pe_destroy(copy->engine.pe), "destroy PE");
    if (copy->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(copy->inventory), "destroy inventory");
    if (copy->remote_mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(copy->remote_mmap), "destroy remote mmap");
    if (copy->local_mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(copy->local_mmap), "destroy local mmap");
    if (copy->dev != NULL)
        keep_first_error(&result, doca_dev_close(copy->dev), "close device");
    free(copy->memory);
    return result;
}

static doca_error_t dma_copy_dpu(const struct dma_copy_config *config)
{
    struct remote_copy copy = {.config = config};
    doca_error_t result =
        open_device(config->pci_addr, doca_dma_cap_task_memcpy_is_supported, &copy.dev);

    if (result == DOCA_SUCCESS)
        result = dma_check_list_len(copy.dev, config->num_src_buf, config->num_dst_buf);
    if (result == DOCA_SUCCESS)
        result = read_descriptor(&copy);
    if (result == DOCA_SUCCESS)
        result = read_buffer_info(&copy);
    if (result == DOCA_SUCCESS)
        result = check_len(&copy);
    if (result == DOCA_SUCCESS)
        result = start_dma(&copy);
    if (result == DOCA_SUCCESS)
        result = create_local_mmap(&copy);
    if (result == DOCA_SUCCESS)
        result = create_remote_mmap(&copy);
    if (result == DOCA_SUCCESS)
        result = get_buf_lists(&copy);
    if (result == DOCA_SUCCESS)
        result = run_task(&copy);

    const doca_error_t cleaned = clean_up(&copy);
    DOCA_ERROR_PROPAGATE(result, cleaned);
    return result;
}

int main(int argc, char **argv)
{
    const struct dma_copy_program program = {
        .name = "doca_dma_copy_dpu",
#ifndef DOCA_ARCH_DPU
        .wrong_side = "Sample can run only on the DPU",
#else
        .reads_files = true,
#endif
        .run = dma_copy_dpu,
    };

    return dma_copy_main(argc, argv, &program);
}
