// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// What all contexts have in common: an engine, a state, and an end under a bound.

#pragma once

#include "progress_engine.hpp"

#include <doca_ctx.h>

#include <chrono>
#include <coroutine>
#include <memory>
#include <thread>
#include <utility>

namespace doca {

namespace detail {

/// Behind a context of the C API. The C object points to it, so it does not move, and it goes only
/// after the C object has become IDLE. The engine's thread.
class ContextCore : private Retired {
public:
    explicit ContextCore(std::shared_ptr<EngineCore> engine) noexcept : engine_(std::move(engine))
    {
    }
    ContextCore(const ContextCore &) = delete;
    ContextCore &operator=(const ContextCore &) = delete;

    EngineCore &engine() const noexcept { return *engine_; }
    virtual doca_ctx *ctx() const noexcept = 0;
    doca_ctx_states state() const noexcept { return state_; }
    bool is_running() const noexcept { return state_ == DOCA_CTX_STATE_RUNNING; }
    /// False if it ends, or has ended, by itself.
    bool is_asked_to_stop() const noexcept { return is_asked_to_stop_; }

    result<void> start() noexcept
    {
        is_asked_to_stop_ = false;
        return checked_or_in_progress(doca_ctx_start(ctx()), "doca_ctx_start");
    }
    result<void> stop() noexcept
    {
        is_asked_to_stop_ = true;
        release_tasks(); // what does nothing must not keep the context from IDLE
        return checked_or_in_progress(doca_ctx_stop(ctx()), "doca_ctx_stop");
    }

    /// Is told of each change of state.
    class StateWaiter : public Waiter {
    public:
        virtual bool is_settled_by(doca_ctx_states state) noexcept = 0;

    protected:
        ~StateWaiter() = default;
    };
    void wait_for_state(StateWaiter &waiter) noexcept
    {
        state_waiters_.push(waiter);
        waiter.is_listed();
    }

    /// The owner's last word: ends it now or, in a callback, when the engine's turn is over.
    void let_go() noexcept
    {
        if (engine_->is_turning() && state_ != DOCA_CTX_STATE_IDLE)
            engine_->retire_later(*this);
        else
            retire();
    }

protected:
    virtual ~ContextCore() = default;

    /// After the C object was made; it is destroyed by the derived class.
    result<void> connect() noexcept
    {
        doca_error_t code = doca_ctx_set_user_data(ctx(), {.ptr = this});
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_ctx_set_user_data"};
        code = doca_ctx_set_state_changed_cb(ctx(), state_changed);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_ctx_set_state_changed_cb"};
        return checked(doca_pe_connect_ctx(engine_->pe(), ctx()), "doca_pe_connect_ctx");
    }
    /// Frees the tasks that are not in flight.
    virtual void release_tasks() noexcept = 0;
    /// After each change; the tasks have been released if it is not RUNNING any more.
    virtual void on_state(doca_ctx_states) noexcept {}

private:
    static void state_changed(doca_data user_data, doca_ctx *, doca_ctx_states,
                              doca_ctx_states next) noexcept
    {
        static_cast<ContextCore *>(user_data.ptr)->change(next);
    }
    void change(doca_ctx_states next) noexcept
    {
        state_ = next;
        if (next == DOCA_CTX_STATE_STOPPING)
            release_tasks();
        on_state(next);
        List<StateWaiter> waiters;
        waiters.take(state_waiters_);
        while (StateWaiter *waiter = waiters.pop()) {
            if (waiter->is_settled_by(next))
                engine_->make_ready(*waiter);
            else
                state_waiters_.push(*waiter);
        }
    }

    void retire() noexcept override
    {
        if (comes_to_rest())
            delete this;
    }
    /// Stops it and turns the engine until it is IDLE. If it does not get there it stays as it is:
    /// its callbacks may still come.
    bool comes_to_rest() noexcept
    {
        const auto end = std::chrono::steady_clock::now() + bounded(stop_patience.load());
        is_asked_to_stop_ = true;
        doca_error_t code = DOCA_SUCCESS;
        while (state_ != DOCA_CTX_STATE_IDLE) {
            if (state_ != DOCA_CTX_STATE_STOPPING) {
                release_tasks();
                code = doca_ctx_stop(ctx());
                if (state_ == DOCA_CTX_STATE_IDLE)
                    break;
            }
            if (engine_->turn())
                continue;
            if (std::chrono::steady_clock::now() > end) {
                complain("doca_ctx_stop", ctx(), code,
                         "it does not become IDLE and is leaked; end what is still in flight");
                return false;
            }
            std::this_thread::yield();
        }
        return true;
    }

