/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "comch_data_path_common.h"

#include "common.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(COMCH_DATA_PATH_COMMON);

#define RECV_LEN (1024 * 1024) /* room for any text */
#define MAX_NUM_TASKS 2

/* A producer or a consumer with all that it needs. It is the user data of its context. */
struct fast_path {
    struct comch_end *end;
    char *memory; /* what is sent, or where it is to be received */
    size_t len;

    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_comch_producer *producer; /* this or the next */
    struct doca_comch_consumer *consumer;
    struct doca_ctx *ctx; /* the same object */

    bool is_active;
    doca_error_t result; /* the first failure in a callback */
};

bool data_path_is_text(const char *expected, const char *text, uint32_t len)
{
    return strlen(expected) == len && memcmp(expected, text, len) == 0;
}

/* ---- both ---- */

static doca_error_t open_path(struct fast_path *path)
{
    doca_error_t result = doca_mmap_create(&path->mmap);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(path->mmap, path->end->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(path->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(path->mmap, path->memory, path->len);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(path->mmap);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(MAX_NUM_TASKS, &path->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(path->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&path->pe);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to prepare memory: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t connect_to_pe(struct fast_path *path,
                                  doca_ctx_state_changed_callback_t state_changed)
{
    const union doca_data user_data = {.ptr = path};
    doca_error_t result = doca_pe_connect_ctx(path->pe, path->ctx);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_state_changed_cb(path->ctx, state_changed);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(path->ctx, user_data);
    return result;
}

/* One text is all: its task has ended, or could not begin. */
static void stop_path(struct fast_path *path, doca_error_t reason)
{
    DOCA_ERROR_PROPAGATE(path->result, reason);

    const doca_error_t stopped = doca_ctx_stop(path->ctx);
    if (stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS)
        return;
    keep_first_error(&path->result, stopped, "stop context");
    path->is_active = false; /* nobody is to wait for it */
}

static void state_moved(struct fast_path *path, enum doca_ctx_states prev_state,
                        enum doca_ctx_states next_state)
{
    path->is_active = next_state != DOCA_CTX_STATE_IDLE;
    if (next_state == DOCA_CTX_STATE_IDLE && prev_state != DOCA_CTX_STATE_RUNNING &&
        prev_state != DOCA_CTX_STATE_STOPPING)
        DOCA_ERROR_PROPAGATE(path->result, DOCA_ERROR_UNEXPECTED);
}

static doca_error_t close_path(struct fast_path *path)
{
    doca_error_t result = path->result;

    if (path->producer != NULL)
        keep_first_error(&result, doca_comch_producer_destroy(path->producer), "destroy producer");
    if (path->consumer != NULL)
        keep_first_error(&result, doca_comch_consumer_destroy(path->consumer), "destroy consumer");
    if (path->pe != NULL)
        keep_first_error(&result, doca_pe_destroy(path->pe), "destroy PE");
    if (path->inventory != NULL)
        keep_first_error(&result, doca_buf_inventory_destroy(path->inventory), "destroy inventory");
    if (path->mmap != NULL)
        keep_first_error(&result, doca_mmap_destroy(path->mmap), "destroy mmap");
    return result;
}

/* ---- producer ---- */

static void end_send(struct doca_comch_producer_task_send *task)
{
    struct doca_buf *buf = (struct doca_buf *)doca_comch_producer_task_send_get_buf(task);

    (void)doca_buf_dec_refcount(buf, NULL);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void send_completed(struct doca_comch_producer_task_send *task,
                           union doca_data task_user_data, union doca_data ctx_user_data)
{
    (void)task_user_data;
    DOCA_LOG_INFO("Producer task sent successfully");
    end_send(task);
    stop_path(ctx_user_data.ptr, DOCA_SUCCESS);
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
                        union doca_data ctx_user_data)
{
    const doca_error_t status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));

    (void)task_user_data;
    DOCA_LOG_ERR("Producer failed to send: %s", doca_error_get_descr(status));
    end_send(task);
    stop_path(ctx_user_data.ptr, status);
}

static doca_error_t submit_send(struct fast_path *path)
{
    struct doca_comch_producer_task_send *task = NULL;
    struct doca_buf *buf = NULL;
    doca_error_t result = doca_buf_inventory_buf_get_by_data(path->inventory, path->mmap,
                                                             path->memory, path->len, &buf);

    if (result == DOCA_SUCCESS) {
        result = doca_comch_producer_task_send_alloc_init(path->producer, buf, NULL, 0,
                                                          path->end->consumer_id, &task);
        if (result != DOCA_SUCCESS)
            (void)doca_buf_dec_refcount(buf, NULL);
    }
    if (result == DOCA_SUCCESS) {
        do /* the consumer may have posted nothing yet; no progress here is needed for that */
            result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
        while (result == DOCA_ERROR_AGAIN);
        if (result != DOCA_SUCCESS)
            end_send(task);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to submit producer task: %s", doca_error_get_descr(result));
    return result;
}

static void producer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                                   enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct fast_path *path = user_data.ptr;

    (void)ctx;
    state_moved(path, prev_state, next_state);
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("CC producer context has been stopped");
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_ERR("CC producer context entered into starting state. Unexpected transition");
        break;
    case DOCA_CTX_STATE_RUNNING: {
        DOCA_LOG_INFO("CC producer context is running. Posting message to consumer, waiting "
                      "finish");
        const doca_error_t result = submit_send(path);
        if (result != DOCA_SUCCESS)
            stop_path(path, result);
        break;
    }
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("CC producer context entered into stopping state");
        break;
    }
}

static doca_error_t run_producer(struct fast_path *path)
{
    doca_error_t result = open_path(path);

    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_create(path->end->connection, &path->producer);
    if (result == DOCA_SUCCESS) {
        path->ctx = doca_comch_producer_as_ctx(path->producer);
        result = connect_to_pe(path, producer_state_changed);
    }
    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_task_send_set_conf(path->producer, send_completed, send_failed,
                                                        MAX_NUM_TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(path->ctx);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to start producer: %s", doca_error_get_descr(result));
        return result;
    }
    while (path->is_active)
        comch_progress_or_nap(path->pe);
    return DOCA_SUCCESS;
}

doca_error_t data_path_send(struct comch_end *end)
{
    struct fast_path path = {
        .end = end, .memory = (char *)end->config->text, .len = strlen(end->config->text)};

    while (end->is_active && end->consumer_id == 0)
        comch_progress_or_nap(end->pe);
    if (!end->is_active || end->connection == NULL) {
        DOCA_LOG_ERR("The connection ended before the peer had a consumer");
        return end->result != DOCA_SUCCESS ? end->result : DOCA_ERROR_CONNECTION_ABORTED;
    }

    doca_error_t result = run_producer(&path);
    const doca_error_t closed = close_path(&path);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

/* ---- consumer ---- */

static void end_recv(struct doca_comch_consumer_task_post_recv *task)
{
    (void)doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void recv_completed(struct doca_comch_consumer_task_post_recv *task,
                           union doca_data task_user_data, union doca_data ctx_user_data)
{
    const struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    void *data = NULL;
    size_t len = 0;
    doca_error_t result = doca_buf_get_data(buf, &data);

    (void)task_user_data;
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(buf, &len);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Message received: '%.*s'", (int)len, (const char *)data);
    end_recv(task);
    stop_path(ctx_user_data.ptr, result);
}

static void recv_failed(struct doca_comch_consumer_task_post_recv *task,
                        union doca_data task_user_data, union doca_data ctx_user_data)
{
    const doca_error_t status =
        doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));

    (void)task_user_data;
    DOCA_LOG_ERR("Consumer failed to receive: %s", doca_error_get_descr(status));
    end_recv(task);
    stop_path(ctx_user_data.ptr, status);
}

static doca_error_t submit_recv(struct fast_path *path)
{
    struct doca_comch_consumer_task_post_recv *task = NULL;
    struct doca_buf *buf = NULL;
    doca_error_t result = doca_buf_inventory_buf_get_by_addr(path->inventory, path->mmap,
                                                             path->memory, path->len, &buf);

    if (result == DOCA_SUCCESS) {
        result = doca_comch_consumer_task_post_recv_alloc_init(path->consumer, buf, &task);
        if (result != DOCA_SUCCESS)
            (void)doca_buf_dec_refcount(buf, NULL);
    }
    if (result == DOCA_SUCCESS) {
        result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
        if (result != DOCA_SUCCESS)
            end_recv(task);
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to submit consumer task: %s", doca_error_get_descr(result));
    return result;
}

static void consumer_state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                                   enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
    struct fast_path *path = user_data.ptr;

    (void)ctx;
    state_moved(path, prev_state, next_state);
    switch (next_state) {
    case DOCA_CTX_STATE_IDLE:
        DOCA_LOG_INFO("CC consumer context has been stopped");
        break;
    case DOCA_CTX_STATE_STARTING:
        DOCA_LOG_INFO("CC consumer context entered into starting state. Waiting consumer producer "
                      "negotiation finish");
        break;
    case DOCA_CTX_STATE_RUNNING: {
        DOCA_LOG_INFO("CC consumer context is running. Receiving message from producer, waiting "
                      "finish");
        const doca_error_t result = submit_recv(path);
        if (result != DOCA_SUCCESS)
            stop_path(path, result);
        break;
    }
    case DOCA_CTX_STATE_STOPPING:
        DOCA_LOG_INFO("CC consumer context entered into stopping state");
        break;
    }
}

static doca_error_t run_consumer(struct fast_path *path)
{
    doca_error_t result = open_path(path);

    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_create(path->end->connection, path->mmap, &path->consumer);
    if (result == DOCA_SUCCESS) {
        path->ctx = doca_comch_consumer_as_ctx(path->consumer);
        result = connect_to_pe(path, consumer_state_changed);
    }
    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_task_post_recv_set_conf(path->consumer, recv_completed,
                                                             recv_failed, MAX_NUM_TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(path->ctx);
    if (result != DOCA_ERROR_IN_PROGRESS) { /* the peer must hear of it first */
        DOCA_LOG_ERR("Failed to start consumer: %s", doca_error_get_descr(result));
        return result == DOCA_SUCCESS ? DOCA_ERROR_UNEXPECTED : result;
    }
    while (path->is_active)
        comch_progress_or_nap(path->pe);
    return DOCA_SUCCESS;
}

doca_error_t data_path_receive(struct comch_end *end)
{
    struct fast_path path = {.end = end, .memory = malloc(RECV_LEN), .len = RECV_LEN};

    if (path.memory == NULL)
        return DOCA_ERROR_NO_MEMORY;

    doca_error_t result = run_consumer(&path);
    const doca_error_t closed = close_path(&path);
    DOCA_ERROR_PROPAGATE(result, closed);
    free(path.memory);
    return result;
}
