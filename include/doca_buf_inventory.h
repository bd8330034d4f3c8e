/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Inventory: a store of buffers that the program aims at any memory of any started mmap.
 *
 * Order: doca_buf_inventory_create with a number of elements, doca_buf_inventory_start, get
 * buffers, return each with doca_buf_dec_refcount, doca_buf_inventory_destroy (which stops by
 * itself).
 *
 * One inventory serves any number of mmaps and devices. A buffer is a description: getting one
 * allocates and copies nothing. Elements are allocated at create and expand only; when all are out,
 * getting one gives DOCA_ERROR_NO_MEMORY, which is no failure: return some and try again.
 *
 * Ownership: a buffer belongs to the program until its count reaches 0; the inventory and the mmap
 * must be there until then. Buffers that are out stay usable when the inventory is stopped.
 *
 * Threads: any number of threads may get and return buffers of a started inventory at a time, those
 * of one mmap after doca_mmap_enable_thread_safety; start, stop, expand and destroy by one thread
 * while no other uses it. All calls are allowed in callbacks. After a fork, inventories made before
 * it answer DOCA_ERROR_BAD_STATE in the child. Out-parameters are written on success only.
 */

#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of an mmap (doca_buf.h). */
struct doca_buf;

/** A range of memory that devices may reach (doca_mmap.h). */
struct doca_mmap;

/** A store of buffers. */
struct doca_buf_inventory;

/**
 * Make an inventory. The caller destroys it with doca_buf_inventory_destroy. Any thread, also in
 * callbacks.
 *
 * @param num_elements  buffers that it holds, 1 to 2^32 - 1
 * @param inventory     gets the inventory, not started
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL or num_elements out of range
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/**
 * Stop if need be, and end the inventory. In any state; not while another thread uses it; also in
 * callbacks.
 *
 * @param inventory  inventory with all buffers back
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_IN_USE         buffers are still out; it lives on
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * Let buffers be taken. Of a started inventory: nothing happens. Not while another thread uses it;
 * also in callbacks.
 *
 * @param inventory  inventory
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * Let no more buffers be taken; those that are out stay usable and may be returned. It can be
 * started again. Of an inventory that is not started: nothing happens. Not while another thread
 * gets buffers; also in callbacks.
 *
 * @param inventory  inventory
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * Take a buffer and say where it and its data are. Reference count 1; the caller returns it with
 * doca_buf_dec_refcount. Any thread, also in callbacks.
 *
 * @param inventory  started inventory
 * @param mmap       started mmap, or one made from an export
 * @param addr       first byte of the piece
 * @param len        bytes of the piece
 * @param data       first byte of the data
 * @param data_len   bytes of data, may be 0
 * @param buf        gets the buffer
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, [addr, addr + len) is not inside the mmap,
 *                                   or [data, data + data_len) is not inside that
 *         DOCA_ERROR_BAD_STATE      the inventory or the mmap is not started
 *         DOCA_ERROR_NO_MEMORY      all elements are out
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/**
 * Take an empty buffer: its data begins at addr and has length 0. Good as a destination; a source
 * needs doca_buf_set_data first. Otherwise as doca_buf_inventory_buf_get_by_args.
 *
 * @param inventory  started inventory
 * @param mmap       started mmap, or one made from an export
 * @param addr       first byte of the piece
 * @param len        bytes of the piece
 * @param buf        gets the buffer
 * @return as doca_buf_inventory_buf_get_by_args
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * Take a full buffer: the piece is the data. Good as a source; there is no room behind it.
 * Otherwise as doca_buf_inventory_buf_get_by_args.
 *
 * @param inventory  started inventory
 * @param mmap       started mmap, or one made from an export
 * @param data       first byte of piece and data
 * @param data_len   bytes of piece and data
 * @param buf        gets the buffer
 * @return as doca_buf_inventory_buf_get_by_args
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf)
{
    return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/**
 * Take as many buffers as a list has and make them a list like it: same pieces, same data, no
 * memory copied. The new head has a reference count of 1 and is the caller's. Any thread that owns
 * src_buf, also in callbacks.
 *
 * @param inventory  started inventory, not necessarily that of src_buf
 * @param src_buf    list head or single buffer
 * @param dst_buf    gets the head of the new list
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the inventory, or an mmap of the source, is not started, or the
 *                                   source was returned
 *         DOCA_ERROR_NOT_PERMITTED  src_buf is in a list and not its head
 *         DOCA_ERROR_NO_MEMORY      the inventory has too few elements left; none is taken
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/**
 * Store a value of the program with the inventory. In any state; not while another thread reads it;
 * also in callbacks.
 *
 * @param inventory  inventory
 * @param user_data  any value; what a pointer points to stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);

/**
 * The number of elements, in and out. In any state; any thread, also in callbacks.
 *
 * @param inventory        inventory
 * @param num_of_elements  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);

/**
 * The number of elements that are not out. In any state; any thread, also in callbacks.
 *
 * @param inventory             inventory
 * @param num_of_free_elements  gets the number, at the moment of the call
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);

/**
 * What the program stored with the inventory. In any state; any thread, also in callbacks.
 *
 * @param inventory  inventory
 * @param user_data  gets the value, 0 if none was set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/**
 * Add free elements. Buffers that are out stay where they are. Not while another thread uses the
 * inventory; also in callbacks.
 *
 * @param inventory     started inventory
 * @param num_elements  elements to add, at least 1, at most 2^32 - 1 in all
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL or num_elements out of range
 *         DOCA_ERROR_BAD_STATE      the inventory is not started
 *         DOCA_ERROR_NO_MEMORY      an allocation failed; nothing was added
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

/**
 * Aim a buffer at another place of its mmap, full of data, without returning it. Count and list
 * stay as they are; a task that refers to it then means the new place. The thread that owns the
 * buffer, not while a task with it is in flight; also in callbacks.
 *
 * @param buf       buffer
 * @param data      first byte of piece and data
 * @param data_len  bytes of piece and data
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL or was returned, or the range is not inside its
 *                                   mmap
 *         DOCA_ERROR_BAD_STATE      a task in flight uses the buffer
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
                                                  size_t data_len);

/**
 * Aim a buffer at another place of its mmap, empty of data, without returning it. Otherwise as
 * doca_buf_inventory_buf_reuse_by_data.
 *
 * @param buf   buffer
 * @param addr  first byte of the piece, where the data will begin
 * @param len   bytes of the piece
 * @return as doca_buf_inventory_buf_reuse_by_data
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
