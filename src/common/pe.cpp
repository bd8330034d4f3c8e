// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/pe.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/wake_event.hpp"
#include "common/ctx.hpp"
#include "fabric/agent_log.hpp"
#include "fabric/doorbells.hpp"
#include "fabric/local_process.hpp"

#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

LOG_SOURCE("CORE::PE");

namespace {

/// Turns without work in a row, of this thread. At every kYieldTurns the CPU is given away, so that
/// programs with more polling threads than CPUs stay quick.
constexpr std::uint32_t kYieldTurns = 256;
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t empty_turns = 0;

std::uint64_t now_ns() noexcept
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

doca_error_t check(const char *call, const doca_pe *pe) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "progress engine", pe);
}

} // namespace

doca_pe::doca_pe() noexcept = default;

doca_pe::~doca_pe()
{
    if (doorbells_ != nullptr && !owner_.is_another())
        doorbells_->for_each_bell([](const softdoca::OwnBell &bell) {
            softdoca::LocalProcess::get()->retire(bell.id()); // a member, since it has bells
        });
    softdoca::log_forget(this);
}

std::uint8_t doca_pe::progress() noexcept
{
    if (!polled_.empty()) [[unlikely]]
        make_polled_ready();
    if (doorbells_ != nullptr) [[unlikely]]
        look_at_doorbells();
    if (ready_.empty() || is_in_callback_ || owner_.is_another())
        return empty_turn();
    is_in_callback_ = true; // for the whole turn, whose last step is the callback
    has_suspended_ = false;
    bool has_delivered = ready_.front().turn();
    while ((!has_delivered || has_suspended_) && !ready_.empty()) { // such have left the list
        has_suspended_ = false;
        has_delivered = ready_.front().turn();
    }
    is_in_callback_ = false;
    if (!has_delivered || has_suspended_) [[unlikely]]
        return empty_turn();
    empty_turns = 0;
    return 1;
}

void doca_pe::make_polled_ready() noexcept
{
    if (is_in_callback_ || owner_.is_another())
        return;
    while (!polled_.empty()) {
        doca_ctx &ctx = polled_.front();
        static_cast<softdoca::ListHook<softdoca::PolledList> &>(ctx).unlink();
        if (!ctx.is_ready())
            ready_.push_back(ctx);
    }
}

/// With something to deliver there is no hurry, but others must get their turn.
void doca_pe::look_at_doorbells() noexcept
{
    constexpr std::uint32_t kTurnsPerLook = 8;
    if (is_in_callback_ || owner_.is_another() ||
        (!ready_.empty() && ++num_busy_turns_ % kTurnsPerLook != 0))
        return;
    doorbells_->look();
}

std::uint8_t doca_pe::empty_turn() noexcept
{
    if (++empty_turns % kYieldTurns == 0) [[unlikely]]
        yield_and_report();
    return 0;
}

void doca_pe::yield_and_report() noexcept
{
    sched_yield();
    if (is_in_callback_)
        return;
    softdoca::pass_on_agent_log();
    report_waits();
}

void doca_pe::report_waits() noexcept
{
    if (waiting_.empty() || is_in_callback_)
        return;
    const std::uint64_t now = now_ns();
    waiting_.for_each([now](doca_ctx &ctx) { ctx.report_wait(now); });
}

void doca_pe::make_ready(doca_ctx &ctx) noexcept
{
    if (ctx.is_ready())
        return;
    ready_.push_back(ctx);
    if (is_armed_) [[unlikely]]
        wake();
}

void doca_pe::add_waiting(doca_ctx &ctx) noexcept
{
    waiting_.push_back(ctx);
}

void doca_pe::add_polled(doca_ctx &ctx) noexcept
{
    has_suspended_ = true;
    if (!static_cast<softdoca::ListHook<softdoca::PolledList> &>(ctx).is_linked())
        polled_.push_back(ctx);
}

bool doca_pe::watch(int fd) noexcept
{
    return open_handle() == DOCA_SUCCESS && add_to_handle(fd, EPOLLIN);
}

bool doca_pe::add_to_handle(int fd, std::uint32_t events) noexcept
{
    epoll_event interest{};
    interest.events = events;
    may_be_readable_ = true;
    return epoll_ctl(handle_.get(), EPOLL_CTL_ADD, fd, &interest) == 0;
}

