// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/buf.hpp"

#include <doca_pe.h>

#include <cstdint>
#include <utility>

namespace softdoca {

class TaskPool;
class TaskQueue;

/// Who has a task.
enum class TaskState : std::uint8_t {
    free,      ///< its pool; the program must not use it
    held,      ///< the program: allocated or completed
    in_flight, ///< the library: from submit to the completion callback
};

} // namespace softdoca

/// The common part of all tasks. A library's task derives from it and is the opaque type of the
/// API. Its buffers are pinned while it is in flight. Threads: that of the progress engine.
struct doca_task {
public:
    doca_ctx &ctx() const noexcept { return *ctx_; }
    doca_data user_data() const noexcept { return user_data_; }
    void set_user_data(doca_data user_data) noexcept { user_data_ = user_data; }
    doca_error_t status() const noexcept { return status_; }
    softdoca::TaskState state() const noexcept { return state_; }

    doca_buf *src() const noexcept { return src_; }
    doca_buf *dst() const noexcept { return dst_; }
    /// The source stays the program's: the library reads it and counts its pins.
    void set_src(const doca_buf *src) noexcept { src_ = const_cast<doca_buf *>(src); }
    void set_dst(doca_buf *dst) noexcept { dst_ = dst; }
    /// In flight and done already, together with one before it; only the delivery is left.
    bool is_executed() const noexcept { return is_executed_; }

private:
    friend struct ::doca_ctx;
    friend class softdoca::TaskPool;
    friend class softdoca::TaskQueue;

    void pin_buffers() noexcept
    {
        if (src_ != nullptr)
            src_->pin();
        if (dst_ != nullptr)
            dst_->pin();
    }
    /// True if the program has let go of one meanwhile; release_buffers() must follow.
    [[nodiscard]] bool unpin_buffers() noexcept
    {
        bool is_unused = false;
        if (src_ != nullptr)
            is_unused = src_->unpin();
        if (dst_ != nullptr)
            is_unused = dst_->unpin() || is_unused;
        return is_unused;
    }

    doca_ctx *ctx_ = nullptr;
    doca_data user_data_{};
    doca_buf *src_ = nullptr;
    doca_buf *dst_ = nullptr;
    doca_task *next_ = nullptr; // in its pool or its context's queue
    softdoca::TaskPool *pool_ = nullptr;
    doca_error_t status_ = DOCA_SUCCESS;
    softdoca::TaskState state_ = softdoca::TaskState::free;
    bool is_executed_ = false;
};
static_assert(sizeof(doca_task) <= 64);

namespace softdoca {

/// Submitted tasks in order.
class __attribute__((visibility("default"))) TaskQueue {
public:
    bool empty() const noexcept { return first_ == nullptr; }
    doca_task *front() const noexcept { return first_; }
    /// The one behind it; nullptr at the end.
    static doca_task *next(const doca_task &task) noexcept { return task.next_; }

    void push_front(doca_task &task) noexcept
    {
        if (first_ == nullptr)
            end_ = &task.next_;
        task.next_ = first_;
        first_ = &task;
    }
    void push_back(doca_task &task) noexcept
    {
        task.next_ = nullptr;
        *end_ = &task;
        end_ = &task.next_;
    }
    doca_task &pop_front() noexcept
    {
        doca_task &task = *first_;
        first_ = task.next_;
        if (first_ == nullptr)
            end_ = &first_;
        return task;
    }
    /// Takes a task out of the middle, for one that is freed while in flight. O(n).
    void remove(doca_task &task) noexcept;

private:
    doca_task *first_ = nullptr;
    doca_task **end_ = &first_; // where the next one is linked
};

/// A fixed number of tasks of one type, allocated when the context starts; taking and giving back
/// only relinks them. The memory stays until the next start, so that stale tasks are recognised.
class __attribute__((visibility("default"))) TaskPool {
public:
    explicit TaskPool(std::uint32_t num_tasks) noexcept : num_tasks_(num_tasks) {}
    TaskPool(const TaskPool &) = delete;
    TaskPool &operator=(const TaskPool &) = delete;

    /// nullptr when all are in use.
    [[nodiscard]] doca_task *take() noexcept
    {
        return free_ == nullptr ? nullptr : std::exchange(free_, free_->next_);
    }
    void give_back(doca_task &task) noexcept { task.next_ = std::exchange(free_, &task); }
    std::uint32_t num_tasks() const noexcept { return num_tasks_; }

protected:
    /// A new task enters the pool for good.
    void adopt(doca_task &task, doca_ctx &ctx) noexcept
    {
        task.ctx_ = &ctx;
        task.pool_ = this;
        give_back(task);
    }

private:
    doca_task *free_ = nullptr;
    std::uint32_t num_tasks_;
};

} // namespace softdoca
