// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "queue.hpp"

#include <cstring>

namespace softdoca::bench::probe {

Queue::Queue(std::size_t num) : pool(num), ring(num), mask(num - 1)
{
    for (Task &task : pool)
        release(&task);
}

Task *Queue::alloc()
{
    Task *task = free_list;
    if (task)
        free_list = task->next;
    return task;
}

void Queue::release(Task *task)
{
    task->next = free_list;
    free_list = task;
}

void Queue::submit(Task *task)
{
    ring[tail++ & mask] = task;
}

std::size_t Queue::poll(std::size_t budget)
{
    std::size_t num = 0;
    while (num < budget && head != tail) {
        Task *task = ring[head++ & mask];
        std::memcpy(task->dst, task->src, task->len);
        task->status = 0;
        task->done(task, task->ctx);
        num++;
    }
    return num;
}

} // namespace softdoca::bench::probe
