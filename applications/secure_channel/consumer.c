/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The thread that receives: as many posted buffers as make sense, one behind the other in one piece
 * of memory. A buffer that has been filled is emptied and posted again at once.
 */

#include "fast_path.h"
#include "secure_channel_core.h"

#include "../../samples/common.h"

#include <doca_buf.h>
#include <doca_comch_consumer.h>
#include <doca_log.h>

#include <time.h>

DOCA_LOG_REGISTER(SECURE_CHANNEL::CONSUMER);

struct consumer {
    struct secure_channel *channel;
    struct direction *work;
    struct fast_path path;
    struct doca_comch_consumer *consumer;
    struct doca_ctx *ctx; /* the same object */
    struct doca_comch_consumer_task_post_recv *tasks[MAX_NUM_TASKS];
    uint32_t num_tasks;
    uint32_t num_received;
    doca_error_t result;
};

static void keep_failure(struct consumer *consumer, doca_error_t result)
{
    if (consumer->result == DOCA_SUCCESS && result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to receive message %u: %s", consumer->num_received + 1,
                     doca_error_get_descr(result));
        consumer->result = result;
    }
}

/* Also the last one is posted again, for nobody: what is posted is given up in the end. */
static void recv_completed(struct doca_comch_consumer_task_post_recv *task,
                           union doca_data task_user_data, union doca_data ctx_user_data)
{
    struct consumer *consumer = ctx_user_data.ptr;
    struct direction *work = consumer->work;

    (void)task_user_data;
    consumer->num_received++;
    if (consumer->num_received == 1)
        (void)clock_gettime(CLOCK_MONOTONIC, &work->begin);
    if (consumer->num_received == work->num_msgs)
        (void)clock_gettime(CLOCK_MONOTONIC, &work->end);
    (void)doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task));
    keep_failure(consumer, doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

/* The task stays in the list of those that finish() frees. */
static void recv_failed(struct doca_comch_consumer_task_post_recv *task,
                        union doca_data task_user_data, union doca_data ctx_user_data)
{
    (void)task_user_data;
    keep_failure(ctx_user_data.ptr,
                 doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)));
}

static doca_error_t start(struct consumer *consumer)
{
    const struct direction *work = consumer->work;
    struct fast_path *path = &consumer->path;
    const uint32_t max_num_tasks = work->num_msgs < MAX_NUM_TASKS ? work->num_msgs : MAX_NUM_TASKS;
    doca_error_t result = fast_path_open(path, consumer->channel->config->pci_addr,
                                         (size_t)max_num_tasks * work->msg_size,
                                         DOCA_ACCESS_FLAG_PCI_READ_WRITE, max_num_tasks);

    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_create(consumer->channel->connection, path->mmap,
                                            &consumer->consumer);
    if (result == DOCA_SUCCESS) {
        consumer->ctx = doca_comch_consumer_as_ctx(consumer->consumer);
        result = fast_path_connect(path, consumer->ctx, consumer);
    }
    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_task_post_recv_set_conf(consumer->consumer, recv_completed,
                                                             recv_failed, max_num_tasks);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(consumer->ctx);
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS) {
        DOCA_LOG_ERR("Failed to start consumer: %s", doca_error_get_descr(result));
        return result;
    }
    while (fast_path_state(consumer->ctx) == DOCA_CTX_STATE_STARTING && /* until the peer knows */
           !atomic_load(&consumer->channel->is_lost))
        (void)doca_pe_progress(path->pe);
    if (fast_path_state(consumer->ctx) != DOCA_CTX_STATE_RUNNING) {
        DOCA_LOG_ERR("Consumer did not come to run");
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    return DOCA_SUCCESS;
}

static doca_error_t post_one(struct consumer *consumer)
{
    struct fast_path *path = &consumer->path;
    const size_t size = consumer->work->msg_size;
    struct doca_comch_consumer_task_post_recv *task = NULL;
    struct doca_buf *buf = NULL;
    doca_error_t result = doca_buf_inventory_buf_get_by_addr(
        path->inventory, path->mmap, path->memory + consumer->num_tasks * size, size, &buf);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, buf, &task);
    if (result != DOCA_SUCCESS) {
        (void)doca_buf_dec_refcount(buf, NULL);
        return result;
    }
    consumer->tasks[consumer->num_tasks++] = task;
    return doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
}

static doca_error_t receive_all(struct consumer *consumer)
{
    const struct direction *work = consumer->work;

    for (uint32_t i = 0; i < MAX_NUM_TASKS && i < work->num_msgs; i++) {
        const doca_error_t result = post_one(consumer);

        if (result != DOCA_SUCCESS) {
            DOCA_LOG_ERR("Failed to post receive: %s", doca_error_get_descr(result));
            return result;
        }
    }
    while (consumer->result == DOCA_SUCCESS && consumer->num_received < work->num_msgs) {
        if (doca_pe_progress(consumer->path.pe) == 0 && atomic_load(&consumer->channel->is_lost))
            keep_failure(consumer, DOCA_ERROR_CONNECTION_ABORTED);
    }
    return consumer->result;
}

/* A consumer that is to stop needs neither tasks nor buffers: both go while they are posted. */
static doca_error_t finish(struct consumer *consumer)
{
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < consumer->num_tasks; i++) {
        struct doca_comch_consumer_task_post_recv *task = consumer->tasks[i];
        struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

        keep_first_error(&result, doca_buf_dec_refcount(buf, NULL), "release buffer");
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    }
    if (consumer->ctx != NULL)
        keep_first_error(&result, fast_path_stop(&consumer->path, consumer->ctx), "stop consumer");
    if (consumer->consumer != NULL)
        keep_first_error(&result, doca_comch_consumer_destroy(consumer->consumer),
                         "destroy consumer");

    const doca_error_t closed = fast_path_close(&consumer->path);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

void *secure_channel_consume(void *arg)
{
    struct secure_channel *channel = arg;
    struct consumer consumer = {.channel = channel, .work = &channel->consumer};
    doca_error_t result = start(&consumer);

    if (result == DOCA_SUCCESS)
        result = receive_all(&consumer);

    const doca_error_t finished = finish(&consumer);
    DOCA_ERROR_PROPAGATE(result, finished);
    channel->consumer.result = result;
    atomic_store(&channel->consumer.is_done, true);
    return NULL;
}
