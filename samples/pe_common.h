/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * What the pe_* samples share, so that each of them shows nothing but its way to drive a progress
 * engine. A sample has pairs of buffers in one block of memory, a source and a destination of
 * PAIR_SIZE bytes each; a task copies within its pair and carries the pair's number as user data.
 * The user data of each context is the struct pe_sample.
 */

#ifndef SAMPLES_PE_COMMON_H_
#define SAMPLES_PE_COMMON_H_

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdint.h>

#define PAIR_SIZE 1024 /* bytes that a task copies */

struct pe_sample {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    struct doca_dev *dev;
    uint8_t *memory;        /* all sources, then all destinations */
    struct doca_mmap *mmap; /* covers memory */
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma; /* NULL while there is none; samples with several keep them elsewhere */

    uint32_t num_pairs;
    uint32_t num_completed; /* tasks that copied what they should */
    uint32_t num_failed;    /* tasks that ended in the error callback */
    bool is_stop_requested;
    bool is_idle;
    doca_error_t result; /* the first thing that went wrong inside a callback */
};

/* The program: log, -p, devices and memory for num_pairs pairs; run(); clean-up; the exit code. */
int pe_main(int argc, char **argv, const char *name, uint32_t num_pairs,
            doca_error_t (*run)(struct pe_sample *sample));

/* A DMA context that is configured and connected to the sample's PE, but not started. */
doca_error_t pe_create_dma(struct pe_sample *sample, uint32_t num_tasks,
                           doca_dma_task_memcpy_completion_cb_t completed,
                           doca_dma_task_memcpy_completion_cb_t failed, struct doca_dma **dma);

/* Stop the context, progress until it is idle, destroy it. Nothing to do if *dma is NULL. */
doca_error_t pe_destroy_dma(struct pe_sample *sample, struct doca_dma **dma);

/* Two buffers over a pair; the source is filled with the pattern of the pair, the destination 0. */
doca_error_t pe_get_bufs(struct pe_sample *sample, uint32_t pair, struct doca_buf **src,
                         struct doca_buf **dst);

/* A task that copies within a pair, ready to be submitted. */
doca_error_t pe_alloc_copy(struct pe_sample *sample, struct doca_dma *dma, uint32_t pair,
                           struct doca_dma_task_memcpy **task);

/* The same, submitted. */
doca_error_t pe_submit_copy(struct pe_sample *sample, struct doca_dma *dma, uint32_t pair);

/* Compare what a completed task has copied with the pattern of its pair. */
doca_error_t pe_check_copy(const struct doca_dma_task_memcpy *task, uint32_t pair);

/* Give the buffers of a task back to the inventory; free the task as well. */
void pe_release_bufs(struct doca_dma_task_memcpy *task);
void pe_free_copy(struct doca_dma_task_memcpy *task);

/* Keep the first error that a callback met. */
void pe_keep_error(struct pe_sample *sample, doca_error_t result);

/* Callbacks for the common case: check, count, free. And one that reports the states. */
void pe_copy_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                       union doca_data ctx_user_data);
void pe_copy_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                    union doca_data ctx_user_data);
void pe_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                      enum doca_ctx_states prev_state, enum doca_ctx_states next_state);

/* One turn of the PE; sleeps a little if there was nothing to do. */
void pe_progress_or_nap(struct pe_sample *sample);

/* All tasks completed, none failed, no callback met an error? */
doca_error_t pe_expect_completed(const struct pe_sample *sample, uint32_t num_tasks);

#endif /* SAMPLES_PE_COMMON_H_ */
