// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace softdoca::test {

namespace {

bool is_dpu()
{
    return own_role().rfind("dpu", 0) == 0;
}

std::string pci_addr_of(const doca_devinfo_rep *info)
{
    char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {};
    must(doca_devinfo_rep_get_pci_addr_str(info, text));
    return text;
}

/// The fixture behind a context.
template <typename End>
End &behind(doca_ctx *ctx)
{
    doca_data user_data{};
    EXPECT_EQ(doca_ctx_get_user_data(ctx, &user_data), DOCA_SUCCESS);
    return static_cast<End &>(*static_cast<ComchContext *>(user_data.ptr));
}

ComchServer &server_of(const doca_comch_connection *connection)
{
    return behind<ComchServer>(
        doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)));
}

ComchClient &client_of(const doca_comch_connection *connection)
{
    return behind<ComchClient>(
        doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)));
}

} // namespace

Representor::Representor(doca_dev *dev, const std::string &pci_addr)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
    for (std::uint32_t i = 0; i < num && get() == nullptr; ++i)
        if (pci_addr.empty() || pci_addr_of(list[i]) == pci_addr)
            must(doca_dev_rep_open(list[i], out()));
    must(doca_devinfo_rep_destroy_list(list));
    must(get() == nullptr ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS);
}

ComchEnd::ComchEnd(ComchSettings given)
    : ComchContext(given.pe), settings(std::move(given)),
      device(settings.pci_addr.empty() ? first_device().c_str() : settings.pci_addr.c_str())
{
}

