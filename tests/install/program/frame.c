/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* A program of somebody else who begins with the model. C and C++. */

#include <softdoca/model.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct doca_ctx *ctx = doca_ctx_create();
    struct doca_devinfo *info = doca_devinfo_get_first(ctx);
    char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = "";
    struct doca_dev *dev = NULL;
    struct doca_mem *mem = NULL;
    struct doca_buf *buf = NULL;
    void *bytes = aligned_alloc(4096, 4096);
    doca_error_t result;

    doca_devinfo_get_pci_addr_str(info, address);
    doca_dev_open(info, &dev);
    doca_mem_reg(dev, bytes, 4096, DOCA_MEM_ACCESS_RW, &mem);
    doca_buf_create(mem, 0, 1500, &buf);
    result = doca_task_submit(ctx, buf);
    printf("sent by %s: %s\n", address, doca_error_get_name(result));
    doca_buf_destroy(buf);
    doca_mem_unreg(mem);
    free(bytes);
    doca_dev_close(dev);
    return doca_ctx_destroy(ctx);
}
