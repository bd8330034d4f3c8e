// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/ctx.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"

#include <cassert>

LOG_SOURCE("CORE::CTX");

namespace {

constexpr std::uint64_t kWaitReportNs = 1'000'000'000;

const char *to_string(doca_ctx_states state) noexcept
{
    switch (state) {
    case DOCA_CTX_STATE_IDLE:
        return "IDLE";
    case DOCA_CTX_STATE_STARTING:
        return "STARTING";
    case DOCA_CTX_STATE_RUNNING:
        return "RUNNING";
    case DOCA_CTX_STATE_STOPPING:
        return "STOPPING";
    }
    return "?";
}

doca_error_t check(const char *call, const doca_ctx *ctx) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "context", ctx);
}

} // namespace

doca_ctx::doca_ctx(doca_dev &dev, const char *kind, Acts acts) noexcept
    : acts_at_submit_(acts == Acts::at_submit), kind_(kind),
      hold_(std::in_place, dev, kind, this, [](const void *holder) noexcept -> const char * {
          return to_string(static_cast<const doca_ctx *>(holder)->state());
      })
{
}

doca_ctx::doca_ctx(const char *kind) noexcept : acts_at_submit_(false), kind_(kind) {}

doca_ctx::~doca_ctx()
{
    leave_ready();
    leave_polled();
    static_cast<softdoca::ListHook<softdoca::WaitingList> *>(this)->unlink();
    static_cast<softdoca::ListHook<softdoca::ConnectedList> *>(this)->unlink();
    softdoca::log_forget(this);
}

/// The only place that writes state_. The callback may do anything but destroy a context that is
/// not IDLE: after a move to IDLE nothing of this may be touched.
void doca_ctx::move_to(doca_ctx_states next) noexcept
{
    const doca_ctx_states prev = state_;
    assert(is_legal(prev, next));
    std::atomic_ref(state_).store(next, std::memory_order_relaxed); // pairs with state()
    static_cast<softdoca::ListHook<softdoca::WaitingList> *>(this)->unlink();
    if (next == DOCA_CTX_STATE_STARTING || next == DOCA_CTX_STATE_STOPPING)
        wait_in_list();
    LOG_DBG("%s %p: %s -> %s", kind_, static_cast<void *>(this), to_string(prev), to_string(next));
    if (state_changed_cb_ == nullptr)
        return;
    const doca_pe::CallbackScope scope(*pe_);
    state_changed_cb_(user_data_, this, prev, next);
}

/// From now on it says what it waits for, if that takes long.
void doca_ctx::wait_in_list() noexcept
{
    auto &waiting = static_cast<softdoca::ListHook<softdoca::WaitingList> &>(*this);
    if (waiting.is_linked())
        return;
    waiting_since_ns_ = 0;
    pe_->add_waiting(*this);
}

void doca_ctx::suspend(doca_task &task) noexcept
{
    submitted_.push_front(task);
    leave_ready();
    pe_->add_polled(*this);
    wait_in_list();
}

doca_error_t doca_ctx::start() noexcept
{
    if (state_ != DOCA_CTX_STATE_IDLE)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this, "%s %p is already %s", kind_,
                           static_cast<void *>(this), to_string(state_));
    if (pe_ == nullptr)
        return LOG_REFUSED(DOCA_ERROR_NOT_CONNECTED, this,
                           "%s %p has no progress engine; call doca_pe_connect_ctx before "
                           "doca_ctx_start",
                           kind_, static_cast<void *>(this));
    if (const doca_error_t bad = check_start(); bad != DOCA_SUCCESS)
        return bad;
    const doca_error_t result = softdoca::api_guard(
        LOG_SITE, __func__, [this] { return on_start(); }, DOCA_ERROR_INITIALIZATION);
    if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS) {
        on_idle();
        return result;
    }
    move_to(result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_STARTING);
    return result;
}

