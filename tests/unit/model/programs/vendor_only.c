/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * In C and C++: nothing but calls of DOCA, good ones and bad ones: with the header of the model
 * (WITH_MODEL) it must say and do the same as without.
 */

#ifdef WITH_MODEL
#include <softdoca/model.h>
#endif

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdio.h>
#include <string.h>

enum { kLen = 64 };

static char memory[2 * kLen] __attribute__((aligned(64))) = "copied";

static void show(const char *step, doca_error_t result)
{
    printf("%s: %s\n", step, doca_error_get_name(result));
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    printf("in the destination: %s\n", memory + kLen);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static struct doca_dev *open_first(void)
{
    struct doca_devinfo **list, *stale;
    uint32_t num_devs = 0;
    struct doca_dev *dev = NULL;

    show("list", doca_devinfo_create_list(&list, &num_devs));
    show("open", doca_dev_open(list[0], &dev));
    show("open without a place", doca_dev_open(list[0], NULL));
    stale = list[0];
    show("destroy list", doca_devinfo_destroy_list(list));
    show("open NULL", doca_dev_open(NULL, &dev));
    show("open a stale devinfo", doca_dev_open(stale, &dev));
    return dev;
}

static void copy(struct doca_dev *dev, struct doca_buf *src, struct doca_buf *dst)
{
    doca_error_t (*const submit)(struct doca_task *) = doca_task_submit;
    const union doca_data nothing = {.u64 = 0};
    struct doca_dma *dma;
    struct doca_dma_task_memcpy *task;
    struct doca_pe *pe;

    show("pe", doca_pe_create(&pe));
    show("dma", doca_dma_create(dev, &dma));
    show("configure", doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 2));
    show("connect", doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    show("start", doca_ctx_start(doca_dma_as_ctx(dma)));
    for (int i = 0; i < 2; i++) {
        show("reset", doca_buf_reset_data_len(dst));
        show("alloc", doca_dma_task_memcpy_alloc_init(dma, src, dst, nothing, &task));
        show("submit", i == 0 ? doca_task_submit(doca_dma_task_memcpy_as_task(task))
                              : submit(doca_dma_task_memcpy_as_task(task)));
        while (doca_pe_progress(pe) == 0)
            ;
    }
    show("close a device in use", doca_dev_close(dev));
    show("stop", doca_ctx_stop(doca_dma_as_ctx(dma)));
    show("destroy dma", doca_dma_destroy(dma));
    show("destroy pe", doca_pe_destroy(pe));
}

int main(void)
{
    struct doca_dev *dev = open_first();
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;

    show("mmap", doca_mmap_create(&mmap));
    show("range", doca_mmap_set_memrange(mmap, memory, sizeof memory));
    show("device", doca_mmap_add_dev(mmap, dev));
    show("start mmap", doca_mmap_start(mmap));
    show("inventory", doca_buf_inventory_create(2, &inventory));
    show("start inventory", doca_buf_inventory_start(inventory));
    show("source", doca_buf_inventory_buf_get_by_data(inventory, mmap, memory, kLen, &src));
    show("destination",
         doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + kLen, kLen, &dst));
    copy(dev, src, dst);
    show("return", doca_buf_dec_refcount(src, NULL));
    show("return", doca_buf_dec_refcount(dst, NULL));
    show("destroy inventory", doca_buf_inventory_destroy(inventory));
    show("destroy mmap", doca_mmap_destroy(mmap));
    show("close", doca_dev_close(dev));
    show("close again", doca_dev_close(dev));
    show("close NULL", doca_dev_close(NULL));
    return 0;
}
