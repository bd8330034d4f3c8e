// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dma/dma.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "dma/copy_fault.hpp"

#include <functional>
#include <string_view>

LOG_SOURCE("DMA");

namespace {

using softdoca::CopyFault;
using softdoca::CopyReport;

doca_error_t check(const char *call, const doca_dma *dma) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "DMA", dma);
}

/// A capability of the function behind a devinfo.
template <typename Value, typename Answer>
doca_error_t query_limit(const char *call, const doca_devinfo *devinfo, Value *out, Answer &&answer)
{
    const softdoca::Function *const function = softdoca::function_of(devinfo);
    if (function == nullptr || out == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call,
                           "%s: devinfo %p is NULL or stale, or the out-parameter is NULL", call,
                           static_cast<const void *>(devinfo));
    *out = answer(function->dma);
    return DOCA_SUCCESS;
}

/// The program must not change a task that the library has.
bool is_held(const char *call, const doca_dma_task_memcpy *task) noexcept
{
    if (task != nullptr && task->state() != softdoca::TaskState::in_flight) [[likely]]
        return true;
    LOG_ONCE(softdoca::LogLevel::warning, call, "%s: task %p is NULL or in flight; ignored", call,
             static_cast<const void *>(task));
    return false;
}

} // namespace

doca_dma::doca_dma(doca_dev &dev) noexcept
    : doca_ctx(dev, "DMA"), engine_(dev, dev.function().dma), remote_(engine_)
{
}

doca_error_t doca_dma::set_conf(doca_dma_task_memcpy_completion_cb_t on_success,
                                doca_dma_task_memcpy_completion_cb_t on_error,
                                std::uint32_t num_tasks) noexcept
{
    if (on_success == nullptr || on_error == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "DMA %p: both completion callbacks of memcpy tasks are needed",
                           static_cast<void *>(this));
    if (num_tasks == 0 || num_tasks > limits().max_num_tasks)
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, this,
            "DMA %p: %u tasks are not within 1 and %u (doca_dma_cap_get_max_num_tasks)",
            static_cast<void *>(this), num_tasks, limits().max_num_tasks);
    if (const doca_error_t bad = check_configurable("doca_dma_task_memcpy_set_conf");
        bad != DOCA_SUCCESS)
        return bad;
    on_success_ = on_success;
    on_error_ = on_error;
    num_tasks_ = num_tasks;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma::check_start() const noexcept
{
    if (!limits().has_memcpy)
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, this,
                           "DMA %p: device %s cannot copy memory "
                           "(doca_dma_cap_task_memcpy_is_supported)",
                           static_cast<const void *>(this), dev().name());
    if (num_tasks_ == 0)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "DMA %p has no task type; call doca_dma_task_memcpy_set_conf before "
                           "doca_ctx_start",
                           static_cast<const void *>(this));
    return DOCA_SUCCESS;
}

doca_error_t doca_dma::on_start()
{
    if (!tasks_ || tasks_->num_tasks() != num_tasks_) {
        tasks_.reset();
        tasks_.emplace(*this, num_tasks_);
    }
    return DOCA_SUCCESS;
}

doca_error_t doca_dma::alloc(const doca_buf *src, doca_buf *dst, doca_data user_data,
                             doca_dma_task_memcpy **out) noexcept
{
    doca_dma_task_memcpy *const task = accepts_tasks() ? tasks_->take() : nullptr;
    if (task == nullptr) [[unlikely]]
        return refuse_alloc(tasks_ ? &*tasks_ : nullptr);
    allot(*task, src, dst, user_data);
    *out = task;
    return DOCA_SUCCESS;
}

doca_error_t doca_dma::check_task(const doca_task &task) noexcept
{
    const CopyReport report = engine_.check(task.src(), task.dst());
    if (report.fault == CopyFault::none)
        return DOCA_SUCCESS;
    const doca_error_t code = report.fault == CopyFault::destination_read_only
                                  ? DOCA_ERROR_NOT_PERMITTED
                                  : DOCA_ERROR_INVALID_VALUE;
    softdoca::LogSite site = LOG_SITE;
    site.cause = static_cast<int>(report.fault);
    return softdoca::log_refusal(site, code, this, "DMA %p on %s: %s", static_cast<void *>(this),
                                 dev().name(), softdoca::describe(report, limits()).text());
}

