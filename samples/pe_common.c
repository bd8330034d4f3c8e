/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "pe_common.h"

#include "common.h"

#include <doca_argp.h>
#include <doca_log.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(PE::COMMON);

#define NAP_US 10
#define CACHE_LINE 64 /* what a card copies best from and to */

static uint8_t pattern_of(uint32_t pair)
{
    return (uint8_t)(pair % UINT8_MAX +
                     1); /* never 0, which is what an untouched destination holds */
}

void pe_keep_error(struct pe_sample *sample, doca_error_t result)
{
    DOCA_ERROR_PROPAGATE(sample->result, result);
}

/* ---- tasks and buffers ---- */

doca_error_t pe_get_bufs(struct pe_sample *sample, uint32_t pair, struct doca_buf **src,
                         struct doca_buf **dst)
{
    uint8_t *src_addr = sample->memory + (size_t)pair * PAIR_SIZE;
    uint8_t *dst_addr = src_addr + (size_t)sample->num_pairs * PAIR_SIZE;

    memset(src_addr, pattern_of(pair), PAIR_SIZE);
    memset(dst_addr, 0, PAIR_SIZE);

    /* By data: all bytes of the source are to be copied. By address: the destination is empty. */
    doca_error_t result = doca_buf_inventory_buf_get_by_data(sample->inventory, sample->mmap,
                                                             src_addr, PAIR_SIZE, src);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_buf_inventory_buf_get_by_addr(sample->inventory, sample->mmap, dst_addr,
                                                PAIR_SIZE, dst);
    if (result != DOCA_SUCCESS)
        (void)doca_buf_dec_refcount(*src, NULL);
    return result;
}

doca_error_t pe_alloc_copy(struct pe_sample *sample, struct doca_dma *dma, uint32_t pair,
                           struct doca_dma_task_memcpy **task)
{
    struct doca_buf *src = NULL;
    struct doca_buf *dst = NULL;
    const union doca_data user_data = {.u64 = pair};
    doca_error_t result = pe_get_bufs(sample, pair, &src, &dst);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to get buffers: %s", doca_error_get_descr(result));
        return result;
    }
    result = doca_dma_task_memcpy_alloc_init(dma, src, dst, user_data, task);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to allocate task: %s", doca_error_get_descr(result));
        (void)doca_buf_dec_refcount(src, NULL);
        (void)doca_buf_dec_refcount(dst, NULL);
    }
    return result;
}

doca_error_t pe_submit_copy(struct pe_sample *sample, struct doca_dma *dma, uint32_t pair)
{
    struct doca_dma_task_memcpy *task = NULL;
    doca_error_t result = pe_alloc_copy(sample, dma, pair, &task);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to submit task: %s", doca_error_get_descr(result));
        pe_free_copy(task);
    }
    return result;
}

doca_error_t pe_check_copy(const struct doca_dma_task_memcpy *task, uint32_t pair)
{
    const struct doca_buf *dst = doca_dma_task_memcpy_get_dst(task);
    const uint8_t expected = pattern_of(pair);
    void *data = NULL;
    size_t len = 0;

    (void)doca_buf_get_data(dst, &data);
    (void)doca_buf_get_data_len(dst, &len);
    if (len != PAIR_SIZE) {
        DOCA_LOG_ERR("Task %u copied %zu bytes instead of %d", pair, len, PAIR_SIZE);
        return DOCA_ERROR_UNEXPECTED;
    }
    for (size_t i = 0; i < len; i++) {
        if (((const uint8_t *)data)[i] != expected) {
            DOCA_LOG_ERR("Task %u: byte %zu is wrong", pair, i);
            return DOCA_ERROR_UNEXPECTED;
        }
    }
    return DOCA_SUCCESS;
}

void pe_release_bufs(struct doca_dma_task_memcpy *task)
{
    (void)doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL);
    (void)doca_buf_dec_refcount(doca_dma_task_memcpy_get_dst(task), NULL);
}

void pe_free_copy(struct doca_dma_task_memcpy *task)
{
    pe_release_bufs(task);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* ---- callbacks ---- */

void pe_copy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                       union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;

    pe_keep_error(sample, pe_check_copy(task, (uint32_t)task_user_data.u64));
    sample->num_completed++;
    pe_free_copy(task);
}

void pe_copy_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                    union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;
    const doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));

    DOCA_LOG_INFO("Task %u failed: %s", (uint32_t)task_user_data.u64, doca_error_get_descr(status));
    sample->num_failed++;
    pe_free_copy(task);
}

void pe_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                      enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct pe_sample *sample = user_data.ptr;

    (void)ctx;
    (void)prev_state;
    sample->is_idle = next_state == DOCA_CTX_STATE_IDLE;
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("CTX has been stopped");
        break;
    case DOCA_CTX_STATE_STARTING: /* a DMA context starts within doca_ctx_start */
        DOCA_LOG_ERR("CTX entered into starting state unexpectedly");
        break;
    case DOCA_CTX_STATE_RUNNING:
        DOCA_LOG_INFO("CTX is running");
        break;
    case DOCA_CTX_STATE_STOPPING:
        if (sample->is_stop_requested)
            DOCA_LOG_INFO("CTX entered into stopping state");
        else
            DOCA_LOG_WARN("CTX moved to stopping state unexpectedly");
        break;
    }
}

/* ---- the DMA context ---- */

