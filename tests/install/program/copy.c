/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A program of somebody else: it knows the installed headers and libraries, nothing of this tree.
 * It prints the side it was compiled for and the devices it sees, then copies memory by DMA on the
 * device named with -p. Exit code 0 only if the copy is right.
 */

#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define COPY_SIZE 100000

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const doca_error_t check_result = (call);                                                  \
        if (check_result != DOCA_SUCCESS) {                                                        \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_name(check_result));                 \
            return check_result;                                                                   \
        }                                                                                          \
    } while (0)

struct config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
};

static char memory[2 * COPY_SIZE]; /* source, then destination */
static int num_completed;

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct config *wanted = config;

    (void)snprintf(wanted->pci_addr, sizeof(wanted->pci_addr), "%s", (const char *)value);
    return DOCA_SUCCESS;
}

static doca_error_t parse(int argc, char **argv, struct config *config)
{
    struct doca_argp_param *pci_addr;

    CHECK(doca_argp_init("copy", config));
    CHECK(doca_argp_param_create(&pci_addr));
    doca_argp_param_set_short_name(pci_addr, "p");
    doca_argp_param_set_long_name(pci_addr, "pci-addr");
    doca_argp_param_set_description(pci_addr, "device to copy with");
    doca_argp_param_set_callback(pci_addr, set_pci_addr);
    doca_argp_param_set_type(pci_addr, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_mandatory(pci_addr);
    CHECK(doca_argp_register_param(pci_addr));
    CHECK(doca_argp_start(argc, argv));
    return doca_argp_destroy();
}

static doca_error_t list_and_open(const char *pci_addr, struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t num_devs;

    CHECK(doca_devinfo_create_list(&list, &num_devs));
    for (uint32_t i = 0; i < num_devs; i++) {
        char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
        uint8_t is_wanted = 0;

        CHECK(doca_devinfo_get_pci_addr_str(list[i], addr));
        printf(" %s", addr);
        CHECK(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_wanted));
        if (is_wanted)
            CHECK(doca_dev_open(list[i], dev));
    }
    printf("\n");
    return doca_devinfo_destroy_list(list);
}

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                         union doca_data ctx_user_data)
{
    struct doca_task *const as_task = doca_dma_task_memcpy_as_task(task);

    (void)task_user_data;
    (void)ctx_user_data;
    num_completed += doca_task_get_status(as_task) == DOCA_SUCCESS ? 1 : -1;
    doca_task_free(as_task);
}

static doca_error_t copy_on(struct doca_dma *dma, struct doca_pe *pe, struct doca_buf *src,
                            struct doca_buf *dst)
{
    const union doca_data no_data = {0};
    struct doca_dma_task_memcpy *task;

    CHECK(doca_dma_task_memcpy_set_conf(dma, on_completed, on_completed, 1));
    CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    CHECK(doca_ctx_start(doca_dma_as_ctx(dma)));
    CHECK(doca_dma_task_memcpy_alloc_init(dma, src, dst, no_data, &task));
    CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (num_completed == 0)
        (void)doca_pe_progress(pe);
    return doca_ctx_stop(doca_dma_as_ctx(dma));
}

static doca_error_t copy(struct doca_dev *dev)
{
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_mmap *mmap;
    struct doca_dma *dma;
    struct doca_pe *pe;

    CHECK(doca_mmap_create(&mmap));
    CHECK(doca_mmap_add_dev(mmap, dev));
    CHECK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
    CHECK(doca_mmap_start(mmap));
    CHECK(doca_buf_inventory_create(2, &inventory));
    CHECK(doca_buf_inventory_start(inventory));
    CHECK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory, COPY_SIZE, &src));
    CHECK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + COPY_SIZE, COPY_SIZE, &dst));
    CHECK(doca_pe_create(&pe));
    CHECK(doca_dma_create(dev, &dma));

    CHECK(copy_on(dma, pe, src, dst));

    CHECK(doca_dma_destroy(dma));
    CHECK(doca_pe_destroy(pe));
    CHECK(doca_buf_dec_refcount(src, NULL));
    CHECK(doca_buf_dec_refcount(dst, NULL));
    CHECK(doca_buf_inventory_destroy(inventory));
    CHECK(doca_mmap_destroy(mmap));
    return doca_dev_close(dev);
}

int main(int argc, char **argv)
{
    struct config config = {""};
    struct doca_dev *dev = NULL;

#ifdef DOCA_ARCH_DPU
    printf("dpu");
#else
    printf("host");
#endif
    if (parse(argc, argv, &config) != DOCA_SUCCESS ||
        list_and_open(config.pci_addr, &dev) != DOCA_SUCCESS || dev == NULL)
        return 1;
    memset(memory, 'x', COPY_SIZE);
    if (copy(dev) != DOCA_SUCCESS || num_completed != 1 ||
        memcmp(memory, memory + COPY_SIZE, COPY_SIZE) != 0)
        return 1;
    printf("copied\n");
    return 0;
}
