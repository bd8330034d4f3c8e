/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* What the dma_* samples share: memory, lists of buffers over it, and the life of a DMA context. */

#ifndef SAMPLES_DMA_COMMON_H_
#define SAMPLES_DMA_COMMON_H_

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A DMA context and the progress engine that drives it. It is the user data of the context. */
struct dma_engine {
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx; /* the same object as dma */
    bool is_running;      /* from its start until it is idle */
};

/* Memory that a list of buffers is to cover. */
struct dma_area {
    struct doca_mmap *mmap;
    char *addr;
    size_t len;
    uint32_t num_bufs;
    bool has_data; /* only a source has; a copy fills its destination */
};

/* Memory that a card copies best from and to; NULL if there is none. For free(). */
char *dma_allocate(size_t len);

/* Does the device support tasks with that many buffers? */
doca_error_t dma_check_list_len(const struct doca_dev *dev, uint32_t num_src_buf,
                                uint32_t num_dst_buf);

/*
 * Cover an area with a list of buffers. All have the same size, but for the first, which takes the
 * remainder. If it fails, *list has what was chained so far.
 */
doca_error_t dma_get_buf_list(struct doca_buf_inventory *inventory, const struct dma_area *area,
                              struct doca_buf **list);

/* Everything that a new context needs before its start: callbacks, tasks, user data, the PE. */
doca_error_t dma_configure(struct dma_engine *engine,
                           doca_dma_task_memcpy_completion_cb_t completed,
                           doca_dma_task_memcpy_completion_cb_t failed, uint32_t num_tasks);

/* Turn the PE until the context is idle. Somebody has stopped it, or a callback will. */
void dma_progress_until_idle(struct dma_engine *engine);

/* Stop the context if it still runs, flushing what is in flight, and destroy it if there is one. */
doca_error_t dma_destroy(struct dma_engine *engine);

#endif /* SAMPLES_DMA_COMMON_H_ */
