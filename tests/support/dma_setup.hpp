// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/handles.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

namespace softdoca::test {

/// What a context delivered, in order: "success", "error IO_FAILED", "RUNNING->STOPPING".
using Record = std::vector<std::string>;

/// A DMA context on a progress engine, and the record of all it delivers. At its end it is stopped
/// and destroyed, and the tasks that the test has not freed are freed.
class DmaContext {
public:
    /// Created, configured and connected; not started.
    DmaContext(doca_dev *dev, doca_pe *pe, std::uint32_t num_tasks);
    ~DmaContext();
    DmaContext(const DmaContext &) = delete;
    DmaContext &operator=(const DmaContext &) = delete;

    doca_dma *dma() const { return dma_; }
    doca_ctx *ctx() const { return doca_dma_as_ctx(dma_); }
    doca_pe *pe() const { return pe_; }
    doca_ctx_states state() const;
    std::size_t num_inflight() const;

    /// doca_dma_task_memcpy_set_conf with the callbacks of this class.
    doca_error_t configure(std::uint32_t num_tasks) const;
    doca_error_t start() const { return doca_ctx_start(ctx()); }
    doca_error_t stop() const { return doca_ctx_stop(ctx()); }
    /// The test may do it at any time, even in a callback.
    doca_error_t destroy();

    doca_error_t try_alloc(const doca_buf *src, doca_buf *dst, doca_task **task,
                           doca_data user_data = {});
    /// The same where it has to succeed.
    doca_task *alloc(const doca_buf *src, doca_buf *dst, doca_data user_data = {});
    void free(doca_task *task);

    /// Everything delivered so far; take() empties it.
    const Record &record() const { return record_; }
    Record take();

    // Called after the record has grown. A task that is not freed stays the test's.
    bool frees_tasks =
        false; ///< completed ones, before the callbacks below (they get nullptr then)
    std::function<void(doca_task *)> on_success;
    std::function<void(doca_task *)> on_error;
    std::function<void(doca_ctx_states prev, doca_ctx_states next)> on_state;

private:
    void completed(doca_task *task, const std::function<void(doca_task *)> &next);
    void wind_up();

    static void succeeded(doca_dma_task_memcpy *task, doca_data, doca_data ctx_user_data);
    static void failed(doca_dma_task_memcpy *task, doca_data, doca_data ctx_user_data);
    static void changed(doca_data user_data, doca_ctx *, doca_ctx_states prev,
                        doca_ctx_states next);

    doca_pe *pe_;
    doca_dma *dma_ = nullptr;
    Record record_;
    std::unordered_set<doca_task *> tasks_; // allocated, not freed
};

enum class Start { now, later };

/// The set-up that most tests of copies begin with: everything up to a RUNNING context.
class DmaSetup {
public:
    explicit DmaSetup(std::uint32_t num_tasks, std::size_t area_len = std::size_t{64} * 1024,
                      Start start = Start::now);

    /// A source full of data.
    doca_buf *source(std::size_t offset, std::size_t len)
    {
        return inventory.by_data(src_mmap, src.at(offset), len);
    }
    /// An empty destination.
    doca_buf *destination(std::size_t offset, std::size_t len)
    {
        return inventory.by_addr(dst_mmap, dst.at(offset), len);
    }
    /// A task that copies 64 bytes at a place of its own.
    doca_task *task(std::size_t place = 0)
    {
        return context.alloc(source(place * 64, 64), destination(place * 64, 64));
    }
    /// A task whose source holds no data: it fails when it is executed.
    doca_task *bad_task()
    {
        doca_buf *const empty = inventory.by_addr(src_mmap, src.at(0), 64);
        return context.alloc(empty, destination(0, 64));
    }
    doca_ctx *ctx() const { return context.ctx(); }

    /// Has the destination the bytes of the source, from a place on?
    bool is_copied(std::size_t offset, std::size_t len) const
    {
        return std::memcmp(dst.at(offset), src.at(offset), len) == 0;
    }

    // In the order of their creation.
    Device device;
    Memory src, dst;
    Mmap src_mmap, dst_mmap;
    Inventory inventory;
    Pe pe;
    DmaContext context;
};

} // namespace softdoca::test
