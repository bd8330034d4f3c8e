// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Copies by a device.

#pragma once

#include "buffer.hpp"
#include "operation.hpp"

#include <doca_dma.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace doca {

/// What a device can copy.
struct DmaCaps {
    bool is_supported = false;
    std::uint64_t max_buffer_size = 0; ///< bytes of one task
    std::uint32_t max_buffer_list_len = 0;
};

inline result<DmaCaps> dma_caps(std::nothrow_t, DeviceInfo info) noexcept
{
    DmaCaps caps;
    doca_error_t code = doca_dma_cap_task_memcpy_is_supported(info.get());
    if (code == DOCA_ERROR_NOT_SUPPORTED)
        return caps;
    if (code != DOCA_SUCCESS)
        return Failure{code, "doca_dma_cap_task_memcpy_is_supported"};
    caps.is_supported = true;
    code = doca_dma_cap_task_memcpy_get_max_buf_size(info.get(), &caps.max_buffer_size);
    if (code != DOCA_SUCCESS)
        return Failure{code, "doca_dma_cap_task_memcpy_get_max_buf_size"};
    code = doca_dma_cap_task_memcpy_get_max_buf_list_len(info.get(), &caps.max_buffer_list_len);
    if (code != DOCA_SUCCESS)
        return Failure{code, "doca_dma_cap_task_memcpy_get_max_buf_list_len"};
    return caps;
}
inline DmaCaps dma_caps(DeviceInfo info)
{
    return dma_caps(std::nothrow, info).value();
}

struct DmaOptions {
    std::uint32_t num_tasks = 64; ///< copies in flight at a time
};

namespace detail {

class DmaCore final : public ContextCore {
public:
    using Owner = Handle<doca_dma, doca_dma_destroy, "doca_dma_destroy">;
    DmaCore(const Device &device, std::shared_ptr<EngineCore> engine, Owner dma)
        : ContextCore(std::move(engine)), device_(device.shared()), dma_(std::move(dma)),
          operations_(this->engine(), "doca_dma_task_memcpy")
    {
    }

    doca_ctx *ctx() const noexcept override { return doca_dma_as_ctx(dma_.get()); }
    doca_dma *get() const noexcept { return dma_.get(); }
    OperationPool &operations() noexcept { return operations_; }

    result<void> configure(std::uint32_t num_tasks)
    {
        const doca_error_t code =
            doca_dma_task_memcpy_set_conf(dma_.get(), succeeded, failed, num_tasks);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_dma_task_memcpy_set_conf"};
        operations_.allocate(num_tasks);
        return connect();
    }

    template <typename Function>
    result<void> begin(Operation &operation, const doca_buf *src, doca_buf *dst,
                       Function &&function) noexcept
    {
        return operations_.submit(operation, prepare(operation, src, dst),
                                  std::forward<Function>(function));
    }

    template <bool throws>
    auto await(const doca_buf *src, doca_buf *dst) noexcept
    {
        auto begin = [this, src, dst](Operation &operation, auto &&end) noexcept {
            return this->begin(operation, src, dst, std::forward<decltype(end)>(end));
        };
        return OperationAwaiter<throws, decltype(begin)>(operations_, begin);
    }

private:
    using Task = doca_dma_task_memcpy;

    result<void> prepare(Operation &operation, const doca_buf *src, doca_buf *dst) noexcept
    {
        if (operation.task != nullptr) {
            if (operation.src != src || operation.dst != dst) [[unlikely]]
                aim(operation, src, dst);
            return {};
        }
        Task *task = nullptr;
        const doca_error_t code =
            doca_dma_task_memcpy_alloc_init(dma_.get(), src, dst, {.ptr = &operation}, &task);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_dma_task_memcpy_alloc_init"};
        operation.typed_task = task;
        operation.task = doca_dma_task_memcpy_as_task(task);
        operation.src = src;
        operation.dst = dst;
        return {};
    }

