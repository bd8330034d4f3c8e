// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Comch producers: the sending side of the fast path.

#pragma once

#include "buffer.hpp"
#include "comch.hpp"

#include <doca_comch_producer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace doca {

/// What a device can do for producers.
struct ComchProducerCaps {
    bool is_supported = false;
    std::uint32_t max_num_tasks = 0;
    std::uint32_t max_buffer_size = 0;
    std::uint32_t max_buffer_list_len = 0;
    std::uint32_t max_producers = 0; ///< of one connection
};

inline result<ComchProducerCaps> comch_producer_caps(std::nothrow_t, DeviceInfo info) noexcept
{
    ComchProducerCaps caps;
    caps.is_supported = doca_comch_producer_cap_is_supported(info.get()) == DOCA_SUCCESS;
    if (!caps.is_supported)
        return caps;
    const detail::CapQuery all[] = {
        {"doca_comch_producer_cap_get_max_num_tasks", doca_comch_producer_cap_get_max_num_tasks,
         &caps.max_num_tasks},
        {"doca_comch_producer_cap_get_max_buf_size", doca_comch_producer_cap_get_max_buf_size,
         &caps.max_buffer_size},
        {"doca_comch_producer_cap_get_max_buf_list_len",
         doca_comch_producer_cap_get_max_buf_list_len, &caps.max_buffer_list_len},
        {"doca_comch_producer_cap_get_max_producers", doca_comch_producer_cap_get_max_producers,
         &caps.max_producers},
    };
    const auto answered = detail::answer(info, all);
    if (!answered)
        return answered.failure();
    return caps;
}
inline ComchProducerCaps comch_producer_caps(DeviceInfo info)
{
    return comch_producer_caps(std::nothrow, info).value();
}

struct ComchProducerOptions {
    std::uint32_t num_tasks = 64; ///< sends in flight at a time
};

namespace detail {

class ProducerCore final : public ContextCore {
public:
    using Owner =
        Handle<doca_comch_producer, doca_comch_producer_destroy, "doca_comch_producer_destroy">;
    ProducerCore(std::shared_ptr<EndCore> end, std::shared_ptr<EngineCore> engine, Owner producer)
        : ContextCore(std::move(engine)), end_(std::move(end)), producer_(std::move(producer)),
          operations_(this->engine(), "doca_comch_producer_task_send")
    {
    }

    doca_ctx *ctx() const noexcept override { return doca_comch_producer_as_ctx(producer_.get()); }
    doca_comch_producer *get() const noexcept { return producer_.get(); }
    OperationPool &operations() noexcept { return operations_; }

    result<void> configure(std::uint32_t num_tasks)
    {
        const doca_error_t code =
            doca_comch_producer_task_send_set_conf(producer_.get(), succeeded, failed, num_tasks);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_producer_task_send_set_conf"};
        operations_.allocate(num_tasks);
        return connect();
    }

    /// What is sent, and to whom.
    struct Message {
        const doca_buf *buf;
        std::span<const std::byte> imm;
        std::uint32_t consumer;
    };
    template <typename Function>
    result<void> begin(Operation &operation, const Message &message, Function &&function) noexcept
    {
        return operations_.submit(operation, prepare(operation, message),
                                  std::forward<Function>(function));
    }
    template <bool throws>
    auto await(const Message &message) noexcept
    {
        auto begin = [this, message](Operation &operation, auto &&end) noexcept {
            return this->begin(operation, message, std::forward<decltype(end)>(end));
        };
        return OperationAwaiter<throws, decltype(begin)>(operations_, begin);
    }

private:
    using Task = doca_comch_producer_task_send;

    result<void> prepare(Operation &operation, const Message &message) noexcept
    {
        auto *const imm = const_cast<std::uint8_t *>( // which is copied
            reinterpret_cast<const std::uint8_t *>(message.imm.data()));
        const auto imm_len = static_cast<std::uint32_t>(message.imm.size());
        if (operation.task != nullptr) {
            Task *const task = static_cast<Task *>(operation.typed_task);
            doca_comch_producer_task_send_set_buf(task, message.buf);
            doca_comch_producer_task_send_set_consumer_id(task, message.consumer);
            doca_comch_producer_task_send_set_imm_data(task, imm, imm_len);
            return {};
        }
        Task *task = nullptr;
        const doca_error_t code = doca_comch_producer_task_send_alloc_init(
            producer_.get(), message.buf, imm, imm_len, message.consumer, &task);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_producer_task_send_alloc_init"};
        operation.typed_task = task;
        operation.task = doca_comch_producer_task_send_as_task(task);
        doca_task_set_user_data(operation.task, {.ptr = &operation});
        return {};
    }

    static void succeeded(Task *, doca_data operation, doca_data) noexcept
    {
        OperationPool::ended(*static_cast<Operation *>(operation.ptr), DOCA_SUCCESS);
    }
    static void failed(Task *task, doca_data operation, doca_data) noexcept
    {
        OperationPool::ended(*static_cast<Operation *>(operation.ptr),
                             doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
    }

    void release_tasks() noexcept override { operations_.free_tasks(); }
    void on_state(doca_ctx_states state) noexcept override
    {
        operations_.keep_tasks(state == DOCA_CTX_STATE_RUNNING);
        if (state == DOCA_CTX_STATE_STOPPING || state == DOCA_CTX_STATE_IDLE)
            operations_.fail_waiters({DOCA_ERROR_SHUTDOWN, "doca_comch_producer_task_send"});
    }

    std::shared_ptr<EndCore> end_; // stops after the producer has gone
    Owner producer_;
    OperationPool operations_;
};

} // namespace detail

/// A producer, started: RUNNING at once. Keeps its server or client. May have an engine and a
/// thread of its own; its server or client must outlive it then.
class ComchProducer : public Context<detail::ProducerCore> {
public:
    static result<ComchProducer> create(std::nothrow_t, const ComchConnection &connection,
                                        const ProgressEngine &engine,
                                        ComchProducerOptions options = {}) noexcept
    {
        if (!connection.is_up())
            return detail::kNotConnected;
        auto producer = detail::make<Core::Owner>("doca_comch_producer_create",
                                                  doca_comch_producer_create, connection.get());
        if (!producer)
            return producer.failure();
        return detail::no_throw([&]() -> result<ComchProducer> {
            const auto core = detail::share(new Core(connection.core()->end()->shared_from_this(),
                                                     engine.core(), *std::move(producer)));
            auto done = core->configure(options.num_tasks);
            if (done)
                done = core->start();
            if (!done)
                return done.failure();
            return ComchProducer(core);
        });
    }
    ComchProducer(const ComchConnection &connection, const ProgressEngine &engine,
                  ComchProducerOptions options = {})
        : ComchProducer(create(std::nothrow, connection, engine, options).value())
    {
    }

    /// By which consumers tell producers apart.
    result<std::uint32_t> id(std::nothrow_t) const noexcept
    {
        std::uint32_t id = 0;
        const doca_error_t code = doca_comch_producer_get_id(core_->get(), &id);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_producer_get_id"};
        return id;
    }
    std::uint32_t id() const { return id(std::nothrow).value(); }

    /// co_await: until a receive of the consumer holds the data of the buffer and the immediate
    /// data. Waits for the consumer to post a receive: sends of one producer leave in their order,
    /// so one that waits holds up those to other consumers. Buffer, memory and immediate data must
    /// be there until it has ended, also if nobody waits any more.
    auto send(std::uint32_t consumer, const Buffer &buffer,
              std::span<const std::byte> imm = {}) noexcept
    {
        return core_->template await<true>({buffer.get(), imm, consumer});
    }
    auto send(std::nothrow_t, std::uint32_t consumer, const Buffer &buffer,
              std::span<const std::byte> imm = {}) noexcept
    {
        return core_->template await<false>({buffer.get(), imm, consumer});
    }
    /// The same without a buffer.
    auto send_immediate(std::uint32_t consumer, std::span<const std::byte> imm) noexcept
    {
        return core_->template await<true>({nullptr, imm, consumer});
    }
    auto send_immediate(std::nothrow_t, std::uint32_t consumer,
                        std::span<const std::byte> imm) noexcept
    {
        return core_->template await<false>({nullptr, imm, consumer});
    }

    /// With a callback, which gets a result<void> from within progress(). Does not wait:
    /// DOCA_ERROR_NO_MEMORY if all tasks are in flight, DOCA_ERROR_AGAIN if the consumer has no
    /// receive posted.
    template <typename Function>
    result<void> send(std::nothrow_t, std::uint32_t consumer, const Buffer &buffer,
                      std::span<const std::byte> imm, Function &&function) noexcept
    {
        detail::Operation *const operation = core_->operations().take();
        if (operation == nullptr)
            return Failure{DOCA_ERROR_NO_MEMORY, "doca_comch_producer_task_send_alloc_init"};
        return core_->begin(*operation, {buffer.get(), imm, consumer},
                            std::forward<Function>(function));
    }
    template <typename Function>
    void send(std::uint32_t consumer, const Buffer &buffer, std::span<const std::byte> imm,
              Function &&function)
    {
        send(std::nothrow, consumer, buffer, imm, std::forward<Function>(function)).value();
    }

    /// For calls of the C API that have no function here.
    doca_comch_producer *get() const noexcept { return core_->get(); }

private:
    using Core = detail::ProducerCore;
    explicit ComchProducer(std::shared_ptr<Core> core) noexcept : Context(std::move(core)) {}
};

} // namespace doca
