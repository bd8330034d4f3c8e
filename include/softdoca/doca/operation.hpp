// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Tasks on their way: what is to be done when one ends, and who waits for a free one.

#pragma once

#include "context.hpp"

#include <doca_buf.h>

#include <cstddef>
#include <coroutine>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace doca {

/// The largest callback of a task, in bytes: what a lambda may capture. It is kept in the
/// operation, so that no call allocates.
inline constexpr std::size_t kMaxCallbackSize = 48;

namespace detail {

class OperationPool;

/// One task in flight, or the room for one, with what is to be called when it ends.
struct Operation {
    Operation() = default;
    Operation(const Operation &) = delete;
    Operation &operator=(const Operation &) = delete;

    /// How the callable is dealt with: called with the end, or only destroyed.
    enum class Deal { call, drop };
    using Act = void (*)(Operation &, Deal, doca_error_t code) noexcept;

    OperationPool *pool = nullptr;
    doca_task *task = nullptr; ///< kept for the next time while the context runs
    void *typed_task = nullptr;
    const doca_buf *src = nullptr; ///< what the kept task has been given
    const doca_buf *dst = nullptr;
    Operation *next_free = nullptr;
    Act act = nullptr;
    alignas(std::max_align_t) std::byte callable[kMaxCallbackSize];
};

/// A coroutine that wants to begin an operation.
class OperationWaiter : public Waiter {
public:
    enum class Outcome {
        begun,
        refused, ///< for good
        no_room, ///< every operation is in flight: again when one has ended
        again,   ///< the other side has no room: again after the next turn
    };
    /// Tries it, or gives it up with a failure. A pointer, written only by who has to wait.
    using Try = Outcome (*)(OperationWaiter &self, const Failure *failure) noexcept;
    Try try_begin;
    const void *subject; ///< what it is about, if that may end before the context does

protected:
    ~OperationWaiter() = default;
};

/// The operations of one context: as many as it has tasks, made when the context is made. Those
/// who wait for one get it in their order.
class OperationPool final : private Retry {
public:
    /// The call is the one that ends with a failure if a task does.
    OperationPool(EngineCore &engine, const char *call) noexcept : engine_(engine), call_(call) {}
    /// Once, when it is known that there may be so many.
    void allocate(std::size_t num)
    {
        operations_ = std::vector<Operation>(num);
        for (Operation &operation : operations_) {
            operation.pool = this;
            give_back(operation);
        }
    }

    /// nullptr if all are in flight. The one that was given back first: where the same buffers are
    /// used in turn, each meets its task again.
    Operation *take() noexcept
    {
        return free_ == nullptr ? nullptr : std::exchange(free_, free_->next_free);
    }
    void give_back(Operation &operation) noexcept
    {
        operation.next_free = nullptr;
        (free_ == nullptr ? free_ : last_free_->next_free) = &operation;
        last_free_ = &operation;
    }

    /// Of an operation whose task is prepared, if that went well; gives it back if it is refused.
    template <typename Function>
    result<void> submit(Operation &operation, result<void> prepared, Function &&function) noexcept
    {
        if (prepared) [[likely]] {
            keep(operation, std::forward<Function>(function));
            const doca_error_t code = doca_task_submit(operation.task);
            if (code == DOCA_SUCCESS) [[likely]]
                return {};
            operation.act(operation, Operation::Deal::drop, DOCA_SUCCESS);
            prepared = Failure{code, "doca_task_submit"};
        }
        give_back(operation);
        return prepared;
    }
    /// Nobody wants to hear of its end any more.
    static void forget(Operation &operation) noexcept
    {
        operation.act(operation, Operation::Deal::drop, DOCA_SUCCESS);
        keep(operation, [](result<void>) noexcept {});
    }

    /// For the callbacks of the C API.
    static void ended(Operation &operation, doca_error_t code) noexcept
    {
        if (operation.pool->is_plain_) [[likely]]
            operation.act(operation, Operation::Deal::call, code);
        else
            operation.pool->ended_otherwise(operation, code);
    }

    /// Tasks are kept for the next time while the context takes more.
    void keep_tasks(bool keeps) noexcept
    {
        keeps_tasks_ = keeps;
        is_plain_ = keeps_tasks_ && waiters_.is_empty();
    }
    void free_tasks() noexcept
    {
        for (Operation *operation = free_; operation != nullptr; operation = operation->next_free)
            free_task(*operation);
    }
    /// All, or those who wait about one subject.
    void fail_waiters(Failure failure, const void *about = nullptr) noexcept
    {
        List<OperationWaiter> waiters;
        waiters.take(waiters_);
        while (OperationWaiter *waiter = waiters.pop()) {
            if (about != nullptr && waiter->subject != about) {
                waiters_.push(*waiter);
                continue;
            }
            (void)waiter->try_begin(*waiter, &failure);
            engine_.make_ready(*waiter);
        }
    }

