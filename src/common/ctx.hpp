// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"
#include "common/dev.hpp"
#include "common/pe.hpp"
#include "common/task.hpp"

#include <doca_ctx.h>

#include <atomic>
#include <optional>

/// The legal moves between states; everything else is impossible.
///
///     IDLE --> STARTING --> RUNNING --> STOPPING --> IDLE
///     IDLE --------------> RUNNING       (started at once)
///              STARTING --------------> STOPPING  (stopped or failed before it ran)
constexpr bool is_legal(doca_ctx_states from, doca_ctx_states to) noexcept
{
    switch (from) {
    case DOCA_CTX_STATE_IDLE:
        return to == DOCA_CTX_STATE_STARTING || to == DOCA_CTX_STATE_RUNNING;
    case DOCA_CTX_STATE_STARTING:
        return to == DOCA_CTX_STATE_RUNNING || to == DOCA_CTX_STATE_STOPPING;
    case DOCA_CTX_STATE_RUNNING:
        return to == DOCA_CTX_STATE_STOPPING;
    case DOCA_CTX_STATE_STOPPING:
        return to == DOCA_CTX_STATE_IDLE;
    }
    return false;
}

/// Base of every context. It owns the state and the queue of submitted tasks; a library adds what a
/// start needs and how a task is executed. Invariants: num_allocated_ counts the tasks outside the
/// pools, num_inflight_ those of them that are queued; a context with something to deliver is on
/// its engine's ready list. Only turns of the engine and direct calls change the state. Threads:
/// that of the progress engine.
struct __attribute__((visibility("default"))) doca_ctx
    : softdoca::ListHook<softdoca::ConnectedList>,
      softdoca::ListHook<softdoca::ReadyList>,
      softdoca::ListHook<softdoca::PolledList>,
      softdoca::ListHook<softdoca::WaitingList> {
public:
    doca_ctx(const doca_ctx &) = delete;
    doca_ctx &operator=(const doca_ctx &) = delete;

    /// What log lines call this kind of context.
    const char *kind() const noexcept { return kind_; }
    /// Any thread may ask; the others of this class are for the thread of the engine.
    doca_ctx_states state() const noexcept
    {
        // Relaxed: a snapshot, which orders nothing. Written by move_to().
        return std::atomic_ref(const_cast<doca_ctx_states &>(state_))
            .load(std::memory_order_relaxed);
    }
    doca_pe *pe() const noexcept { return pe_; }
    void set_pe(doca_pe &pe) noexcept { pe_ = &pe; }
    std::size_t num_inflight_tasks() const noexcept { return num_inflight_; }
    bool is_inherited() const noexcept { return owner_.is_another(); }
    doca_data user_data() const noexcept { return user_data_; }
    void set_user_data(doca_data user_data) noexcept { user_data_ = user_data; }
    void set_state_changed_cb(doca_ctx_state_changed_callback_t callback) noexcept
    {
        state_changed_cb_ = callback;
    }

    [[nodiscard]] doca_error_t start() noexcept;
    [[nodiscard]] doca_error_t stop() noexcept;
    /// SUCCESS, or IN_USE while it is not IDLE.
    [[nodiscard]] doca_error_t check_destroy() const noexcept;
    /// SUCCESS in IDLE, else BAD_STATE: what configuration calls ask first.
    [[nodiscard]] doca_error_t check_configurable(const char *call) const noexcept;
    /// May the program start, stop, connect and watch it? NOT_SUPPORTED, logged, of a context whose
    /// library does that by itself.
    [[nodiscard]] virtual doca_error_t check_driven_by_program(const char *) const noexcept
    {
        return DOCA_SUCCESS;
    }

    /// Queues a task that the program holds. Looks at nothing in it.
    [[nodiscard]] doca_error_t submit(doca_task &task) noexcept
    {
        if (acts_at_submit_) [[unlikely]]
            return submit_at_once(task);
        if (!accepts_tasks() || task.state_ != softdoca::TaskState::held) [[unlikely]]
            return refuse_submit(task);
        task.pin_buffers();
        task.state_ = softdoca::TaskState::in_flight;
        ++num_inflight_;
        submitted_.push_back(task);
        if (!is_ready())
            pe_->make_ready(*this);
        return DOCA_SUCCESS;
    }
    /// The same for a task whose contents pass the library's check.
    [[nodiscard]] doca_error_t try_submit(doca_task &task) noexcept;
    void free(doca_task &task) noexcept;
    /// Says once that a submit asked for no flush.
    void note_unflushed() noexcept;

    // For the progress engine.
    /// Delivers one thing; false if there was none after all.
    bool turn() noexcept
    {
        if (state_ != DOCA_CTX_STATE_RUNNING || submitted_.empty() || acts_at_submit_) [[unlikely]]
            return rare_turn();
        run(take_submitted());
        return true;
    }
    void report_wait(std::uint64_t now_ns) noexcept;
    bool is_ready() const noexcept
    {
        return static_cast<const softdoca::ListHook<softdoca::ReadyList> *>(this)->is_linked();
    }

protected:
    /// When the context looks at a task that is submitted.
    enum class Acts { in_turns, at_submit };
    doca_ctx(doca_dev &dev, const char *kind, Acts acts = Acts::in_turns) noexcept;
    /// Of no device: dev() must not be asked.
    explicit doca_ctx(const char *kind) noexcept;
    virtual ~doca_ctx();

    doca_dev &dev() const noexcept { return hold_->dev(); }
    bool accepts_tasks() const noexcept
    {
        return state_ == DOCA_CTX_STATE_RUNNING && !owner_.is_another();
    }

    /// Hands a free task of a pool to the program.
    void allot(doca_task &task, const doca_buf *src, doca_buf *dst, doca_data user_data) noexcept
    {
        task.src_ = const_cast<doca_buf *>(src);
        task.dst_ = dst;
        task.user_data_ = user_data;
        task.status_ = DOCA_SUCCESS;
        task.state_ = softdoca::TaskState::held;
        ++num_allocated_;
    }
    /// The answer to an allocation that got no task: BAD_STATE, or NO_MEMORY of an empty pool.
    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t
    refuse_alloc(const softdoca::TaskPool *pool) const noexcept;

    /// The task is the program's again. The completion callback must follow as the last step.
    void end_flight(doca_task &task, doca_error_t status) noexcept
    {
        task.status_ = status;
        task.state_ = softdoca::TaskState::held;
        --num_inflight_;
        if (task.unpin_buffers()) [[unlikely]]
            release_buffers(task);
    }
    /// After the error callback of a task that takes the context down: it stops by itself.
    void stop_after_failure() noexcept;

    // For contexts that act at submit: their queue holds tasks whose outcome is known.
    /// The task has ended; a turn delivers it.
    void complete(doca_task &task, doca_error_t status) noexcept
    {
        task.status_ = status;
        submitted_.push_back(task);
        pe_->make_ready(*this);
    }
    /// A task that the program freed while it could not be withdrawn: back to its pool, silently.
    void end_freed(doca_task &task) noexcept;

    // For contexts that deliver more than tasks (see on_turn).
    void make_ready() noexcept { pe_->make_ready(*this); }
    /// Nothing but tasks of the queue is left to be delivered, so far.
    void rest() noexcept
    {
        if (submitted_.empty())
            leave_ready();
    }
    /// Others of this engine come first.
    void stay_ready() noexcept { pe_->rotate_ready(); }
    /// STARTING to RUNNING. The last step of a turn.
    void finish_start() noexcept { move_to(DOCA_CTX_STATE_RUNNING); }
    /// It stops by itself, from STARTING or RUNNING. The last step of a turn.
    void stop_by_itself() noexcept;
    bool is_idle() const noexcept { return state_ == DOCA_CTX_STATE_IDLE; }
    std::uint32_t num_allocated() const noexcept { return num_allocated_; }

    /// The task that is being run is carried out by somebody else: it comes back to run() in the
    /// next turn, and in each turn from then on.
    void suspend(doca_task &task) noexcept;
    /// It is no longer suspended.
    void resume() noexcept
    {
        leave_polled();
        static_cast<softdoca::ListHook<softdoca::WaitingList> *>(this)->unlink();
    }
    /// The tasks that wait behind the one that is being run.
    const softdoca::TaskQueue &queued() const noexcept { return submitted_; }
    /// A queued task was carried out together with the one that is being run.
    static void set_executed(doca_task &task) noexcept { task.is_executed_ = true; }
    /// Its delivery begins.
    static void clear_executed(doca_task &task) noexcept { task.is_executed_ = false; }

private:
    /// What a start lacks; logs and answers INVALID_VALUE or NOT_SUPPORTED, or SUCCESS.
    [[nodiscard]] virtual doca_error_t check_start() const noexcept = 0;
    /// Gets what RUNNING needs. May throw std::bad_alloc. IN_PROGRESS: goes on in turns.
    [[nodiscard]] virtual doca_error_t on_start() = 0;
    /// Are the task's contents such that it can succeed? Logs what is wrong.
    [[nodiscard]] virtual doca_error_t check_task(const doca_task &task) noexcept = 0;
    /// Executes a task and delivers its completion, as the last step; or suspends it.
    virtual void run(doca_task &task) noexcept = 0;
    /// Ends a task in STOPPING: with its error callback, unless it was executed before.
    virtual void flush(doca_task &task, doca_error_t status) noexcept = 0;
    /// The program has freed a task that is in flight. True: the base takes it out of the queue,
    /// if it is in there. False: end_freed() will follow.
    virtual bool on_withdraw(doca_task &) noexcept { return true; }
    /// Says what a suspended task waits for.
    virtual void report_suspended() noexcept {}
    /// Of a context that acts at submit: begins with a task of the program. Anything but SUCCESS is
    /// the answer of the submit, and nothing has happened. It may complete() the task.
    [[nodiscard]] virtual doca_error_t begin(doca_task &) noexcept
    {
        return DOCA_ERROR_NOT_SUPPORTED;
    }
    /// Delivers one thing that is no task of the queue, or makes a move of the state that is due.
    /// False, and not ready any more, if there was nothing. In all states but IDLE.
    virtual bool on_turn() noexcept
    {
        rest();
        return false;
    }
    /// Has on_turn() something? Then it takes turns with the tasks of the queue.
    virtual bool has_event() const noexcept { return false; }
    /// May it be stopped now? Logs what is in the way.
    [[nodiscard]] virtual doca_error_t check_stop() const noexcept { return DOCA_SUCCESS; }
    /// May a stop with nothing left to do end within the call? Else IDLE comes with a turn.
    virtual bool stops_at_once() const noexcept { return true; }
    /// It is STOPPING from now on, for whatever reason.
    virtual void on_stop() noexcept {}
    /// In STOPPING: is there nothing left but tasks that the program holds?
    virtual bool is_drained() noexcept { return true; }
    /// It is about to be IDLE, or could not start. The last chance to let go of what RUNNING needs,
    /// as far as on_start() has got it.
    virtual void on_idle() noexcept {}
    /// Says what a context in STARTING, or one that is not drained, waits for.
    virtual void report_unfinished() noexcept {}

    /// The next task in order; keeps the ready list true.
    doca_task &take_submitted() noexcept
    {
        doca_task &task = submitted_.pop_front();
        if (submitted_.empty() && !acts_at_submit_) // else on_turn() may have something
            leave_ready();
        else
            pe_->rotate_ready();
        return task;
    }
    void leave_ready() noexcept
    {
        static_cast<softdoca::ListHook<softdoca::ReadyList> *>(this)->unlink();
    }
    void leave_polled() noexcept
    {
        static_cast<softdoca::ListHook<softdoca::PolledList> *>(this)->unlink();
    }
    [[nodiscard, gnu::noinline]] doca_error_t submit_at_once(doca_task &task) noexcept;
    bool rare_turn() noexcept;
    bool may_be_idle() noexcept { return is_drained() && num_allocated_ == 0; }
    void become_idle() noexcept;
    void wait_in_list() noexcept;
    void move_to(doca_ctx_states next) noexcept;
    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t
    refuse_submit(const doca_task &task) const noexcept;
    bool withdraw(doca_task &task) noexcept;
    void give_back(doca_task &task) noexcept;
    [[gnu::cold, gnu::noinline]] static void release_buffers(doca_task &task) noexcept;

    // Touched for each task.
    doca_ctx_states state_ = DOCA_CTX_STATE_IDLE;
    const bool acts_at_submit_;
    bool is_event_next_ = false;
    softdoca::OwnerProcess owner_;
    doca_pe *pe_ = nullptr;
    softdoca::TaskQueue submitted_;
    std::uint32_t num_inflight_ = 0;
    std::uint32_t num_allocated_ = 0;
    doca_data user_data_{};

    doca_ctx_state_changed_callback_t state_changed_cb_ = nullptr;
    const char *kind_;
    std::optional<softdoca::DeviceHold> hold_;
    std::uint64_t waiting_since_ns_ = 0; // first seen by an empty turn; 0 not yet
};
