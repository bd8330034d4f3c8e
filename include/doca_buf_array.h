/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Arrays of buffers for code on a GPU or a DPA: equal pieces of one mmap, made at once, that such
 * code reaches by their index.
 *
 * Create an array, say which mmap it cuts up and for which processor, start it, take the handle for
 * that processor. Code on the CPU uses doca_buf_inventory.h or doca_buf_pool.h instead.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_gpu;
struct doca_dpa;
struct doca_mmap;

/** An array of buffers. */
struct doca_buf_arr;

/** An array as GPU code sees it. */
struct doca_gpu_buf_arr;

/** The array in DPA code. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/** Make an array of num_elem buffers; the caller destroys it. NO_MEMORY: allocation failed. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/** The array is for code on this GPU. Excludes a DPA. BAD_STATE: the array is started. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
                                         struct doca_gpu *gpu_handler);

/** The array is for code on this DPA. Excludes a GPU. BAD_STATE: the array is started. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
                                         struct doca_dpa *dpa_handler);

/**
 * Cut the buffers from mmap: elem_size bytes each, the first one start_offset bytes behind the
 * beginning. BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
                                     size_t elem_size, uint64_t start_offset);

/**
 * Make the buffers; the mmap must be started. BAD_STATE: the array is started or has no processor.
 * NO_MEMORY: allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/** Give up the buffers; handles taken become invalid. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/** End the array; stops it first. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * The handle for GPU code, the array's own, valid until it stops. BAD_STATE: the array is not
 * started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
                                         struct doca_gpu_buf_arr **gpu_buf_arr);

/** The handle for DPA code, valid until the array stops. BAD_STATE: the array is not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
                                         doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
