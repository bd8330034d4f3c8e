// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// A progress engine, which also resumes the coroutines that wait for what it delivers.

#pragma once

#include "handle.hpp"
#include "list.hpp"

#include <doca_pe.h>

#include <coroutine>
#include <memory>
#include <utility>

namespace doca {

namespace detail {

class EngineCore;

/// A coroutine that waits; it lives in its frame. Whoever derives from it and is destroyed while
/// it is_waiting() has to call leave().
class Waiter : public Node {
public:
    std::coroutine_handle<> handle;

    bool is_waiting() const noexcept { return where_ != Where::nowhere; }
    /// It is in a list of somebody's, who knows it until it is made ready.
    void is_listed() noexcept { where_ = Where::listed; }
    /// Somebody else knows of it.
    void is_elsewhere() noexcept { where_ = Where::elsewhere; }

protected:
    ~Waiter() = default;

    bool was_elsewhere() const noexcept { return where_ == Where::elsewhere; }
    void leave() noexcept;

private:
    friend EngineCore;

    enum class Where : unsigned char { nowhere, listed, next, elsewhere };
    Where where_ = Where::nowhere;
    EngineCore *engine_; ///< if it is the one to be resumed next
};

/// Is called after a turn, once for each time that it is entered.
class Retry : public Node {
public:
    virtual void retry() noexcept = 0;

protected:
    virtual ~Retry()
    {
        if (is_entered_)
            unlink();
    }

private:
    friend EngineCore;

    bool is_entered_ = false;
};

/// A context whose owner has gone while the engine was in a callback.
class Retired : public Node {
public:
    virtual void retire() noexcept = 0;

protected:
    ~Retired() = default;
};

/// One thread turns it and owns all that is connected to it.
class EngineCore {
public:
    using Owner = Handle<doca_pe, doca_pe_destroy, "doca_pe_destroy">;
    explicit EngineCore(Owner pe) noexcept : pe_(std::move(pe)) {}
    EngineCore(const EngineCore &) = delete;
    EngineCore &operator=(const EngineCore &) = delete;
    ~EngineCore()
    {
        while (take_ready() != nullptr) // they are not resumed any more
            continue;
    }

    doca_pe *pe() const noexcept { return pe_.get(); }
    /// True inside callbacks, where the engine cannot be turned.
    bool is_turning() const noexcept { return is_turning_; }
    bool has_retries() const noexcept { return !retries_.is_empty(); }

    /// Resumed outside of callbacks, so a coroutine may turn the engine, too: destructors do.
    void make_ready(Waiter &waiter) noexcept
    {
        if (next_ready_ != nullptr) {
            ready_.push(waiter);
            waiter.where_ = Waiter::Where::listed;
            return;
        }
        next_ready_ = &waiter; // usually the only one: no list is needed
        waiter.where_ = Waiter::Where::next;
        waiter.engine_ = this;
    }
    /// The one to be resumed next; nullptr if there is none.
    Waiter *take_ready() noexcept
    {
        Waiter *const taken = next_ready_;
        if (taken == nullptr)
            return nullptr;
        taken->where_ = Waiter::Where::nowhere;
        next_ready_ = nullptr;
        if (!ready_.is_empty()) [[unlikely]]
            make_ready(*ready_.pop());
        return taken;
    }
    void retry_later(Retry &retry) noexcept
    {
        if (retry.is_entered_)
            return;
        retry.is_entered_ = true;
        retries_.push(retry);
        has_chores_ = true;
    }
    void retire_later(Retired &context) noexcept
    {
        retired_.push(context);
        has_chores_ = true;
    }

