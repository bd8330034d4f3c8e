// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// A connection of a Comch server or client: control messages, and which consumers the peer has.

#pragma once

#include "device.hpp"
#include "inbox.hpp"
#include "operation.hpp"

#include <doca_comch.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace doca {

/// What a server or client is to have. Sizes of 0 are the library's defaults.
struct ComchOptions {
    std::uint32_t num_sends = 64; ///< messages in flight at a time, over all connections
    std::uint32_t max_msg_size = 0;
    std::uint32_t recv_queue_size = 0;
};

struct ComchCounters {
    std::uint64_t sent_messages = 0, sent_bytes = 0;
    std::uint64_t received_messages = 0, received_bytes = 0;
};

namespace detail {

class ConnectionCore;

inline constexpr Failure kNotConnected{DOCA_ERROR_NOT_CONNECTED, "doca_comch_connection"};

/// What a server and a client have in common.
class EndCore : public ContextCore, public std::enable_shared_from_this<EndCore> {
public:
    EndCore(std::shared_ptr<doca_dev> device, std::shared_ptr<EngineCore> engine)
        : ContextCore(std::move(engine)), device_(std::move(device)),
          sends_(this->engine(), "doca_comch_task_send")
    {
    }

    const std::shared_ptr<doca_dev> &device() const noexcept { return device_; }
    OperationPool &sends() noexcept { return sends_; }
    virtual result<void> disconnect(doca_comch_connection *connection) noexcept = 0;

    template <typename Function>
    result<void> begin(Operation &operation, const ConnectionCore &to,
                       std::span<const std::byte> message, Function &&function) noexcept
    {
        return sends_.submit(operation, prepare(operation, to, message),
                             std::forward<Function>(function));
    }

protected:
    ~EndCore() override;

    virtual doca_error_t alloc_send(doca_comch_connection *to, std::span<const std::byte> message,
                                    doca_comch_task_send **task) noexcept = 0;

    /// Of a new connection; throws if it cannot be had.
    std::shared_ptr<ConnectionCore> adopt(doca_comch_connection *connection);
    void forget(ConnectionCore &connection) noexcept;
    void forget_all() noexcept;

    void release_tasks() noexcept override { sends_.free_tasks(); }
    void on_state(doca_ctx_states state) noexcept override
    {
        if (state == DOCA_CTX_STATE_STOPPING)
            sends_.fail_waiters({DOCA_ERROR_SHUTDOWN, "doca_comch_task_send"});
        if (state == DOCA_CTX_STATE_IDLE)
            forget_all();
    }

    // The callbacks of the C API.
    static void succeeded(doca_comch_task_send *, doca_data operation, doca_data) noexcept
    {
        OperationPool::ended(*static_cast<Operation *>(operation.ptr), DOCA_SUCCESS);
    }
    static void failed(doca_comch_task_send *task, doca_data operation, doca_data) noexcept
    {
        const doca_error_t code = doca_task_get_status(doca_comch_task_send_as_task(task));
        OperationPool::ended(*static_cast<Operation *>(operation.ptr), code);
    }
    static void received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                         doca_comch_connection *connection) noexcept;
    static void consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                              std::uint32_t id) noexcept;
    static void consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection,
                                 std::uint32_t id) noexcept;

private:
    result<void> prepare(Operation &operation, const ConnectionCore &to,
                         std::span<const std::byte> message) noexcept;

    std::shared_ptr<doca_dev> device_; // closes after the context
    OperationPool sends_;
    std::vector<std::shared_ptr<ConnectionCore>> connections_;
};

/// One connection, also after its end. The C connection points to it.
class ConnectionCore : public std::enable_shared_from_this<ConnectionCore> {
public:
    using Bytes = std::vector<std::byte>;

    ConnectionCore(EndCore &end, doca_comch_connection *connection)
        : messages(end.engine()), new_consumers(end.engine()), end_(&end), connection_(connection)
    {
    }

