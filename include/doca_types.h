/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* Types that several libraries share. */

#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stdint.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file descriptor to wait on with poll, select or epoll. */
typedef int doca_event_handle_t;

/** The descriptor that a progress engine is waited on with (doca_pe_get_notification_handle). */
typedef doca_event_handle_t doca_notification_handle_t;

/** No descriptor. */
#define doca_event_invalid_handle -1

/** Bytes of a GID. */
#define DOCA_GID_BYTE_LENGTH 16

/** A value of the program that the library keeps and hands back: a pointer or a number. */
union doca_data {
    void *ptr;
    uint64_t u64;
};

/** A list of memory pieces. */
struct doca_gather_list {
    void *addr;                    /**< first byte of the piece */
    uint64_t len;                  /**< bytes of the piece */
    struct doca_gather_list *next; /**< next piece, NULL at the end */
};

/** Who may reach the memory of an mmap, and how (doca_mmap_set_permissions). A mask. */
enum doca_access_flag {
    DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,       /**< devices of this process may read (always) */
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0, /**< devices of this process may write too */
    DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,        /**< remote machines may read by RDMA */
    DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,       /**< remote machines may write by RDMA */
    DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,      /**< remote machines may do RDMA atomics */
    DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,    /**< the other side of the PCIe link may read;
                                                     excludes PCI_READ_WRITE */
    DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,   /**< the other side may read and write */
    DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6, /**< a hint: order of PCIe accesses is free */
};

/** Kinds of PCI functions. */
enum doca_pci_func_type {
    DOCA_PCI_FUNC_TYPE_PF = 0, /**< physical function */
    DOCA_PCI_FUNC_TYPE_VF = 1, /**< virtual function */
    DOCA_PCI_FUNC_TYPE_SF = 2, /**< sub-function */
};

/** Big-endian integers. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/** Where memory of a GPU is, and who may reach it. */
enum doca_gpu_mem_type {
    DOCA_GPU_MEM_TYPE_GPU = 0,     /**< on the GPU, for the GPU */
    DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< on the GPU, the CPU may access it */
    DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< on the CPU, the GPU may access it */
};

/** How an Ethernet queue waits for a point of time. */
enum doca_eth_wait_on_time_type {
    DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,   /**< it cannot */
    DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1, /**< the device does */
    DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2,   /**< DPDK does */
};

/** Path MTU. */
enum doca_mtu_size {
    DOCA_MTU_SIZE_256_BYTES = 0,
    DOCA_MTU_SIZE_512_BYTES = 1,
    DOCA_MTU_SIZE_1K_BYTES = 2,
    DOCA_MTU_SIZE_2K_BYTES = 3,
    DOCA_MTU_SIZE_4K_BYTES = 4,
    DOCA_MTU_SIZE_RAW_ETHERNET = 5,
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