void doca_dma::run(doca_task &task) noexcept
{
    if (softdoca::log_enabled(softdoca::LogLevel::trace)) [[unlikely]]
        return run_with_care(task);
    if (!engine_.is_simple(task.src(), task.dst())) [[unlikely]]
        return run_import(task);
    engine_.copy_simple(*task.src(), *task.dst());
    deliver(task, DOCA_SUCCESS, on_success_);
}

/// One import and nothing else that is special.
void doca_dma::run_import(doca_task &task) noexcept
{
    if (task.is_executed() || !engine_.is_simple_import(task.src(), task.dst()) ||
        !remote_.copy_simple(*task.src(), *task.dst(), queued(), engine_)) [[unlikely]]
        return run_with_care(task);
    deliver(task, DOCA_SUCCESS, on_success_);
}

void doca_dma::deliver_success(doca_task &task) noexcept
{
    LOG_TRC("DMA %p: task %p done", static_cast<void *>(this), static_cast<void *>(&task));
    clear_executed(task);
    deliver(task, DOCA_SUCCESS, on_success_);
}

/// Tasks that were executed before, lists, the agent, other devices of an mmap, faults, and a log
/// at TRACE.
void doca_dma::run_with_care(doca_task &task) noexcept
{
    if (task.is_executed()) {
        deliver_success(task);
        return;
    }
    const CopyReport report = engine_.check(task.src(), task.dst());
    if (report.fault != CopyFault::none) {
        remote_.abandon();
        fail(task, softdoca::describe(report, limits()).text());
        return;
    }
    if (report.has_far)
        return run_remote(task, report.num_bytes);
    if (report.has_mapped &&
        !remote_.copy_near(task.src(), task.dst(), report.num_bytes, engine_)) {
        fail(task, softdoca::describe(remote_.fault()).text());
        return;
    }
    if (!report.has_mapped) {
        engine_.copy_stream(task.src(), task.dst(), report.num_bytes);
        softdoca::CopyEngine::add_data(task.dst(), report.num_bytes);
    }
    deliver_success(task);
}

void doca_dma::run_remote(doca_task &task, std::uint64_t num_bytes) noexcept
{
    switch (remote_.copy(*pe(), task, num_bytes, queued())) {
    case softdoca::RemoteCopy::Outcome::pending:
        suspend(task);
        return;
    case softdoca::RemoteCopy::Outcome::failed:
        resume();
        fail(task, softdoca::describe(remote_.fault()).text());
        return;
    case softdoca::RemoteCopy::Outcome::done:
        break;
    }
    resume();
    mark_extra_done();
    deliver_success(task);
}

/// Those that were carried out with the current one are delivered in later turns.
void doca_dma::mark_extra_done() noexcept
{
    doca_task *next = queued().front();
    for (std::size_t i = 0; i < remote_.num_extra_done(); ++i) {
        softdoca::CopyEngine::add_data(next->dst(), next->src()->data_len());
        set_executed(*next);
        next = softdoca::TaskQueue::next(*next);
    }
}

/// The program hears of the failure first and of STOPPING right after it, in the same turn.
void doca_dma::fail(doca_task &task, const char *why) noexcept
{
    softdoca::LogSite site = LOG_SITE;
    site.cause = static_cast<int>(std::hash<std::string_view>()(why));
    softdoca::log_once(softdoca::LogLevel::error, site, this,
                       "DMA %p on %s: task failed, the context stops and %zu tasks are flushed: %s",
                       static_cast<void *>(this), dev().name(), num_inflight_tasks() - 1, why);
    deliver(task, DOCA_ERROR_IO_FAILED, on_error_);
    stop_after_failure();
}

void doca_dma::flush(doca_task &task, doca_error_t status) noexcept
{
    remote_.abandon();
    if (task.is_executed())
        deliver_success(task);
    else
        deliver(task, status, on_error_);
}

bool doca_dma::on_withdraw(doca_task &) noexcept
{
    remote_.abandon(); // it may be part of what is under way; the others start again
    return true;
}

