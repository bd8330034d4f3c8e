/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A task that fails: doca_task_submit checks nothing, so a source without data is accepted and
 * fails later. The failure takes the context out of RUNNING; all tasks behind it end in the error
 * callback.
 */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_TASK_ERROR);

#define NUM_TASKS 255
#define BAD_TASK 2 /* the third */

static doca_error_t submit_bad_copy(struct pe_sample *sample, uint32_t pair)
{
    struct doca_buf *src = NULL;
    struct doca_buf *dst = NULL;
    struct doca_dma_task_memcpy *task = NULL;
    const union doca_data user_data = {.u64 = pair};
    doca_error_t result = pe_get_bufs(sample, pair, &src, &dst);

    if (result != DOCA_SUCCESS)
        return result;
    (void)doca_buf_reset_data_len(src); /* an empty source */
    result = doca_dma_task_memcpy_alloc_init(sample->dma, src, dst, user_data, &task);
    if (result != DOCA_SUCCESS) {
        (void)doca_buf_dec_refcount(src, NULL);
        (void)doca_buf_dec_refcount(dst, NULL);
        return result;
    }
    result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
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

    /* Without progress the context cannot notice the bad task: all submits are accepted. */
    for (uint32_t pair = 0; pair < NUM_TASKS; pair++) {
        result = pair == BAD_TASK ? submit_bad_copy(sample, pair)
                                  : pe_submit_copy(sample, sample->dma, pair);
        if (result != DOCA_SUCCESS) {
            DOCA_LOG_ERR("Failed to submit task %u: %s", pair, doca_error_get_descr(result));
            return result;
        }
    }

    while (!sample->is_idle)
        pe_progress_or_nap(sample);

    DOCA_LOG_INFO("%u tasks completed, %u failed", sample->num_completed, sample->num_failed);
    if (sample->result != DOCA_SUCCESS)
        return sample->result;
    if (sample->num_failed == 0 || sample->num_completed + sample->num_failed != NUM_TASKS)
        return DOCA_ERROR_UNEXPECTED;
    return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_task_error", NUM_TASKS, run);
}
