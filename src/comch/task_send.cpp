// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/connection.hpp"

extern "C" doca_task *doca_comch_task_send_as_task(doca_comch_task_send *task)
{
    return task;
}
