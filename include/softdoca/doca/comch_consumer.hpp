// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Comch consumers: the receiving side of the fast path.

#pragma once

#include "buffer.hpp"
#include "comch.hpp"

#include <doca_comch_consumer.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace doca {

/// What a device can do for consumers.
struct ComchConsumerCaps {
    bool is_supported = false;
    std::uint32_t max_num_tasks = 0;
    std::uint32_t max_buffer_size = 0;
    std::uint32_t max_buffer_list_len = 0;
    std::uint32_t max_consumers = 0; ///< of one connection
    std::uint32_t max_imm_data_len = 0;
};

inline result<ComchConsumerCaps> comch_consumer_caps(std::nothrow_t, DeviceInfo info) noexcept
{
    ComchConsumerCaps caps;
    caps.is_supported = doca_comch_consumer_cap_is_supported(info.get()) == DOCA_SUCCESS;
    if (!caps.is_supported)
        return caps;
    const detail::CapQuery all[] = {
        {"doca_comch_consumer_cap_get_max_num_tasks", doca_comch_consumer_cap_get_max_num_tasks,
         &caps.max_num_tasks},
        {"doca_comch_consumer_cap_get_max_buf_size", doca_comch_consumer_cap_get_max_buf_size,
         &caps.max_buffer_size},
        {"doca_comch_consumer_cap_get_max_buf_list_len",
         doca_comch_consumer_cap_get_max_buf_list_len, &caps.max_buffer_list_len},
        {"doca_comch_consumer_cap_get_max_consumers", doca_comch_consumer_cap_get_max_consumers,
         &caps.max_consumers},
        {"doca_comch_consumer_cap_get_max_imm_data_len",
         doca_comch_consumer_cap_get_max_imm_data_len, &caps.max_imm_data_len},
    };
    const auto answered = detail::answer(info, all);
    if (!answered)
        return answered.failure();
    return caps;
}
inline ComchConsumerCaps comch_consumer_caps(DeviceInfo info)
{
    return comch_consumer_caps(std::nothrow, info).value();
}

struct ComchConsumerOptions {
    std::uint32_t num_buffers = 64;   ///< receives that are posted
    std::size_t buffer_size = 4096;   ///< bytes of each
    std::uint32_t imm_data_len = 0;   ///< bytes of immediate data that a message may have
    std::span<std::byte> memory = {}; ///< for the buffers, one behind the other, outliving the
                                      ///< consumer; empty: its own
};