    bool is_up() const noexcept { return get() != nullptr; }
    doca_comch_connection *get() const noexcept { return connection_.load(); }
    EndCore *end() const noexcept { return end_; }

    /// It has ended, or its server or client has gone.
    void cut() noexcept
    {
        const Failure failure{DOCA_ERROR_CONNECTION_RESET, "doca_comch_connection"};
        connection_.store(nullptr);
        messages.close(failure);
        new_consumers.close(failure);
    }
    void orphan() noexcept
    {
        cut();
        end_ = nullptr;
    }

    template <bool throws>
    static auto send(const std::shared_ptr<ConnectionCore> &self,
                     std::span<const std::byte> message) noexcept
    {
        auto begin = [self, message](Operation &operation, auto &&end) noexcept {
            if (self->end_ == nullptr) { // it has ended while this waited for a task
                operation.pool->give_back(operation);
                return result<void>(kNotConnected);
            }
            return self->end_->begin(operation, *self, message, std::forward<decltype(end)>(end));
        };
        using Awaiter = OperationAwaiter<throws, decltype(begin)>;
        return self->is_up() ? Awaiter(self->end_->sends(), begin, self.get())
                             : Awaiter(kNotConnected, begin);
    }

    void arrived(std::span<const std::byte> message)
    {
        if (on_message) {
            const auto keep = shared_from_this(); // the callback may end the connection
            on_message(message);
            return;
        }
        if (messages.is_closed()) // one is missing: nothing comes behind the gap
            return;
        try {
            keep(message);
        } catch (const std::bad_alloc &) { // what is behind a gap must not be taken for the next
            messages.close({DOCA_ERROR_NO_MEMORY, "operator new"});
        }
    }
    void consumer_came(std::uint32_t id) noexcept
    {
        if (new_consumers.is_closed())
            return;
        try {
            consumers.push_back(id);
            new_consumers.put(id);
        } catch (const std::bad_alloc &) {
            new_consumers.close({DOCA_ERROR_NO_MEMORY, "operator new"});
        }
    }
    void give_back(Bytes bytes) noexcept
    {
        try {
            spare_.push_back(std::move(bytes));
        } catch (...) { // then it is not kept
        }
    }

    Inbox<Bytes> messages;
    Inbox<std::uint32_t> new_consumers;
    std::vector<std::uint32_t> consumers; ///< live ones
    std::function<void(std::span<const std::byte>)> on_message;

private:
    void keep(std::span<const std::byte> message)
    {
        Bytes bytes;
        if (!spare_.empty()) {
            bytes = std::move(spare_.back());
            spare_.pop_back();
        }
        bytes.assign(message.begin(), message.end());
        messages.put(std::move(bytes));
    }

    EndCore *end_;
    std::atomic<doca_comch_connection *> connection_; ///< consumers on other threads look at it
    std::vector<Bytes> spare_;
};

inline result<void> EndCore::prepare(Operation &operation, const ConnectionCore &to,
                                     std::span<const std::byte> message) noexcept
{
    if (!to.is_up())
        return kNotConnected;
    doca_comch_task_send *task = nullptr;
    const doca_error_t code = alloc_send(to.get(), message, &task);
    if (code != DOCA_SUCCESS)
        return Failure{code, "doca_comch_task_send_alloc_init"};
    operation.task = doca_comch_task_send_as_task(task);
    doca_task_set_user_data(operation.task, {.ptr = &operation});
    return {};
}

inline EndCore::~EndCore()
{
    for (const auto &connection : connections_)
        connection->orphan();
}

inline std::shared_ptr<ConnectionCore> EndCore::adopt(doca_comch_connection *connection)
{
    const auto core = std::make_shared<ConnectionCore>(*this, connection);
    connections_.push_back(core);
    const doca_error_t code = doca_comch_connection_set_user_data(connection, {.ptr = core.get()});
    if (code == DOCA_SUCCESS)
        return core;
    connections_.pop_back();
    throw Error({code, "doca_comch_connection_set_user_data"});
}

