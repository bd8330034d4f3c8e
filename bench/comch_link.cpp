// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch_link.hpp"

#include "harness.hpp"

#include <chrono>
#include <doca_error.h>

namespace softdoca::bench {

namespace {

Link &link_of(const doca_comch_connection *connection)
{
    return user_object<Link>(doca_comch_connection_get_user_data(connection));
}

void on_message_sent(doca_comch_task_send *, doca_data task_user_data, doca_data)
{
    user_object<Link>(task_user_data).num_sent++;
}

void on_message_lost(doca_comch_task_send *task, doca_data, doca_data)
{
    require(doca_task_get_status(doca_comch_task_send_as_task(task)), "a control message");
}

void on_message(doca_comch_event_msg_recv *, std::uint8_t *, std::uint32_t,
                doca_comch_connection *connection)
{
    link_of(connection).num_received++;
}

void on_disconnect(doca_comch_event_connection_status_changed *, doca_comch_connection *,
                   std::uint8_t)
{
}

void on_new_consumer(doca_comch_event_consumer *, doca_comch_connection *connection,
                     std::uint32_t id)
{
    link_of(connection).consumers.push_back(id);
}

void on_expired_consumer(doca_comch_event_consumer *, doca_comch_connection *, std::uint32_t) {}

} // namespace

void turn_until(const std::vector<doca_pe *> &engines, const std::function<bool()> &condition,
                const char *what)
{
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        for (doca_pe *pe : engines)
            doca_pe_progress(pe);
        require(std::chrono::steady_clock::now() < limit, what);
    }
}

doca_ctx_states state_of(const doca_ctx *ctx)
{
    doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    require(doca_ctx_get_state(ctx, &state), "doca_ctx_get_state");
    return state;
}

void attach(doca_ctx *ctx, doca_pe *pe, void *object)
{
    require(doca_ctx_set_user_data(ctx, {.ptr = object}), "doca_ctx_set_user_data");
    require(doca_pe_connect_ctx(pe, ctx), "doca_pe_connect_ctx");
}

void start(doca_ctx *ctx, doca_error_t expected)
{
    const doca_error_t result = doca_ctx_start(ctx);
    require(result == expected ? DOCA_SUCCESS : result, "doca_ctx_start");
}

/// Also one that ends by itself because its peer has gone.
void stop(doca_ctx *ctx, doca_pe *pe)
{
    const doca_error_t result = doca_ctx_stop(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS && result != DOCA_ERROR_BAD_STATE)
        require(result, "doca_ctx_stop");
    turn_until(
        {pe}, [&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }, "a context's end");
}

Representor::Representor(const Device &device)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    require(doca_devinfo_rep_create_list(device.get(), DOCA_DEVINFO_REP_FILTER_NET, &list, &num),
            "doca_devinfo_rep_create_list");
    require(num > 0, "the device has no representor");
    require(doca_dev_rep_open(list[0], &rep_), "doca_dev_rep_open");
    doca_devinfo_rep_destroy_list(list);
}

Representor::~Representor()
{
    doca_dev_rep_close(rep_);
}

// ---- server and client ----

ComchServer::ComchServer(const Device &device, const Representor &representor,
                         const ProgressEngine &engine, const std::string &service,
                         ControlSizes sizes)
    : pe_(engine.get())
{
    require(doca_comch_server_create(device.get(), representor.get(), service.c_str(), &server_),
            "doca_comch_server_create");
    require(doca_comch_server_task_send_set_conf(server_, on_message_sent, on_message_lost,
                                                 sizes.num_send_tasks),
            "doca_comch_server_task_send_set_conf");
    require(doca_comch_server_set_recv_queue_size(server_, sizes.recv_queue_size),
            "doca_comch_server_set_recv_queue_size");
    require(doca_comch_server_event_msg_recv_register(server_, on_message),
            "doca_comch_server_event_msg_recv_register");
    require(doca_comch_server_event_connection_status_changed_register(server_, on_connect,
                                                                       on_disconnect),
            "doca_comch_server_event_connection_status_changed_register");
    require(
        doca_comch_server_event_consumer_register(server_, on_new_consumer, on_expired_consumer),
        "doca_comch_server_event_consumer_register");
    attach(doca_comch_server_as_ctx(server_), pe_, this);
    start(doca_comch_server_as_ctx(server_), DOCA_SUCCESS);
}