    std::shared_ptr<EngineCore> engine_;
    doca_ctx_states state_ = DOCA_CTX_STATE_IDLE;
    bool is_asked_to_stop_ = false;
    List<StateWaiter> state_waiters_;
};

struct LetGo {
    void operator()(ContextCore *core) const noexcept { core->let_go(); }
};

/// Resumes in one of the states that settle it. With a failure if it is not the one wished for.
template <bool throws>
class [[nodiscard]] StateAwaiter final : ContextCore::StateWaiter {
public:
    StateAwaiter(ContextCore &core, doca_ctx_states wished) noexcept : core_(core), wished_(wished)
    {
    }
    StateAwaiter(const StateAwaiter &) = delete;
    StateAwaiter &operator=(const StateAwaiter &) = delete;
    ~StateAwaiter()
    {
        if (is_waiting())
            leave();
    }
    bool await_ready() noexcept { return is_settled_by(core_.state()); }
    void await_suspend(std::coroutine_handle<> awaiting) noexcept
    {
        this->handle = awaiting;
        core_.wait_for_state(*this);
    }
    auto await_resume() const
    {
        const result<void> reached =
            is_reached_ ? result<void>() : Failure{DOCA_ERROR_NOT_CONNECTED, "doca_ctx_start"};
        if constexpr (throws)
            reached.value();
        else
            return reached;
    }

private:
    bool is_settled_by(doca_ctx_states state) noexcept override
    {
        is_reached_ = state == wished_;
        return is_reached_ || state == DOCA_CTX_STATE_IDLE;
    }

    ContextCore &core_; ///< not used after IDLE, which settles every wait
    doca_ctx_states wished_;
    bool is_reached_ = false;
};

} // namespace detail

/// The part of Dma, ComchServer, ComchClient, ComchConsumer and ComchProducer that they share.
/// Destroying one stops it and drives its engine until it is IDLE, set_stop_patience() at most; in
/// a callback that happens when the turn is over. Keeps its engine and its device.
template <typename Core>
class Context {
public:
    Context(Context &&) noexcept = default;
    Context &operator=(Context &&) noexcept = default;

    doca_ctx *ctx() const noexcept { return core_->ctx(); }
    doca_ctx_states state() const noexcept { return core_->state(); }
    bool is_running() const noexcept { return core_->is_running(); }

    /// After it has become IDLE by stop() or by an error: it is ready for use again.
    result<void> start(std::nothrow_t) noexcept { return core_->start(); }
    void start() { start(std::nothrow).value(); }
    /// What is in flight ends, well or with a failure, and IDLE comes with progress. Messages that
    /// were sent are delivered first: that waits for a peer that takes none.
    result<void> stop(std::nothrow_t) noexcept { return core_->stop(); }
    void stop() { stop(std::nothrow).value(); }

    /// co_await: until it is RUNNING; DOCA_ERROR_NOT_CONNECTED if it becomes IDLE instead.
    auto running() const noexcept
    {
        return detail::StateAwaiter<true>(*core_, DOCA_CTX_STATE_RUNNING);
    }
    auto running(std::nothrow_t) const noexcept
    {
        return detail::StateAwaiter<false>(*core_, DOCA_CTX_STATE_RUNNING);
    }
    /// co_await: until it is IDLE.
    auto idle() const noexcept { return detail::StateAwaiter<true>(*core_, DOCA_CTX_STATE_IDLE); }

    const std::shared_ptr<Core> &core() const noexcept { return core_; }

protected:
    explicit Context(std::shared_ptr<Core> core) noexcept : core_(std::move(core)) {}

    std::shared_ptr<Core> core_;
};

namespace detail {

/// Takes a core over from its maker, before it can have been started.
template <typename Core>
std::shared_ptr<Core> share(Core *core)
{
    return std::shared_ptr<Core>(core, LetGo());
}

} // namespace detail

} // namespace doca
