/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * DMA: a context that copies memory.
 *
 * Order: doca_dma_create, doca_dma_task_memcpy_set_conf, doca_pe_connect_ctx and doca_ctx_start
 * with doca_dma_as_ctx; per copy doca_dma_task_memcpy_alloc_init, doca_task_submit with
 * doca_dma_task_memcpy_as_task, doca_pe_progress until the callback, then use the task again or
 * doca_task_free; doca_ctx_stop, progress until IDLE, doca_dma_destroy. Start is synchronous: a DMA
 * context is never STARTING.
 *
 * One copy: source and destination are single buffers or lists, whose elements need not have equal
 * sizes. The data of the source, read as one stream, is written behind the data of the destination
 * elements in order, and the data length of each grows by its share. The source is not changed.
 *
 * Rules: the source has at least one byte of data and at most
 * doca_dma_cap_task_memcpy_get_max_buf_size in all; neither list is longer than
 * doca_dma_cap_task_memcpy_get_max_buf_list_len; the destination has room for everything; both
 * mmaps hold the device of the context; the destination's mmap may be written. doca_task_try_submit
 * refuses a task that breaks one. doca_task_submit accepts it: the task ends in its error callback
 * with DOCA_ERROR_IO_FAILED, nothing is written, and the context goes to STOPPING by itself.
 *
 * Copies are carried out by doca_pe_progress, in the order of submission; memory does not change
 * without it. A single source and destination that overlap behave like memmove.
 *
 * Ownership: the DMA object holds its device. Buffers stay the program's, but are the library's
 * from submit until the callback; their reference counts do not change.
 *
 * Threads: those of the context (doca_ctx.h): one at a time, the one that progresses its engine.
 * Out-parameters are written on success only.
 */

#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of an mmap, head of a list (doca_buf.h). */
struct doca_buf;

/** The part that objects of all libraries have in common (doca_ctx.h). */
struct doca_ctx;

/** An open device (doca_dev.h). */
struct doca_dev;

/** A function, described (doca_dev.h). */
struct doca_devinfo;

/** A DMA context as programs on a graphics processor see it. None exists here. */
struct doca_gpu_dma;

/** One copy. */
struct doca_dma_task_memcpy;

/** A context that copies memory. */
struct doca_dma;

/**
 * Told of the end of a copy. Runs inside doca_pe_progress, on its caller's thread.
 *
 * The task and its buffers are the program's again: it may change, submit, keep or free them here,
 * and stop the context; not progress the same engine.
 *
 * @param task            the task; doca_task_get_status tells how it ended
 * @param task_user_data  user data of the task
 * @param ctx_user_data   user data of the context, as it is now
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/**
 * Make a DMA context on a device. The caller destroys it with doca_dma_destroy. Any thread, also in
 * callbacks.
 *
 * @param dev  open device; cannot be closed for good before the context is destroyed
 * @param dma  gets the context, IDLE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * End a context and its connection to the engine. The thread of its engine; also in callbacks, even
 * in its own state callback for IDLE.
 *
 * @param dma  IDLE context
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_IN_USE         the context is not IDLE; it lives on
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * Can the function copy memory? The answer is the return value. Any thread, any time.
 *
 * @param devinfo  function; need not be open
 * @return DOCA_SUCCESS              it can;
 *         DOCA_ERROR_NOT_SUPPORTED  it cannot
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * The context part of a DMA object: the same object under another type. Any thread, any time.
 *
 * @param dma  DMA object
 * @return its context, valid until doca_dma_destroy; NULL if dma is NULL
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * The most tasks that doca_dma_task_memcpy_set_conf may ask for. In any state; any thread, any
 * time.
 *
 * @param dma            DMA object
 * @param max_num_tasks  gets the number, 65,536 by default
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * The most elements that the source list, and likewise the destination list, of a copy may have.
 * Any thread, any time.
 *
 * @param devinfo           function; need not be open
 * @param max_buf_list_len  gets the number, 64 by default
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len);

/**
 * The most bytes that one copy may move, all elements together. Any thread, any time.
 *
 * @param devinfo   function; need not be open
 * @param buf_size  gets the bytes, 2,097,152 by default
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size);

/**
 * Configure copies: needed before start. Called again, the last call holds. The thread of the
 * engine; also in callbacks.
 *
 * @param dma                 IDLE context
 * @param task_completion_cb  told of copies that ended well
 * @param task_error_cb       told of all others; may be the same function
 * @param num_memcpy_tasks    size of the task pool: at least 1, at most
 *                            doca_dma_cap_get_max_num_tasks
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or the number is out of range
 *         DOCA_ERROR_BAD_STATE      the context is not IDLE
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks);

/**
 * Take a task from the pool. It is the caller's until submitted, and counts until doca_task_free.
 *
 * The buffers are not looked at; either may be NULL if doca_dma_task_memcpy_set_src or _set_dst
 * follows. The thread of the engine; also in callbacks.
 *
 * @param dma        RUNNING context
 * @param src        buffer or list head to read from; stays the caller's
 * @param dst        buffer or list head to write to; stays the caller's
 * @param user_data  handed to the callback
 * @param task       gets the task
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  dma or task is NULL
 *         DOCA_ERROR_BAD_STATE      the context is not RUNNING
 *         DOCA_ERROR_NO_MEMORY      all configured tasks are out: free finished ones
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task);

/**
 * The task part of a copy: the same object under another type. The thread of the engine; also in
 * callbacks.
 *
 * @param task  task
 * @return the task for doca_pe.h, valid until it is freed; NULL if task is NULL
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * Change the source. The thread of the engine; also in callbacks. A task that is NULL or in flight
 * stays as it is, with one WARNING.
 *
 * @param task  task that is not in flight
 * @param src   buffer or list head to read from; stays the caller's
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * The source. The thread of the engine; also in callbacks.
 *
 * @param task  task
 * @return the buffer that was set last; NULL if none was, or task is NULL
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * Change the destination. The thread of the engine; also in callbacks. A task that is NULL or in
 * flight stays as it is, with one WARNING.
 *
 * @param task  task that is not in flight
 * @param dst   buffer or list head to write to; stays the caller's
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * The destination. The thread of the engine; also in callbacks.
 *
 * @param task  task
 * @return the buffer that was set last; NULL if none was, or task is NULL
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * Get a handle by which a graphics processor submits copies to a context.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED. Also in callbacks.
 *
 * @param dma      context whose tasks the graphics processor submits
 * @param gpu_dma  would get the handle
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */
