/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Copies the bytes of a file from one process into the memory of another: one exports its memory,
 * the other imports it and has the device copy. Either may be the sender. The receiver's memory is
 * 0 at first, and compared with the file in the end.
 *
 * usage: region_copy export send|receive FILE NAME PCI-ADDRESS plain|mappable
 *        region_copy import send|receive FILE NAME PCI-ADDRESS
 *
 * The exporter leaves NAME.descriptor and NAME.address, and offers its memory until it reads a
 * newline. Public calls only, as in a user's program.
 */

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <softdoca/memory.h>

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM_IN_FLIGHT 8
#define MAX_DESCRIPTOR_LEN 512
#define MAX_PATH_LEN 4096

/* What the command line says. */
struct settings {
    bool is_sender;
    const char *file;
    const char *name;
    const char *pci_addr;
    bool is_mappable;
};

/* Memory with an mmap over it: of this process, or at the address that it has in another. */
struct region {
    char *addr;
    size_t len;
    struct doca_mmap *mmap;
};

struct copy {
    struct region src;
    struct region dst;
    size_t max_piece_len;
    size_t num_submitted; /* bytes */
    uint32_t num_in_flight;
    doca_error_t result; /* the first failure of a task */

    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
};

/* There is nothing to be saved after a failure: the end of the process cleans up. */
static void must(doca_error_t result, const char *step)
{
    if (result == DOCA_SUCCESS)
        return;
    fprintf(stderr, "region_copy: failed to %s: %s\n", step, doca_error_get_descr(result));
    exit(EXIT_FAILURE);
}

static void must_do(bool is_done, const char *step, const char *path)
{
    if (is_done)
        return;
    fprintf(stderr, "region_copy: failed to %s %s: %s\n", step, path, strerror(errno));
    exit(EXIT_FAILURE);
}

/* ---- files ---- */

static char *load(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");

    must_do(file != NULL && fseek(file, 0, SEEK_END) == 0, "open", path);
    const long end = ftell(file);
    must_do(end > 0, "find a byte in", path);
    rewind(file);
    *len = (size_t)end;
    char *content = malloc(*len);
    must_do(content != NULL && fread(content, 1, *len, file) == *len, "read", path);
    fclose(file);
    return content;
}

static char *path_of(const struct settings *settings, const char *suffix)
{
    static char path[MAX_PATH_LEN];

    snprintf(path, sizeof(path), "%s.%s", settings->name, suffix);
    return path;
}

/* Nobody ever sees a part of it. */
static void save(const char *path, const void *content, size_t len)
{
    char new_path[MAX_PATH_LEN + 4];

    snprintf(new_path, sizeof(new_path), "%s.new", path);
    FILE *file = fopen(new_path, "wb");
    must_do(file != NULL, "open", new_path);
    const bool is_written = fwrite(content, 1, len, file) == len;
    must_do(fclose(file) == 0 && is_written, "write", new_path);
    must_do(rename(new_path, path) == 0, "rename", new_path);
}

static int compare(const struct region *region, const char *content)
{
    if (memcmp(region->addr, content, region->len) == 0)
        return EXIT_SUCCESS;
    size_t first = 0;
    while (region->addr[first] == content[first])
        first++;
    fprintf(stderr, "region_copy: byte %zu of %zu differs\n", first, region->len);
    return EXIT_FAILURE;
}

/* ---- device and memory ---- */

static struct doca_dev *open_device(const char *pci_addr)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL;
    uint32_t num = 0;

    must(doca_devinfo_create_list(&list, &num), "list devices");
    for (uint32_t i = 0; i < num && dev == NULL; i++) {
        uint8_t is_equal = 0;

        must(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal), "compare addresses");
        if (is_equal)
            must(doca_dev_open(list[i], &dev), "open device");
    }
    must(dev != NULL ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, "find device");
    must(doca_devinfo_destroy_list(list), "destroy list");
    return dev;
}

static void fill(struct region *region, const struct settings *settings, const char *content)
{
    if (settings->is_sender)
        memcpy(region->addr, content, region->len);
    else
        memset(region->addr, 0, region->len);
}

