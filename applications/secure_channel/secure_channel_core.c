/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "secure_channel_core.h"

#include "../../samples/common.h"

#include <doca_log.h>

#include <arpa/inet.h>
#include <pthread.h>

DOCA_LOG_REGISTER(SECURE_CHANNEL::CORE);

#define SERVER_NAME "secure_channel_server"
#define NS_PER_MS 1e6
#define MS_PER_S 1e3

/* ---- callbacks of the connection; the main thread runs them ---- */

static void metadata_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                              uint32_t msg_len, struct doca_comch_connection *connection)
{
    struct secure_channel *channel = comch_utils_get_user_data(connection);
    const struct metadata_msg *msg = (const struct metadata_msg *)(const void *)recv_buffer;

    (void)event;
    if (channel == NULL)
        return;
    if (msg_len != sizeof(*msg)) {
        channel->num_expected = -1;
    } else if (msg->type == END_MSG) {
        channel->has_end = true; /* perhaps while our threads still work */
    } else {
        channel->num_expected = ntohl(msg->num_msgs);
        channel->expected_size = ntohl(msg->msg_size);
        if (msg->type != START_MSG || channel->num_expected == 0 || channel->expected_size == 0 ||
            channel->expected_size > MAX_MSG_SIZE)
            channel->num_expected = -1;
    }
}

static void consumer_came(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    struct secure_channel *channel = comch_utils_get_user_data(connection);

    (void)event;
    if (channel != NULL)
        atomic_store(&channel->consumer_id, id); /* the producer sleeps until it reads this */
}

/* It has all that it expects; should it have gone early, the next send fails. */
static void consumer_went(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    (void)connection;
    (void)id;
}

/* ---- the main thread ---- */

static doca_error_t progress(struct secure_channel *channel)
{
    if (comch_utils_get_connection(channel->comch) == NULL) {
        DOCA_LOG_ERR("Comch connection unexpectedly dropped");
        return DOCA_ERROR_CONNECTION_ABORTED;
    }
    const doca_error_t result = comch_utils_progress_connection(channel->connection);
    if (result == DOCA_SUCCESS && channel->num_expected < 0) {
        DOCA_LOG_ERR("Got a bad metadata message on comch");
        return DOCA_ERROR_INVALID_VALUE;
    }
    return result;
}

static doca_error_t send_metadata(struct secure_channel *channel, const struct metadata_msg *msg)
{
    const doca_error_t result = comch_utils_send(channel->connection, msg, sizeof(*msg));

    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to send metadata message: %s", doca_error_get_descr(result));
    return result;
}

static doca_error_t announce(struct secure_channel *channel)
{
    const struct secure_channel_config *config = channel->config;

    channel->sent_start = (struct metadata_msg){
        .type = START_MSG,
        .num_msgs = htonl(config->num_msgs),
        .msg_size = htonl(config->msg_size),
    };
    doca_error_t result = send_metadata(channel, &channel->sent_start);

    while (result == DOCA_SUCCESS && channel->num_expected == 0)
        result = progress(channel);
    return result;
}

static void start_thread(struct secure_channel *channel, struct direction *direction,
                         void *(*function)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, function, channel) == 0) {
        (void)pthread_detach(thread);
        return;
    }
    DOCA_LOG_ERR("Failed to create a thread");
    direction->result = DOCA_ERROR_OPERATING_SYSTEM;
    atomic_store(&direction->is_done, true);
}

/* The peer's threads depend on this one: consumers start, and tell of themselves, by its turns. */
static doca_error_t exchange(struct secure_channel *channel)
{
    const struct secure_channel_config *config = channel->config;
    doca_error_t result = DOCA_SUCCESS;

    channel->producer.num_msgs = config->num_msgs;
    channel->producer.msg_size = config->msg_size;
    channel->consumer.num_msgs = (uint32_t)channel->num_expected;
    channel->consumer.msg_size = channel->expected_size;
    start_thread(channel, &channel->producer, secure_channel_produce);
    start_thread(channel, &channel->consumer, secure_channel_consume);

    while (!atomic_load(&channel->producer.is_done) || !atomic_load(&channel->consumer.is_done)) {
        if (result == DOCA_SUCCESS)
            result = progress(channel);
        if (result != DOCA_SUCCESS)
            atomic_store(&channel->is_lost, true); /* they end soon */
    }
    DOCA_ERROR_PROPAGATE(result, channel->producer.result);
    DOCA_ERROR_PROPAGATE(result, channel->consumer.result);
    return result;
}

static doca_error_t agree_on_end(struct secure_channel *channel)
{
#ifdef DOCA_ARCH_DPU
    channel->sent_end = (struct metadata_msg){.type = END_MSG};
    return send_metadata(channel, &channel->sent_end);
#else
    doca_error_t result = DOCA_SUCCESS;

    while (result == DOCA_SUCCESS && !channel->has_end)
        result = progress(channel);
    return result;
#endif
}

static double milliseconds(const struct direction *direction)
{
    return (double)(direction->end.tv_sec - direction->begin.tv_sec) * MS_PER_S +
           (double)(direction->end.tv_nsec - direction->begin.tv_nsec) / NS_PER_MS;
}

static doca_error_t communicate(struct secure_channel *channel)
{
    doca_error_t result = announce(channel);

    if (result == DOCA_SUCCESS)
        result = exchange(channel);
    if (result == DOCA_SUCCESS)
        result = agree_on_end(channel);
    if (result == DOCA_SUCCESS) {
        DOCA_LOG_INFO("Producer sent %u messages in approximately %0.4f milliseconds",
                      channel->producer.num_msgs, milliseconds(&channel->producer));
        DOCA_LOG_INFO("Consumer received %u messages in approximately %0.4f milliseconds",
                      channel->consumer.num_msgs, milliseconds(&channel->consumer));
    }
    return result;
}

doca_error_t secure_channel_run(const struct secure_channel_config *config)
{
    struct secure_channel channel = {.config = config};
    doca_error_t result = comch_utils_fast_path_init(
        SERVER_NAME, config->pci_addr, config->rep_pci_addr, &channel, metadata_received,
        metadata_received, consumer_came, consumer_went, &channel.comch);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to connect: %s", doca_error_get_descr(result));
        return result;
    }
    channel.connection = comch_utils_get_connection(channel.comch);
    result = channel.connection == NULL ? DOCA_ERROR_CONNECTION_ABORTED : communicate(&channel);
    if (result != DOCA_SUCCESS)
        comch_utils_disconnect(channel.comch); /* the peer ends too, instead of waiting */

    const doca_error_t destroyed = comch_utils_destroy(channel.comch);
    if (destroyed != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to end the connection: %s", doca_error_get_descr(destroyed));
    return result;
}
