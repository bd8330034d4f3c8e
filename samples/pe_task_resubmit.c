/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Resubmission: few tasks for much work. A completion callback gives the task it owns again new
 * buffers and new user data and submits it once more, until every pair of buffers has been copied.
 */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_TASK_RESUBMIT);

#define NUM_TASKS 4
#define NUM_PAIRS 16

static uint32_t next_pair; /* the first one that no task has been given */

static doca_error_t resubmit(struct pe_sample *sample, struct doca_dma_task_memcpy *task,
                             uint32_t pair)
{
    struct doca_task *generic_task = doca_dma_task_memcpy_as_task(task);
    const union doca_data user_data = {.u64 = pair};
    struct doca_buf *src = NULL;
    struct doca_buf *dst = NULL;

    pe_release_bufs(task);
    doca_error_t result = pe_get_bufs(sample, pair, &src, &dst);
    if (result != DOCA_SUCCESS) {
        doca_task_free(generic_task);
        return result;
    }
    doca_dma_task_memcpy_set_src(task, src);
    doca_dma_task_memcpy_set_dst(task, dst);
    doca_task_set_user_data(generic_task, user_data);
    result = doca_task_submit(generic_task);
    if (result != DOCA_SUCCESS)
        pe_free_copy(task); /* a refused task still belongs to the program */
    return result;
}

static void copy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                           union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;

    pe_keep_error(sample, pe_check_copy(task, (uint32_t)task_user_data.u64));
    sample->num_completed++;
    if (next_pair == NUM_PAIRS) {
        pe_free_copy(task);
        return;
    }
    const doca_error_t result = resubmit(sample, task, next_pair++);
    if (result != DOCA_SUCCESS) {
        sample->num_failed++;
        pe_keep_error(sample, result);
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

    while (next_pair < NUM_TASKS) {
        result = pe_submit_copy(sample, sample->dma, next_pair++);
        if (result != DOCA_SUCCESS)
            return result;
    }

    while (sample->num_completed + sample->num_failed < NUM_PAIRS && sample->num_failed == 0)
        pe_progress_or_nap(sample);

    DOCA_LOG_INFO("%d tasks copied %d pairs of buffers", NUM_TASKS, NUM_PAIRS);
    return pe_expect_completed(sample, NUM_PAIRS);
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_task_resubmit", NUM_PAIRS, run);
}
