// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// A deferred queue with nothing but a ring of submitted tasks that are run when it is polled: what
/// an empty poll costs at the least (row 19).
namespace softdoca::bench::probe {

struct alignas(64) Task {
    void (*done)(Task *, void *ctx);
    void *ctx;
    void *dst;
    const void *src;
    std::size_t len;
    Task *next;
    int status;
};

struct Queue {
    std::vector<Task> pool;
    std::vector<Task *> ring;
    std::uint64_t head = 0, tail = 0, mask;
    Task *free_list = nullptr;

    explicit Queue(std::size_t num); ///< a power of two
    Task *alloc();
    void release(Task *task);
    void submit(Task *task);
    std::size_t poll(std::size_t budget);
};

} // namespace softdoca::bench::probe