doca_error_t doca_ctx::stop() noexcept
{
    if (pe_ == nullptr)
        return LOG_REFUSED(
            DOCA_ERROR_NOT_CONNECTED, this,
            "%s %p was never connected to a progress engine; there is nothing to stop", kind_,
            static_cast<void *>(this));
    if (state_ == DOCA_CTX_STATE_IDLE) // programs stop again in their clean-up
        return DOCA_SUCCESS;
    if (state_ == DOCA_CTX_STATE_STOPPING)
        return DOCA_ERROR_IN_PROGRESS;
    if (const doca_error_t bad = check_stop(); bad != DOCA_SUCCESS)
        return bad;
    if (num_inflight_ != 0)
        LOG_DBG("%s %p: stopped with %u tasks in flight, flushing them", kind_,
                static_cast<void *>(this), num_inflight_);
    pe_->make_ready(*this); // the flush and IDLE are delivered by turns ...
    on_stop();
    move_to(DOCA_CTX_STATE_STOPPING);
    if (pe_->is_in_callback() || !stops_at_once() || !may_be_idle()) {
        LOG_ONCE(
            softdoca::LogLevel::info, this,
            "%s %p is stopping: %u tasks in flight are flushed, %u held by the program are waited "
            "for; progress until it is IDLE",
            kind_, static_cast<void *>(this), num_inflight_, num_allocated_ - num_inflight_);
        return DOCA_ERROR_IN_PROGRESS;
    }
    become_idle(); // ... unless nothing is left to wait for
    return DOCA_SUCCESS;
}

void doca_ctx::become_idle() noexcept
{
    leave_ready();
    on_idle();
    LOG_INF("%s %p has stopped", kind_, static_cast<void *>(this));
    move_to(DOCA_CTX_STATE_IDLE); // last: the callback may destroy this
}

void doca_ctx::stop_after_failure() noexcept
{
    if (state_ == DOCA_CTX_STATE_RUNNING) // else the callback has stopped it
        stop_by_itself();
}

void doca_ctx::stop_by_itself() noexcept
{
    pe_->make_ready(*this);
    on_stop();
    move_to(DOCA_CTX_STATE_STOPPING);
}

/// A turn that does not execute a task: STOPPING, or something else than tasks, or nothing to do.
bool doca_ctx::rare_turn() noexcept
{
    if (!submitted_.empty() && !(is_event_next_ && has_event())) {
        is_event_next_ = true;
        doca_task &task = take_submitted();
        if (state_ == DOCA_CTX_STATE_RUNNING)
            run(task);
        else
            flush(task, DOCA_ERROR_SHUTDOWN);
        return true;
    }
    is_event_next_ = false;
    if (state_ == DOCA_CTX_STATE_STOPPING && may_be_idle()) {
        become_idle();
        return true;
    }
    if (state_ == DOCA_CTX_STATE_IDLE) {
        leave_ready();
        return false;
    }
    return on_turn();
}

doca_error_t doca_ctx::check_destroy() const noexcept
{
    if (state_ != DOCA_CTX_STATE_IDLE)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                           "%s %p is %s; call doca_ctx_stop, free its tasks (%u now) and progress "
                           "until it is IDLE before it is destroyed",
                           kind_, static_cast<const void *>(this), to_string(state_),
                           num_allocated_);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx::check_configurable(const char *call) const noexcept
{
    if (state_ != DOCA_CTX_STATE_IDLE)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this, "%s: %s %p is %s; configure it in IDLE",
                           call, kind_, static_cast<const void *>(this), to_string(state_));
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx::submit_at_once(doca_task &task) noexcept
{
    if (!accepts_tasks() || task.state_ != softdoca::TaskState::held) [[unlikely]]
        return refuse_submit(task);
    const doca_error_t result = begin(task);
    if (result != DOCA_SUCCESS)
        return result;
    task.pin_buffers();
    task.state_ = softdoca::TaskState::in_flight;
    ++num_inflight_;
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx::try_submit(doca_task &task) noexcept
{
    if (accepts_tasks() && task.state_ == softdoca::TaskState::held)
        if (const doca_error_t bad = check_task(task); bad != DOCA_SUCCESS)
            return bad;
    return submit(task);
}

doca_error_t doca_ctx::refuse_submit(const doca_task &task) const noexcept
{
    const auto *const object = static_cast<const void *>(&task);
    if (owner_.is_another())
        return LOG_REFUSED(
            DOCA_ERROR_BAD_STATE, this,
            "%s %p was made before this process was forked; only the parent may use it", kind_,
            static_cast<const void *>(this));
    if (task.state_ == softdoca::TaskState::free)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "task %p of %s %p was freed; allocate a new one", object, kind_,
                           static_cast<const void *>(this));
    if (task.state_ == softdoca::TaskState::in_flight)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "task %p of %s %p is in flight already; submit it again after its "
                           "completion callback",
                           object, kind_, static_cast<const void *>(this));
    return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                       "%s %p is %s and takes no tasks; free task %p (doca_task_free)", kind_,
                       static_cast<const void *>(this), to_string(state_), object);
}

