/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Stop in the middle: after half of the tasks a callback stops the context. The tasks that are
 * still in flight end, one callback each, and the context becomes idle when the last one has been
 * freed.
 */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_ASYNC_STOP);

#define NUM_TASKS 16
#define NUM_TASKS_BEFORE_STOP 8

static void copy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                           union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;

    pe_copy_completed(task, task_user_data, ctx_user_data);
    if (sample->num_completed != NUM_TASKS_BEFORE_STOP)
        return;
    sample->is_stop_requested = true;
    const doca_error_t result = doca_ctx_stop(doca_dma_as_ctx(sample->dma));
    if (result != DOCA_ERROR_IN_PROGRESS) {
        DOCA_LOG_ERR("Stop with tasks in flight answered: %s", doca_error_get_descr(result));
        pe_keep_error(sample, DOCA_ERROR_UNEXPECTED);
    }
}

static doca_error_t run(struct pe_sample *sample)
{
    doca_error_t result =
        pe_create_dma(sample, NUM_TASKS, copy_completed, pe_copy_failed, &sample->dma);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(sample->dma));
    if (result != DOCA_SUCCESS)
        return result;

    for (uint32_t pair = 0; pair < NUM_TASKS; pair++) {
        result = pe_submit_copy(sample, sample->dma, pair);
        if (result != DOCA_SUCCESS)
            return result;
    }

    while (!sample->is_idle)
        pe_progress_or_nap(sample);

    DOCA_LOG_INFO("%u tasks completed, %u were flushed", sample->num_completed, sample->num_failed);
    if (sample->result != DOCA_SUCCESS)
        return sample->result;
    /* A device may finish some of the others before it stops: only the sum is certain. */
    if (sample->num_completed < NUM_TASKS_BEFORE_STOP ||
        sample->num_completed + sample->num_failed != NUM_TASKS)
        return DOCA_ERROR_UNEXPECTED;
    return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_async_stop", NUM_TASKS, run);
}