namespace detail {

/// Keeps all its receives posted, except those whose messages the program has.
class ConsumerCore final : public ContextCore,
                           private Retry,
                           public std::enable_shared_from_this<ConsumerCore> {
public:
    using Owner =
        Handle<doca_comch_consumer, doca_comch_consumer_destroy, "doca_comch_consumer_destroy">;
    using Task = doca_comch_consumer_task_post_recv;

    /// One buffer and its task.
    struct Receive {
        Receive(Buffer of, ConsumerCore &owner) noexcept : buffer(std::move(of)), core(&owner) {}

        Buffer buffer;
        ConsumerCore *core;
        Task *task = nullptr;
        enum class At { home, posted, program } at = At::home;
        std::span<std::byte> bytes; ///< of the message; valid while the program has it
        std::array<std::byte, 64> imm{};
        std::uint32_t imm_len = 0;
        std::uint32_t producer = 0;
    };

    /// Throws what its memory throws.
    ConsumerCore(std::shared_ptr<EndCore> end, std::shared_ptr<ConnectionCore> connection,
                 std::shared_ptr<EngineCore> engine, const ComchConsumerOptions &options)
        : ContextCore(std::move(engine)), arrivals(this->engine()), end_(std::move(end)),
          connection_(std::move(connection)), own_(own_memory(options)),
          memory_(options.memory.empty() ? std::span(own_.get(), len_of(options)) : options.memory),
          mmap_(Device(end_->device()), memory_, DOCA_ACCESS_FLAG_PCI_READ_WRITE),
          inventory_(options.num_buffers)
    {
        receives_.reserve(options.num_buffers);
        arrivals.reserve(options.num_buffers);
        for (std::uint32_t i = 0; i < options.num_buffers; ++i) {
            const auto piece = memory_.subspan(i * options.buffer_size, options.buffer_size);
            receives_.emplace_back(inventory_.by_addr(mmap_, piece), *this);
        }
    }

    doca_ctx *ctx() const noexcept override { return doca_comch_consumer_as_ctx(consumer_.get()); }
    doca_comch_consumer *get() const noexcept { return consumer_.get(); }

    result<void> create(const ComchConsumerOptions &options) noexcept
    {
        auto consumer = make<Owner>("doca_comch_consumer_create", doca_comch_consumer_create,
                                    connection_->get(), mmap_.get());
        if (!consumer)
            return consumer.failure();
        consumer_ = *std::move(consumer);
        doca_error_t code = DOCA_SUCCESS;
        if (options.imm_data_len != 0)
            code = doca_comch_consumer_set_imm_data_len(consumer_.get(), options.imm_data_len);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_consumer_set_imm_data_len"};
        code = doca_comch_consumer_task_post_recv_set_conf(consumer_.get(), received, failed,
                                                           options.num_buffers);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_consumer_task_post_recv_set_conf"};
        return connect();
    }

    /// The program is done with a message.
    void give_back(Receive &receive) noexcept
    {
        receive.at = Receive::At::home;
        if (is_running())
            post(receive);
    }

    Inbox<Receive *> arrivals;
    std::function<void(Receive &)> on_message;

private:
    struct FreeAligned {
        void operator()(std::byte *memory) const noexcept { ::operator delete(memory, kAlignment); }
    };
    static constexpr std::align_val_t kAlignment{4096};

    static std::size_t len_of(const ComchConsumerOptions &options)
    {
        std::size_t len = 0;
        if (__builtin_mul_overflow(options.num_buffers, options.buffer_size, &len))
            throw Error({DOCA_ERROR_INVALID_VALUE, "doca::ComchConsumer"});
        return len;
    }
    static std::unique_ptr<std::byte, FreeAligned> own_memory(const ComchConsumerOptions &options)
    {
        const std::size_t len = len_of(options);
        if (len == 0 || (!options.memory.empty() && options.memory.size() < len))
            throw Error({DOCA_ERROR_INVALID_VALUE, "doca::ComchConsumer"});
        if (!options.memory.empty())
            return nullptr;
        void *const memory = ::operator new(len, kAlignment);
        return std::unique_ptr<std::byte, FreeAligned>(static_cast<std::byte *>(memory));
    }

    /// What fails now is tried again after the next turn.
    void post(Receive &receive) noexcept
    {
        if (!is_posted(receive))
            engine().retry_later(*this);
    }
    bool is_posted(Receive &receive) noexcept
    {
        if (receive.task == nullptr) {
            if (doca_comch_consumer_task_post_recv_alloc_init(consumer_.get(), receive.buffer.get(),
                                                              &receive.task) != DOCA_SUCCESS)
                return false;
            doca_task_set_user_data(task_of(receive), {.ptr = &receive});
        }
        if (!receive.buffer.reset_data(std::nothrow))
            return false;
        if (doca_task_submit(task_of(receive)) != DOCA_SUCCESS)
            return false;
        receive.at = Receive::At::posted;
        return true;
    }
    void retry() noexcept override
    {
        if (is_running())
            post_all();
    }
    void post_all() noexcept
    {
        for (Receive &receive : receives_) {
            if (receive.at == Receive::At::home)
                post(receive);
        }
    }

    static doca_task *task_of(const Receive &receive) noexcept
    {
        return doca_comch_consumer_task_post_recv_as_task(receive.task);
    }
    static void free_task(Receive &receive) noexcept
    {
        if (receive.task != nullptr)
            doca_task_free(task_of(receive));
        receive.task = nullptr;
    }

    static void received(Task *task, doca_data user_data, doca_data) noexcept
    {
        Receive &receive = *static_cast<Receive *>(user_data.ptr);
        receive.producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
        const std::uint8_t *const imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
        receive.imm_len = imm == nullptr
                              ? 0
                              : std::min(doca_comch_consumer_task_post_recv_get_imm_data_len(task),
                                         static_cast<std::uint32_t>(receive.imm.size()));
        std::copy_n(reinterpret_cast<const std::byte *>(imm), receive.imm_len, receive.imm.begin());
        receive.core->deliver(receive);
    }
    static void failed(Task *, doca_data user_data, doca_data) noexcept
    {
        Receive &receive = *static_cast<Receive *>(user_data.ptr);
        receive.at = Receive::At::home;
        if (!receive.core->is_running())
            free_task(receive);
        else
            receive.core->engine().retry_later(*receive.core);
    }
    void deliver(Receive &receive) noexcept
    {
        const auto data = receive.buffer.data(std::nothrow);
        receive.bytes = data ? *data : std::span<std::byte>();
        receive.at = Receive::At::program;
        if (!is_running())
            free_task(receive);
        if (!on_message)
            arrivals.put(&receive);
        else if (!weak_from_this().expired())
            on_message(receive);
        else
            receive.at = Receive::At::home; // its consumer is being destroyed: nobody is told
    }

    void release_tasks() noexcept override
    {
        for (Receive &receive : receives_) {
            if (receive.at != Receive::At::posted)
                free_task(receive);
        }
    }
    void on_state(doca_ctx_states state) noexcept override
    {
        if (state == DOCA_CTX_STATE_STARTING)
            arrivals.open();
        if (state == DOCA_CTX_STATE_RUNNING)
            post_all();
        if (state == DOCA_CTX_STATE_IDLE)
            arrivals.close({is_asked_to_stop() ? DOCA_ERROR_SHUTDOWN : DOCA_ERROR_CONNECTION_RESET,
                            "doca_comch_consumer_task_post_recv"});
    }

    std::shared_ptr<EndCore> end_; // stops after the consumer has gone
    std::shared_ptr<ConnectionCore> connection_;
    std::unique_ptr<std::byte, FreeAligned> own_;
    std::span<std::byte> memory_;
    Mmap mmap_;
    BufferInventory inventory_;
    Owner consumer_;
    std::vector<Receive> receives_;
};

} // namespace detail