doca_error_t pe_create_dma(struct pe_sample *sample, uint32_t num_tasks,
                           doca_dma_task_memcpy_completion_cb_t completed,
                           doca_dma_task_memcpy_completion_cb_t failed, struct doca_dma **dma)
{
    const union doca_data user_data = {.ptr = sample};
    doca_error_t result = doca_dma_create(sample->dev, dma);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to create DMA: %s", doca_error_get_descr(result));
        return result;
    }
    struct doca_ctx *ctx = doca_dma_as_ctx(*dma);
    result = doca_dma_task_memcpy_set_conf(*dma, completed, failed, num_tasks);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(ctx, pe_state_changed);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(ctx, user_data);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(sample->pe, ctx);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to configure DMA: %s", doca_error_get_descr(result));
        (void)doca_dma_destroy(*dma);
        *dma = NULL;
    }
    return result;
}

doca_error_t pe_destroy_dma(struct pe_sample *sample, struct doca_dma **dma)
{
    if (*dma == NULL)
        return DOCA_SUCCESS;
    struct doca_ctx *ctx = doca_dma_as_ctx(*dma);
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    sample->is_stop_requested = true;
    doca_error_t result = doca_ctx_stop(ctx);
    while (result == DOCA_ERROR_IN_PROGRESS) {
        pe_progress_or_nap(sample);
        if (*dma == NULL) /* a state callback destroyed it */
            return DOCA_SUCCESS;
        if (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state == DOCA_CTX_STATE_IDLE)
            result = DOCA_SUCCESS;
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to stop DMA: %s", doca_error_get_descr(result));
    if (*dma == NULL)
        return result;
    keep_first_error(&result, doca_dma_destroy(*dma), "destroy DMA");
    *dma = NULL;
    return result;
}

void pe_progress_or_nap(struct pe_sample *sample)
{
    if (doca_pe_progress(sample->pe) == 0)
        usleep(NAP_US);
}

doca_error_t pe_expect_completed(const struct pe_sample *sample, uint32_t num_tasks)
{
    DOCA_LOG_INFO("%u tasks completed and verified as correct, %u failed", sample->num_completed,
                  sample->num_failed);
    if (sample->result != DOCA_SUCCESS)
        return sample->result;
    if (sample->num_completed != num_tasks || sample->num_failed != 0)
        return DOCA_ERROR_UNEXPECTED;
    return DOCA_SUCCESS;
}

/* ---- the program ---- */

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct pe_sample *sample = config;

    return keep_pci_addr(value, sample->pci_addr);
}

static doca_error_t parse_args(int argc, char **argv, const char *name, struct pe_sample *sample)
{
    const struct param pci_addr = {"p",
                                   "pci-addr",
                                   "<PCI-ADDRESS>",
                                   "DOCA DMA device PCI address (default " DEFAULT_PCI_ADDR ")",
                                   DOCA_ARGP_TYPE_STRING,
                                   set_pci_addr};
    doca_error_t result = doca_argp_init(name, sample);

    if (result != DOCA_SUCCESS)
        return result;
    result = register_param(&pci_addr);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    (void)doca_argp_destroy();
    return result;
}

static doca_error_t open_mmap(struct pe_sample *sample)
{
    const size_t len = (size_t)sample->num_pairs * 2 * PAIR_SIZE;

    sample->memory = aligned_alloc(CACHE_LINE, len);
    if (sample->memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result = doca_mmap_create(&sample->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(sample->mmap, sample->memory, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(sample->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(sample->mmap, sample->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(sample->mmap);
    return result;
}

static doca_error_t open_objects(struct pe_sample *sample)
{
    doca_error_t result =
        open_device(sample->pci_addr, doca_dma_cap_task_memcpy_is_supported, &sample->dev);

    if (result == DOCA_SUCCESS)
        result = open_mmap(sample);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create((size_t)sample->num_pairs * 2, &sample->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(sample->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&sample->pe);
    return result;
}

static doca_error_t close_objects(struct pe_sample *sample)
{
    doca_error_t result = pe_destroy_dma(sample, &sample->dma);

    /* In the reverse order: each object is still used by those made after it. */
    if (sample->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(sample->pe), "destroy PE");
    if (sample->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(sample->inventory),
                         "destroy inventory");
    if (sample->mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(sample->mmap), "destroy mmap");
    free(sample->memory);
    keep_first_error(&result, doca_dev_close(sample->dev), "close device");
    return result;
}

int pe_main(int argc, char **argv, const char *name, uint32_t num_pairs,
            doca_error_t (*run)(struct pe_sample *sample))
{
    struct pe_sample sample = {.pci_addr = DEFAULT_PCI_ADDR, .num_pairs = num_pairs};
    doca_error_t result = create_log_backends();

    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    DOCA_LOG_INFO("Starting the sample");
    result = parse_args(argc, argv, name, &sample);
    if (result == DOCA_SUCCESS) {
        result = open_objects(&sample);
        if (result == DOCA_SUCCESS)
            result = run(&sample);
        const doca_error_t closed = close_objects(&sample);
        DOCA_ERROR_PROPAGATE(result, closed);
    }
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("%s encountered errors: %s", name, doca_error_get_descr(result));
        DOCA_LOG_INFO("Sample finished with errors");
        return EXIT_FAILURE;
    }
    DOCA_LOG_INFO("Sample finished successfully");
    return EXIT_SUCCESS;
}
