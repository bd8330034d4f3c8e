/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * mmap: a range of memory that devices may reach.
 *
 * An mmap names one contiguous range, the devices that may use it and who may read or write it.
 * Buffers (doca_buf) point into it, tasks work on buffers.
 *
 * Life:
 *
 *     created ---start---> started ---stop---> stopped ---start---> started ...
 *
 * Configure before start: doca_mmap_set_memrange (needed), doca_mmap_add_dev,
 * doca_mmap_set_permissions, in any order. Use while started. The range can be set only once; all
 * else may be changed while stopped. doca_mmap_destroy stops by itself.
 *
 * Ownership: the memory stays the program's and must be there as long as buffers of the mmap are
 * used; the library reads and writes it only for tasks. A program that wants the memory freed with
 * the mmap uses doca_mmap_set_free_cb. Buffers must be back before stop and destroy. The mmap holds
 * its devices: they cannot be closed for good before it is destroyed or gives them up
 * (doca_mmap_rm_dev).
 *
 * Export: a program on one side of the PCIe link describes its mmap by a descriptor
 * (doca_mmap_export_pci), the other side makes a second mmap from that
 * (doca_mmap_create_from_export), which is usable as it is and never started. The exporter must
 * live and must not stop its mmap while the other side copies.
 *
 * Threads: an mmap, with the making and returning of its buffers, belongs to one thread at a time;
 * several threads may do that after doca_mmap_enable_thread_safety. Tasks in any number of threads
 * may work on it. All calls are allowed in callbacks. After a fork, mmaps made before it answer
 * DOCA_ERROR_BAD_STATE in the child. Out-parameters are written on success only.
 */

#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open device (doca_dev.h). */
struct doca_dev;

/** A function, described (doca_dev.h). */
struct doca_devinfo;

/** A range of memory that devices may reach. */
struct doca_mmap;

/** A data path accelerator. None exists here. */
struct doca_dpa;

/** An mmap as programs on a data path accelerator name it. */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * Frees the memory of an mmap. Runs inside doca_mmap_destroy, on the caller's thread; it must not
 * use the mmap.
 *
 * @param addr    first byte of the range
 * @param len     bytes of the range
 * @param cookie  what doca_mmap_set_free_cb was given
 */
typedef void doca_mmap_memrange_free_cb_t(void *addr, size_t len, void *cookie);

