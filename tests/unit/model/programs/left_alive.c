/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* A program that forgets to release. */

#include <softdoca/model.h>

#include <stddef.h>

static _Alignas(64) char memory[4096];

int main(void)
{
    struct doca_ctx *ctx = doca_ctx_create();
    struct doca_dev *dev = NULL;
    struct doca_mem *mem = NULL;
    struct doca_buf *buf = NULL;

    return doca_dev_open(doca_devinfo_get_first(ctx), &dev) != DOCA_SUCCESS ||
           doca_mem_reg(dev, memory, sizeof memory, DOCA_MEM_ACCESS_RW, &mem) != DOCA_SUCCESS ||
           doca_buf_create(mem, 0, 64, &buf) != DOCA_SUCCESS ||
           doca_buf_create(mem, 64, 64, &buf) != DOCA_SUCCESS;
}
