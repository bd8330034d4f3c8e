// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// What a function is that co_awaits: started when it is awaited, spawned or run.

#pragma once

#include "error.hpp"
#include "list.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <utility>

namespace doca {

namespace detail {

/// Frames that have ended, kept by size for the next ones: a coroutine for each task allocates
/// nothing once as many frames exist as there were at a time. One for each thread; a frame goes to
/// the thread that it ends on. Has no constructor and no destructor, so it can be used at any time
/// of a thread without a look at whether it is there.
struct FrameCache {
    static constexpr std::size_t kStep = 64, kNumShelves = 64, kMaxKept = 1024;

    struct Free {
        Free *next;
    };
    struct Shelf {
        Free *first;
        std::size_t num;
    };
    /// Unused until there is somebody who will empty it.
    enum class Use : unsigned char { not_yet, now, no_more };

    Shelf shelves[kNumShelves];
    Use use;

    /// From 0 on; kNumShelves and more are not kept.
    static std::size_t shelf_of(std::size_t size) noexcept { return (size - 1) / kStep; }
};

inline constinit thread_local FrameCache frame_cache{};

/// Empties the cache when the thread ends.
class FrameCacheEnd {
public:
    FrameCacheEnd() noexcept { frame_cache.use = FrameCache::Use::now; }
    FrameCacheEnd(const FrameCacheEnd &) = delete;
    FrameCacheEnd &operator=(const FrameCacheEnd &) = delete;
    ~FrameCacheEnd()
    {
        frame_cache.use = FrameCache::Use::no_more;
        for (FrameCache::Shelf &shelf : frame_cache.shelves) {
            while (shelf.first != nullptr)
                ::operator delete(std::exchange(shelf.first, shelf.first->next));
        }
    }
    /// Constructs it on its thread's first call.
    static void expect() noexcept
    {
        static thread_local FrameCacheEnd end;
        (void)&end;
    }
};

inline void *take_frame(std::size_t size)
{
    const std::size_t i = FrameCache::shelf_of(size);
    if (i >= FrameCache::kNumShelves)
        return ::operator new(size);
    FrameCache::Shelf &shelf = frame_cache.shelves[i];
    if (shelf.first == nullptr)
        return ::operator new((i + 1) * FrameCache::kStep);
    --shelf.num;
    return std::exchange(shelf.first, shelf.first->next);
}

inline void give_frame_back(void *frame, std::size_t size) noexcept
{
    const std::size_t i = FrameCache::shelf_of(size);
    if (frame_cache.use == FrameCache::Use::not_yet)
        FrameCacheEnd::expect();
    if (i >= FrameCache::kNumShelves || frame_cache.use == FrameCache::Use::no_more ||
        frame_cache.shelves[i].num == FrameCache::kMaxKept) {
        ::operator delete(frame);
        return;
    }
    FrameCache::Shelf &shelf = frame_cache.shelves[i];
    shelf.first = new (frame) FrameCache::Free{shelf.first};
    ++shelf.num;
}

struct PromiseBase;

/// Is told of the end of what it has spawned, and destroys it.
class Spawner {
public:
    virtual void ended(PromiseBase &promise) noexcept = 0;

protected:
    ~Spawner() = default;
};

struct PromiseBase : Node {
    static void *operator new(std::size_t size) { return take_frame(size); }
    static void operator delete(void *frame, std::size_t size) noexcept
    {
        give_frame_back(frame, size);
    }

    struct End {
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) const noexcept
        {
            PromiseBase &promise = handle.promise();
            if (promise.spawner != nullptr) {
                promise.spawner->ended(promise); // the frame is gone
                return std::noop_coroutine();
            }
            return promise.continuation;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    End final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }
    void rethrow() const
    {
        if (exception)
            std::rethrow_exception(exception);
    }

    std::coroutine_handle<> self;
    std::coroutine_handle<> continuation = std::noop_coroutine();
    Spawner *spawner = nullptr;
    bool is_started = false, is_awaited = false;
    std::exception_ptr exception;
};

template <typename T>
struct Promise : PromiseBase {
    template <typename U>
    void return_value(U &&result)
    {
        value.emplace(std::forward<U>(result));
    }
    T take()
    {
        rethrow();
        return *std::move(value);
    }

    std::optional<T> value;
};

template <>
struct Promise<void> : PromiseBase {
    void return_void() const noexcept {}
    void take() const { rethrow(); }
};

} // namespace detail

/// A function in progress. Owns the frame: destroying it cancels the wait, not what was submitted;
/// memory that a task reads or writes must outlive the task.
template <typename T = void>
class [[nodiscard]] Coroutine {
public:
    struct promise_type : detail::Promise<T> {
        Coroutine get_return_object() noexcept
        {
            const auto handle = std::coroutine_handle<promise_type>::from_promise(*this);
            this->self = handle;
            return Coroutine(handle);
        }
    };

    Coroutine(Coroutine &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Coroutine &operator=(Coroutine &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Coroutine()
    {
        if (handle_)
            handle_.destroy();
    }

    bool is_done() const noexcept { return handle_.done(); }
    /// Runs it up to where it first waits; it may be awaited afterwards. Once.
    void start()
    {
        check_first(handle_ && !handle_.promise().is_started);
        handle_.promise().is_started = true;
        handle_.resume();
    }
    /// The result, or throws what it let out. Once, when it is done.
    T take() { return handle_.promise().take(); }
    /// Gives the frame away.
    promise_type &release()
    {
        check_first(handle_ && !handle_.promise().is_started);
        return std::exchange(handle_, nullptr).promise();
    }

    /// Starts it if need be; goes on with its result, or throws what it let out. Once.
    auto operator co_await()
    {
        check_first(handle_ && !handle_.promise().is_awaited);
        handle_.promise().is_awaited = true;
        return Await(handle_);
    }

private:
    class Await {
    public:
        explicit Await(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
        bool await_ready() const noexcept { return handle_.done(); }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept
        {
            handle_.promise().continuation = awaiting;
            if (std::exchange(handle_.promise().is_started, true))
                return std::noop_coroutine(); // it is on its way
            return handle_;
        }
        T await_resume() const { return handle_.promise().take(); }

    private:
        std::coroutine_handle<promise_type> handle_;
    };

    explicit Coroutine(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

    static void check_first(bool is_first)
    {
        if (!is_first)
            throw Error({DOCA_ERROR_BAD_STATE, "doca::Coroutine: begun, awaited or moved before"});
    }

    std::coroutine_handle<promise_type> handle_;
};

} // namespace doca
