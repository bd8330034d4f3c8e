/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The thread that sends: one buffer, in as many tasks as make sense. A task that has been sent is
 * submitted again at once, until all messages are on their way.
 */

#include "fast_path.h"
#include "secure_channel_core.h"

#include "../../samples/common.h"

#include <doca_buf.h>
#include <doca_comch_producer.h>
#include <doca_log.h>

#include <time.h>
#include <unistd.h>

DOCA_LOG_REGISTER(SECURE_CHANNEL::PRODUCER);

#define NAP_US 10
#define PADDING 64

struct producer {
    struct secure_channel *channel;
    struct direction *work;
    struct fast_path path;
    struct doca_comch_producer *producer;
    struct doca_ctx *ctx; /* the same object */
    struct doca_buf *buf; /* all sends read it */
    uint32_t num_submitted;
    uint32_t num_completed;
    doca_error_t result;
};

/* What comes back unsent because of an earlier failure tells nothing new. */
static void keep_failure(struct producer *producer, doca_error_t result)
{
    if (producer->result == DOCA_SUCCESS && result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to send message %u: %s", producer->num_submitted,
                     doca_error_get_descr(result));
        producer->result = result;
    }
}

/* Without a posted receive there is AGAIN: to submit once more is all that is needed. */
static void submit(struct producer *producer, struct doca_comch_producer_task_send *task)
{
    struct doca_task *base = doca_comch_producer_task_send_as_task(task);
    doca_error_t result = doca_task_submit(base);

    while (result == DOCA_ERROR_AGAIN && !atomic_load(&producer->channel->is_lost))
        result = doca_task_submit(base);
    if (result == DOCA_SUCCESS) {
        producer->num_submitted++;
        return;
    }
    doca_task_free(base);
    keep_failure(producer, result);
}

static void send_completed(struct doca_comch_producer_task_send *task,
                           union doca_data task_user_data, union doca_data ctx_user_data)
{
    struct producer *producer = ctx_user_data.ptr;
    struct direction *work = producer->work;

    (void)task_user_data;
    producer->num_completed++;
    if (producer->num_submitted < work->num_msgs && producer->result == DOCA_SUCCESS) {
        submit(producer, task);
        return;
    }
    if (producer->num_completed == work->num_msgs)
        (void)clock_gettime(CLOCK_MONOTONIC, &work->end);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
                        union doca_data ctx_user_data)
{
    struct doca_task *base = doca_comch_producer_task_send_as_task(task);

    (void)task_user_data;
    keep_failure(ctx_user_data.ptr, doca_task_get_status(base));
    doca_task_free(base);
}

static uint32_t num_tasks_of(const struct producer *producer)
{
    const uint32_t num_msgs = producer->work->num_msgs;

    return num_msgs < MAX_NUM_TASKS ? num_msgs : MAX_NUM_TASKS;
}

static doca_error_t check_size(const struct producer *producer)
{
    uint32_t max_size = 0;
    const doca_error_t result = doca_comch_producer_cap_get_max_buf_size(
        doca_dev_as_devinfo(producer->path.dev), &max_size);

    if (result == DOCA_SUCCESS && producer->work->msg_size > max_size) {
        DOCA_LOG_ERR("Producer does not support message size. Requested: %u, max: %u",
                     producer->work->msg_size, max_size);
        return DOCA_ERROR_INVALID_VALUE;
    }
    return result;
}

static doca_error_t start(struct producer *producer)
{
    struct fast_path *path = &producer->path;
    const size_t len = ((size_t)producer->work->msg_size + PADDING - 1) / PADDING * PADDING;
    doca_error_t result = fast_path_open(path, producer->channel->config->pci_addr, len,
                                         DOCA_ACCESS_FLAG_PCI_READ_ONLY, 1);

    if (result == DOCA_SUCCESS)
        result = check_size(producer);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_data(path->inventory, path->mmap, path->memory,
                                                    producer->work->msg_size, &producer->buf);
    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_create(producer->channel->connection, &producer->producer);
    if (result == DOCA_SUCCESS) {
        producer->ctx = doca_comch_producer_as_ctx(producer->producer);
        result = fast_path_connect(path, producer->ctx, producer);
    }
    if (result == DOCA_SUCCESS)
        result = doca_comch_producer_task_send_set_conf(producer->producer, send_completed,
                                                        send_failed, num_tasks_of(producer));
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(producer->ctx);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to start producer: %s", doca_error_get_descr(result));
    return result;
}

/* The main thread hears of the consumer; here is nothing to progress. */
static doca_error_t wait_for_consumer(const struct producer *producer)
{
    struct secure_channel *channel = producer->channel;

    while (atomic_load(&channel->consumer_id) == 0) {
        if (atomic_load(&channel->is_lost))
            return DOCA_ERROR_CONNECTION_ABORTED;
        usleep(NAP_US);
    }
    return DOCA_SUCCESS;
}

static doca_error_t send_all(struct producer *producer)
{
    struct direction *work = producer->work;
    struct doca_comch_producer_task_send *tasks[MAX_NUM_TASKS];
    const uint32_t num_tasks = num_tasks_of(producer);
    const uint32_t consumer_id = atomic_load(&producer->channel->consumer_id);

    for (uint32_t i = 0; i < num_tasks; i++) {
        const doca_error_t result = doca_comch_producer_task_send_alloc_init(
            producer->producer, producer->buf, NULL, 0, consumer_id, &tasks[i]);

        if (result != DOCA_SUCCESS) {
            DOCA_LOG_ERR("Failed to allocate producer task: %s", doca_error_get_descr(result));
            while (i-- > 0)
                doca_task_free(doca_comch_producer_task_send_as_task(tasks[i]));
            return result;
        }
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &work->begin);
    for (uint32_t i = 0; i < num_tasks; i++) {
        if (producer->result == DOCA_SUCCESS)
            submit(producer, tasks[i]);
        else
            doca_task_free(doca_comch_producer_task_send_as_task(tasks[i]));
    }
    while (producer->result == DOCA_SUCCESS && producer->num_completed < work->num_msgs)
        (void)doca_pe_progress(producer->path.pe);
    return producer->result;
}

static doca_error_t finish(struct producer *producer)
{
    doca_error_t result = DOCA_SUCCESS;

    if (producer->ctx != NULL)
        keep_first_error(&result, fast_path_stop(&producer->path, producer->ctx), "stop producer");
    if (producer->buf != NULL)
        keep_first_error(&result, doca_buf_dec_refcount(producer->buf, NULL), "release buffer");
    if (producer->producer != NULL)
        keep_first_error(&result, doca_comch_producer_destroy(producer->producer),
                         "destroy producer");

    const doca_error_t closed = fast_path_close(&producer->path);
    DOCA_ERROR_PROPAGATE(result, closed);
    return result;
}

void *secure_channel_produce(void *arg)
{
    struct secure_channel *channel = arg;
    struct producer producer = {.channel = channel, .work = &channel->producer};
    doca_error_t result = start(&producer);

    if (result == DOCA_SUCCESS)
        result = wait_for_consumer(&producer);
    if (result == DOCA_SUCCESS)
        result = send_all(&producer);

    const doca_error_t finished = finish(&producer);
    DOCA_ERROR_PROPAGATE(result, finished);
    channel->producer.result = result;
    atomic_store(&channel->producer.is_done, true);
    return NULL;
}