    /// One turn without resuming anybody, not to be called inside callbacks.
    bool turn() noexcept
    {
        is_turning_ = true;
        const bool has_delivered = doca_pe_progress(pe_.get()) != 0;
        is_turning_ = false;
        if (has_chores_) [[unlikely]]
            do_chores();
        return has_delivered;
    }
    result<int> fd() const noexcept
    {
        doca_notification_handle_t handle = -1;
        const doca_error_t code = doca_pe_get_notification_handle(pe_.get(), &handle);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_pe_get_notification_handle"};
        return handle;
    }
    result<void> arm() noexcept
    {
        return checked(doca_pe_request_notification(pe_.get()), "doca_pe_request_notification");
    }
    result<void> disarm() noexcept
    {
        const auto handle = fd();
        if (!handle)
            return handle.failure();
        return checked(doca_pe_clear_notification(pe_.get(), *handle),
                       "doca_pe_clear_notification");
    }
    bool progress()
    {
        const bool has_delivered = turn();
        Waiter *const waiter = take_ready();
        if (waiter == nullptr)
            return has_delivered;
        waiter->handle.resume();
        return true;
    }

private:
    void do_chores() noexcept
    {
        has_chores_ = false;
        List<Retry> now; // without those who enter themselves again
        now.take(retries_);
        while (Retry *retry = now.pop()) {
            retry->is_entered_ = false;
            retry->retry();
        }
        while (Retired *context = retired_.pop())
            context->retire();
    }

    Owner pe_;
    Waiter *next_ready_ = nullptr;
    List<Waiter> ready_; ///< behind that one
    List<Retry> retries_;
    List<Retired> retired_;
    bool is_turning_ = false;
    bool has_chores_ = false; ///< there may be something in those two
};

inline void Waiter::leave() noexcept
{
    if (where_ == Where::listed)
        unlink();
    else if (where_ == Where::next)
        (void)engine_->take_ready();
}

} // namespace detail

/// Delivers completions, events and changes of state, and resumes who waits for them. What is
/// connected to it keeps it. Not to be destroyed in a callback. Threads: one, the one that also
/// uses the contexts connected to it.
class ProgressEngine {
public:
    static result<ProgressEngine> create(std::nothrow_t) noexcept
    {
        auto pe = detail::make<detail::EngineCore::Owner>("doca_pe_create", doca_pe_create);
        if (!pe)
            return pe.failure();
        return detail::no_throw([&]() -> result<ProgressEngine> {
            return ProgressEngine(std::make_shared<detail::EngineCore>(*std::move(pe)));
        });
    }
    ProgressEngine() : ProgressEngine(create(std::nothrow).value()) {}
    ProgressEngine(ProgressEngine &&) noexcept = default;
    ProgressEngine &operator=(ProgressEngine &&) noexcept = default;

    doca_pe *get() const noexcept { return core_->pe(); }

    /// Delivers at most one thing, and resumes at most one coroutine. True if there was one. Not
    /// inside callbacks. Lets out what a coroutine lets out that is no doca::Coroutine.
    bool progress() { return core_->progress(); }

    /// Becomes readable when there is something to do after arm(). The engine's: not to be closed.
    result<int> fd(std::nothrow_t) const noexcept { return core_->fd(); }
    int fd() const { return fd(std::nothrow).value(); }

    /// To be called when progress() was false, before sleeping on fd().
    result<void> arm(std::nothrow_t) noexcept { return core_->arm(); }
    void arm() { arm(std::nothrow).value(); }
    /// To be called after sleeping, before progress().
    result<void> disarm(std::nothrow_t) noexcept { return core_->disarm(); }
    void disarm() { disarm(std::nothrow).value(); }

    /// True if something has to be tried again without being announced by fd(): a send that the
    /// consumer had no receive for. Then sleep for a moment only.
    bool has_retries() const noexcept { return core_->has_retries(); }

    /// For contexts.
    const std::shared_ptr<detail::EngineCore> &core() const noexcept { return core_; }

private:
    explicit ProgressEngine(std::shared_ptr<detail::EngineCore> core) noexcept
        : core_(std::move(core))
    {
    }

    std::shared_ptr<detail::EngineCore> core_;
};

} // namespace doca