doca_error_t doca_ctx::refuse_alloc(const softdoca::TaskPool *pool) const noexcept
{
    if (!accepts_tasks())
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, this,
                           "%s %p is %s%s; tasks are allocated in RUNNING (doca_ctx_start)", kind_,
                           static_cast<const void *>(this), to_string(state_),
                           owner_.is_another() ? " in the process that forked this one" : "");
    LOG_ONCE(
        softdoca::LogLevel::info, this,
        "%s %p: all %u configured tasks are in use (%u in flight, %u held by the program); free "
        "finished ones (doca_task_free) or configure more",
        kind_, static_cast<const void *>(this), pool->num_tasks(), num_inflight_,
        num_allocated_ - num_inflight_);
    return DOCA_ERROR_NO_MEMORY;
}

void doca_ctx::free(doca_task &task) noexcept
{
    if (owner_.is_another() || task.state_ == softdoca::TaskState::free) {
        LOG_ONCE(softdoca::LogLevel::warning, this,
                 "%s %p: task %p was freed already, or belongs to "
                 "another process; ignored",
                 kind_, static_cast<void *>(this), static_cast<void *>(&task));
        return;
    }
    if (task.state_ != softdoca::TaskState::in_flight || withdraw(task))
        give_back(task);
}

void doca_ctx::give_back(doca_task &task) noexcept
{
    task.state_ = softdoca::TaskState::free;
    task.pool_->give_back(task);
    --num_allocated_;
    if (num_allocated_ == 0 && state_ == DOCA_CTX_STATE_STOPPING)
        pe_->make_ready(*this);
}

void doca_ctx::end_freed(doca_task &task) noexcept
{
    end_flight(task, DOCA_ERROR_SHUTDOWN);
    give_back(task);
}

/// A task in flight that the program frees: it gets no callback. True: it has ended.
bool doca_ctx::withdraw(doca_task &task) noexcept
{
    // Programs that clean up in a hurry release its buffer first, which has been said then.
    const auto is_released = [](const doca_buf *buf) {
        return buf != nullptr && buf->refcount() == 0;
    };
    if (!is_released(task.src_) && !is_released(task.dst_))
        LOG_ONCE(softdoca::LogLevel::warning, this,
                 "%s %p: task %p was freed while in flight; withdrawn without a callback. Stop the "
                 "context first, or free tasks in their callbacks",
                 kind_, static_cast<void *>(this), static_cast<void *>(&task));
    if (!on_withdraw(task))
        return false;
    submitted_.remove(task);
    clear_executed(task);
    end_flight(task, DOCA_ERROR_SHUTDOWN);
    return true;
}

/// Those that the program let go while the task was in flight.
void doca_ctx::release_buffers(doca_task &task) noexcept
{
    for (doca_buf *const buf : {task.src_, task.dst_})
        if (buf != nullptr && buf->is_unused())
            buf->release_unpinned();
}

void doca_ctx::note_unflushed() noexcept
{
    LOG_ONCE(softdoca::LogLevel::debug, this,
             "%s %p: a task was submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH; the next progress "
             "starts it all the same, a card may wait for a flush",
             kind_, static_cast<void *>(this));
}

void doca_ctx::report_wait(std::uint64_t now_ns) noexcept
{
    if (waiting_since_ns_ == 0)
        waiting_since_ns_ = now_ns;
    if (now_ns - waiting_since_ns_ < kWaitReportNs)
        return;
    if (state_ == DOCA_CTX_STATE_RUNNING)
        report_suspended();
    else if (state_ == DOCA_CTX_STATE_STARTING || num_inflight_ != 0 || num_allocated_ == 0)
        report_unfinished();
    else
        LOG_WAIT(this, "%s %p cannot become idle: %u task(s) are not freed (doca_task_free)", kind_,
                 static_cast<void *>(this), num_allocated_);
}