static void start_mmap(struct region *region, struct doca_dev *dev, uint32_t permissions)
{
    must(doca_mmap_create(&region->mmap), "create mmap");
    must(doca_mmap_add_dev(region->mmap, dev), "add device to mmap");
    must(doca_mmap_set_permissions(region->mmap, permissions), "set permissions");
    must(doca_mmap_set_memrange(region->mmap, region->addr, region->len), "set memory range");
    must(doca_mmap_start(region->mmap), "start mmap");
}

/* ---- exporter ---- */

static void leave_files(const struct region *region, struct doca_dev *dev,
                        const struct settings *settings)
{
    const void *descriptor = NULL;
    size_t len = 0;
    char address[32];

    must(doca_mmap_export_pci(region->mmap, dev, &descriptor, &len), "export mmap");
    save(path_of(settings, "descriptor"), descriptor, len);
    snprintf(address, sizeof(address), "%llu\n", (unsigned long long)(uintptr_t)region->addr);
    save(path_of(settings, "address"), address, strlen(address));
}

static int export_region(const struct settings *settings, const char *content, size_t len)
{
    struct doca_dev *dev = open_device(settings->pci_addr);
    struct region region = {.len = len};
    void *memory = NULL;

    if (settings->is_mappable)
        must(softdoca_memory_alloc(len, &memory), "allocate memory");
    else
        must_do((memory = malloc(len)) != NULL, "allocate memory for", settings->file);
    region.addr = memory;
    fill(&region, settings, content);
    start_mmap(&region, dev,
               settings->is_sender ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
                                   : DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    leave_files(&region, dev, settings);
    must_do(getchar() == '\n', "read a newline from", "the standard input");

    must(doca_mmap_destroy(region.mmap), "destroy mmap");
    must(doca_dev_close(dev), "close device");
    const int status = compare(&region, content); /* a sender's memory has not changed */
    if (settings->is_mappable)
        must(softdoca_memory_free(memory), "free memory");
    else
        free(memory);
    return status;
}

/* ---- importer ---- */

static struct doca_buf *get_buf(const struct copy *copy, const struct region *region,
                                size_t piece_len)
{
    struct doca_buf *buf = NULL;

    must(doca_buf_inventory_buf_get_by_addr(copy->inventory, region->mmap,
                                            region->addr + copy->num_submitted, piece_len, &buf),
         "get buffer");
    return buf;
}

static void submit_next(struct copy *copy)
{
    const size_t rest = copy->src.len - copy->num_submitted;
    const size_t piece_len = rest < copy->max_piece_len ? rest : copy->max_piece_len;
    const union doca_data user_data = {.ptr = copy};
    struct doca_dma_task_memcpy *task = NULL;

    if (piece_len == 0 || copy->result != DOCA_SUCCESS)
        return;
    struct doca_buf *src = get_buf(copy, &copy->src, piece_len);
    struct doca_buf *dst = get_buf(copy, &copy->dst, piece_len);
    must(doca_buf_set_data(src, copy->src.addr + copy->num_submitted, piece_len), "set data");
    must(doca_dma_task_memcpy_alloc_init(copy->dma, src, dst, user_data, &task), "allocate task");
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)), "submit task");
    copy->num_submitted += piece_len;
    copy->num_in_flight++;
}

/* Completed or failed: the status says which. */
static void task_ended(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
                       union doca_data ctx_user_data)
{
    struct copy *copy = task_user_data.ptr;
    const doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    struct doca_buf *src = (struct doca_buf *)(uintptr_t)doca_dma_task_memcpy_get_src(task);
    struct doca_buf *dst = doca_dma_task_memcpy_get_dst(task);

    (void)ctx_user_data;
    DOCA_ERROR_PROPAGATE(copy->result, status);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    must(doca_buf_dec_refcount(src, NULL), "release source");
    must(doca_buf_dec_refcount(dst, NULL), "release destination");
    copy->num_in_flight--;
    submit_next(copy);
}

