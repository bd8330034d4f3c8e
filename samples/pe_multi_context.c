/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* Several contexts on one progress engine: one loop serves them all, turn by turn. */

#include "pe_common.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(PE_MULTI_CONTEXT);

#define NUM_CONTEXTS 4
#define NUM_TASKS 16 /* per context */
#define NUM_PAIRS (NUM_CONTEXTS * NUM_TASKS)

static doca_error_t start_contexts(struct pe_sample *sample, struct doca_dma *dmas[NUM_CONTEXTS])
{
    for (uint32_t i = 0; i < NUM_CONTEXTS; i++) {
        doca_error_t result =
            pe_create_dma(sample, NUM_TASKS, pe_copy_completed, pe_copy_failed, &dmas[i]);

        if (result == DOCA_SUCCESS)
            result = doca_ctx_start(doca_dma_as_ctx(dmas[i]));
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t copy_all(struct pe_sample *sample, struct doca_dma *dmas[NUM_CONTEXTS])
{
    size_t num_inflight = 0;

    for (uint32_t pair = 0; pair < NUM_PAIRS; pair++) {
        const doca_error_t result = pe_submit_copy(sample, dmas[pair % NUM_CONTEXTS], pair);

        if (result != DOCA_SUCCESS)
            return result;
    }
    (void)doca_pe_get_num_inflight_tasks(sample->pe, &num_inflight);
    DOCA_LOG_INFO("%zu tasks of %d contexts are in flight", num_inflight, NUM_CONTEXTS);

    while (sample->num_completed + sample->num_failed < NUM_PAIRS)
        pe_progress_or_nap(sample);
    return pe_expect_completed(sample, NUM_PAIRS);
}

static doca_error_t run(struct pe_sample *sample)
{
    struct doca_dma *dmas[NUM_CONTEXTS] = {NULL};
    doca_error_t result = start_contexts(sample, dmas);

    if (result == DOCA_SUCCESS)
        result = copy_all(sample, dmas);
    for (uint32_t i = 0; i < NUM_CONTEXTS; i++) {
        const doca_error_t destroyed = pe_destroy_dma(sample, &dmas[i]);
        DOCA_ERROR_PROPAGATE(result, destroyed);
    }
    return result;
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_multi_context", NUM_PAIRS, run);
}