void ComchEnd::start_and_connect() const
{
    const doca_error_t started = start();
    must(started == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : started);
    must(connects() ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
}

doca_error_t ComchEnd::try_send(std::string_view message, std::uint64_t number,
                                doca_comch_connection *to)
{
    std::vector<char> copy(message.begin(), message.end());
    doca_task *task = nullptr;
    const doca_error_t result = try_alloc(to == nullptr ? connection() : to, copy.data(),
                                          static_cast<std::uint32_t>(copy.size()), &task);
    if (result != DOCA_SUCCESS)
        return result;
    tasks_[task] = std::move(copy);
    doca_task_set_user_data(task, {.u64 = number});
    const doca_error_t submitted = doca_task_submit(task);
    if (submitted != DOCA_SUCCESS)
        free(task);
    return submitted;
}

doca_error_t ComchEnd::send_and_wait(std::string_view message)
{
    const std::size_t num = num_ended + num_inflight() + 1;
    const doca_error_t submitted = try_send(message);
    if (submitted != DOCA_SUCCESS)
        return submitted;
    return ends_sends(num) ? sends.back().status : DOCA_ERROR_TIME_OUT;
}

void ComchEnd::free(doca_task *task)
{
    doca_task_free(task);
    tasks_.erase(task);
}

std::vector<doca_task *> ComchEnd::tasks() const
{
    std::vector<doca_task *> tasks;
    for (const auto &[task, message] : tasks_)
        tasks.push_back(task);
    return tasks;
}

std::uint32_t ComchEnd::peer_consumer(Milliseconds limit) const
{
    return progress_until([this] { return !peer_consumers.empty(); }, limit) ? peer_consumers.back()
                                                                             : 0;
}

std::vector<std::string> ComchEnd::texts() const
{
    std::vector<std::string> texts;
    for (const Message &message : messages)
        texts.push_back(message.text);
    return texts;
}

std::vector<std::uint64_t> ComchEnd::counters(doca_comch_connection *of) const
{
    doca_comch_connection *const counted = of == nullptr ? connection() : of;
    std::vector<std::uint64_t> values;
    EXPECT_EQ(doca_comch_connection_update_info(counted), DOCA_SUCCESS);
    for (const doca_comch_counter counter :
         {DOCA_COMCH_COUNTER_SENT_MESSAGES, DOCA_COMCH_COUNTER_SENT_BYTES,
          DOCA_COMCH_COUNTER_RECV_MESSAGES, DOCA_COMCH_COUNTER_RECV_BYTES})
        EXPECT_EQ(doca_comch_connection_get_counter(counted, counter, &values.emplace_back(~0ull)),
                  DOCA_SUCCESS);
    return values;
}

void ComchEnd::drop_hooks()
{
    ComchContext::drop_hooks();
    on_message = nullptr;
    on_sent = nullptr;
    on_consumer = nullptr;
    frees_tasks = true;
}

void ComchEnd::free_tasks()
{
    for (doca_task *task : tasks())
        free(task);
}

void ComchEnd::came(doca_comch_connection *from, std::uint8_t *buffer, std::uint32_t len)
{
    constexpr std::size_t kMaxNoted = 40;
    ++num_messages;
    if (keeps) {
        messages.push_back({from, {reinterpret_cast<const char *>(buffer), len}});
        note("message " + messages.back().text.substr(0, kMaxNoted));
    }
    if (on_message)
        on_message(from, buffer, len);
}

void ComchEnd::consumer_changed(doca_comch_connection *connection, std::uint32_t id, bool is_new)
{
    if (is_new)
        peer_consumers.push_back(id);
    else
        std::erase(peer_consumers, id);
    if (keeps) {
        consumer_events.push_back({connection, id, is_new});
        note((is_new ? "new consumer " : "expired consumer ") + std::to_string(id));
    }
    if (on_consumer)
        on_consumer(connection, id, is_new);
}

void ComchEnd::ended(doca_comch_task_send *send, bool is_good)
{
    doca_task *task = doca_comch_task_send_as_task(send);
    const doca_error_t status = doca_task_get_status(task);
    EXPECT_EQ(status == DOCA_SUCCESS, is_good);
    ++num_ended;
    if (keeps) {
        sends.push_back({doca_task_get_user_data(task).u64, status});
        note(is_good ? "sent" : "send error " + short_name(status));
    }
    if (frees_tasks)
        free(std::exchange(task, nullptr));
    if (on_sent)
        on_sent(task, status);
}

void ComchEnd::succeeded(doca_comch_task_send *task, doca_data, doca_data ctx_user_data)
{
    static_cast<ComchEnd &>(*static_cast<ComchContext *>(ctx_user_data.ptr)).ended(task, true);
}

void ComchEnd::failed(doca_comch_task_send *task, doca_data, doca_data ctx_user_data)
{
    static_cast<ComchEnd &>(*static_cast<ComchContext *>(ctx_user_data.ptr)).ended(task, false);
}

ComchServer::ComchServer(ComchSettings given)
    : ComchEnd(std::move(given)), representor(device, settings.rep_pci_addr)
{
    must(doca_comch_server_create(device, representor, settings.name.c_str(), &server_));
    if (settings.num_sends != 0)
        must(configure(settings.num_sends));
    if (settings.max_msg_size != 0)
        must(doca_comch_server_set_max_msg_size(server_, settings.max_msg_size));
    if (settings.recv_queue_size != 0)
        must(doca_comch_server_set_recv_queue_size(server_, settings.recv_queue_size));
    must(doca_comch_server_event_msg_recv_register(server_, received));
    must(doca_comch_server_event_connection_status_changed_register(server_, connected,
                                                                    disconnected));
    if (settings.has_consumer_events)
        must(doca_comch_server_event_consumer_register(server_, consumer_came, consumer_expired));
    attach();
}

ComchServer::~ComchServer()
{
    come_to_rest();
}

doca_error_t ComchServer::try_alloc(doca_comch_connection *to, const void *msg, std::uint32_t len,
                                    doca_task **task)
{
    doca_comch_task_send *send = nullptr;
    const doca_error_t result =
        doca_comch_server_task_send_alloc_init(server_, to, msg, len, &send);
    if (result == DOCA_SUCCESS)
        *task = doca_comch_task_send_as_task(send);
    return result;
}

doca_error_t ComchServer::destroy()
{
    const doca_error_t result = doca_comch_server_destroy(server_);
    if (result == DOCA_SUCCESS)
        server_ = nullptr;
    return result;
}

doca_error_t ComchServer::disconnect(doca_comch_connection *connection)
{
    const doca_error_t result = doca_comch_server_disconnect(server_, connection);
    if (result == DOCA_SUCCESS)
        std::erase(connections, connection);
    return result;
}

void ComchServer::drop_hooks()
{
    ComchEnd::drop_hooks();
    on_connect = nullptr;
    on_disconnect = nullptr;
}

void ComchServer::received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                           doca_comch_connection *from)
{
    server_of(from).came(from, buffer, len);
}

void ComchServer::connected(doca_comch_event_connection_status_changed *,
                            doca_comch_connection *connection, std::uint8_t is_successful)
{
    ComchServer &self = server_of(connection);
    ++self.num_connects;
    if (is_successful != 0)
        self.connections.push_back(connection);
    self.note(is_successful != 0 ? "connect" : "connect refused");
    if (self.on_connect)
        self.on_connect(connection, is_successful != 0);
}

void ComchServer::disconnected(doca_comch_event_connection_status_changed *,
                               doca_comch_connection *connection, std::uint8_t is_successful)
{
    ComchServer &self = server_of(connection);
    EXPECT_EQ(is_successful, 1);
    ++self.num_disconnects;
    std::erase(self.connections, connection);
    self.note("disconnect");
    if (self.on_disconnect)
        self.on_disconnect(connection);
}

void ComchServer::consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                                std::uint32_t id)
{
    server_of(connection).consumer_changed(connection, id, true);
}

void ComchServer::consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection,
                                   std::uint32_t id)
{
    server_of(connection).consumer_changed(connection, id, false);
}

