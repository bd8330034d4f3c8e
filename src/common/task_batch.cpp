// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// No library of this release makes batches of tasks, so no call can be given one that exists.

#include <doca_pe.h>

#include "base/log_sink.hpp"
#include "common/not_offered.hpp"

LOG_SOURCE("CORE::TASK_BATCH");

using softdoca::not_offered;
using softdoca::say_not_offered;

extern "C" doca_error_t doca_task_batch_submit(doca_task_batch *task_batch)
{
    return not_offered(LOG_SITE, __func__, task_batch);
}

extern "C" doca_error_t doca_task_batch_try_submit(doca_task_batch *task_batch)
{
    return not_offered(LOG_SITE, __func__, task_batch);
}

extern "C" void doca_task_batch_free(doca_task_batch *)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" doca_error_t doca_task_batch_get_status(const doca_task_batch *task_batch)
{
    return not_offered(LOG_SITE, __func__, task_batch);
}

extern "C" void doca_task_batch_set_user_data(doca_task_batch *, union doca_data)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" union doca_data doca_task_batch_get_user_data(const doca_task_batch *)
{
    say_not_offered(LOG_SITE, __func__);
    return doca_data{};
}

extern "C" doca_ctx *doca_task_batch_get_ctx(const doca_task_batch *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" union doca_data doca_task_batch_get_ctx_user_data(const doca_task_batch *)
{
    say_not_offered(LOG_SITE, __func__);
    return doca_data{};
}

extern "C" uint16_t doca_task_batch_get_tasks_num(doca_task_batch *)
{
    say_not_offered(LOG_SITE, __func__);
    return 0;
}
