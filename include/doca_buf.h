/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Buffer: a piece of an mmap that tasks read or write, and lists of such pieces.
 *
 *     head             data                   data + data_len         head + len
 *      |   headroom     |         data         |       tailroom        |
 *      +----------------+----------------------+-----------------------+
 *
 * A task reads the data of its source and writes behind the data of its destination, whose data
 * length then grows by what was written. A buffer made by address has no data yet: set it before
 * the buffer is a source.
 *
 * Life: a buffer comes from an inventory (doca_buf_inventory.h) or a pool (doca_buf_pool.h) with a
 * reference count of 1 and goes back there when the count reaches 0. It owns no memory. The mmap
 * must stay started while the buffer exists.
 *
 * Lists: buffers are chained head to tail; a task then takes the data of all elements as one stream
 * (source) or fills their tailrooms in order (destination). The first element, the head, stands for
 * the list: only its count is changed, and when that reaches 0 all elements go back. A single
 * buffer is the head of a list of one.
 *
 * Ownership: from submit until the task's callback the buffer and its memory belong to the library;
 * do not read, write, chain or return them.
 *
 * Threads: a buffer belongs to one thread at a time, different buffers are independent, also those
 * of one inventory. All calls are allowed in callbacks. Nothing here looks at addresses and lengths
 * against the range: submitting does. Out-parameters are written on success only.
 */

#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stdint.h>
#include <stddef.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of an mmap. */
struct doca_buf;

/**
 * Add one to the reference count. The thread that owns the buffer; also in callbacks.
 *
 * @param buf       list head or single buffer
 * @param refcount  gets the count before; may be NULL
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL
 *         DOCA_ERROR_NOT_PERMITTED  buf is in a list and not its head
 *         DOCA_ERROR_TOO_BIG        the count is 65,535
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Take one from the reference count. At 0 the buffer, and with it the whole list, goes back to
 * where it came from and must not be used any more.
 *
 * The thread that owns the buffer; also in callbacks. Returning a buffer of a task in flight is
 * misuse that is tolerated with one WARNING: it goes back when the task has ended.
 *
 * @param buf       list head or single buffer
 * @param refcount  gets the count before; may be NULL
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL
 *         DOCA_ERROR_NOT_PERMITTED  buf is in a list and not its head
 *         DOCA_ERROR_BAD_STATE      the count is 0: the buffer was returned before
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * The reference count. The thread that owns the buffer; also in callbacks.
 *
 * @param buf       buffer
 * @param refcount  gets the count
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * The length of the whole piece in bytes, with headroom and tailroom; of this element only.
 *
 * The thread that owns the buffer; also in callbacks.
 *
 * @param buf  buffer
 * @param len  gets the bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * The first byte of the whole piece. The thread that owns the buffer; also in callbacks.
 *
 * @param buf   buffer
 * @param head  gets the address
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * The length of the data in bytes; of this element only. The thread that owns the buffer; also in
 * callbacks.
 *
 * @param buf       buffer
 * @param data_len  gets the bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * The first byte of the data. The thread that owns the buffer; also in callbacks.
 *
 * @param buf   buffer
 * @param data  gets the address
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Say where the data is. Nothing is copied. The thread that owns the buffer; also in callbacks.
 *
 * Data outside the piece is not refused here: doca_task_try_submit does, a submitted task fails.
 *
 * @param buf       buffer
 * @param data      first byte of the data
 * @param data_len  bytes of data
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * Set the length of the data; it begins where it did. Otherwise as doca_buf_set_data.
 *
 * @param buf       buffer
 * @param data_len  bytes of data
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Set the length of the data to 0; it begins where it did. For a destination that is used again.
 *
 * The thread that owns the buffer; also in callbacks.
 *
 * @param buf  buffer
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * The element behind this one. The thread that owns the list; also in callbacks.
 *
 * @param buf       buffer
 * @param next_buf  gets the next element, NULL behind the last
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * The last element of the list. The thread that owns the list; also in callbacks.
 *
 * @param buf       any element
 * @param last_buf  gets the last element, which may be buf itself
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Is this the last element of its list? A single buffer is. The thread that owns the list; also in
 * callbacks.
 *
 * @param buf      buffer
 * @param is_last  gets 1 if so, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * Is this the head of its list? A single buffer is. The thread that owns the list; also in
 * callbacks.
 *
 * @param buf       buffer
 * @param is_first  gets 1 if so, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Is the buffer chained with others? A single buffer is not. The thread that owns the list; also in
 * callbacks.
 *
 * @param buf         buffer
 * @param is_in_list  gets 1 if so, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * The number of elements of a list; 1 for a single buffer. The thread that owns the list; also in
 * callbacks.
 *
 * @param buf           list head or single buffer
 * @param num_elements  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  buf is in a list and not its head
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Append list2 to list1; list2 then belongs to list1 and is returned with it.
 *
 * Takes time with the length of list1. The thread that owns both lists; also in callbacks.
 *
 * @param list1  head of the list in front
 * @param list2  head of the list behind, with a reference count of 1
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  the count of list2 is not 1, one of them is not a head, or both
 *                                   are the same list
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Append list2 to list1 when the end of list1 is known: the time does not grow with the length.
 * That list1_tail is the end of list1 is checked up to 64 elements, beyond that it is taken on
 * trust.
 *
 * The thread that owns both lists; also in callbacks.
 *
 * @param list1_head  head of the list in front
 * @param list1_tail  its last element, may be the head
 * @param list2       head of the list behind, with a reference count of 1
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  the count of list2 is not 1, list1_head or list2 is not a head,
 *                                   list1_tail is not the end of list1, or both are the same list
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);

/**
 * Cut a list before an element, which becomes the head of its own list with a count of 1 and must
 * be returned by itself. The thread that owns the list; also in callbacks.
 *
 * @param list1  head of the list
 * @param list2  an element of it, not the head
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or list2 is not behind list1 in this list
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
