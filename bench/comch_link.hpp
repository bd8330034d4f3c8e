// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "rig.hpp"

#include <doca_comch.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

/// Connections as a program sets them up, for the rows to measure and for their peer; released at
/// the end of a scope.
namespace softdoca::bench {

/// Turns of these engines until the condition holds. Ends the program if it takes too long.
void turn_until(const std::vector<doca_pe *> &engines, const std::function<bool()> &condition,
                const char *what);

/// The object that a context or task was given as its user data.
template <typename T>
T &user_object(doca_data user_data)
{
    return *static_cast<T *>(user_data.ptr);
}

// What each context goes through.
void attach(doca_ctx *ctx, doca_pe *pe, void *object);
void start(doca_ctx *ctx, doca_error_t expected);
/// To its end; also one that ends by itself because its peer has gone.
void stop(doca_ctx *ctx, doca_pe *pe);
doca_ctx_states state_of(const doca_ctx *ctx);

/// What a connection has seen. Its user data points here.
struct Link {
    doca_comch_connection *connection = nullptr;
    std::uint64_t num_received = 0, num_sent = 0; ///< control messages; sends that are completed
    std::vector<std::uint32_t> consumers;         ///< ids of the peer's
};

struct ControlSizes {
    std::uint32_t num_send_tasks = 64;
    std::uint32_t recv_queue_size = 64;
};

/// The first representor that a server can be bound to.
class Representor {
public:
    explicit Representor(const Device &device);
    ~Representor();
    Representor(const Representor &) = delete;
    Representor &operator=(const Representor &) = delete;

    doca_dev_rep *get() const { return rep_; }

private:
    doca_dev_rep *rep_ = nullptr;
};

/// A running server.
class ComchServer {
public:
    ComchServer(const Device &device, const Representor &representor, const ProgressEngine &engine,
                const std::string &service, ControlSizes sizes);
    ~ComchServer();
    ComchServer(const ComchServer &) = delete;
    ComchServer &operator=(const ComchServer &) = delete;

    /// In the order in which the clients came.
    std::deque<Link> &links() { return links_; }

private:
    static void on_connect(doca_comch_event_connection_status_changed *event,
                           doca_comch_connection *connection, std::uint8_t is_successful);

    doca_comch_server *server_ = nullptr;
    doca_pe *pe_;
    std::deque<Link> links_;
};

/// A started client.
class ComchClient {
public:
    ComchClient(const Device &device, const ProgressEngine &engine, const std::string &service,
                ControlSizes sizes);
    ~ComchClient();
    ComchClient(const ComchClient &) = delete;
    ComchClient &operator=(const ComchClient &) = delete;

    /// Is it running by now? The link is complete then.
    bool is_connected();
    Link &link() { return link_; }

private:
    doca_comch_client *client_ = nullptr;
    doca_pe *pe_;
    Link link_;
};

/// A message of either side, made once and sent again and again.
class Message {
public:
    Message(Link &link, std::size_t len);
    ~Message();
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;

    doca_task *task() const { return task_; }

private:
    std::vector<char> bytes_;
    doca_task *task_ = nullptr;
};

/// Submits all messages, then makes turns until they are completed.
void send_all(doca_pe *pe, const Link &link, const std::deque<Message> &messages);
/// Turns until so many control messages more have come.
void take(doca_pe *pe, const Link &link, std::uint64_t num_messages);

} // namespace softdoca::bench
