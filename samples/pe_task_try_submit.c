/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Submission with checks: doca_task_try_submit looks at the task first. It is slower, but a mistake
 * comes back at the call that made it, and the context goes on running.
 */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_TASK_TRY_SUBMIT);

#define NUM_TASKS 16

/* A mistake (an empty source), the answer to it, and the same task again without the mistake. */
static doca_error_t try_bad_then_good(struct pe_sample *sample, uint32_t pair)
{
    struct doca_buf *src = NULL;
    struct doca_buf *dst = NULL;
    struct doca_dma_task_memcpy *task = NULL;
    const union doca_data user_data = {.u64 = pair};
    doca_error_t result = pe_get_bufs(sample, pair, &src, &dst);

    if (result != DOCA_SUCCESS)
        return result;
    (void)doca_buf_set_data_len(src, 0);
    result = doca_dma_task_memcpy_alloc_init(sample->dma, src, dst, user_data, &task);
    if (result != DOCA_SUCCESS) {
        (void)doca_buf_dec_refcount(src, NULL);
        (void)doca_buf_dec_refcount(dst, NULL);
        return result;
    }

    result = doca_task_try_submit(doca_dma_task_memcpy_as_task(task));
    DOCA_LOG_INFO("A task with an empty source was refused: %s", doca_error_get_descr(result));
    if (result != DOCA_ERROR_INVALID_VALUE) {
        DOCA_LOG_ERR("Expected: %s", doca_error_get_descr(DOCA_ERROR_INVALID_VALUE));
        if (result != DOCA_SUCCESS) /* else it is in flight, and ends in a callback */
            pe_free_copy(task);
        return DOCA_ERROR_UNEXPECTED;
    }

    (void)doca_buf_set_data_len(src, PAIR_SIZE);
    result = doca_task_try_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        pe_free_copy(task);
    return result;
}

static doca_error_t try_good(struct pe_sample *sample, uint32_t pair)
{
    struct doca_dma_task_memcpy *task = NULL;
    doca_error_t result = pe_alloc_copy(sample, sample->dma, pair, &task);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_task_try_submit(doca_dma_task_memcpy_as_task(task));
    if (result != DOCA_SUCCESS)
        pe_free_copy(task);
    return result;
}

static doca_error_t run(struct pe_sample *sample)
{
    doca_error_t result =
        pe_create_dma(sample, NUM_TASKS, pe_copy_completed, pe_copy_failed, &sample->dma);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(sample->dma));
    if (result != DOCA_SUCCESS)
        return result;

    for (uint32_t pair = 0; pair < NUM_TASKS; pair++) {
        result = pair == 0 ? try_bad_then_good(sample, pair) : try_good(sample, pair);
        if (result != DOCA_SUCCESS) {
            DOCA_LOG_ERR("Failed to submit task %u: %s", pair, doca_error_get_descr(result));
            return result;
        }
    }

    while (sample->num_completed + sample->num_failed < NUM_TASKS)
        pe_progress_or_nap(sample);

    return pe_expect_completed(sample, NUM_TASKS);
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_task_try_submit", NUM_TASKS, run);
}
