/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Memory registered for queues that a program or its DPA or GPU code builds by hand.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_UMEM_H_
#define DOCA_UMEM_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;
struct doca_gpu;

/** A registered range of memory. */
struct doca_umem;

/**
 * Register size bytes at address with dev. The memory stays the caller's and must live as long.
 * access_flags: a mask of enum doca_access_flag. The caller destroys the object.
 * NO_MEMORY: allocation failed. DRIVER: the device refuses.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem_obj);

/** The same for memory of a DPA, given by its address there. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, uint64_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem_obj);

/** The same for memory of a GPU, used by dev. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem_obj);

/** End the registration; the memory stays. DRIVER: the device refuses. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_destroy(struct doca_umem *umem_obj);

/** The number by which the device knows the range. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id);

/** The size of the range in bytes. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size);

/** The first byte of the range. */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UMEM_H_ */
