// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/ctx.hpp"
#include "common/task_pool.hpp"
#include "dma/copy_engine.hpp"
#include "dma/remote_copy.hpp"

#include <doca_dma.h>

#include <optional>

struct doca_dma_task_memcpy final : doca_task {};

/// Copies memory on behalf of the program. A task between memory of this process, or mapped, is
/// executed by the turn of the progress engine that delivers it; one with other memory of another
/// process perhaps earlier, together with one before it. A task that fails takes the context down,
/// as a fault does on a card.
struct doca_dma final : doca_ctx {
public:
    explicit doca_dma(doca_dev &dev) noexcept;

    [[nodiscard]] doca_error_t set_conf(doca_dma_task_memcpy_completion_cb_t on_success,
                                        doca_dma_task_memcpy_completion_cb_t on_error,
                                        std::uint32_t num_tasks) noexcept;
    [[nodiscard]] doca_error_t alloc(const doca_buf *src, doca_buf *dst, doca_data user_data,
                                     doca_dma_task_memcpy **task) noexcept;
    const softdoca::DmaLimits &limits() const noexcept { return dev().function().dma; }

private:
    doca_error_t check_start() const noexcept override;
    doca_error_t on_start() override;
    doca_error_t check_task(const doca_task &task) noexcept override;
    void run(doca_task &task) noexcept override;
    void flush(doca_task &task, doca_error_t status) noexcept override;
    bool on_withdraw(doca_task &task) noexcept override;
    void report_suspended() noexcept override;

    [[gnu::always_inline]] void deliver(doca_task &task, doca_error_t status,
                                        doca_dma_task_memcpy_completion_cb_t callback) noexcept
    {
        end_flight(task, status);
        callback(static_cast<doca_dma_task_memcpy *>(&task), task.user_data(), user_data());
    }
    [[gnu::noinline]] void run_import(doca_task &task) noexcept;
    [[gnu::noinline]] void run_with_care(doca_task &task) noexcept;
    [[gnu::noinline]] void run_remote(doca_task &task, std::uint64_t num_bytes) noexcept;
    void deliver_success(doca_task &task) noexcept;
    void mark_extra_done() noexcept;
    [[gnu::cold, gnu::noinline]] void fail(doca_task &task, const char *why) noexcept;

    doca_dma_task_memcpy_completion_cb_t on_success_ = nullptr;
    doca_dma_task_memcpy_completion_cb_t on_error_ = nullptr;
    std::optional<softdoca::TypedTaskPool<doca_dma_task_memcpy>> tasks_;
    std::uint32_t num_tasks_ = 0; // 0: not configured
    softdoca::CopyEngine engine_;
    softdoca::RemoteCopy remote_;
};
