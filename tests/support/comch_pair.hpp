// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/comch_context.hpp"
#include "support/comch_fast_path.hpp"
#include "support/handles.hpp"
#include "support/two_process.hpp"

#include <doca_comch.h>
#include <doca_dev.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// A server on the DPU and a client on the host, in processes of their own. Each keeps what it is
/// told, in order.
namespace softdoca::test {

/// A representor, by the address of its host function, or the first of the device.
class Representor : public Handle<doca_dev_rep, doca_dev_rep_close> {
public:
    explicit Representor(doca_dev *dev, const std::string &pci_addr = "");
};

struct ComchSettings {
    std::string name = "svc";
    std::uint32_t num_sends = 64;      ///< 0: no send tasks are configured
    std::uint32_t max_msg_size = 0;    ///< 0: as it is by default
    std::uint32_t recv_queue_size = 0; ///< 0: as it is by default
    bool has_consumer_events = true;
    std::string pci_addr = {};     ///< empty: the first device of the role
    std::string rep_pci_addr = {}; ///< of a server; empty: the first of the device
    doca_pe *pe = nullptr;         ///< nullptr: an engine of its own
};

/// A server or a client: created, configured and connected to its engine; not started.
class ComchEnd : public ComchContext {
public:
    struct Message {
        doca_comch_connection *connection;
        std::string text;
    };
    struct ConsumerEvent {
        doca_comch_connection *connection;
        std::uint32_t id;
        bool is_new;
    };

    /// The connection; of a server the one that was made last and lives. nullptr if there is none.
    virtual doca_comch_connection *connection() const = 0;
    /// Progresses until there is a connection.
    [[nodiscard]] bool connects(Milliseconds limit = patience()) const
    {
        return progress_until([this] { return connection() != nullptr; }, limit);
    }
    /// Starts it, and progresses until there is a connection.
    void start_and_connect() const;

    /// The message is not copied.
    virtual doca_error_t try_alloc(doca_comch_connection *to, const void *msg, std::uint32_t len,
                                   doca_task **task) = 0;
    /// Sends a copy of the message, to connection() if nothing else is said; also in hooks.
    doca_error_t try_send(std::string_view message, std::uint64_t number = 0,
                          doca_comch_connection *to = nullptr);
    /// The same where it has to succeed; not in hooks.
    void send(std::string_view message, std::uint64_t number = 0,
              doca_comch_connection *to = nullptr)
    {
        must(try_send(message, number, to));
    }
    /// A send from submit to completion.
    doca_error_t send_and_wait(std::string_view message);
    void free(doca_task *task);
    /// Those that the test has not freed, in no order.
    std::vector<doca_task *> tasks() const;

    /// Progresses until so many messages have come altogether.
    [[nodiscard]] bool receives(std::size_t num, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return num_messages >= num; }, limit);
    }
    /// Progresses until so many sends have ended altogether.
    [[nodiscard]] bool ends_sends(std::size_t num, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return num_ended >= num; }, limit);
    }
    /// Progresses until the peer has a consumer, and tells its id (0: none in time).
    std::uint32_t peer_consumer(Milliseconds limit = patience()) const;
    /// The texts of the messages so far.
    std::vector<std::string> texts() const;
    /// sent messages, sent bytes, received messages, received bytes; brought up to date.
    std::vector<std::uint64_t> counters(doca_comch_connection *of = nullptr) const;

    const ComchSettings settings;
    Device device;
    std::vector<Message> messages;
    std::vector<SendEnd> sends; ///< in the order of the callbacks
    std::vector<ConsumerEvent> consumer_events;
    std::vector<std::uint32_t> peer_consumers; ///< ids that are announced and have not expired
    std::size_t num_messages = 0, num_ended = 0;

    std::function<void(doca_comch_connection *from, std::uint8_t *buffer, std::uint32_t len)>
        on_message;
    std::function<void(doca_task *task, doca_error_t status)> on_sent;
    std::function<void(doca_comch_connection *connection, std::uint32_t id, bool is_new)>
        on_consumer;

protected:
    explicit ComchEnd(ComchSettings settings);
    void drop_hooks() override;
    void free_tasks() override;

    void came(doca_comch_connection *from, std::uint8_t *buffer, std::uint32_t len);
    void consumer_changed(doca_comch_connection *connection, std::uint32_t id, bool is_new);
    static void succeeded(doca_comch_task_send *task, doca_data, doca_data ctx_user_data);
    static void failed(doca_comch_task_send *task, doca_data, doca_data ctx_user_data);

private:
    void ended(doca_comch_task_send *task, bool is_good);

    std::unordered_map<doca_task *, std::vector<char>> tasks_; // allocated, not freed; messages
};