void doca_pe::unwatch(int fd) noexcept
{
    epoll_ctl(handle_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

softdoca::Doorbells &doca_pe::doorbells()
{
    if (doorbells_ == nullptr)
        doorbells_ = std::make_unique<softdoca::Doorbells>();
    return *doorbells_;
}

softdoca::OwnBell *doca_pe::bell_for(const softdoca::RandomId &peer)
{
    bool is_new = false;
    softdoca::OwnBell *const bell = doorbells().bell_for(peer, &is_new);
    if (bell != nullptr && is_new && handle_.is_open() &&
        !add_to_handle(bell->event_fd(), softdoca::kWakeInterest))
        return nullptr;
    return bell;
}

softdoca::CopyMark *doca_pe::copy_mark()
{
    softdoca::LocalProcess *const process = softdoca::LocalProcess::get();
    return process != nullptr && copy_mark_.acquire(process->page()) ? &copy_mark_ : nullptr;
}

void doca_pe::release_bit(softdoca::OwnBell &bell, std::uint32_t bit) noexcept
{
    bell.release(bit);
    if (!bell.is_unused())
        return;
    if (handle_.is_open())
        unwatch(bell.event_fd()); // closing it would not do: the peer has it too
    softdoca::LocalProcess::get()->retire(bell.id());
    doorbells_->remove(bell);
}

bool doca_pe::start_ticking(softdoca::BellTarget &target)
{
    const bool is_new = doorbells().ticking_fd() < 0;
    return doorbells_->start_ticking(target) &&
           (!is_new || !handle_.is_open() || watch(doorbells_->ticking_fd()));
}

void doca_pe::stop_ticking(softdoca::BellTarget &target) noexcept
{
    doorbells_->stop_ticking(target);
}

/// When the handle is made: what there is already.
bool doca_pe::watch_doorbells() noexcept
{
    bool is_done = true;
    doorbells_->for_each_bell([&](const softdoca::OwnBell &bell) {
        is_done = is_done && add_to_handle(bell.event_fd(), softdoca::kWakeInterest);
    });
    return is_done && (doorbells_->ticking_fd() < 0 || watch(doorbells_->ticking_fd()));
}

doca_error_t doca_pe::connect(doca_ctx &ctx) noexcept
{
    constexpr const char *kCall = "doca_pe_connect_ctx";
    if (const doca_error_t bad = ctx.check_driven_by_program(kCall); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = ctx.check_configurable(kCall); bad != DOCA_SUCCESS)
        return bad;
    if (ctx.pe() != nullptr)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, &ctx,
                           "%s %p is connected to progress engine %p already, for life", ctx.kind(),
                           static_cast<void *>(&ctx), static_cast<void *>(ctx.pe()));
    connected_.push_back(ctx);
    ctx.set_pe(*this);
    return DOCA_SUCCESS;
}

doca_error_t doca_pe::check_destroy() const noexcept
{
    if (is_in_callback_)
        return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                           "progress engine %p is running a callback; destroy it outside",
                           static_cast<const void *>(this));
    if (connected_.empty())
        return DOCA_SUCCESS;
    const doca_ctx &first = connected_.front();
    return LOG_REFUSED(DOCA_ERROR_IN_USE, this,
                       "progress engine %p is still used by %s %p; destroy its contexts first",
                       static_cast<const void *>(this), first.kind(),
                       static_cast<const void *>(&first));
}

std::size_t doca_pe::num_inflight_tasks() const noexcept
{
    std::size_t sum = 0;
    connected_.for_each([&sum](const doca_ctx &ctx) { sum += ctx.num_inflight_tasks(); });
    return sum;
}

/// The descriptors are made when somebody wants to wait: most engines are polled.
doca_error_t doca_pe::open_handle() noexcept
{
    if (handle_.is_open())
        return DOCA_SUCCESS;
    softdoca::UniqueFd event(softdoca::make_wake_event());
    softdoca::UniqueFd handle(epoll_create1(EPOLL_CLOEXEC));
    epoll_event interest{};
    interest.events = softdoca::kWakeInterest;
    if (!event.is_open() || !handle.is_open() ||
        epoll_ctl(handle.get(), EPOLL_CTL_ADD, event.get(), &interest) != 0)
        return LOG_REFUSED(DOCA_ERROR_OPERATING_SYSTEM, this,
                           "progress engine %p: no descriptor to wait on: %s (ulimit -n)",
                           static_cast<void *>(this), std::strerror(errno));
    event_ = std::move(event);
    handle_ = std::move(handle);
    if (doorbells_ != nullptr && !watch_doorbells())
        return LOG_REFUSED(DOCA_ERROR_OPERATING_SYSTEM, this,
                           "progress engine %p: its handle cannot watch for peers: %s",
                           static_cast<void *>(this), std::strerror(errno));
    return drain(); // of the edges that adding them has made
}

doca_error_t doca_pe::notification_handle(int *handle) noexcept
{
    const doca_error_t result = open_handle();
    if (result == DOCA_SUCCESS)
        *handle = handle_.get();
    return result;
}

