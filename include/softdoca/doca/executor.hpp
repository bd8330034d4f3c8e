// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Drives a progress engine and the coroutines that wait for it.

#pragma once

#include "coroutine.hpp"
#include "progress_engine.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace doca {

/// How an executor waits when there is nothing to do.
enum class Wait {
    polling, ///< the quickest answer, for a whole CPU
    epoll,   ///< asleep, for no CPU
};

/// Runs coroutines on one engine. Threads: the engine's.
///
/// Within a loop of somebody else's: watch fd() for reading, and call dispatch() once at first,
/// then whenever fd() is readable, or the time that dispatch() returned is over, and after whatever
/// else in that loop has used an object of this engine, which fd() need not tell.
///
/// To be destroyed by none of its own coroutines, and not to be run inside a callback.
class Executor final : detail::Spawner {
public:
    explicit Executor(const ProgressEngine &engine, Wait wait = Wait::polling)
        : engine_(engine.core()), wait_(wait)
    {
        if (wait == Wait::epoll)
            open_epoll();
    }
    Executor(const Executor &) = delete;
    Executor &operator=(const Executor &) = delete;
    /// Destroys what was spawned and has not ended.
    ~Executor()
    {
        while (detail::PromiseBase *promise = spawned_.pop())
            promise->self.destroy();
        if (epoll_fd_ >= 0)
            (void)::close(epoll_fd_);
        if (exception_)
            detail::complain(
                "doca::Executor::spawn", this, DOCA_ERROR_UNEXPECTED,
                "an exception came out of a coroutine and nobody saw it: run() throws it");
    }

    /// Runs it up to where it first waits; then it goes on whenever the engine is driven.
    void spawn(Coroutine<void> coroutine)
    {
        detail::PromiseBase &promise = coroutine.release();
        promise.spawner = this;
        spawned_.push(promise);
        const Driving mark(*this);
        promise.self.resume();
    }

    /// Until all that was spawned has ended, or one of it lets an exception out, which is thrown;
    /// then it may be called again for the others. Not inside a coroutine.
    void run()
    {
        check_outside();
        if (num_driving_ != 0) // by one that would wait for itself
            throw Error({DOCA_ERROR_BAD_STATE, "doca::Executor::run inside a coroutine"});
        const Driving mark(*this);
        while (!spawned_.is_empty() && !exception_) {
            if (!engine_->progress())
                wait(std::nullopt);
        }
        rethrow();
    }
    /// Until this one has ended; returns its result or throws what it let out.
    template <typename T>
    T run(Coroutine<T> coroutine)
    {
        check_outside();
        const Driving mark(*this);
        coroutine.start();
        while (!coroutine.is_done()) {
            if (!engine_->progress())
                wait(std::nullopt);
        }
        return coroutine.take();
    }
    /// The same for whatever can be awaited.
    template <typename Awaitable>
    auto run(Awaitable awaitable) -> decltype(awaitable.await_resume())
    {
        return run(await<decltype(awaitable.await_resume())>(awaitable));
    }
    /// Until it is true, or an exception comes out of what was spawned, which is thrown; false if
    /// the time is over before. It is looked at after each turn, and every 10 ms when there is
    /// none: it may depend on other threads.
    template <typename Condition>
    bool run_until(Condition condition, std::chrono::milliseconds limit)
    {
        check_outside();
        const Driving mark(*this);
        const auto end = Clock::now() + detail::bounded(limit);
        while (!condition()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
            if (left.count() <= 0)
                return false;
            rethrow();
            if (!engine_->progress())
                wait(std::min(left, kLookPeriod));
        }
        return true;
    }

    int fd() const { return engine_->fd().value(); }
    /// Does all there is to do, for about a millisecond, and arms fd(). Returns after which time to
    /// call it again though fd() is not readable, if at all. Throws what came out of what was
    /// spawned.
    std::optional<std::chrono::milliseconds> dispatch()
    {
        const Driving mark(*this);
        (void)engine_->disarm(); // a failure means one wake-up too many
        const auto end = Clock::now() + kTurn;
        do {
            for (int i = 0; i < kTurnsALook; ++i) {
                rethrow();
                if (!engine_->progress())
                    return arm();
            }
        } while (Clock::now() < end);
        return std::chrono::milliseconds(0); // others have their turn
    }

private:
    using Clock = std::chrono::steady_clock;

    /// While coroutines may be resumed by this executor.
    class Driving {
    public:
        explicit Driving(Executor &executor) noexcept : executor_(executor)
        {
            ++executor.num_driving_;
        }
        Driving(const Driving &) = delete;
        Driving &operator=(const Driving &) = delete;
        ~Driving() { --executor_.num_driving_; }

    private:
        Executor &executor_;
    };

    static constexpr int kTurnsALook = 8; ///< at the clock
    static constexpr std::chrono::milliseconds kTurn{1};
    static constexpr std::chrono::milliseconds kLookPeriod{10};
    static constexpr std::chrono::milliseconds kRetryPeriod{1};

    template <typename T, typename Awaitable>
    static Coroutine<T> await(Awaitable &awaitable)
    {
        co_return co_await awaitable;
    }

    /// Inside a callback no turn brings anything: a wait there would have no end.
    void check_outside() const
    {
        if (engine_->is_turning())
            throw Error({DOCA_ERROR_BAD_STATE, "doca::Executor::run inside a callback"});
    }
    void rethrow()
    {
        if (exception_)
            std::rethrow_exception(std::exchange(exception_, nullptr));
    }
    void ended(detail::PromiseBase &promise) noexcept override
    {
        if (promise.exception && !exception_)
            exception_ = promise.exception;
        promise.unlink();
        promise.self.destroy();
    }

    void open_epoll()
    {
        epoll_event event{};
        event.events = EPOLLIN;
        epoll_fd_ = ::epoll_create1(EPOLL_CLOEXEC);
        if (epoll_fd_ < 0)
            throw Error({DOCA_ERROR_OPERATING_SYSTEM, "epoll_create1"});
        const auto handle = engine_->fd();
        const bool is_watched =
            handle && ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, *handle, &event) == 0;
        if (is_watched)
            return;
        (void)::close(epoll_fd_);
        throw Error(handle ? Failure{DOCA_ERROR_OPERATING_SYSTEM, "epoll_ctl"} : handle.failure());
    }

    std::optional<std::chrono::milliseconds> arm() noexcept
    {
        if (!engine_->arm())
            return std::chrono::milliseconds(0);
        if (engine_->has_retries())
            return kRetryPeriod;
        return std::nullopt;
    }

    /// After a turn that has brought nothing.
    void wait(std::optional<std::chrono::milliseconds> limit)
    {
        if (wait_ == Wait::polling)
            return;
        const auto period = arm();
        int timeout = -1;
        for (const auto &bound : {period, limit}) {
            if (bound && (timeout < 0 || bound->count() < timeout))
                timeout = static_cast<int>(std::min<std::chrono::milliseconds::rep>(
                    bound->count(), std::numeric_limits<int>::max()));
        }
        epoll_event event;
        (void)::epoll_wait(epoll_fd_, &event, 1, timeout); // a signal is a wake-up like others
        (void)engine_->disarm();
    }

    std::shared_ptr<detail::EngineCore> engine_;
    Wait wait_;
    int epoll_fd_ = -1;
    int num_driving_ = 0;
    detail::List<detail::PromiseBase> spawned_;
    std::exception_ptr exception_;
};

} // namespace doca
