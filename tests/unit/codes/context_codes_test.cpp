// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The codes of calls on contexts, tasks and progress engines. In which states each call is allowed,
// the lifecycle tests go through cell by cell; here each code stands beside its call.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <sys/resource.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

using Size = Untouched<std::size_t>;
using Data = Untouched<doca_data>;

/// A DMA context that is connected to nothing, next to one that runs.
class ContextCodes : public testing::Test {
protected:
    ContextCodes() { must(doca_dma_create(setup_.device, dma_.out())); }

    doca_ctx *running() const { return setup_.ctx(); }
    doca_ctx *idle() const { return doca_dma_as_ctx(dma_); }
    std::size_t num_inflight() const
    {
        std::size_t num = 7;
        EXPECT_EQ(doca_pe_get_num_inflight_tasks(setup_.pe, &num), DOCA_SUCCESS);
        return num;
    }

    DmaSetup setup_{2};
    Handle<doca_dma, doca_dma_destroy> dma_;
    Pe other_pe_;
    char place_ = 0;
    doca_gpu *const gpu_ = reinterpret_cast<doca_gpu *>(&place_); // no call looks into them
    doca_dpa *const dpa_ = reinterpret_cast<doca_dpa *>(&place_);
};

/// As long as it lives no descriptor can be opened.
class NoDescriptors {
public:
    NoDescriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{0, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors &) = delete;
    NoDescriptors &operator=(const NoDescriptors &) = delete;

private:
    rlimit before_{};
};

/// A program in C may give any number, which in C++ is undefined.
__attribute__((no_sanitize("undefined"))) doca_error_t set_event_mode_as_in_c(doca_pe *pe,
                                                                              int number)
{
    doca_pe_event_mode mode{};
    static_assert(sizeof mode == sizeof number);
    std::memcpy(&mode, &number, sizeof mode);
    return doca_pe_set_event_mode(pe, mode);
}

} // namespace