    [[gnu::noinline]] static void aim(Operation &operation, const doca_buf *src,
                                      doca_buf *dst) noexcept
    {
        Task *const task = static_cast<Task *>(operation.typed_task);
        doca_dma_task_memcpy_set_src(task, src);
        doca_dma_task_memcpy_set_dst(task, dst);
        operation.src = src;
        operation.dst = dst;
    }

    static void succeeded(Task *, doca_data operation, doca_data) noexcept
    {
        OperationPool::ended(*static_cast<Operation *>(operation.ptr), DOCA_SUCCESS);
    }
    static void failed(Task *task, doca_data operation, doca_data) noexcept
    {
        OperationPool::ended(*static_cast<Operation *>(operation.ptr),
                             doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
    }

    void release_tasks() noexcept override { operations_.free_tasks(); }
    void on_state(doca_ctx_states state) noexcept override
    {
        operations_.keep_tasks(state == DOCA_CTX_STATE_RUNNING);
        if (state == DOCA_CTX_STATE_STOPPING || state == DOCA_CTX_STATE_IDLE)
            operations_.fail_waiters({DOCA_ERROR_SHUTDOWN, "doca_dma_task_memcpy"});
    }

    std::shared_ptr<doca_dev> device_; // closes after the context
    Owner dma_;
    OperationPool operations_;
};

} // namespace detail

/// A DMA context, started. A failed copy takes it out of RUNNING: start() it again when idle().
class Dma : public Context<detail::DmaCore> {
public:
    static result<Dma> create(std::nothrow_t, const Device &device, const ProgressEngine &engine,
                              DmaOptions options = {}) noexcept
    {
        auto dma = detail::make<Core::Owner>("doca_dma_create", doca_dma_create, device.get());
        if (!dma)
            return dma.failure();
        return detail::no_throw([&]() -> result<Dma> {
            const auto core = detail::share(new Core(device, engine.core(), *std::move(dma)));
            auto done = core->configure(options.num_tasks);
            if (done)
                done = core->start();
            if (!done)
                return done.failure();
            return Dma(core);
        });
    }
    Dma(const Device &device, const ProgressEngine &engine, DmaOptions options = {})
        : Dma(create(std::nothrow, device, engine, options).value())
    {
    }

    /// co_await: copies the data of src behind the data of dst. Buffers and memory must be there
    /// until it has ended, also if nobody waits any more. Waits for its turn if all tasks are in
    /// flight.
    auto memcpy(const Buffer &src, Buffer &dst) noexcept
    {
        return core_->await<true>(src.get(), dst.get());
    }
    /// The same, resuming with a result<void>.
    auto memcpy(std::nothrow_t, const Buffer &src, Buffer &dst) noexcept
    {
        return core_->await<false>(src.get(), dst.get());
    }
    /// The same with a callback, which gets a result<void> from within progress(). What it throws
    /// ends the program. DOCA_ERROR_NO_MEMORY if all tasks are in flight.
    template <typename Function>
    result<void> memcpy(std::nothrow_t, const Buffer &src, Buffer &dst,
                        Function &&function) noexcept
    {
        detail::Operation *const operation = core_->operations().take();
        if (operation == nullptr)
            return Failure{DOCA_ERROR_NO_MEMORY, "doca_dma_task_memcpy_alloc_init"};
        return core_->begin(*operation, src.get(), dst.get(), std::forward<Function>(function));
    }
    template <typename Function>
    void memcpy(const Buffer &src, Buffer &dst, Function &&function)
    {
        memcpy(std::nothrow, src, dst, std::forward<Function>(function)).value();
    }

    /// For calls of the C API that have no function here.
    doca_dma *get() const noexcept { return core_->get(); }

private:
    using Core = detail::DmaCore;
    explicit Dma(std::shared_ptr<Core> core) noexcept : Context(std::move(core)) {}
};

} // namespace doca
