// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/dma_setup.hpp"

#include "support/wait_until.hpp"

#include <utility>

namespace softdoca::test {

namespace {

constexpr std::size_t kNumBufs = 1024;

std::string name_of(doca_ctx_states state)
{
    switch (state) {
    case DOCA_CTX_STATE_IDLE:
        return "IDLE";
    case DOCA_CTX_STATE_STARTING:
        return "STARTING";
    case DOCA_CTX_STATE_RUNNING:
        return "RUNNING";
    case DOCA_CTX_STATE_STOPPING:
        return "STOPPING";
    }
    return "?";
}

/// Without the prefix that all have.
std::string name_of(doca_error_t code)
{
    const std::string name = doca_error_get_name(code);
    const std::string prefix = "DOCA_ERROR_";
    return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}

} // namespace

DmaContext::DmaContext(doca_dev *dev, doca_pe *pe, std::uint32_t num_tasks) : pe_(pe)
{
    must(doca_dma_create(dev, &dma_));
    must(configure(num_tasks));
    must(doca_ctx_set_user_data(ctx(), {.ptr = this}));
    must(doca_ctx_set_state_changed_cb(ctx(), changed));
    must(doca_pe_connect_ctx(pe, ctx()));
}

DmaContext::~DmaContext()
{
    if (dma_ != nullptr)
        wind_up();
}

/// Callbacks of the test are over: what they refer to may be gone.
void DmaContext::wind_up()
{
    on_success = on_error = nullptr;
    on_state = nullptr;
    (void)stop();
    EXPECT_TRUE(wait_until(pe_, [this] { return num_inflight() == 0; }));
    while (!tasks_.empty())
        free(*tasks_.begin());
    EXPECT_TRUE(wait_until(pe_, [this] { return state() == DOCA_CTX_STATE_IDLE; }));
    EXPECT_EQ(destroy(), DOCA_SUCCESS);
}

doca_ctx_states DmaContext::state() const
{
    doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    EXPECT_EQ(doca_ctx_get_state(ctx(), &state), DOCA_SUCCESS);
    return state;
}

std::size_t DmaContext::num_inflight() const
{
    std::size_t num = 0;
    EXPECT_EQ(doca_ctx_get_num_inflight_tasks(ctx(), &num), DOCA_SUCCESS);
    return num;
}

doca_error_t DmaContext::configure(std::uint32_t num_tasks) const
{
    return doca_dma_task_memcpy_set_conf(dma_, succeeded, failed, num_tasks);
}

doca_error_t DmaContext::destroy()
{
    const doca_error_t result = doca_dma_destroy(dma_);
    if (result == DOCA_SUCCESS)
        dma_ = nullptr;
    return result;
}

doca_error_t DmaContext::try_alloc(const doca_buf *src, doca_buf *dst, doca_task **task,
                                   doca_data user_data)
{
    doca_dma_task_memcpy *memcpy_task = nullptr;
    const doca_error_t result =
        doca_dma_task_memcpy_alloc_init(dma_, src, dst, user_data, &memcpy_task);
    if (result != DOCA_SUCCESS)
        return result;
    *task = doca_dma_task_memcpy_as_task(memcpy_task);
    tasks_.insert(*task);
    return DOCA_SUCCESS;
}

doca_task *DmaContext::alloc(const doca_buf *src, doca_buf *dst, doca_data user_data)
{
    doca_task *task = nullptr;
    must(try_alloc(src, dst, &task, user_data));
    return task;
}

void DmaContext::free(doca_task *task)
{
    tasks_.erase(task);
    doca_task_free(task);
}

Record DmaContext::take()
{
    return std::exchange(record_, {});
}

void DmaContext::completed(doca_task *task, const std::function<void(doca_task *)> &next)
{
    if (frees_tasks)
        free(std::exchange(task, nullptr));
    if (next)
        next(task);
}

void DmaContext::succeeded(doca_dma_task_memcpy *task, doca_data, doca_data ctx_user_data)
{
    auto &context = *static_cast<DmaContext *>(ctx_user_data.ptr);
    context.record_.push_back("success");
    context.completed(doca_dma_task_memcpy_as_task(task), context.on_success);
}

void DmaContext::failed(doca_dma_task_memcpy *memcpy_task, doca_data, doca_data ctx_user_data)
{
    auto &context = *static_cast<DmaContext *>(ctx_user_data.ptr);
    doca_task *const task = doca_dma_task_memcpy_as_task(memcpy_task);
    context.record_.push_back("error " + name_of(doca_task_get_status(task)));
    context.completed(task, context.on_error);
}

void DmaContext::changed(doca_data user_data, doca_ctx *, doca_ctx_states prev,
                         doca_ctx_states next)
{
    auto &context = *static_cast<DmaContext *>(user_data.ptr);
    context.record_.push_back(name_of(prev) + "->" + name_of(next));
    if (context.on_state)
        context.on_state(prev, next);
}

DmaSetup::DmaSetup(std::uint32_t num_tasks, std::size_t area_len, Start start)
    : src(area_len), dst(area_len), src_mmap(device, src), dst_mmap(device, dst),
      inventory(kNumBufs), context(device, pe, num_tasks)
{
    src.fill(1);
    if (start == Start::now)
        must(context.start());
}

} // namespace softdoca::test
