// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Comch servers and clients.

#pragma once

#include "comch_connection.hpp"
#include "coroutine.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace doca {

/// What a device can do for servers and clients.
struct ComchCaps {
    bool is_server_supported = false, is_client_supported = false;
    std::uint32_t max_name_len = 0; ///< with its NUL
    std::uint32_t max_msg_size = 0;
    std::uint32_t max_recv_queue_size = 0;
    std::uint32_t max_send_tasks = 0;
    std::uint32_t max_clients = 0; ///< of one server
};

inline result<ComchCaps> comch_caps(std::nothrow_t, DeviceInfo info) noexcept
{
    ComchCaps caps;
    caps.is_server_supported = doca_comch_cap_server_is_supported(info.get()) == DOCA_SUCCESS;
    caps.is_client_supported = doca_comch_cap_client_is_supported(info.get()) == DOCA_SUCCESS;
    if (!caps.is_server_supported && !caps.is_client_supported)
        return caps;
    const detail::CapQuery all[] = {
        {"doca_comch_cap_get_max_name_len", doca_comch_cap_get_max_name_len, &caps.max_name_len},
        {"doca_comch_cap_get_max_msg_size", doca_comch_cap_get_max_msg_size, &caps.max_msg_size},
        {"doca_comch_cap_get_max_recv_queue_size", doca_comch_cap_get_max_recv_queue_size,
         &caps.max_recv_queue_size},
        {"doca_comch_cap_get_max_send_tasks", doca_comch_cap_get_max_send_tasks,
         &caps.max_send_tasks},
        {"doca_comch_cap_get_max_clients", doca_comch_cap_get_max_clients, &caps.max_clients},
    };
    const auto answered = detail::answer(info, all);
    if (!answered)
        return answered.failure();
    return caps;
}
inline ComchCaps comch_caps(DeviceInfo info)
{
    return comch_caps(std::nothrow, info).value();
}

namespace detail {

class ServerCore final : public EndCore {
public:
    using Owner = Handle<doca_comch_server, doca_comch_server_destroy, "doca_comch_server_destroy">;
    ServerCore(const Device &device, const Representor &representor,
               std::shared_ptr<EngineCore> engine, Owner server)
        : EndCore(device.shared(), std::move(engine)), arrivals(this->engine()),
          representor_(representor.shared()), server_(std::move(server))
    {
    }

    doca_ctx *ctx() const noexcept override { return doca_comch_server_as_ctx(server_.get()); }
    doca_comch_server *get() const noexcept { return server_.get(); }

    result<void> configure(const ComchOptions &options)
    {
        doca_comch_server *const server = server_.get();
        doca_error_t code = DOCA_SUCCESS;
        if (options.max_msg_size != 0)
            code = doca_comch_server_set_max_msg_size(server, options.max_msg_size);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_set_max_msg_size"};
        if (options.recv_queue_size != 0)
            code = doca_comch_server_set_recv_queue_size(server, options.recv_queue_size);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_set_recv_queue_size"};
        if (options.num_sends != 0)
            code =
                doca_comch_server_task_send_set_conf(server, succeeded, failed, options.num_sends);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_task_send_set_conf"};
        sends().allocate(options.num_sends);
        code = doca_comch_server_event_msg_recv_register(server, received);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_event_msg_recv_register"};
        code = doca_comch_server_event_connection_status_changed_register(server, connected,
                                                                          disconnected);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_event_connection_status_changed_register"};
        code = doca_comch_server_event_consumer_register(server, consumer_came, consumer_expired);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_event_consumer_register"};
        return connect();
    }

    result<void> disconnect(doca_comch_connection *connection) noexcept override
    {
        ConnectionCore *const core = core_of(connection);
        const doca_error_t code = doca_comch_server_disconnect(server_.get(), connection);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_server_disconnect"};
        if (core != nullptr)
            forget(*core); // no event tells of it
        return {};
    }

    Inbox<std::shared_ptr<ConnectionCore>> arrivals;

private:
    doca_error_t alloc_send(doca_comch_connection *to, std::span<const std::byte> message,
                            doca_comch_task_send **task) noexcept override
    {
        return doca_comch_server_task_send_alloc_init(
            server_.get(), to, message.data(), static_cast<std::uint32_t>(message.size()), task);
    }
    void on_state(doca_ctx_states state) noexcept override
    {
        EndCore::on_state(state);
        if (state == DOCA_CTX_STATE_RUNNING)
            arrivals.open();
        if (state == DOCA_CTX_STATE_STOPPING || state == DOCA_CTX_STATE_IDLE)
            arrivals.close({DOCA_ERROR_SHUTDOWN, "doca_comch_server"});
    }

