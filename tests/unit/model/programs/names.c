/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* What the short names are made of, in C and C++: it compiles, links and ends with 0. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#include <softdoca/model.h>

#ifdef __cplusplus
}
#endif

/* Both calls of this name, of which one gives a task and the other a Buffer. */
static int is_told_apart(struct doca_ctx *ctx, struct doca_task *task, struct doca_buf *buf)
{
    doca_error_t (*vendor)(struct doca_task *) = doca_task_submit;

    return doca_task_submit(task) == DOCA_ERROR_INVALID_VALUE &&
           (doca_task_submit)(task) == DOCA_ERROR_INVALID_VALUE &&
           vendor(task) == DOCA_ERROR_INVALID_VALUE &&
           doca_task_submit(ctx, buf) == DOCA_ERROR_INVALID_VALUE;
}

static struct doca_ctx *created(struct doca_ctx **out)
{
    return doca_ctx_create(out) == DOCA_SUCCESS ? *out : NULL;
}

/* A call in an argument of the other, blanks and comments between the brackets, an array. */
static int is_created(void)
{
    struct doca_ctx *ctx[1] = {NULL};
    struct doca_ctx *second = doca_ctx_create(/* nothing */);
    int is_right = second != NULL && created(&ctx[0]) == NULL;

    is_right = is_right && doca_ctx_destroy(second) == DOCA_SUCCESS;
    is_right = is_right && doca_ctx_create(ctx) == DOCA_SUCCESS;
    return is_right && doca_ctx_destroy(ctx[0]) == DOCA_SUCCESS;
}

int main(void)
{
    doca_error_t (*open_device)(struct doca_devinfo *, struct doca_dev **) = doca_dev_open;
    struct doca_dev *dev = NULL;

    return doca_init() == DOCA_SUCCESS && is_told_apart(NULL, NULL, NULL) && is_created() &&
                   open_device(NULL, &dev) == DOCA_ERROR_INVALID_VALUE &&
                   doca_ctx_create(NULL) == DOCA_ERROR_INVALID_VALUE
               ? 0
               : 1;
}
