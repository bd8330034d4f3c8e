/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Devices: the PCI functions that this process sees, and representors.
 *
 * A devinfo describes a function without using it: names, addresses, capabilities. It comes from a
 * list or from an open device. A dev is an open function, which mmaps and contexts are given.
 * devinfo_rep and dev_rep are the same two things for a representor: the DPU's handle for a
 * function of the host. A host process has no representors.
 *
 * Order: doca_devinfo_create_list, choose by address, name or capability, doca_dev_open,
 * doca_devinfo_destroy_list, use, doca_dev_close. Representors in the same way while their device
 * is open: doca_devinfo_rep_create_list, doca_dev_rep_open, doca_devinfo_rep_destroy_list, use,
 * doca_dev_rep_close.
 *
 * Ownership: the entries of a list live until the list is destroyed; what was opened from them does
 * not need them any more. Opening a function that this process has open already gives the same
 * pointer and one reference more; each open needs its close. The last close is refused while an
 * mmap, a context or a representor holds the device.
 *
 * Who sees what: a process is a host or a DPU, as the doca_build_config.h it was compiled with
 * says; SOFTDOCA_ROLE=host|dpu overrides that. By default the DPU has 0000:03:00.0 (mlx5_0, p0)
 * with the representor of 0000:3b:00.0 (pf0hpf), and 0000:03:00.1 (mlx5_1, p1) with that of
 * 0000:3b:00.1 (pf1hpf); the host has 0000:3b:00.0 (mlx5_0, ens1f0np0) and 0000:3b:00.1 (mlx5_1,
 * ens1f1np1). What a device answers does not change during a run. A devinfo whose list was
 * destroyed, or whose device was closed, is stale and refused.
 *
 * Threads: all calls of this header may be made by any thread at any time, also in callbacks.
 * Out-parameters are written on success only. A device that was open before a fork is the parent's:
 * in the child doca_dev_open and the two closes answer DOCA_ERROR_BAD_STATE, other calls
 * DOCA_ERROR_INVALID_VALUE.
 */

#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>
#include <doca_types.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A function, described. Not open. */
struct doca_devinfo;

/** A representor, described. Not open. */
struct doca_devinfo_rep;

/** An open function, counted by reference. */
struct doca_dev;

/** An open representor. */
struct doca_dev_rep;

/** Bytes of a buffer for each property of a device; of strings with the final NUL. */
#define DOCA_DEVINFO_VUID_SIZE 128       /**< unique name of the function */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4    /**< IPv4 address */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16   /**< IPv6 address */
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6     /**< Ethernet address */
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256 /**< network interface, "p0" */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64  /**< RDMA device, "mlx5_0" */
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13    /**< "0000:03:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8      /**< "03:00.0" */

/** The same for a representor. */
#define DOCA_DEVINFO_REP_VUID_SIZE 128    /**< unique name of the function */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13 /**< "0000:3b:00.0" */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE 8   /**< "3b:00.0" */

/** Which representors a list holds; one of these, not a combination. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,      /**< every representor of the device */
    DOCA_DEVINFO_REP_FILTER_NET = 2,      /**< those of network functions */
    DOCA_DEVINFO_REP_FILTER_EMULATED = 4, /**< those of emulated functions; there are none here */
};

