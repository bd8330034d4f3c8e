/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Reactive: after doca_ctx_start the program only turns the progress engine. The RUNNING callback
 * submits all tasks, the last completion stops the context, the IDLE callback destroys it.
 */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_REACTIVE);

#define NUM_TASKS 16

static void stop(struct pe_sample *sample)
{
    sample->is_stop_requested = true;
    /* IN_PROGRESS: inside a callback the context cannot become idle at once. */
    (void)doca_ctx_stop(doca_dma_as_ctx(sample->dma));
}

static void copy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                           union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;

    pe_copy_completed(task, task_user_data, ctx_user_data);
    if (sample->num_completed == NUM_TASKS)
        stop(sample);
}

static void copy_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                        union doca_data ctx_user_data)
{
    struct pe_sample *sample = ctx_user_data.ptr;

    pe_copy_failed(task, task_user_data, ctx_user_data);
    pe_keep_error(sample, DOCA_ERROR_UNEXPECTED);
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct pe_sample *sample = user_data.ptr;

    pe_state_changed(user_data, ctx, prev_state, next_state);
    if (next_state == DOCA_CTX_STATE_RUNNING) {
        for (uint32_t pair = 0; pair < NUM_TASKS && sample->result == DOCA_SUCCESS; pair++)
            pe_keep_error(sample, pe_submit_copy(sample, sample->dma, pair));
        if (sample->result != DOCA_SUCCESS)
            stop(sample);
    } else if (next_state == DOCA_CTX_STATE_IDLE) {
        pe_keep_error(sample, doca_dma_destroy(sample->dma));
        sample->dma = NULL; /* from here on nothing touches the context */
    }
}

static doca_error_t run(struct pe_sample *sample)
{
    doca_error_t result =
        pe_create_dma(sample, NUM_TASKS, copy_completed, copy_failed, &sample->dma);

    if (result != DOCA_SUCCESS)
        return result;
    struct doca_ctx *ctx = doca_dma_as_ctx(sample->dma);
    result = doca_ctx_set_state_changed_cb(ctx, state_changed);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(ctx);
    if (result != DOCA_SUCCESS)
        return result;

    while (sample->dma != NULL)
        pe_progress_or_nap(sample);

    DOCA_LOG_INFO("The context has been destroyed in its own callback");
    return pe_expect_completed(sample, NUM_TASKS);
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_reactive", NUM_TASKS, run);
}
