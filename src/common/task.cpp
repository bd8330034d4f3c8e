// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/task.hpp"

#include "base/log_sink.hpp"
#include "common/ctx.hpp"

LOG_SOURCE("CORE::TASK");

namespace softdoca {

void TaskQueue::remove(doca_task &task) noexcept
{
    for (doca_task **link = &first_; *link != nullptr; link = &(*link)->next_) {
        if (*link != &task)
            continue;
        *link = task.next_;
        if (*link == nullptr)
            end_ = link;
        return;
    }
}

} // namespace softdoca

namespace {

[[gnu::cold, gnu::noinline]] doca_error_t refuse_null(const char *call) noexcept
{
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: task is NULL", call);
}

} // namespace

extern "C" doca_error_t doca_task_submit(doca_task *task)
{
    if (task == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return task->ctx().submit(*task);
}

extern "C" doca_error_t doca_task_submit_ex(doca_task *task, uint32_t flags)
{
    if (task == nullptr) [[unlikely]]
        return refuse_null(__func__);
    // Unknown bits are ignored; reports come at once whether or not they may be delayed.
    if ((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) == 0) [[unlikely]]
        task->ctx().note_unflushed();
    return task->ctx().submit(*task);
}

extern "C" doca_error_t doca_task_try_submit(doca_task *task)
{
    if (task == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return task->ctx().try_submit(*task);
}

extern "C" void doca_task_free(doca_task *task)
{
    if (task == nullptr) [[unlikely]] {
        (void)refuse_null(__func__);
        return;
    }
    task->ctx().free(*task);
}

extern "C" doca_error_t doca_task_get_status(const doca_task *task)
{
    if (task == nullptr) [[unlikely]]
        return refuse_null(__func__);
    return task->status();
}

extern "C" void doca_task_set_user_data(doca_task *task, union doca_data user_data)
{
    if (task == nullptr) [[unlikely]] {
        (void)refuse_null(__func__);
        return;
    }
    task->set_user_data(user_data);
}

extern "C" union doca_data doca_task_get_user_data(const doca_task *task)
{
    if (task == nullptr) [[unlikely]] {
        (void)refuse_null(__func__);
        return doca_data{};
    }
    return task->user_data();
}

extern "C" doca_ctx *doca_task_get_ctx(const doca_task *task)
{
    if (task == nullptr) [[unlikely]] {
        (void)refuse_null(__func__);
        return nullptr;
    }
    return &task->ctx();
}