/// A message of the fast path, in the buffer where it has arrived. The buffer is posted again when
/// this goes, so keeping many holds up the producers. Keeps its consumer, which does not stop by
/// being destroyed before. On the consumer's thread.
class ComchReceived {
public:
    ComchReceived(detail::ConsumerCore::Receive *receive,
                  std::shared_ptr<detail::ConsumerCore> core) noexcept
        : receive_(receive), core_(std::move(core))
    {
    }
    ComchReceived(ComchReceived &&) noexcept = default;
    ComchReceived &operator=(ComchReceived &&other) noexcept
    {
        std::swap(receive_, other.receive_);
        std::swap(core_, other.core_);
        return *this;
    }
    ~ComchReceived()
    {
        if (core_ != nullptr)
            core_->give_back(*receive_);
    }

    std::span<std::byte> bytes() const noexcept { return receive_->bytes; }
    std::span<const std::byte> imm() const noexcept
    {
        return std::span(receive_->imm).first(receive_->imm_len);
    }
    std::uint32_t producer() const noexcept { return receive_->producer; }

private:
    detail::ConsumerCore::Receive *receive_;
    std::shared_ptr<detail::ConsumerCore> core_;
};

/// A consumer, started: RUNNING when the peer has taken notice. All its buffers are then posted by
/// themselves. Keeps its server or client. May have an engine and a thread of its own; its server
/// or client must outlive it then.
class ComchConsumer : public Context<detail::ConsumerCore> {
public:
    static result<ComchConsumer> create(std::nothrow_t, const ComchConnection &connection,
                                        const ProgressEngine &engine,
                                        ComchConsumerOptions options = {}) noexcept
    {
        if (!connection.is_up())
            return detail::kNotConnected;
        return detail::no_throw([&]() -> result<ComchConsumer> {
            const auto core = detail::share(new Core(connection.core()->end()->shared_from_this(),
                                                     connection.core(), engine.core(), options));
            auto done = core->create(options);
            if (done)
                done = core->start();
            if (!done)
                return done.failure();
            return ComchConsumer(core);
        });
    }
    ComchConsumer(const ComchConnection &connection, const ProgressEngine &engine,
                  ComchConsumerOptions options = {})
        : ComchConsumer(create(std::nothrow, connection, engine, options).value())
    {
    }

    /// By which producers find it.
    result<std::uint32_t> id(std::nothrow_t) const noexcept
    {
        std::uint32_t id = 0;
        const doca_error_t code = doca_comch_consumer_get_id(core_->get(), &id);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_comch_consumer_get_id"};
        return id;
    }
    std::uint32_t id() const { return id(std::nothrow).value(); }

    /// co_await: the next message, in the order of the posted buffers. When no more will come:
    /// DOCA_ERROR_SHUTDOWN, or DOCA_ERROR_CONNECTION_RESET if the peer has gone.
    auto receive() noexcept { return Receive<true>(core_, core_->arrivals); }
    auto receive(std::nothrow_t) noexcept { return Receive<false>(core_, core_->arrivals); }
    /// From now on messages go to the callback, within progress(), and not to receive(). It must
    /// not replace itself. What it throws ends the program.
    void on_message(std::function<void(ComchReceived)> callback)
    {
        core_->on_message = [core = core_.get(), callback = std::move(callback)](
                                detail::ConsumerCore::Receive &receive) {
            callback(ComchReceived(&receive, core->shared_from_this()));
        };
    }

    /// For calls of the C API that have no function here.
    doca_comch_consumer *get() const noexcept { return core_->get(); }

private:
    using Core = detail::ConsumerCore;
    template <bool throws>
    using Receive = detail::InboxAwaiter<throws, ComchReceived, Core::Receive *, Core>;

    explicit ComchConsumer(std::shared_ptr<Core> core) noexcept : Context(std::move(core)) {}
};

} // namespace doca
