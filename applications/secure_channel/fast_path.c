/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "fast_path.h"

#include "../../samples/common.h"

#include <doca_log.h>

#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(SECURE_CHANNEL::FAST_PATH);

#define CACHE_LINE 64

static doca_error_t accept_any(const struct doca_devinfo *devinfo)
{
    (void)devinfo;
    return DOCA_SUCCESS;
}

static doca_error_t allocate(struct fast_path *path, size_t len)
{
    void *memory = NULL;

    if (posix_memalign(&memory, CACHE_LINE, len) != 0)
        return DOCA_ERROR_NO_MEMORY;
    memset(memory, 0, len);
    path->memory = memory;
    return DOCA_SUCCESS;
}

doca_error_t fast_path_open(struct fast_path *path, const char *pci_addr, size_t len,
                            uint32_t access_mask, size_t num_bufs)
{
    doca_error_t result = open_device(pci_addr, accept_any, &path->dev);

    if (result == DOCA_SUCCESS)
        result = allocate(path, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_create(&path->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(path->mmap, path->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(path->mmap, access_mask);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(path->mmap, path->memory, len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(path->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(num_bufs, &path->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(path->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&path->pe);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to prepare memory: %s", doca_error_get_descr(result));
    return result;
}

doca_error_t fast_path_connect(struct fast_path *path, struct doca_ctx *ctx, void *user_data)
{
    const union doca_data ctx_user_data = {.ptr = user_data};
    const doca_error_t result = doca_pe_connect_ctx(path->pe, ctx);

    return result == DOCA_SUCCESS ? doca_ctx_set_user_data(ctx, ctx_user_data) : result;
}

enum doca_ctx_states fast_path_state(const struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    (void)doca_ctx_get_state(ctx, &state);
    return state;
}

doca_error_t fast_path_stop(struct fast_path *path, struct doca_ctx *ctx)
{
    if (fast_path_state(ctx) == DOCA_CTX_STATE_IDLE)
        return DOCA_SUCCESS;

    const doca_error_t result = doca_ctx_stop(ctx);
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (fast_path_state(ctx) != DOCA_CTX_STATE_IDLE)
        (void)doca_pe_progress(path->pe);
    return DOCA_SUCCESS;
}

/* The connection has the device open too, so that the mmap still has one after the close here. */
doca_error_t fast_path_close(struct fast_path *path)
{
    doca_error_t result = DOCA_SUCCESS;

    if (path->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(path->pe), "destroy PE");
    if (path->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(path->inventory), "destroy inventory");
    if (path->dev != NULL)
        keep_first_error(&result, doca_dev_close(path->dev), "close device");
    free(path->memory);
    if (path->mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(path->mmap), "destroy mmap");
    return result;
}