inline void EndCore::forget(ConnectionCore &connection) noexcept
{
    const auto is_it = [&](const auto &core) { return core.get() == &connection; };
    const auto at = std::find_if(connections_.begin(), connections_.end(), is_it);
    if (at == connections_.end())
        return;
    (*at)->orphan();
    sends_.fail_waiters({DOCA_ERROR_CONNECTION_RESET, "doca_comch_task_send"}, at->get());
    connections_.erase(at);
}

inline void EndCore::forget_all() noexcept
{
    while (!connections_.empty())
        forget(*connections_.back());
}

inline ConnectionCore *core_of(const doca_comch_connection *connection) noexcept
{
    return static_cast<ConnectionCore *>(doca_comch_connection_get_user_data(connection).ptr);
}

inline void EndCore::received(doca_comch_event_msg_recv *, std::uint8_t *buffer, std::uint32_t len,
                              doca_comch_connection *connection) noexcept
{
    if (ConnectionCore *const core = core_of(connection))
        core->arrived(std::as_bytes(std::span(buffer, len)));
}

inline void EndCore::consumer_came(doca_comch_event_consumer *, doca_comch_connection *connection,
                                   std::uint32_t id) noexcept
{
    if (ConnectionCore *const core = core_of(connection))
        core->consumer_came(id);
}

inline void EndCore::consumer_expired(doca_comch_event_consumer *,
                                      doca_comch_connection *connection, std::uint32_t id) noexcept
{
    if (ConnectionCore *const core = core_of(connection))
        std::erase(core->consumers, id);
}

/// A number, given away as it is.
struct ConsumerId {
    ConsumerId(std::uint32_t id, const std::shared_ptr<ConnectionCore> &) noexcept : value(id) {}
    operator std::uint32_t() const noexcept { return value; }
    std::uint32_t value;
};

} // namespace detail

/// A control message that has arrived.
class ComchMessage {
public:
    ComchMessage(detail::ConnectionCore::Bytes bytes,
                 std::shared_ptr<detail::ConnectionCore> connection) noexcept
        : bytes_(std::move(bytes)), connection_(std::move(connection))
    {
    }
    ComchMessage(ComchMessage &&) noexcept = default;
    ComchMessage &operator=(ComchMessage &&other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(connection_, other.connection_);
        return *this;
    }
    ~ComchMessage()
    {
        if (connection_ != nullptr)
            connection_->give_back(std::move(bytes_));
    }

    std::span<const std::byte> bytes() const noexcept { return bytes_; }
    std::string_view text() const noexcept
    {
        return {reinterpret_cast<const char *>(bytes_.data()), bytes_.size()};
    }

private:
    detail::ConnectionCore::Bytes bytes_;
    std::shared_ptr<detail::ConnectionCore> connection_;
};

/// A connection, up or ended. Does not keep its server or client: when that goes it has ended.
class ComchConnection {
public:
    explicit ComchConnection(std::shared_ptr<detail::ConnectionCore> core) noexcept
        : core_(std::move(core))
    {
    }
    /// For Inbox: of a server.
    template <typename Owner>
    ComchConnection(std::shared_ptr<detail::ConnectionCore> core, const std::shared_ptr<Owner> &)
        : core_(std::move(core))
    {
    }
    ComchConnection(ComchConnection &&) noexcept = default;
    ComchConnection &operator=(ComchConnection &&) noexcept = default;

    bool is_up() const noexcept { return core_->is_up(); }
    /// nullptr when it has ended.
    doca_comch_connection *get() const noexcept { return core_->get(); }

