/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A program that logs: with no backend (none), its own (own) or the standard one (standard) before
 * the model, and with a second word at the level DISABLE, at which a refusal says nothing either.
 */

#include <softdoca/model.h>

#include <doca_log.h>

#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(LOGS);

int main(int argc, char **argv)
{
    struct doca_log_backend *backend;
    struct doca_ctx *ctx;

    if (argc > 1 && strcmp(argv[1], "own") == 0)
        doca_log_backend_create_with_file(stdout, &backend);
    if (argc > 1 && strcmp(argv[1], "standard") == 0)
        doca_log_backend_create_standard();
    if (doca_init() != DOCA_SUCCESS || doca_init() != DOCA_SUCCESS)
        return 1;
    ctx = doca_ctx_create();
    if (argc > 2) {
        doca_ctx_set_log_level(ctx, DOCA_LOG_LEVEL_DISABLE);
        doca_mem_unreg((struct doca_mem *)ctx); /* a refusal */
    }
    DOCA_LOG_INFO("hello");
    return doca_ctx_destroy(ctx) != DOCA_SUCCESS;
}
