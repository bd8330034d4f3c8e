/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Advice about the memory of an mmap: a context with one kind of task, which drops the device's
 * cached copy of a buffer.
 *
 * Create it for a device, configure, connect to a progress engine and start as any context; take,
 * submit and free tasks as those of other libraries. One thread, that of the engine.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/** The context. */
struct doca_mmap_advise;

struct doca_buf;

/** Task: drop cached copies of a buffer's memory. */
struct doca_mmap_advise_task_invalidate_cache;

/** A task has ended. Called in doca_pe_progress; the task is the program's again. */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
    struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Make a context on dev; the caller destroys it. NO_MEMORY: allocation failed. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/** End a context that is IDLE. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/** The object as a context, for doca_pe_connect_ctx and doca_ctx_start. The object's own. */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/** Does the device offer these tasks? */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo);

/** The most bytes that a buffer of such a task may have. */
DOCA_EXPERIMENTAL
doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size);

/** Set the callbacks and the number of tasks. NOT_PERMITTED: the context is not IDLE. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Take a task for the data of buf, which must live until the task has ended.
 * NO_MEMORY: all num_tasks are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task);

/** The task in its common form, for submit and free. */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task);

/** Change the buffer of a task that is not in flight. */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf);

/** The buffer of the task. */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */
