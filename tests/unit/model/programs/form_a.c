/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The first form of a program: the Context is a return value, and nothing is expected to fail. C
 * and C++. MODEL_HOOKS, if given, names a file that looks on (hooks.h).
 */

#include <softdoca/model.h>

#include <stdio.h>
#include <stdlib.h>

#ifdef MODEL_HOOKS
#include MODEL_HOOKS
#endif

int main(void)
{
    struct doca_ctx *ctx = doca_ctx_create();
    doca_ctx_set_log_level(ctx, DOCA_LOG_LEVEL_INFO);

    struct doca_devinfo *info = doca_devinfo_get_first(ctx);
    struct doca_dev *dev;
    doca_dev_open(info, &dev);

    size_t len = 2 * 1024 * 1024;
    void *addr = aligned_alloc(4096, len);
    struct doca_mem *mem;
    doca_mem_reg(dev, addr, len, DOCA_MEM_ACCESS_RW, &mem);

    struct doca_buf *buf;
    doca_buf_create(mem, 0, 1500, &buf);

    doca_error_t result = doca_task_submit(ctx, buf);
    printf("submitted: %s\n", doca_error_get_descr(result));

    doca_buf_destroy(buf);
    doca_mem_unreg(mem);
    free(addr);
    doca_dev_close(dev);
    doca_ctx_destroy(ctx);
    return 0;
}
