/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * What dma_copy_host and dma_copy_dpu share: the command line. The host leaves two files, the
 * export descriptor of its memory and where that memory is; the DPU reads them. Between two
 * machines somebody has to copy them.
 */

#ifndef SAMPLES_DMA_COPY_COMMON_H_
#define SAMPLES_DMA_COPY_COMMON_H_

#include <doca_dev.h>
#include <doca_error.h>

#include <stdbool.h>
#include <stdint.h>

#define MAX_TEXT_LEN 4096
#define MAX_PATH_LEN 256

/* What the command line says. */
struct dma_copy_config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[MAX_TEXT_LEN + 1];            /* the host exports it, with its final NUL */
    char descriptor_path[MAX_PATH_LEN + 1]; /* the bytes of the export descriptor */
    char buffer_path[MAX_PATH_LEN + 1];     /* address and length, a line each */
    uint32_t num_src_buf;                   /* pieces of the source; DPU only, as the next */
    uint32_t num_dst_buf;                   /* pieces of the destination */
    bool reads_files;                       /* so those that are named must exist */
};

struct dma_copy_program {
    const char *name;
    const char *wrong_side; /* what to say if it was built for the other side, else NULL */
    bool reads_files;
    doca_error_t (*run)(const struct dma_copy_config *config);
};

/* The program: log, command line, run(); the exit code. */
int dma_copy_main(int argc, char **argv, const struct dma_copy_program *program);

#endif /* SAMPLES_DMA_COPY_COMMON_H_ */
