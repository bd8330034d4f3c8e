/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The second form of a program: every handle begins as NULL, every call is checked, and one place
 * cleans up whatever there is. C and C++.
 */

#include <softdoca/model.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct doca_ctx *ctx = NULL;
    struct doca_dev *dev = NULL;
    struct doca_mem *mem = NULL;
    struct doca_buf *buf = NULL;
    struct doca_devinfo *info = NULL;
    void *addr = NULL;
    const size_t len = 2 * 1024 * 1024;
    doca_error_t status = DOCA_SUCCESS;

    status = doca_ctx_create(&ctx);
    if (status != DOCA_SUCCESS)
        goto cleanup;

    info = doca_devinfo_get_first(ctx);
    status = doca_dev_open(info, &dev);
    if (status != DOCA_SUCCESS)
        goto cleanup;

    addr = aligned_alloc(4096, len);
    if (addr == NULL) {
        status = DOCA_ERROR_NO_MEMORY;
        goto cleanup;
    }
    status = doca_mem_reg(dev, addr, len, DOCA_MEM_ACCESS_RW, &mem);
    if (status != DOCA_SUCCESS)
        goto cleanup;

    status = doca_buf_create(mem, 0, 1500, &buf);
    if (status != DOCA_SUCCESS)
        goto cleanup;

    status = doca_task_submit(ctx, buf);

cleanup:
    if (status != DOCA_SUCCESS)
        printf("%s: %s\n", doca_error_get_name(status), softdoca_error_advice(status));
    doca_buf_destroy(buf);
    doca_mem_unreg(mem);
    free(addr);
    doca_dev_close(dev);
    doca_ctx_destroy(ctx);
    return status;
}
