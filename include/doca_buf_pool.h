/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Buffer pool: buffers of one size that share out the memory of one mmap.
 *
 * Unlike an inventory, a pool decides itself which memory a buffer describes: the range of the mmap
 * is cut into elements of equal size, and each buffer is one of them.
 *
 * Order: an mmap with a range; doca_buf_pool_create, doca_buf_pool_set_element_alignment if wanted,
 * doca_buf_pool_start once the mmap is started; doca_buf_pool_buf_alloc, and doca_buf_dec_refcount
 * to give each buffer back; doca_buf_pool_destroy (which stops by itself) before the mmap is
 * stopped.
 *
 * Everything is allocated by create and start, so an empty pool is no failure: DOCA_ERROR_EMPTY
 * means give some back and try again.
 *
 * Ownership: a buffer and its element belong to the program until the count reaches 0. The pool and
 * the mmap must be there until all buffers are back. The memory stays the program's.
 *
 * Threads: a pool belongs to one thread at a time. All calls are allowed in callbacks. After a
 * fork, pools made before it answer DOCA_ERROR_BAD_STATE in the child. Out-parameters are written
 * on success only.
 */

#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A range of memory that devices may reach (doca_mmap.h). */
struct doca_mmap;

/** A piece of an mmap (doca_buf.h). */
struct doca_buf;

/** Buffers of one size. */
struct doca_buf_pool;

/**
 * Make a pool. The caller destroys it with doca_buf_pool_destroy, before the mmap. Any thread that
 * owns the mmap, also in callbacks.
 *
 * @param num_elements  buffers, 1 to 2^32 - 1
 * @param element_size  bytes of each, at least 1
 * @param mmap          mmap with a range; need not be started yet
 * @param buf_pool      gets the pool, not started
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, a number is out of range, or the mmap has no
 *                                   range
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/**
 * Stop if need be, and end the pool. In any state; one thread at a time, also in callbacks.
 *
 * @param buf_pool  pool with all buffers back
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_IN_USE         buffers are still out; it lives on
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * Cut the range into elements and let buffers be taken. One thread at a time, also in callbacks.
 *
 * @param buf_pool  pool that is not started, on a started mmap
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE   the pointer is NULL
 *         DOCA_ERROR_BAD_STATE       the mmap is not started, or the pool is
 *         DOCA_ERROR_INITIALIZATION  the range has no room for the elements with their alignment
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * Let no more buffers be taken; the pool may be configured and started again. Of a pool that is not
 * started: nothing happens. One thread at a time, also in callbacks.
 *
 * @param buf_pool  pool with all buffers back
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_IN_USE         buffers are still out
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * Take an empty buffer: its data begins at the start of the element and has length 0. Reference
 * count 1; the caller returns it with doca_buf_dec_refcount. The content of the element is what was
 * there before. One thread at a time, also in callbacks.
 *
 * @param buf_pool  started pool
 * @param buf       gets the buffer
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the pool is not started
 *         DOCA_ERROR_EMPTY          all buffers are out
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * Store a value of the program with the pool. One thread at a time, also in callbacks.
 *
 * @param buf_pool   pool that is not started
 * @param user_data  any value; what a pointer points to stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the pool is started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * Have every element begin at a multiple of a number of bytes; 1 without this call. One thread at a
 * time, also in callbacks.
 *
 * @param buf_pool           pool that is not started
 * @param element_alignment  bytes, a power of two
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or the number is no power of two
 *         DOCA_ERROR_BAD_STATE      the pool is started
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);

/**
 * The number of buffers, in and out. In any state; one thread at a time, also in callbacks.
 *
 * @param buf_pool         pool
 * @param num_of_elements  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);

/**
 * The number of buffers that are not out. In any state; one thread at a time, also in callbacks.
 *
 * @param buf_pool              pool
 * @param num_of_free_elements  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);

/**
 * What the program stored with the pool. In any state; one thread at a time, also in callbacks.
 *
 * @param buf_pool   pool
 * @param user_data  gets the value, 0 if none was set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);

/**
 * The alignment of the elements in bytes. In any state; one thread at a time, also in callbacks.
 *
 * @param buf_pool           pool
 * @param element_alignment  gets the bytes, 1 if it was not set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
