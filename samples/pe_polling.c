/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* Polling: submit, then turn the progress engine until every task has called back. */

#include "pe_common.h"

#define NUM_TASKS 16

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
        result = pe_submit_copy(sample, sample->dma, pair);
        if (result != DOCA_SUCCESS)
            return result;
    }

    while (sample->num_completed + sample->num_failed < NUM_TASKS)
        pe_progress_or_nap(sample);

    return pe_expect_completed(sample, NUM_TASKS);
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_polling", NUM_TASKS, run);
}