static void start_dma(struct copy *copy, struct doca_dev *dev)
{
    uint64_t max_piece_len = 0;

    must(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dev), &max_piece_len),
         "get the largest size of a copy");
    copy->max_piece_len = max_piece_len;
    must(doca_buf_inventory_create(2 * (size_t)NUM_IN_FLIGHT, &copy->inventory),
         "create inventory");
    must(doca_buf_inventory_start(copy->inventory), "start inventory");
    must(doca_pe_create(&copy->pe), "create progress engine");
    must(doca_dma_create(dev, &copy->dma), "create DMA context");
    must(doca_dma_task_memcpy_set_conf(copy->dma, task_ended, task_ended, NUM_IN_FLIGHT),
         "configure tasks");
    must(doca_pe_connect_ctx(copy->pe, doca_dma_as_ctx(copy->dma)), "connect DMA context");
    must(doca_ctx_start(doca_dma_as_ctx(copy->dma)), "start DMA context");
}

static void run(struct copy *copy)
{
    for (int i = 0; i < NUM_IN_FLIGHT; i++)
        submit_next(copy);
    while (copy->num_in_flight != 0) {
        if (doca_pe_progress(copy->pe) == 0)
            sched_yield();
    }
    must(copy->result, "copy");
    must(doca_ctx_stop(doca_dma_as_ctx(copy->dma)), "stop DMA context");
    must(doca_dma_destroy(copy->dma), "destroy DMA context");
    must(doca_pe_destroy(copy->pe), "destroy progress engine");
    must(doca_buf_inventory_destroy(copy->inventory), "destroy inventory");
}

static struct region import_mmap(const struct settings *settings, struct doca_dev *dev, size_t len)
{
    struct region region = {.len = len};
    size_t descriptor_len = 0, text_len = 0;
    char *descriptor = load(path_of(settings, "descriptor"), &descriptor_len);
    char *text = load(path_of(settings, "address"), &text_len);

    must(descriptor_len <= MAX_DESCRIPTOR_LEN ? DOCA_SUCCESS : DOCA_ERROR_TOO_BIG,
         "have a descriptor of at most 512 bytes");
    must_do(text[text_len - 1] == '\n', "find a line in", path_of(settings, "address"));
    region.addr = (char *)(uintptr_t)strtoull(text, NULL, 10);
    must(doca_mmap_create_from_export(NULL, descriptor, descriptor_len, dev, &region.mmap),
         "import");
    free(descriptor);
    free(text);
    return region;
}

static int import_region(const struct settings *settings, const char *content, size_t len)
{
    struct doca_dev *dev = open_device(settings->pci_addr);
    struct region local = {.addr = malloc(len), .len = len};

    must_do(local.addr != NULL, "allocate memory for", settings->file);
    fill(&local, settings, content);
    start_mmap(&local, dev, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    const struct region remote = import_mmap(settings, dev, len);
    struct copy copy = {.src = settings->is_sender ? local : remote,
                        .dst = settings->is_sender ? remote : local};
    start_dma(&copy, dev);
    run(&copy);

    must(doca_mmap_destroy(remote.mmap), "destroy remote mmap");
    must(doca_mmap_destroy(local.mmap), "destroy local mmap");
    must(doca_dev_close(dev), "close device");
    const int status = compare(&local, content);
    free(local.addr);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: region_copy export|import send|receive FILE NAME PCI-ADDRESS "
                        "[plain|mappable]\n");
        return EXIT_FAILURE;
    }
    const struct settings settings = {
        .is_sender = strcmp(argv[2], "send") == 0,
        .file = argv[3],
        .name = argv[4],
        .pci_addr = argv[5],
        .is_mappable = argc > 6 && strcmp(argv[6], "mappable") == 0,
    };
    size_t len = 0;
    char *content = load(settings.file, &len);
    const int status = strcmp(argv[1], "export") == 0 ? export_region(&settings, content, len)
                                                      : import_region(&settings, content, len);

    free(content);
    return status;
}