    EngineCore &engine() const noexcept { return engine_; }
    bool has_waiters() const noexcept { return !is_plain_ && !waiters_.is_empty(); }
    void wait(OperationWaiter &waiter, OperationWaiter::Outcome why) noexcept
    {
        waiters_.push(waiter);
        waiter.is_listed();
        is_plain_ = false;
        if (why == OperationWaiter::Outcome::again)
            engine_.retry_later(*this);
    }

private:
    template <typename From>
    static void keep(Operation &operation, From &&from) noexcept
    {
        using Function = std::decay_t<From>;
        static_assert(std::is_invocable_v<Function &, result<void>>,
                      "a task's callback takes a doca::result<void>");
        static_assert(sizeof(Function) <= kMaxCallbackSize &&
                          alignof(Function) <= alignof(std::max_align_t),
                      "it captures too much: capture a reference or a pointer");
        static_assert(std::is_nothrow_move_constructible_v<Function>);
        new (operation.callable) Function(std::forward<From>(from));
        operation.act = act<Function>;
    }
    /// Before the call the operation is given back, so the callable may begin the next one with it.
    template <typename Function>
    static void act(Operation &operation, Operation::Deal deal, doca_error_t code) noexcept
    {
        Function *const kept = std::launder(reinterpret_cast<Function *>(operation.callable));
        Function function(std::move(*kept));
        kept->~Function();
        if (deal == Operation::Deal::drop)
            return;
        operation.pool->give_back(operation);
        function(result<void>(Failure{code, operation.pool->call_}));
    }
    [[gnu::noinline]] void ended_otherwise(Operation &operation, doca_error_t code) noexcept
    {
        if (!keeps_tasks_)
            free_task(operation);
        operation.act(operation, Operation::Deal::call, code);
        retry();
    }
    static void free_task(Operation &operation) noexcept
    {
        if (operation.task != nullptr)
            doca_task_free(std::exchange(operation.task, nullptr));
    }
    /// Those in front first; the first who cannot begin holds up the others.
    void retry() noexcept override
    {
        while (OperationWaiter *waiter = waiters_.front()) {
            const auto outcome = waiter->try_begin(*waiter, nullptr);
            if (outcome == OperationWaiter::Outcome::no_room)
                return;
            if (outcome == OperationWaiter::Outcome::again) {
                engine_.retry_later(*this);
                return;
            }
            waiter->unlink();
            if (outcome == OperationWaiter::Outcome::begun)
                waiter->is_elsewhere();
            else
                engine_.make_ready(*waiter);
        }
        keep_tasks(keeps_tasks_);
    }

    EngineCore &engine_;
    const char *call_;
    std::vector<Operation> operations_;
    Operation *free_ = nullptr, *last_free_ = nullptr; ///< the latter if there is a first
    List<OperationWaiter> waiters_;
    bool keeps_tasks_ = false;
    bool is_plain_ = false; ///< tasks are kept and nobody waits
};

/// Begins an operation and resumes when it has ended. Begin is called as
/// result<void>(Operation &, callback), several times if need be.
template <bool throws, typename Begin>
class [[nodiscard]] OperationAwaiter final : OperationWaiter {
public:
    OperationAwaiter(OperationPool &pool, Begin begin, const void *about = nullptr) noexcept
        : pool_(&pool), begin_(std::move(begin))
    {
        this->subject = about;
    }
    /// Nothing to begin.
    OperationAwaiter(Failure failure, Begin begin) noexcept
        : begin_(std::move(begin)), code_(failure.code), call_(failure.call)
    {
    }
    OperationAwaiter(const OperationAwaiter &) = delete;
    OperationAwaiter &operator=(const OperationAwaiter &) = delete;
    ~OperationAwaiter()
    {
        if (is_waiting()) [[unlikely]]
            give_up();
    }

    bool await_ready() const noexcept { return pool_ == nullptr; }
    bool await_suspend(std::coroutine_handle<> awaiting) noexcept
    {
        this->handle = awaiting;
        // Behind those who came before.
        const Outcome outcome = pool_->has_waiters() ? Outcome::no_room : attempt();
        if (outcome == Outcome::begun) [[likely]]
            is_elsewhere();
        else if (outcome != Outcome::refused)
            wait(outcome);
        return outcome != Outcome::refused;
    }
    auto await_resume() const
    {
        const result<void> end = Failure{code_, call_};
        if constexpr (throws)
            end.value();
        else
            return end;
    }

private:
    Outcome attempt() noexcept
    {
        Operation *const operation = pool_->take();
        if (operation == nullptr)
            return Outcome::no_room;
        const result<void> begun =
            begin_(*operation, [this](result<void> end) noexcept { finish(end); });
        if (begun) [[likely]] {
            in_flight_ = operation;
            return Outcome::begun;
        }
        if (begun.code() == DOCA_ERROR_AGAIN)
            return Outcome::again;
        end(begun.failure());
        return Outcome::refused;
    }
    [[gnu::noinline]] void wait(Outcome why) noexcept
    {
        try_begin = [](OperationWaiter &self, const Failure *failure) noexcept {
            auto &awaiter = static_cast<OperationAwaiter &>(self);
            if (failure == nullptr)
                return awaiter.attempt();
            awaiter.end(*failure);
            return Outcome::refused;
        };
        pool_->wait(*this, why);
    }
    void finish(result<void> end) noexcept
    {
        this->end(end.failure());
        pool_->engine().make_ready(*this);
    }
    void end(Failure failure) noexcept
    {
        code_ = failure.code;
        call_ = failure.call;
    }
    /// The coroutine is destroyed while it waits.
    [[gnu::noinline]] void give_up() noexcept
    {
        if (was_elsewhere())
            OperationPool::forget(*in_flight_);
        leave();
    }

    OperationPool *pool_ = nullptr;
    Begin begin_;
    Operation *in_flight_; ///< while it is elsewhere
    doca_error_t code_;    ///< with call_: written before it is resumed
    const char *call_;
};

} // namespace detail

} // namespace doca