extern "C" doca_error_t doca_ctx_start(doca_ctx *ctx)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    const doca_error_t bad = ctx->check_driven_by_program(__func__);
    return bad != DOCA_SUCCESS ? bad : ctx->start();
}

extern "C" doca_error_t doca_ctx_stop(doca_ctx *ctx)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    const doca_error_t bad = ctx->check_driven_by_program(__func__);
    return bad != DOCA_SUCCESS ? bad : ctx->stop();
}

extern "C" doca_error_t doca_ctx_get_num_inflight_tasks(const doca_ctx *ctx,
                                                        size_t *num_inflight_tasks)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, num_inflight_tasks);
        bad != DOCA_SUCCESS)
        return bad;
    *num_inflight_tasks = ctx->num_inflight_tasks();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_ctx_set_user_data(doca_ctx *ctx, union doca_data user_data)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    ctx->set_user_data(user_data);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_ctx_get_user_data(const doca_ctx *ctx, union doca_data *user_data)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, user_data);
        bad != DOCA_SUCCESS)
        return bad;
    *user_data = ctx->user_data();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_ctx_set_state_changed_cb(doca_ctx *ctx,
                                                      doca_ctx_state_changed_callback_t cb)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (cb == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, ctx, "%s: cb is NULL", __func__);
    if (const doca_error_t bad = ctx->check_driven_by_program(__func__); bad != DOCA_SUCCESS)
        return bad;
    ctx->set_state_changed_cb(cb);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_ctx_get_state(const doca_ctx *ctx, enum doca_ctx_states *state)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, state);
        bad != DOCA_SUCCESS)
        return bad;
    *state = ctx->state();
    return DOCA_SUCCESS;
}

extern "C" void doca_ctx_flush_tasks(doca_ctx *ctx)
{
    (void)check(__func__, ctx); // nothing is ever held back until a flush
}

namespace {

/// Data paths of other processors: none here.
doca_error_t refuse_datapath(const char *call, const doca_ctx *ctx, const void *processor) noexcept
{
    if (const doca_error_t bad = check(call, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (processor == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, ctx, "%s: the processor is NULL", call);
    if (const doca_error_t bad = ctx->check_configurable(call); bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, ctx, "%s: %s %p runs on the CPU only", call,
                       ctx->kind(), static_cast<const void *>(ctx));
}

} // namespace

extern "C" doca_error_t doca_ctx_set_datapath_on_gpu(doca_ctx *ctx, doca_gpu *gpu_dev)
{
    return refuse_datapath(__func__, ctx, gpu_dev);
}

extern "C" doca_error_t doca_ctx_set_datapath_on_dpa(doca_ctx *ctx, doca_dpa *dpa_dev)
{
    return refuse_datapath(__func__, ctx, dpa_dev);
}

extern "C" doca_error_t doca_ctx_set_completion_vector(doca_ctx *ctx, uint32_t comp_vector)
{
    if (const doca_error_t bad = check(__func__, ctx); bad != DOCA_SUCCESS)
        return bad;
    if (comp_vector != 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, ctx,
                           "%s: vector %u does not exist, there is only 0 "
                           "(doca_ctx_cap_get_num_completion_vectors)",
                           __func__, comp_vector);
    return ctx->check_configurable(__func__);
}

extern "C" doca_error_t doca_ctx_cap_get_num_completion_vectors(const doca_devinfo *devinfo,
                                                                uint32_t *num_comp_vectors)
{
    if (softdoca::function_of(devinfo) == nullptr || num_comp_vectors == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "%s: devinfo %p is NULL or stale, or num_comp_vectors is NULL", __func__,
                           static_cast<const void *>(devinfo));
    *num_comp_vectors = 1;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_ctx_profiler_set_max_nranges(doca_ctx *ctx, uint32_t)
{
    // Accepted, so that programs which profile run; there is no profiler to show ranges to.
    const doca_error_t bad = check(__func__, ctx);
    return bad != DOCA_SUCCESS ? bad : ctx->check_configurable(__func__);
}