/**
 * Make an mmap without range and devices. The caller destroys it with doca_mmap_destroy.
 *
 * Any thread, also in callbacks.
 *
 * @param mmap  gets the mmap
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * Stop if need be, and end the mmap. In any state.
 *
 * If the mmap was started at some time, the free callback runs here, once. The memory itself need
 * not exist any more. Not while another thread uses the mmap, thread safety or not; also in
 * callbacks.
 *
 * @param mmap  mmap to which no buffer points
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  buffers still point into it (doca_mmap_get_num_bufs); it lives
 *                                   on
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Make the mmap usable: from now on buffers of it can be made. The configuration is fixed.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap with a range, not started
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or no range was set
 *         DOCA_ERROR_BAD_STATE      it is started
 *         DOCA_ERROR_NOT_PERMITTED  it is exported, or was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * End the use: no new buffers, configuration possible again. Descriptors of its exports become
 * invalid, and so do all mmaps made from them. Of an mmap that is not started: nothing happens.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap to which no buffer points
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  buffers still point into it, or it was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Let a device reach the memory. The mmap holds the device until doca_mmap_rm_dev or destroy.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap that is not started
 * @param dev   open device
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NOT_PERMITTED  the mmap is started or was made from an export
 *         DOCA_ERROR_ALREADY_EXIST  the device is in the mmap
 *         DOCA_ERROR_NO_MEMORY      the mmap has all its devices (doca_mmap_set_max_num_devices),
 *                                   or an allocation failed
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Take a device out of the mmap, which then no longer holds it.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap that is not started
 * @param dev   device of the mmap
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NOT_PERMITTED  the mmap is started or was made from an export
 *         DOCA_ERROR_NOT_FOUND      the device is not in the mmap
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Describe a started mmap for the other side of the PCIe link, which makes an mmap of its own from
 * the description. The memory may be of any kind and alignment. The description (at most 512 bytes)
 * belongs to the mmap and lives until stop or destroy; copy it out. It is a secret: whoever has it
 * can reach the memory, as far as the PCI permission goes, for as long as this process lives and
 * does not stop the mmap. The same mmap and device again: the same description.
 *
 * An exported mmap cannot be started or changed until it is stopped. doca_mmap_stop and
 * doca_mmap_destroy end the export; when they return no peer copies from or to the memory. The
 * first export or import of a process starts a thread that serves its peers. Not while another
 * thread uses the mmap; also in callbacks.
 *
 * @param mmap             started mmap with a PCI permission
 * @param dev              device of the mmap through which the other side comes
 * @param export_desc      gets the description
 * @param export_desc_len  gets its bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NOT_PERMITTED  the mmap is not started, was made from an export, or has
 * neither DOCA_ACCESS_FLAG_PCI_READ_ONLY nor _READ_WRITE DOCA_ERROR_NOT_FOUND      the device is
 * not in the mmap DOCA_ERROR_NOT_SUPPORTED  nobody is on the device's other side
 *                                   (doca_mmap_cap_is_export_pci_supported)
 *         DOCA_ERROR_NO_MEMORY      an allocation failed, or this process has 4,096 exports
 *         DOCA_ERROR_DRIVER         this process cannot take part in the fabric (SOFTDOCA_FABRIC)
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

/**
 * Describe a started mmap for another machine, which reaches it by RDMA. The description belongs to
 * the mmap and lives until stop or destroy.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED, once the arguments are right, in
 * every state. Also in callbacks.
 *
 * @param mmap             started mmap with an RDMA permission
 * @param dev              device of the mmap
 * @param export_desc      would get the description
 * @param export_desc_len  would get its bytes
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/**
 * Name a started mmap for programs on the data path accelerator of a device.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED, once the arguments are right. Also
 * in callbacks.
 *
 * @param mmap             started mmap
 * @param dev              device of the mmap
 * @param dpa_mmap_handle  would get the handle
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not open
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Make an mmap for memory of the other side, from a description that the other side exported. It is
 * usable as it is (never started, stopped or changed), has the exporter's addresses
 * (doca_mmap_get_memrange), and is destroyed with doca_mmap_destroy. Only tasks of contexts on dev
 * reach the memory, and PCI_READ_ONLY memory can be a source only. The description may lie
 * anywhere, be longer than it was, and is not needed afterwards.
 *
 * The exporter must live. When it stops the mmap or ends, tasks that use the import fail with
 * DOCA_ERROR_IO_FAILED. Asks the exporter's process, at most five seconds long. Any thread; also in
 * callbacks.
 *
 * @param user_data        first user data of the new mmap, or NULL for 0
 * @param export_desc      the description
 * @param export_desc_len  its bytes
 * @param dev              open device of the same card as the exporter's
 * @param mmap             gets the mmap
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer (but user_data) is NULL, export_desc_len is 0, dev is
 *                                   not open, or the bytes are no description
 *         DOCA_ERROR_NOT_PERMITTED  the exporter has stopped or destroyed the mmap, is on this side
 *                                   itself, on another card, of another user or release
 *         DOCA_ERROR_NOT_SUPPORTED  nobody is on the device's other side
 *                                   (doca_mmap_cap_is_create_from_export_pci_supported), or the
 *                                   route that SOFTDOCA_WINDOW demands cannot be had
 *         DOCA_ERROR_DRIVER         the exporter has ended or does not answer, or this process
 *                                   cannot take part in the fabric
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * Set the memory that the mmap describes. Once in its life.
 *
 * The memory stays the caller's and must be there as long as buffers of the mmap are used. A start
 * that is not 64-byte aligned works and is worth a WARNING (slower on a card). Not while another
 * thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap that is not started
 * @param addr  first byte
 * @param len   bytes, at least 1
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, len is 0, or addr + len wraps around
 *         DOCA_ERROR_BAD_STATE      the mmap is started
 *         DOCA_ERROR_NOT_PERMITTED  the range was set before, or the mmap was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Set the memory that the mmap describes, and the file that it is part of. Once in its life.
 *
 * If the range is the whole of a memfd that is sealed against shrinking (and, for read-only
 * exports, against future writes), importers on this machine map it; any other file is taken as a
 * plain range. The descriptor stays the caller's, who may close it. Otherwise as
 * doca_mmap_set_memrange.
 *
 * @param mmap           mmap that is not started
 * @param dmabuf_fd      open descriptor of the file
 * @param addr           first byte, where the caller has mapped it
 * @param dmabuf_offset  byte of the file that lies at addr
 * @param len            bytes, at least 1
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, dmabuf_fd is not open, len is 0, or addr +
 *                                   len or dmabuf_offset + len wraps around
 *         DOCA_ERROR_BAD_STATE      the mmap is started
 *         DOCA_ERROR_NOT_PERMITTED  the range was set before, or the mmap was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len);

/**
 * Set memory of a data path accelerator as the range of the mmap.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED, once the arguments are right. Also
 * in callbacks.
 *
 * @param mmap      mmap that is not started
 * @param dpa       the accelerator
 * @param dpa_addr  address of the first byte on the accelerator
 * @param len       bytes
 * @return DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/**
 * The range of the mmap. In any state; any thread while nobody configures; also in callbacks.
 *
 * @param mmap  mmap with a range
 * @param addr  gets the first byte
 * @param len   gets the bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_BAD_STATE      no range was set
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Have the memory freed when the mmap is destroyed.
 *
 * The callback runs once, inside doca_mmap_destroy, if the mmap was started at some time after this
 * call. Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap     mmap that is not started
 * @param free_cb  frees the memory
 * @param opaque   handed to free_cb as cookie; stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  mmap or free_cb is NULL
 *         DOCA_ERROR_BAD_STATE      the mmap is started
 *         DOCA_ERROR_NOT_PERMITTED  the mmap was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/**
 * What the program stored with the mmap. In any state; any thread while nobody configures; also in
 * callbacks.
 *
 * @param mmap       mmap
 * @param user_data  gets the value, 0 if none was set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * How many devices the mmap can hold. In any state; any thread while nobody configures; also in
 * callbacks.
 *
 * @param mmap             mmap
 * @param max_num_devices  gets the number, 8 if it was not set
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * How many buffers point into the mmap now. In any state; any thread; also in callbacks.
 *
 * @param mmap      mmap
 * @param num_bufs  gets the number; 0 after doca_mmap_enable_thread_safety, as none are counted
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Has the mmap been exported since its start? In any state; any thread; also in callbacks.
 *
 * @param mmap      mmap
 * @param exported  gets 1 if so, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Was the mmap made by doca_mmap_create_from_export? In any state; any thread; also in callbacks.
 *
 * @param mmap         mmap
 * @param from_export  gets 1 if so, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Set how many devices the mmap can hold; 8 without this call.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap             mmap that was never started
 * @param max_num_devices  at least 1, and not below the number of devices in the mmap
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or the number is too small
 *         DOCA_ERROR_NOT_PERMITTED  the mmap was started before, or was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Set who may do what with the memory.
 *
 * An mmap on which this was never called lets local devices read and write; with mask 0 they may
 * only read. A task that lacks a right fails (doca_task_try_submit: DOCA_ERROR_NOT_PERMITTED). Not
 * while another thread uses the mmap; also in callbacks.
 *
 * @param mmap         mmap that is not started
 * @param access_mask  bits of enum doca_access_flag
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, a bit is unknown, or PCI_READ_ONLY and
 *                                   PCI_READ_WRITE are given together
 *         DOCA_ERROR_BAD_STATE      the mmap is started
 *         DOCA_ERROR_NOT_PERMITTED  the mmap was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Store a value of the program with the mmap. The library does not look at it.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap       mmap that is not started
 * @param user_data  any value; what a pointer points to stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      the mmap is started
 *         DOCA_ERROR_NOT_PERMITTED  the mmap was made from an export
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Can memory be exported through this function (doca_mmap_export_pci)? Any thread, any time.
 *
 * @param devinfo      function
 * @param mmap_export  gets 1 if the device is of a DPU's card, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);

/**
 * Can an export be taken in through this function (doca_mmap_create_from_export)? Any thread, any
 * time.
 *
 * @param devinfo      function
 * @param from_export  gets 1 if the device is of a DPU's card, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/**
 * Let several threads make and return buffers of the mmap at a time. The buffers are then not
 * counted, so stop and destroy cannot tell that some are out: the program sees to that.
 *
 * Not while another thread uses the mmap; also in callbacks.
 *
 * @param mmap  mmap that is not started and to which no buffer points
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_NOT_PERMITTED  the mmap is started, or buffers point into it
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
