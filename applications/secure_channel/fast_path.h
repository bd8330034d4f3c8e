/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* What a thread has to itself: device, memory with an mmap over it, buffers, progress engine. */

#ifndef APPLICATIONS_SECURE_CHANNEL_FAST_PATH_H_
#define APPLICATIONS_SECURE_CHANNEL_FAST_PATH_H_

#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stddef.h>
#include <stdint.h>

struct fast_path {
    struct doca_dev *dev;
    char *memory;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
};

/* In any case fast_path_close follows. The memory is zeroed and begins at a cache line. */
doca_error_t fast_path_open(struct fast_path *path, const char *pci_addr, size_t len,
                            uint32_t access_mask, size_t num_bufs);

/* Drive a context by the thread's engine; its callbacks get user_data. */
doca_error_t fast_path_connect(struct fast_path *path, struct doca_ctx *ctx, void *user_data);

/* Stop a context that runs, and progress until it is idle. */
doca_error_t fast_path_stop(struct fast_path *path, struct doca_ctx *ctx);

enum doca_ctx_states fast_path_state(const struct doca_ctx *ctx);

doca_error_t fast_path_close(struct fast_path *path);

#endif /* APPLICATIONS_SECURE_CHANNEL_FAST_PATH_H_ */