TEST_F(ContextCodes, NullIsNoContext)
{
    EXPECT_EQ(doca_ctx_start(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_num_inflight_tasks(nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_num_inflight_tasks(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_datapath_on_gpu(nullptr, gpu_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_datapath_on_gpu(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_datapath_on_dpa(nullptr, dpa_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_datapath_on_dpa(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_user_data(nullptr, {}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_user_data(nullptr, Data()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_user_data(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_state_changed_cb(
                  nullptr, [](doca_data, doca_ctx *, doca_ctx_states, doca_ctx_states) {}),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_state_changed_cb(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_state(nullptr, Untouched<doca_ctx_states>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_get_state(idle(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_completion_vector(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_profiler_set_max_nranges(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    doca_ctx_flush_tasks(nullptr);
}

TEST_F(ContextCodes, NullIsNoProgressEngine)
{
    using Descriptor = Untouched<doca_notification_handle_t>;

    EXPECT_EQ(doca_pe_create(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_progress(nullptr), 0);
    EXPECT_EQ(doca_pe_get_notification_handle(nullptr, Descriptor()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_get_notification_handle(other_pe_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_request_notification(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_clear_notification(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_get_num_inflight_tasks(nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_get_num_inflight_tasks(other_pe_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_connect_ctx(nullptr, idle()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_connect_ctx(other_pe_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_pe_set_event_mode(nullptr, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ContextCodes, NullIsNoTask)
{
    EXPECT_EQ(doca_task_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit_ex(nullptr, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_try_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_get_status(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_get_user_data(nullptr).u64, 0u);
    EXPECT_EQ(doca_task_get_ctx(nullptr), nullptr);
    doca_task_set_user_data(nullptr, {});
    doca_task_free(nullptr);
}

TEST_F(ContextCodes, StartNeedsAnEngineAndIdle)
{
    EXPECT_EQ(doca_ctx_start(idle()), DOCA_ERROR_NOT_CONNECTED);
    EXPECT_EQ(doca_ctx_start(running()), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(setup_.context.state(), DOCA_CTX_STATE_RUNNING);
}

TEST_F(ContextCodes, StopNeedsAnEngineAndWaitsForTasks)
{
    EXPECT_EQ(doca_ctx_stop(idle()), DOCA_ERROR_NOT_CONNECTED);

    doca_task *const task = setup_.task();
    EXPECT_EQ(doca_ctx_stop(running()), DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(doca_ctx_stop(running()), DOCA_ERROR_IN_PROGRESS);
    setup_.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(doca_ctx_stop(running()), DOCA_SUCCESS) << "IDLE already";
}

TEST_F(ContextCodes, OtherDataPathsAreNotOffered)
{
    EXPECT_EQ(doca_ctx_set_datapath_on_gpu(idle(), gpu_), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_ctx_set_datapath_on_dpa(idle(), dpa_), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_ctx_set_datapath_on_gpu(running(), gpu_), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_ctx_set_datapath_on_dpa(running(), dpa_), DOCA_ERROR_BAD_STATE);
}

TEST_F(ContextCodes, ThereIsOneCompletionVector)
{
    std::uint32_t num = 0;
    EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(setup_.device.info(), &num), DOCA_SUCCESS);
    EXPECT_EQ(num, 1u);
    EXPECT_EQ(doca_ctx_set_completion_vector(idle(), 0), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_set_completion_vector(idle(), 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_completion_vector(running(), 0), DOCA_ERROR_BAD_STATE);
}

TEST_F(ContextCodes, ProfilingIsConfiguredInIdle)
{
    EXPECT_EQ(doca_ctx_profiler_set_max_nranges(idle(), 128), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_profiler_set_max_nranges(running(), 128), DOCA_ERROR_BAD_STATE);
}

TEST_F(ContextCodes, AContextHasOneEngineForLife)
{
    EXPECT_EQ(doca_pe_connect_ctx(other_pe_, running()), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_pe_connect_ctx(setup_.pe, running()), DOCA_ERROR_BAD_STATE);
    must(setup_.context.stop());
    EXPECT_EQ(doca_pe_connect_ctx(other_pe_, running()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_pe_connect_ctx(setup_.pe, running()), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(other_pe_.destroy(), DOCA_SUCCESS) << "nothing is connected to it";
    EXPECT_EQ(setup_.context.start(), DOCA_SUCCESS);
}

TEST_F(ContextCodes, AnEngineWithContextsIsNotDestroyed)
{
    EXPECT_EQ(doca_pe_destroy(setup_.pe), DOCA_ERROR_IN_USE);
    must(setup_.context.stop());
    EXPECT_EQ(doca_pe_destroy(setup_.pe), DOCA_ERROR_IN_USE) << "also when they are IDLE";

    must(setup_.context.start());
    must(doca_task_submit(setup_.task()));
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
}

TEST_F(ContextCodes, EventModesAreTwo)
{
    EXPECT_EQ(doca_pe_set_event_mode(setup_.pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_set_event_mode(setup_.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL), DOCA_SUCCESS);
    EXPECT_EQ(set_event_mode_as_in_c(setup_.pe, 2), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ContextCodes, WithoutDescriptorsThereIsNoHandle)
{
    using Descriptor = Untouched<doca_notification_handle_t>;
    {
        const NoDescriptors none;
        EXPECT_EQ(doca_pe_get_notification_handle(setup_.pe, Descriptor()),
                  DOCA_ERROR_OPERATING_SYSTEM);
        EXPECT_EQ(doca_pe_request_notification(setup_.pe), DOCA_ERROR_OPERATING_SYSTEM);
        EXPECT_EQ(doca_pe_clear_notification(setup_.pe, 0), DOCA_SUCCESS) << "nothing to clear";
    }

    doca_notification_handle_t handle = -1;
    EXPECT_EQ(doca_pe_get_notification_handle(setup_.pe, &handle), DOCA_SUCCESS);
    EXPECT_GE(handle, 0);
    EXPECT_EQ(doca_pe_request_notification(setup_.pe), DOCA_SUCCESS);
}

TEST_F(ContextCodes, ADescriptorThatTheProgramClosedCannotBeCleared)
{
    doca_notification_handle_t handle = -1;
    must(doca_pe_get_notification_handle(other_pe_, &handle));
    ASSERT_EQ(::close(handle), 0);

    EXPECT_EQ(doca_pe_clear_notification(other_pe_, 0), DOCA_ERROR_OPERATING_SYSTEM);
    EXPECT_EQ(doca_pe_request_notification(other_pe_), DOCA_ERROR_OPERATING_SYSTEM);
}

TEST_F(ContextCodes, ASubmitThatIsRefusedChangesNoCounter)
{
    doca_task *const task = setup_.task();
    must(doca_task_submit(task));

    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(num_inflight(), 1u);
    EXPECT_EQ(setup_.context.num_inflight(), 1u);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(num_inflight(), 0u);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 0);
}