ComchClient::ComchClient(ComchSettings given) : ComchEnd(std::move(given))
{
    must(doca_comch_client_create(device, settings.name.c_str(), &client_));
    if (settings.num_sends != 0)
        must(configure(settings.num_sends));
    if (settings.max_msg_size != 0)
        must(doca_comch_client_set_max_msg_size(client_, settings.max_msg_size));
    if (settings.recv_queue_size != 0)
        must(doca_comch_client_set_recv_queue_size(client_, settings.recv_queue_size));
    must(doca_comch_client_event_msg_recv_register(client_, received));
    if (settings.has_consumer_events)
        must(doca_comch_client_event_consumer_register(client_, consumer_came, consumer_expired));
    attach();
}

ComchClient::~ComchClient()
{
    come_to_rest();
}

doca_comch_connection *ComchClient::connection() const
{
    doca_comch_connection *connection = nullptr;
    if (state() == DOCA_CTX_STATE_RUNNING) {
        EXPECT_EQ(doca_comch_client_get_connection(client_, &connection), DOCA_SUCCESS);
    }
    return connection;
}

doca_error_t ComchClient::try_alloc(doca_comch_connection *to, const void *msg, std::uint32_t len,
                                    doca_task **task)
{
    doca_comch_task_send *send = nullptr;
    const doca_error_t result =
        doca_comch_client_task_send_alloc_init(client_, to, msg, len, &send);
    if (result == DOCA_SUCCESS)
        *task = doca_comch_task_send_as_task(send);
    return result;
}

doca_error_t ComchClient::destroy()
{
    const doca_error_t result = doca_comch_client_destroy(client_);
    if (result == DOCA_SUCCESS)
        client_ = nullptr;
    return result;
}

void ComchClient::received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                           doca_comch_connection *from)
{
    client_of(from).came(from, buffer, len);
}

void ComchClient::consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                                std::uint32_t id)
{
    client_of(connection).consumer_changed(connection, id, true);
}

void ComchClient::consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection,
                                   std::uint32_t id)
{
    client_of(connection).consumer_changed(connection, id, false);
}

std::unique_ptr<ComchEnd> own_end(ComchSettings settings)
{
    if (is_dpu())
        return std::make_unique<ComchServer>(std::move(settings));
    return std::make_unique<ComchClient>(std::move(settings));
}

void on_both_sides(const Part &server, const Part &client)
{
    on_stage([&] {
        Process peer(other_role(), is_dpu() ? client : server);
        (is_dpu() ? server : client)(peer.line);
    });
}

void on_connected_ends(const EndPart &stage, const EndPart &peer, const ComchSettings &settings)
{
    const auto play = [&](const EndPart &part, Line &line) {
        const std::unique_ptr<ComchEnd> own = own_end(settings);
        own->start_and_connect();
        part(*own, line);
    };
    on_stage([&] {
        Process other(other_role(), [&](Line &line) { play(peer, line); });
        play(stage, other.line);
    });
}

void only_waits(ComchEnd &, Line &line)
{
    (void)line.wait();
}

void serves(ComchEnd &own, Line &line)
{
    own.progress_until_told(line);
}

void look_around(const ComchContext &context, Milliseconds time)
{
    (void)context.progress_until([] { return false; }, time);
}

void expect_lost(ComchEnd &own)
{
    if (auto *const server = dynamic_cast<ComchServer *>(&own)) {
        EXPECT_TRUE(server->has_connections(0, patience(kSoon)));
        look_around(own);
        EXPECT_EQ(server->num_disconnects, 1u);
        EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
    } else {
        EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
        EXPECT_EQ(own.moves(), (Record{"IDLE->STARTING", "STARTING->RUNNING", "RUNNING->STOPPING",
                                       "STOPPING->IDLE"}));
    }
}

std::string random_text(std::size_t len, unsigned seed)
{
    const std::vector<std::byte> bytes = pattern(len, seed);
    return {reinterpret_cast<const char *>(bytes.data()), len};
}

std::vector<std::string> numbers(std::size_t num)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < num; ++i)
        texts.push_back(std::to_string(i));
    return texts;
}

void keep_sending(ComchEnd &own, std::size_t num)
{
    const auto send_one = [&own, num, next = std::make_shared<std::size_t>(0)] {
        if (*next == num)
            return;
        EXPECT_EQ(own.try_send(std::to_string(*next), *next), DOCA_SUCCESS);
        ++*next;
    };
    own.on_sent = [send_one](doca_task *, doca_error_t) { send_one(); };
    for (std::uint32_t i = 0; i < own.settings.num_sends; ++i)
        send_one();
}

void expect_all_sent(const ComchEnd &own, std::size_t num)
{
    ASSERT_EQ(own.sends.size(), num);
    for (std::size_t i = 0; i < num; ++i)
        EXPECT_EQ(own.sends[i], (SendEnd{i, DOCA_SUCCESS}));
}

} // namespace softdoca::test