void doca_dma::report_suspended() noexcept
{
    if (remote_.is_pending())
        LOG_WAIT(this,
                 "DMA %p on %s waits for the exporter of its memory, pid %d (%s), which does not "
                 "answer; if it is stopped, continue it (kill -CONT %d) or end it",
                 static_cast<void *>(this), dev().name(), remote_.awaited().exporter_pid(),
                 remote_.awaited().exporter_side(), remote_.awaited().exporter_pid());
}

extern "C" doca_error_t doca_dma_create(doca_dev *dev, doca_dma **dma)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, dma); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        *dma = new doca_dma(*dev);
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_dma_destroy(doca_dma *dma)
{
    if (const doca_error_t bad = check(__func__, dma); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = dma->check_destroy(); bad != DOCA_SUCCESS)
        return bad;
    delete dma;
    return DOCA_SUCCESS;
}

extern "C" doca_ctx *doca_dma_as_ctx(doca_dma *dma)
{
    return dma;
}

extern "C" doca_error_t doca_dma_cap_task_memcpy_is_supported(const doca_devinfo *devinfo)
{
    bool has_memcpy = false;
    const doca_error_t result =
        query_limit(__func__, devinfo, &has_memcpy,
                    [](const softdoca::DmaLimits &limits) { return limits.has_memcpy; });
    return result != DOCA_SUCCESS || has_memcpy ? result : DOCA_ERROR_NOT_SUPPORTED;
}

extern "C" doca_error_t doca_dma_cap_get_max_num_tasks(doca_dma *dma, uint32_t *max_num_tasks)
{
    if (const doca_error_t bad = check(__func__, dma); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, max_num_tasks);
        bad != DOCA_SUCCESS)
        return bad;
    *max_num_tasks = dma->limits().max_num_tasks;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const doca_devinfo *devinfo,
                                                                      uint32_t *max_buf_list_len)
{
    return query_limit(__func__, devinfo, max_buf_list_len,
                       [](const softdoca::DmaLimits &limits) { return limits.max_buf_list_len; });
}

extern "C" doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const doca_devinfo *devinfo,
                                                                  uint64_t *buf_size)
{
    return query_limit(__func__, devinfo, buf_size,
                       [](const softdoca::DmaLimits &limits) { return limits.max_buf_size; });
}

extern "C" doca_error_t doca_dma_task_memcpy_set_conf(
    doca_dma *dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb,
    doca_dma_task_memcpy_completion_cb_t task_error_cb, uint32_t num_memcpy_tasks)
{
    const doca_error_t bad = check(__func__, dma);
    return bad != DOCA_SUCCESS ? bad
                               : dma->set_conf(task_completion_cb, task_error_cb, num_memcpy_tasks);
}

extern "C" doca_error_t doca_dma_task_memcpy_alloc_init(doca_dma *dma, const doca_buf *src,
                                                        doca_buf *dst, union doca_data user_data,
                                                        doca_dma_task_memcpy **task)
{
    if (dma == nullptr || task == nullptr) [[unlikely]]
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, dma, "%s: dma or task is NULL", __func__);
    return dma->alloc(src, dst, user_data, task);
}

extern "C" doca_task *doca_dma_task_memcpy_as_task(doca_dma_task_memcpy *task)
{
    return task;
}

extern "C" void doca_dma_task_memcpy_set_src(doca_dma_task_memcpy *task, const doca_buf *src)
{
    if (is_held(__func__, task))
        task->set_src(src);
}

extern "C" const doca_buf *doca_dma_task_memcpy_get_src(const doca_dma_task_memcpy *task)
{
    return task == nullptr ? nullptr : task->src();
}

extern "C" void doca_dma_task_memcpy_set_dst(doca_dma_task_memcpy *task, doca_buf *dst)
{
    if (is_held(__func__, task))
        task->set_dst(dst);
}

extern "C" doca_buf *doca_dma_task_memcpy_get_dst(const doca_dma_task_memcpy *task)
{
    return task == nullptr ? nullptr : task->dst();
}

extern "C" doca_error_t doca_dma_get_gpu_handle(doca_dma *dma, doca_gpu_dma **gpu_dma)
{
    if (const doca_error_t bad = check(__func__, dma); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, gpu_dma);
        bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, dma, "%s: DMA %p runs on the CPU only", __func__,
                       static_cast<void *>(dma));
}