    /// co_await: until the peer's queue has taken the message, which must be there and unchanged
    /// until then, also if nobody waits any more.
    auto send(std::span<const std::byte> message) noexcept
    {
        return detail::ConnectionCore::send<true>(core_, message);
    }
    auto send(std::string_view message) noexcept
    {
        return detail::ConnectionCore::send<true>(core_, std::as_bytes(std::span(message)));
    }
    auto send(std::nothrow_t, std::span<const std::byte> message) noexcept
    {
        return detail::ConnectionCore::send<false>(core_, message);
    }
    auto send(std::nothrow_t, std::string_view message) noexcept
    {
        return detail::ConnectionCore::send<false>(core_, std::as_bytes(std::span(message)));
    }
    /// The same with a callback, which gets a result<void> from within progress().
    /// DOCA_ERROR_NO_MEMORY if all sends are in flight.
    template <typename Function>
    result<void> send(std::nothrow_t, std::span<const std::byte> message,
                      Function &&function) noexcept
    {
        if (!is_up())
            return detail::kNotConnected;
        detail::EndCore &end = *core_->end();
        detail::Operation *const operation = end.sends().take();
        if (operation == nullptr)
            return Failure{DOCA_ERROR_NO_MEMORY, "doca_comch_task_send_alloc_init"};
        return end.begin(*operation, *core_, message, std::forward<Function>(function));
    }
    template <typename Function>
    result<void> send(std::nothrow_t, std::string_view message, Function &&function) noexcept
    {
        return send(std::nothrow, std::as_bytes(std::span(message)),
                    std::forward<Function>(function));
    }
    template <typename Function>
    void send(std::string_view message, Function &&function)
    {
        send(std::nothrow, message, std::forward<Function>(function)).value();
    }
    template <typename Function>
    void send(std::span<const std::byte> message, Function &&function)
    {
        send(std::nothrow, message, std::forward<Function>(function)).value();
    }

    /// co_await: the next message. DOCA_ERROR_CONNECTION_RESET when the connection has ended and
    /// all that came before has been taken.
    auto receive() noexcept { return Receive<true>(core_, core_->messages); }
    auto receive(std::nothrow_t) noexcept { return Receive<false>(core_, core_->messages); }
    /// From now on messages go to the callback, within progress(), and not to receive(). The bytes
    /// are valid during the callback, which must not replace itself. What it throws ends the
    /// program.
    void on_message(std::function<void(std::span<const std::byte>)> callback)
    {
        core_->on_message = std::move(callback);
    }

    /// co_await: the id of the next consumer that the peer has made, one for each call.
    auto consumer() noexcept { return NextConsumer<true>(core_, core_->new_consumers); }
    auto consumer(std::nothrow_t) noexcept
    {
        return NextConsumer<false>(core_, core_->new_consumers);
    }
    /// The ids of the consumers that the peer has at the moment.
    std::span<const std::uint32_t> consumers() const noexcept { return core_->consumers; }

    result<ComchCounters> counters(std::nothrow_t) const noexcept
    {
        if (!is_up())
            return detail::kNotConnected;
        ComchCounters counters;
        doca_error_t code = doca_comch_connection_update_info(get());
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_connection_update_info"};
        const std::pair<doca_comch_counter, std::uint64_t *> all[] = {
            {DOCA_COMCH_COUNTER_SENT_MESSAGES, &counters.sent_messages},
            {DOCA_COMCH_COUNTER_SENT_BYTES, &counters.sent_bytes},
            {DOCA_COMCH_COUNTER_RECV_MESSAGES, &counters.received_messages},
            {DOCA_COMCH_COUNTER_RECV_BYTES, &counters.received_bytes},
        };
        for (const auto &[type, value] : all) {
            code = doca_comch_connection_get_counter(get(), type, value);
            if (code != DOCA_SUCCESS)
                return Failure{code, "doca_comch_connection_get_counter"};
        }
        return counters;
    }
    ComchCounters counters() const { return counters(std::nothrow).value(); }

    const std::shared_ptr<detail::ConnectionCore> &core() const noexcept { return core_; }

private:
    template <bool throws>
    using Receive = detail::InboxAwaiter<throws, ComchMessage, detail::ConnectionCore::Bytes,
                                         detail::ConnectionCore>;
    template <bool throws>
    using NextConsumer =
        detail::InboxAwaiter<throws, detail::ConsumerId, std::uint32_t, detail::ConnectionCore>;

    std::shared_ptr<detail::ConnectionCore> core_;
};

} // namespace doca
