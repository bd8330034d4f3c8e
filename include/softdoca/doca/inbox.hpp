// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// What arrives before somebody waits for it, and those who wait before it arrives.

#pragma once

#include "progress_engine.hpp"

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace doca::detail {

/// A queue that allocates only when it holds more than it ever did.
template <typename T>
class Ring {
public:
    bool is_empty() const noexcept { return num_ == 0; }
    /// With room for so many nothing is allocated until there are more.
    void reserve(std::size_t num)
    {
        if (num > items_.size())
            grow(num);
    }
    void push(T item)
    {
        if (num_ == items_.size())
            grow(num_ == 0 ? 8 : 2 * num_);
        items_[(first_ + num_++) % items_.size()] = std::move(item);
    }
    /// For one that was taken and not used.
    void push_front(T item)
    {
        if (num_ == items_.size())
            grow(num_ == 0 ? 8 : 2 * num_);
        first_ = (first_ + items_.size() - 1) % items_.size();
        items_[first_] = std::move(item);
        ++num_;
    }
    T pop() noexcept
    {
        T item = std::move(items_[first_]);
        first_ = (first_ + 1) % items_.size();
        --num_;
        return item;
    }

private:
    void grow(std::size_t size)
    {
        std::vector<T> larger(size);
        for (std::size_t i = 0; i < num_; ++i)
            larger[i] = std::move(items_[(first_ + i) % items_.size()]);
        items_ = std::move(larger);
        first_ = 0;
    }

    std::vector<T> items_;
    std::size_t first_ = 0, num_ = 0;
};

/// Each item goes to one taker, in the order of both. Part of a core that takers keep.
template <typename T>
class Inbox {
public:
    /// Gets an item or a failure, and is made ready.
    struct Taker : Waiter {
        std::optional<T> item;
        Failure failure;

    protected:
        ~Taker() = default;
    };

    explicit Inbox(EngineCore &engine) noexcept : engine_(engine) {}
    Inbox(const Inbox &) = delete;
    Inbox &operator=(const Inbox &) = delete;

    void put(T item)
    {
        Taker *const taker = takers_.pop();
        if (taker == nullptr) {
            items_.push(std::move(item));
            return;
        }
        taker->item.emplace(std::move(item));
        engine_.make_ready(*taker);
    }
    /// Of one that was taken and not used; it is lost if there is no memory.
    void put_back(T item) noexcept
    {
        try {
            if (takers_.is_empty())
                items_.push_front(std::move(item));
            else
                put(std::move(item)); // to the next one who waits
        } catch (...) {
        }
    }
    void reserve(std::size_t num) { items_.reserve(num); }
    /// No item will come any more: takers fail when they have had those that are there.
    void close(Failure failure) noexcept
    {
        if (is_closed())
            return; // the first reason is the reason
        failure_ = failure;
        while (Taker *taker = takers_.pop()) {
            taker->failure = failure;
            engine_.make_ready(*taker);
        }
    }
    void open() noexcept { failure_ = {}; }
    bool is_closed() const noexcept { return failure_.code != DOCA_SUCCESS; }
    bool is_empty() const noexcept { return items_.is_empty(); }

    /// True if it need not wait.
    bool take(Taker &taker) noexcept
    {
        if (!items_.is_empty())
            taker.item.emplace(items_.pop());
        else
            taker.failure = failure_;
        return taker.item.has_value() || is_closed();
    }
    void wait(Taker &taker) noexcept
    {
        takers_.push(taker);
        taker.is_listed();
    }

private:
    EngineCore &engine_;
    Ring<T> items_;
    List<Taker> takers_;
    Failure failure_;
};

/// co_await: an item, as Out(item, owner of the inbox). Does not keep the owner, who closes the
/// inbox when it ends.
template <bool throws, typename Out, typename T, typename Owner>
class [[nodiscard]] InboxAwaiter final : Inbox<T>::Taker {
public:
    InboxAwaiter(const std::shared_ptr<Owner> &owner, Inbox<T> &inbox) noexcept
        : owner_(owner), inbox_(inbox)
    {
    }
    InboxAwaiter(const InboxAwaiter &) = delete;
    InboxAwaiter &operator=(const InboxAwaiter &) = delete;
    ~InboxAwaiter()
    {
        if (!this->is_waiting())
            return;
        this->leave();
        if (this->item && !owner_.expired()) // it was made ready and is destroyed before it resumes
            inbox_.put_back(*std::move(this->item));
    }

    bool await_ready() noexcept
    {
        if (!owner_.expired())
            return inbox_.take(*this);
        this->failure = kGone;
        return true;
    }
    void await_suspend(std::coroutine_handle<> awaiting) noexcept
    {
        this->handle = awaiting;
        inbox_.wait(*this);
    }
    auto await_resume()
    {
        result<Out> taken = take();
        if constexpr (throws)
            return std::move(taken).value();
        else
            return taken;
    }

private:
    result<Out> take() noexcept
    {
        if (!this->item)
            return this->failure;
        auto owner = owner_.lock();
        if (owner == nullptr) // it went between the arrival and now
            return kGone;
        return Out(*std::move(this->item), std::move(owner));
    }

    static constexpr Failure kGone{DOCA_ERROR_SHUTDOWN, "doca_ctx_stop"};

    std::weak_ptr<Owner> owner_;
    Inbox<T> &inbox_; ///< there as long as the owner is
};

} // namespace doca::detail
