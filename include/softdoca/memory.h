/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/**
 * Memory that the other side can map. Ours alone: not part of DOCA, and not needed; an export takes
 * any memory. Memory from here makes the difference between a copy by the kernel and a plain
 * memcpy.
 */

#ifndef SOFTDOCA_MEMORY_H_
#define SOFTDOCA_MEMORY_H_

#include <doca_compat.h>
#include <doca_error.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get memory, zeroed, at the start of a page. When all of it is exported by one mmap
 * (doca_mmap_export_pci) importers on this machine map the same pages. A part of it is exported
 * like any other memory, because whoever can map a part can map all. Exported for reading only, it
 * can from then on be mapped for writing by nobody else, for its whole life.
 *
 * Any thread, also in callbacks. A forked child shares the memory with its parent.
 *
 * @param len   bytes, at least 1; rounded up to whole pages
 * @param addr  gets the address
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  addr is NULL, or len is 0 or larger than the address space
 *         DOCA_ERROR_NO_MEMORY      the system has no such memory or no descriptor left
 */
DOCA_STABLE
doca_error_t softdoca_memory_alloc(size_t len, void **addr);

/**
 * Give memory back. Stop the mmaps over it first. Importers keep the pages that they have mapped.
 *
 * Any thread, also in callbacks.
 *
 * @param addr  what softdoca_memory_alloc gave; NULL is allowed and does nothing
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  addr is something else, or was given back before
 */
DOCA_STABLE
doca_error_t softdoca_memory_free(void *addr);

#ifdef __cplusplus
}
#endif

#endif /* SOFTDOCA_MEMORY_H_ */