/// Old notifications go, then what is ready already counts as a new one: between the last turn and
/// this call something may have been submitted.
doca_error_t doca_pe::request_notification() noexcept
{
    if (const doca_error_t bad = open_handle(); bad != DOCA_SUCCESS)
        return bad;
    if (may_be_readable_)
        if (const doca_error_t bad = drain(); bad != DOCA_SUCCESS)
            return bad;
    is_armed_ = may_be_readable_ = true;
    const bool may_sleep = doorbells_ == nullptr || is_in_callback_ ||
                           doorbells_->arm(event_.get()); // what it finds is ready, and wakes
    if ((!ready_.empty() || !may_sleep) && is_armed_)
        wake();
    report_waits(); // a program that sleeps makes few empty turns
    return DOCA_SUCCESS;
}

doca_error_t doca_pe::clear_notification() noexcept
{
    return handle_.is_open() ? drain() : DOCA_SUCCESS;
}

/// One wake-up for each request: a program that polls afterwards pays nothing.
void doca_pe::wake() noexcept
{
    is_armed_ = false;
    if (!softdoca::wake(event_.get()))
        LOG_ERR("progress engine %p: cannot signal its handle: %s", static_cast<void *>(this),
                std::strerror(errno));
}

doca_error_t doca_pe::drain() noexcept
{
    is_armed_ = false;
    if (doorbells_ != nullptr)
        doorbells_->disarm();
    constexpr int kEdgesPerTake = 32;
    epoll_event edges[kEdgesPerTake];
    constexpr int kMaxTakes = 128; // a bad peer makes new ones all the time
    int num = kEdgesPerTake;
    for (int takes = 0; num == kEdgesPerTake && takes < kMaxTakes; ++takes)
        num = epoll_wait(handle_.get(), edges, kEdgesPerTake, 0);
    may_be_readable_ = num < 0;
    if (num < 0)
        return LOG_REFUSED(DOCA_ERROR_OPERATING_SYSTEM, this,
                           "progress engine %p: cannot clear its handle: %s",
                           static_cast<void *>(this), std::strerror(errno));
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_pe_create(doca_pe **pe)
{
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, pe); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *pe = new doca_pe;
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_pe_destroy(doca_pe *pe)
{
    if (const doca_error_t bad = check(__func__, pe); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = pe->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    LOG_INF("progress engine %p destroyed", static_cast<void *>(pe));
    delete pe;
    return DOCA_SUCCESS;
}

extern "C" uint8_t doca_pe_progress(doca_pe *pe)
{
    if (pe == nullptr) [[unlikely]] {
        (void)check(__func__, pe);
        return 0;
    }
    return pe->progress();
}

extern "C" doca_error_t doca_pe_get_notification_handle(const doca_pe *pe,
                                                        doca_notification_handle_t *handle)
{
    if (const doca_error_t bad = check(__func__, pe); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, handle);
        bad != DOCA_SUCCESS)
        return bad;
    return const_cast<doca_pe *>(pe)->notification_handle(handle);
}

extern "C" doca_error_t doca_pe_request_notification(doca_pe *pe)
{
    const doca_error_t bad = check(__func__, pe);
    return bad != DOCA_SUCCESS ? bad : pe->request_notification();
}

extern "C" doca_error_t doca_pe_clear_notification(doca_pe *pe, doca_notification_handle_t)
{
    const doca_error_t bad = check(__func__, pe);
    return bad != DOCA_SUCCESS ? bad : pe->clear_notification();
}

extern "C" doca_error_t doca_pe_get_num_inflight_tasks(const doca_pe *pe,
                                                       size_t *num_inflight_tasks)
{
    if (const doca_error_t bad = check(__func__, pe); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, num_inflight_tasks);
        bad != DOCA_SUCCESS)
        return bad;
    *num_inflight_tasks = pe->num_inflight_tasks();
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_pe_connect_ctx(doca_pe *pe, doca_ctx *ctx)
{
    if (const doca_error_t bad = check(__func__, pe); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_handle(LOG_SITE, __func__, "context", ctx);
        bad != DOCA_SUCCESS)
        return bad;
    return pe->connect(*ctx);
}

extern "C" doca_error_t doca_pe_set_event_mode(doca_pe *pe, enum doca_pe_event_mode event_mode)
{
    if (const doca_error_t bad = check(__func__, pe); bad != DOCA_SUCCESS)
        return bad;
    if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
        event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, pe,
                           "%s: %d is neither PROGRESS_SELECTIVE (0) nor PROGRESS_ALL (1)",
                           __func__, static_cast<int>(event_mode));
    return DOCA_SUCCESS; // both serve all contexts: a superset that cannot stall
}