ComchServer::~ComchServer()
{
    stop(doca_comch_server_as_ctx(server_), pe_);
    require(doca_comch_server_destroy(server_), "doca_comch_server_destroy");
}

void ComchServer::on_connect(doca_comch_event_connection_status_changed *,
                             doca_comch_connection *connection, std::uint8_t is_successful)
{
    require(is_successful != 0, "a client's connection");
    doca_data self{};
    require(doca_ctx_get_user_data(
                doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &self),
            "doca_ctx_get_user_data");
    std::deque<Link> &links = user_object<ComchServer>(self).links_;
    links.push_back({connection, 0, 0, {}});
    require(doca_comch_connection_set_user_data(connection, {.ptr = &links.back()}),
            "doca_comch_connection_set_user_data");
}

ComchClient::ComchClient(const Device &device, const ProgressEngine &engine,
                         const std::string &service, ControlSizes sizes)
    : pe_(engine.get())
{
    require(doca_comch_client_create(device.get(), service.c_str(), &client_),
            "doca_comch_client_create");
    require(doca_comch_client_task_send_set_conf(client_, on_message_sent, on_message_lost,
                                                 sizes.num_send_tasks),
            "doca_comch_client_task_send_set_conf");
    require(doca_comch_client_set_recv_queue_size(client_, sizes.recv_queue_size),
            "doca_comch_client_set_recv_queue_size");
    require(doca_comch_client_event_msg_recv_register(client_, on_message),
            "doca_comch_client_event_msg_recv_register");
    require(
        doca_comch_client_event_consumer_register(client_, on_new_consumer, on_expired_consumer),
        "doca_comch_client_event_consumer_register");
    attach(doca_comch_client_as_ctx(client_), pe_, this);
    start(doca_comch_client_as_ctx(client_), DOCA_ERROR_IN_PROGRESS);
}

ComchClient::~ComchClient()
{
    stop(doca_comch_client_as_ctx(client_), pe_);
    require(doca_comch_client_destroy(client_), "doca_comch_client_destroy");
}

bool ComchClient::is_connected()
{
    if (link_.connection != nullptr)
        return true;
    if (state_of(doca_comch_client_as_ctx(client_)) != DOCA_CTX_STATE_RUNNING)
        return false;
    require(doca_comch_client_get_connection(client_, &link_.connection),
            "doca_comch_client_get_connection");
    require(doca_comch_connection_set_user_data(link_.connection, {.ptr = &link_}),
            "doca_comch_connection_set_user_data");
    return true;
}

// ---- control messages ----

Message::Message(Link &link, std::size_t len) : bytes_(len)
{
    doca_comch_server *const server = doca_comch_server_get_server_ctx(link.connection);
    doca_comch_client *const client = doca_comch_client_get_client_ctx(link.connection);
    const auto num_bytes = static_cast<std::uint32_t>(len);
    doca_comch_task_send *task = nullptr;
    if (server != nullptr)
        require(doca_comch_server_task_send_alloc_init(server, link.connection, bytes_.data(),
                                                       num_bytes, &task),
                "doca_comch_server_task_send_alloc_init");
    else
        require(doca_comch_client_task_send_alloc_init(client, link.connection, bytes_.data(),
                                                       num_bytes, &task),
                "doca_comch_client_task_send_alloc_init");
    task_ = doca_comch_task_send_as_task(task);
    doca_task_set_user_data(task_, {.ptr = &link});
}

Message::~Message()
{
    doca_task_free(task_);
}

void send_all(doca_pe *pe, const Link &link, const std::deque<Message> &messages)
{
    const std::uint64_t end = link.num_sent + messages.size();
    for (const Message &message : messages)
        require(doca_task_submit(message.task()), "submit of a control message");
    while (link.num_sent != end)
        doca_pe_progress(pe);
}

void take(doca_pe *pe, const Link &link, std::uint64_t num_messages)
{
    const std::uint64_t end = link.num_received + num_messages;
    while (link.num_received != end)
        doca_pe_progress(pe);
}

} // namespace softdoca::bench
