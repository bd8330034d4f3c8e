/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Doorbell pages of a device: where a program that builds its queues by hand tells the device of
 * new work.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_UAR_H_
#define DOCA_UAR_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;

/** A doorbell page. */
struct doca_uar;

/** How the page is mapped. */
enum doca_uar_allocation_type {
    DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,          /**< descriptor in the doorbell */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE = 1,           /**< not cached, may be shared by queues */
    DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED = 2, /**< not cached, for one queue alone */
};

/**
 * Take a page of dev, mapped as asked; the caller destroys the object. DRIVER: the device refuses.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar);

/** Take a page for DPA code; the caller destroys the object. DRIVER: the device refuses. */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);

/** Give the page back. */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_destroy(struct doca_uar *uar);

/** The number of the page. */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);

/** The first byte of the page, the object's own. */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);

/** Where in the page doorbells are written, the object's own. */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UAR_H_ */