    void welcome(doca_comch_connection *connection) noexcept
    {
        try {
            arrivals.put(adopt(connection));
        } catch (...) { // a client that cannot be served is told so
            (void)doca_comch_server_disconnect(server_.get(), connection);
        }
    }
    static ServerCore *owner_of(const doca_comch_connection *connection) noexcept
    {
        doca_comch_server *const server = doca_comch_server_get_server_ctx(connection);
        doca_data user_data{};
        for (int i = 0; i < kMaxTries; ++i) {
            if (doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data) ==
                DOCA_SUCCESS)
                break;
        }
        return static_cast<ServerCore *>(static_cast<ContextCore *>(user_data.ptr));
    }
    static void connected(doca_comch_event_connection_status_changed *,
                          doca_comch_connection *connection, std::uint8_t is_successful) noexcept
    {
        ServerCore *const self = owner_of(connection);
        if (is_successful != 0 && self != nullptr)
            self->welcome(connection);
    }
    static void disconnected(doca_comch_event_connection_status_changed *,
                             doca_comch_connection *connection, std::uint8_t) noexcept
    {
        ConnectionCore *const core = core_of(connection);
        ServerCore *const self = owner_of(connection);
        if (core != nullptr && self != nullptr)
            self->forget(*core);
    }

    std::shared_ptr<doca_dev_rep> representor_; // closes after the server
    Owner server_;
};

class ClientCore final : public EndCore {
public:
    using Owner = Handle<doca_comch_client, doca_comch_client_destroy, "doca_comch_client_destroy">;
    ClientCore(const Device &device, std::shared_ptr<EngineCore> engine, Owner client)
        : EndCore(device.shared(), std::move(engine)), client_(std::move(client))
    {
    }

    doca_ctx *ctx() const noexcept override { return doca_comch_client_as_ctx(client_.get()); }
    doca_comch_client *get() const noexcept { return client_.get(); }

    result<void> configure(const ComchOptions &options)
    {
        doca_comch_client *const client = client_.get();
        doca_error_t code = DOCA_SUCCESS;
        if (options.max_msg_size != 0)
            code = doca_comch_client_set_max_msg_size(client, options.max_msg_size);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_client_set_max_msg_size"};
        if (options.recv_queue_size != 0)
            code = doca_comch_client_set_recv_queue_size(client, options.recv_queue_size);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_client_set_recv_queue_size"};
        if (options.num_sends != 0)
            code =
                doca_comch_client_task_send_set_conf(client, succeeded, failed, options.num_sends);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_client_task_send_set_conf"};
        sends().allocate(options.num_sends);
        code = doca_comch_client_event_msg_recv_register(client, received);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_client_event_msg_recv_register"};
        code = doca_comch_client_event_consumer_register(client, consumer_came, consumer_expired);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_client_event_consumer_register"};
        return connect();
    }

    result<void> disconnect(doca_comch_connection *) noexcept override { return stop(); }
    /// nullptr unless it is RUNNING.
    const std::shared_ptr<ConnectionCore> &connection() const noexcept { return connection_; }
    Failure why_none() const noexcept { return why_none_; }

private:
    doca_error_t alloc_send(doca_comch_connection *to, std::span<const std::byte> message,
                            doca_comch_task_send **task) noexcept override
    {
        return doca_comch_client_task_send_alloc_init(
            client_.get(), to, message.data(), static_cast<std::uint32_t>(message.size()), task);
    }
    void on_state(doca_ctx_states state) noexcept override
    {
        if (state == DOCA_CTX_STATE_RUNNING) {
            const auto adopted = adopt_own();
            why_none_ = adopted.failure();
        }
        if (state == DOCA_CTX_STATE_STOPPING && connection_ != nullptr)
            std::exchange(connection_, nullptr)->cut();
        if (state != DOCA_CTX_STATE_RUNNING)
            why_none_ = kNotConnected;
        EndCore::on_state(state);
    }
    result<void> adopt_own() noexcept
    {
        return no_throw([&]() -> result<void> {
            doca_comch_connection *connection = nullptr;
            checked(doca_comch_client_get_connection(client_.get(), &connection),
                    "doca_comch_client_get_connection")
                .value();
            connection_ = adopt(connection);
            return {};
        });
    }

    Owner client_;
    std::shared_ptr<ConnectionCore> connection_;
    Failure why_none_ = kNotConnected; ///< also when the connection has ended
};

} // namespace detail