class ComchServer : public ComchEnd {
public:
    explicit ComchServer(ComchSettings settings = {});
    ~ComchServer() override;

    doca_comch_server *server() const { return server_; }
    doca_ctx *ctx() const override { return doca_comch_server_as_ctx(server_); }
    doca_comch_connection *connection() const override
    {
        return connections.empty() ? nullptr : connections.back();
    }
    doca_error_t try_alloc(doca_comch_connection *to, const void *msg, std::uint32_t len,
                           doca_task **task) override;
    doca_error_t destroy() override;
    /// Forgets the connection if it succeeds: no callback will come.
    doca_error_t disconnect(doca_comch_connection *connection);

    /// doca_comch_server_task_send_set_conf with the callbacks of this class.
    doca_error_t configure(std::uint32_t num_sends) const
    {
        return doca_comch_server_task_send_set_conf(server_, succeeded, failed, num_sends);
    }
    /// Progresses until so many clients are connected.
    [[nodiscard]] bool has_connections(std::size_t num, Milliseconds limit = patience()) const
    {
        return progress_until([&] { return connections.size() == num; }, limit);
    }

    Representor representor;
    std::vector<doca_comch_connection *> connections; ///< live ones, in their order
    std::size_t num_connects = 0, num_disconnects = 0;

    std::function<void(doca_comch_connection *connection, bool is_successful)> on_connect;
    std::function<void(doca_comch_connection *connection)> on_disconnect;

    // The callbacks, for tests that register them by themselves.
    static void received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                         doca_comch_connection *from);
    static void connected(doca_comch_event_connection_status_changed *,
                          doca_comch_connection *connection, std::uint8_t is_successful);
    static void disconnected(doca_comch_event_connection_status_changed *,
                             doca_comch_connection *connection, std::uint8_t is_successful);
    static void consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                              std::uint32_t id);
    static void consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection,
                                 std::uint32_t id);

private:
    void drop_hooks() override;

    doca_comch_server *server_ = nullptr;
};

class ComchClient : public ComchEnd {
public:
    explicit ComchClient(ComchSettings settings = {});
    ~ComchClient() override;

    doca_comch_client *client() const { return client_; }
    doca_ctx *ctx() const override { return doca_comch_client_as_ctx(client_); }
    /// nullptr unless it is RUNNING.
    doca_comch_connection *connection() const override;
    doca_error_t try_alloc(doca_comch_connection *to, const void *msg, std::uint32_t len,
                           doca_task **task) override;
    doca_error_t destroy() override;

    /// doca_comch_client_task_send_set_conf with the callbacks of this class.
    doca_error_t configure(std::uint32_t num_sends) const
    {
        return doca_comch_client_task_send_set_conf(client_, succeeded, failed, num_sends);
    }

    // The callbacks, for tests that register them by themselves.
    static void received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                         doca_comch_connection *from);
    static void consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                              std::uint32_t id);
    static void consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection,
                                 std::uint32_t id);

private:
    doca_comch_client *client_ = nullptr;
};

/// A server if this process is a DPU, else a client.
std::unique_ptr<ComchEnd> own_end(ComchSettings settings = {});

/// on_stage() with a process a side: the stage runs the part of its role, a peer the other. The
/// line is between them.
using Part = std::function<void(Line &line)>;
void on_both_sides(const Part &server, const Part &client);

/// The same with the two ends connected: the first part is that of the stage, whatever its role.
using EndPart = std::function<void(ComchEnd &own, Line &line)>;
void on_connected_ends(const EndPart &stage, const EndPart &peer,
                       const ComchSettings &settings = {});
/// A part that makes no call until the line says something.
void only_waits(ComchEnd &own, Line &line);
/// A part that turns its engine until the line says something.
void serves(ComchEnd &own, Line &line);

/// Progresses for so long: time in which nothing must happen.
inline constexpr Milliseconds kWhile{20};
void look_around(const ComchContext &context, Milliseconds time = kWhile);

/// In which a loss is noticed.
inline constexpr std::chrono::seconds kSoon{1};
/// The peer of this connected end (a server's only one) has stopped, or was lost: a server gets one
/// disconnect event and goes on, a client becomes IDLE by itself.
void expect_lost(ComchEnd &own);

/// Bytes that depend on their place and a seed.
std::string random_text(std::size_t len, unsigned seed);
/// "0", "1", ...
std::vector<std::string> numbers(std::size_t num);
/// Sends those texts as soon as there are tasks: the first ones now, one more whenever one ends.
void keep_sending(ComchEnd &own, std::size_t num);
/// All of them have ended well, in their order.
void expect_all_sent(const ComchEnd &own, std::size_t num);

} // namespace softdoca::test