/**
 * List the functions that this process sees.
 *
 * Several lists may exist at a time. The caller destroys the list with doca_devinfo_destroy_list;
 * until then its entries may be queried and opened. Any thread, any time.
 *
 * @param dev_list  gets an array of nb_devs entries, never NULL
 * @param nb_devs   gets the number of entries, may be 0
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 *         DOCA_ERROR_NOT_FOUND      SOFTDOCA_ROLE names no node that exists
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * End a list and its entries. Devices opened from it stay open.
 *
 * If the program compared addresses with entries and none was equal, one WARNING, once a process,
 * names the addresses that there are. Any thread, any time.
 *
 * @param dev_list  list of doca_devinfo_create_list
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL or not a living list
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * List the representors that an open device offers. Only the DPU's devices offer any.
 *
 * The caller destroys the list with doca_devinfo_rep_destroy_list. Any thread, any time while the
 * device is open.
 *
 * @param dev           open device
 * @param filter        value of enum doca_devinfo_rep_filter
 * @param dev_list_rep  gets an array of nb_devs_rep entries, never NULL
 * @param nb_devs_rep   gets the number of entries, may be 0
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, dev is not open, or filter has no such value
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 *         DOCA_ERROR_NOT_SUPPORTED  the device has no representors (host side), or does not support
 *                                   this filter (doca_devinfo_rep_cap_is_filter_*_supported)
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);

/**
 * End a list of representors and its entries. Representors opened from it stay open.
 *
 * Any thread, any time.
 *
 * @param dev_list_rep  list of doca_devinfo_rep_create_list
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL or not a living list
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * Open a function, or take one reference more if this process has it open.
 *
 * The caller closes each open with doca_dev_close. Any thread, any time.
 *
 * @param devinfo  entry of a living list, or doca_dev_as_devinfo of an open device
 * @param dev      gets the device: for one function always the same pointer while it is open
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or devinfo belongs to a destroyed list
 *         DOCA_ERROR_BAD_STATE      the function was opened before this process was forked
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Give one reference back; the last one closes the device. NULL is allowed and does nothing.
 *
 * Any thread, any time.
 *
 * @param dev  open device, or NULL
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the device is not open
 *         DOCA_ERROR_BAD_STATE      it was opened before this process was forked
 *         DOCA_ERROR_IN_USE         this is the last reference and an mmap, a context or a
 *                                   representor still holds the device; it stays open and usable
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Ask a device to give freed resources back to the system sooner.
 *
 * Not offered by this release: always DOCA_ERROR_NOT_SUPPORTED. Any thread, any time.
 *
 * @param dev  open device
 * @return DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or the device is not open
 *         DOCA_ERROR_NOT_SUPPORTED  otherwise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Open a representor. It holds its device until it is closed.
 *
 * The caller closes it with doca_dev_rep_close. Any thread, any time.
 *
 * @param devinfo  entry of a living list of representors, or doca_dev_rep_as_devinfo
 * @param dev_rep  gets the representor
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, devinfo belongs to a destroyed list, or its
 *                                   device is closed
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * Close a representor. To be done before its device is closed. Any thread, any time.
 *
 * @param dev  open representor
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or the representor is not open
 *         DOCA_ERROR_BAD_STATE      it was opened before this process was forked
 *         DOCA_ERROR_IN_USE         a context still uses the representor; it stays open
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * The description of an open device, for queries without a list. Any thread, any time.
 *
 * @param dev  open device
 * @return a devinfo of the device, valid until its last close; NULL if dev is NULL or not open
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/**
 * The description of an open representor, for queries without a list. Any thread, any time.
 *
 * @param dev_rep  open representor
 * @return a devinfo_rep of the representor, valid until its close; NULL if dev_rep is NULL or not
 *         open
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * The PCI address of a function in the long form, lower case: "0000:03:00.0". Any thread, any time.
 *
 * @param devinfo       function
 * @param pci_addr_str  gets 12 characters and NUL: DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Compare the PCI address of a function with one in the long form (DDDD:BB:DD.F) or the short one
 * (BB:DD.F, domain 0000). Upper and lower case hex digits are equal. Any thread, any time.
 *
 * @param devinfo       function
 * @param pci_addr_str  the address to compare with
 * @param is_equal      gets 1 if it is the same function, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or pci_addr_str has neither form
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/**
 * The IPv4 address of the function's network interface, in network order. Any thread, any time.
 *
 * @param devinfo    function
 * @param ipv4_addr  gets DOCA_DEVINFO_IPV4_ADDR_SIZE bytes
 * @param size       bytes at ipv4_addr, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 *         DOCA_ERROR_NOT_FOUND      the interface has no IPv4 address
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);

/**
 * The IPv6 address of the function's network interface, in network order. Any thread, any time.
 *
 * @param devinfo    function
 * @param ipv6_addr  gets DOCA_DEVINFO_IPV6_ADDR_SIZE bytes
 * @param size       bytes at ipv6_addr, at least DOCA_DEVINFO_IPV6_ADDR_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/**
 * The Ethernet address of the function's port. Any thread, any time.
 *
 * @param devinfo   function
 * @param mac_addr  gets DOCA_DEVINFO_MAC_ADDR_SIZE bytes
 * @param size      bytes at mac_addr, at least DOCA_DEVINFO_MAC_ADDR_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/**
 * The name of the function's network interface, such as "p0". Any thread, any time.
 *
 * @param devinfo     function
 * @param iface_name  gets the name; the rest of the buffer is filled with zeros
 * @param size        bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/**
 * The name of the function's RDMA device, such as "mlx5_0". Any thread, any time.
 *
 * @param devinfo     function
 * @param ibdev_name  gets the name; the rest of the buffer is filled with zeros
 * @param size        bytes at ibdev_name, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/**
 * The local identifier of an InfiniBand port. Any thread, any time.
 *
 * @param devinfo  function
 * @param lid      gets the identifier
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  the port is Ethernet, as all ports are here
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * The rate of the function's port in bits a second. Any thread, any time.
 *
 * @param devinfo      function
 * @param active_rate  gets the rate, 200,000,000,000 by default; not a speed of this software
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);

/**
 * The number by which the card knows the function. Any thread, any time.
 *
 * @param devinfo  function
 * @param vhca_id  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * Can the function plug emulated functions in and out? Here none can. Any thread, any time.
 *
 * @param devinfo             function
 * @param is_hotplug_manager  gets 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);

/**
 * Can the function hold notifications back and send them together? Here none can.
 *
 * Any thread, any time.
 *
 * @param devinfo                               function
 * @param is_notification_moderation_supported  gets 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * May representors be listed with DOCA_DEVINFO_REP_FILTER_ALL? Any thread, any time.
 *
 * @param devinfo               function
 * @param filter_all_supported  gets 1 on the DPU side, 0 on the host side
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);

/**
 * May representors be listed with DOCA_DEVINFO_REP_FILTER_NET? Any thread, any time.
 *
 * @param devinfo               function
 * @param filter_net_supported  gets 1 on the DPU side, 0 on the host side
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/**
 * May representors be listed with DOCA_DEVINFO_REP_FILTER_EMULATED? Here never.
 *
 * Any thread, any time.
 *
 * @param devinfo                    function
 * @param filter_emulated_supported  gets 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);

/**
 * Does the function support doca_dev_accelerate_resource_reclaim? Here none does.
 *
 * Any thread, any time.
 *
 * @param devinfo                         function
 * @param is_accelerate_resource_reclaim  gets 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/**
 * The unique name of the represented function; the same in every run. Any thread, any time.
 *
 * @param devinfo_rep  representor
 * @param rep_vuid     gets the name; the rest of the buffer is filled with zeros
 * @param size         bytes at rep_vuid, at least DOCA_DEVINFO_REP_VUID_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);

/**
 * The PCI address of the represented function as its host sees it, long form, lower case.
 *
 * Any thread, any time.
 *
 * @param devinfo_rep   representor
 * @param pci_addr_str  gets 12 characters and NUL: DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);

/**
 * The kind of the represented function: physical, virtual or sub-function. Any thread, any time.
 *
 * @param devinfo_rep    representor
 * @param pci_func_type  gets the kind
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);

/**
 * Was the represented function plugged in by a hot-plug manager? Here none is.
 *
 * Any thread, any time.
 *
 * @param devinfo_rep  representor
 * @param is_hotplug   gets 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);

/**
 * The name of the representor's network interface on the DPU, such as "pf0hpf".
 *
 * Any thread, any time.
 *
 * @param devinfo_rep  representor
 * @param iface_name   gets the name; the rest of the buffer is filled with zeros
 * @param size         bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or size is too small
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);

/**
 * The number by which the card knows the represented function. Any thread, any time.
 *
 * @param devinfo_rep  representor
 * @param vhca_id      gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);

/**
 * Compare the address of the represented function, as its host sees it, with one in the long form
 * (DDDD:BB:DD.F) or the short one (BB:DD.F, domain 0000). Upper and lower case hex digits are
 * equal. Any thread, any time.
 *
 * @param devinfo_rep   representor
 * @param pci_addr_str  the address to compare with
 * @param is_equal      gets 1 if it is the same function, else 0
 * @return DOCA_SUCCESS, whatever the answer;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale, or pci_addr_str has neither form
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

/**
 * The kind of the function: physical, virtual or sub-function. Any thread, any time.
 *
 * @param devinfo        function
 * @param pci_func_type  gets the kind
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/**
 * The number of a sub-function within its physical function. Any thread, any time.
 *
 * @param devinfo   function of kind DOCA_PCI_FUNC_TYPE_SF
 * @param sf_index  gets the number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or stale
 *         DOCA_ERROR_NOT_SUPPORTED  the function is no sub-function
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
