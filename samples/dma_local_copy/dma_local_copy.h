/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#ifndef SAMPLES_DMA_LOCAL_COPY_H_
#define SAMPLES_DMA_LOCAL_COPY_H_

#include <doca_dev.h>
#include <doca_error.h>

#include <stdint.h>

#define MAX_TEXT_LEN 4096
#define MAX_NUM_TASKS 128
#define MAX_NUM_RANGES 128

/* What the command line says. */
struct dma_local_copy_config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[MAX_TEXT_LEN + 1]; /* each task copies it, with its final NUL */
    uint32_t num_src_buf;        /* pieces of each source */
    uint32_t num_dst_buf;        /* pieces of each destination */
    uint32_t num_tasks;
    uint32_t max_num_ranges; /* profiling ranges to display; 0: no profiling */
};

/* Copy the text within the memory of this process, num_tasks times, and compare. */
doca_error_t dma_local_copy(const struct dma_local_copy_config *config);

#endif /* SAMPLES_DMA_LOCAL_COPY_H_ */