/// A server, started: RUNNING at once. Serves the clients of one host function. On the DPU.
class ComchServer : public Context<detail::ServerCore> {
public:
    static result<ComchServer> create(std::nothrow_t, const Device &device,
                                      const Representor &representor, const ProgressEngine &engine,
                                      const std::string &name, ComchOptions options = {}) noexcept
    {
        auto server =
            detail::make<Core::Owner>("doca_comch_server_create", doca_comch_server_create,
                                      device.get(), representor.get(), name.c_str());
        if (!server)
            return server.failure();
        return detail::no_throw([&]() -> result<ComchServer> {
            const auto core =
                detail::share(new Core(device, representor, engine.core(), *std::move(server)));
            auto done = core->configure(options);
            if (done)
                done = core->start();
            if (!done)
                return done.failure();
            return ComchServer(core);
        });
    }
    ComchServer(const Device &device, const Representor &representor, const ProgressEngine &engine,
                const std::string &name, ComchOptions options = {})
        : ComchServer(create(std::nothrow, device, representor, engine, name, options).value())
    {
    }

    /// co_await: the next client. DOCA_ERROR_SHUTDOWN when the server is stopped.
    auto accept() noexcept { return Accept<true>(core_, core_->arrivals); }
    auto accept(std::nothrow_t) noexcept { return Accept<false>(core_, core_->arrivals); }

    /// Ends a connection; consumers and producers on it must have gone (DOCA_ERROR_IN_USE).
    result<void> disconnect(std::nothrow_t, ComchConnection &connection) noexcept
    {
        if (!connection.is_up())
            return detail::kNotConnected;
        return core_->disconnect(connection.get());
    }
    void disconnect(ComchConnection &connection) { disconnect(std::nothrow, connection).value(); }

    /// For calls of the C API that have no function here.
    doca_comch_server *get() const noexcept { return core_->get(); }

private:
    using Core = detail::ServerCore;
    template <bool throws>
    using Accept = detail::InboxAwaiter<throws, ComchConnection,
                                        std::shared_ptr<detail::ConnectionCore>, Core>;

    explicit ComchServer(std::shared_ptr<Core> core) noexcept : Context(std::move(core)) {}
};

/// A client, started: RUNNING when a server has accepted it, which may take for ever. On the host.
class ComchClient : public Context<detail::ClientCore> {
public:
    static result<ComchClient> create(std::nothrow_t, const Device &device,
                                      const ProgressEngine &engine, const std::string &name,
                                      ComchOptions options = {}) noexcept
    {
        auto client = detail::make<Core::Owner>(
            "doca_comch_client_create", doca_comch_client_create, device.get(), name.c_str());
        if (!client)
            return client.failure();
        return detail::no_throw([&]() -> result<ComchClient> {
            const auto core = detail::share(new Core(device, engine.core(), *std::move(client)));
            auto done = core->configure(options);
            if (done)
                done = core->start();
            if (!done)
                return done.failure();
            return ComchClient(core);
        });
    }
    ComchClient(const Device &device, const ProgressEngine &engine, const std::string &name,
                ComchOptions options = {})
        : ComchClient(create(std::nothrow, device, engine, name, options).value())
    {
    }

    /// Of a RUNNING client; DOCA_ERROR_NOT_CONNECTED otherwise.
    result<ComchConnection> connection(std::nothrow_t) noexcept
    {
        if (core_->connection() == nullptr)
            return core_->why_none();
        return ComchConnection(core_->connection());
    }
    ComchConnection connection() { return connection(std::nothrow).value(); }

    /// co_await: the connection, when a server has accepted it.
    Coroutine<ComchConnection> connect() { return connect(core_); }

    /// For calls of the C API that have no function here.
    doca_comch_client *get() const noexcept { return core_->get(); }

private:
    using Core = detail::ClientCore;
    explicit ComchClient(std::shared_ptr<Core> core) noexcept : Context(std::move(core)) {}

    /// Does not keep the client, which may be moved or destroyed meanwhile.
    static Coroutine<ComchConnection> connect(std::weak_ptr<Core> client)
    {
        co_await running_of(client);
        const auto core = client.lock();
        if (core == nullptr || core->connection() == nullptr)
            throw Error(core == nullptr ? detail::kNotConnected : core->why_none());
        co_return ComchConnection(core->connection());
    }
    static detail::StateAwaiter<true> running_of(const std::weak_ptr<Core> &client)
    {
        const auto core = client.lock();
        if (core == nullptr)
            throw Error(detail::kNotConnected);
        return detail::StateAwaiter<true>(*core, DOCA_CTX_STATE_RUNNING);
    }
};

} // namespace doca
