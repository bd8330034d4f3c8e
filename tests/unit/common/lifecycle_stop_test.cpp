// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Start, stop, flush and restart of a context.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using softdoca::test::DmaContext;
using softdoca::test::DmaSetup;
using softdoca::test::must;
using softdoca::test::Record;
using softdoca::test::SdkLog;
using softdoca::test::Start;
using softdoca::test::text_of;
using softdoca::test::wait_until;

void ignore_task(doca_dma_task_memcpy *, doca_data, doca_data) {}

// ---- start ----

TEST(DocaCtx, StartReportsRunningOnceInsideTheCall)
{
    DmaSetup setup(1, 4096, Start::later);
    doca_ctx_states state_in_callback = DOCA_CTX_STATE_IDLE;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states) {
        state_in_callback = setup.context.state();
    };

    const doca_error_t result = setup.context.start();

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING"}));
    EXPECT_EQ(state_in_callback, DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaCtx, StartWithoutEngineIsNotConnected)
{
    const SdkLog log;
    DmaSetup setup(1, 4096);
    doca_dma *dma = nullptr;
    must(doca_dma_create(setup.device, &dma));
    must(doca_dma_task_memcpy_set_conf(dma, ignore_task, ignore_task, 1));

    EXPECT_EQ(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_ERROR_NOT_CONNECTED);
    EXPECT_EQ(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_ERROR_NOT_CONNECTED);

    EXPECT_EQ(log.count({"[ERR]", text_of(dma), "doca_pe_connect_ctx"}), 1);
    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
}

TEST(DocaCtx, StartThatFailedCanBeRepeatedOnceTheEngineIsThere)
{
    DmaSetup setup(1, 4096);
    doca_dma *dma = nullptr;
    must(doca_dma_create(setup.device, &dma));
    doca_ctx *const ctx = doca_dma_as_ctx(dma);
    must(doca_dma_task_memcpy_set_conf(dma, ignore_task, ignore_task, 1));
    ASSERT_EQ(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED);
    must(doca_pe_connect_ctx(setup.pe, ctx));

    EXPECT_EQ(doca_ctx_start(ctx), DOCA_SUCCESS);

    EXPECT_EQ(doca_ctx_stop(ctx), DOCA_SUCCESS);
    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
}

TEST(DocaCtx, StartWithoutTaskConfigurationNamesTheMissingCall)
{
    const SdkLog log;
    DmaSetup setup(1, 4096);
    doca_dma *dma = nullptr;
    must(doca_dma_create(setup.device, &dma));
    must(doca_pe_connect_ctx(setup.pe, doca_dma_as_ctx(dma)));

    const doca_error_t result = doca_ctx_start(doca_dma_as_ctx(dma));

    EXPECT_EQ(result, DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(log.count({"[ERR]", text_of(dma), "doca_dma_task_memcpy_set_conf"}), 1);
    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
}

// ---- stop ----

TEST(DocaCtx, StopWithoutEngineIsNotConnected)
{
    DmaSetup setup(1, 4096);
    doca_dma *dma = nullptr;
    must(doca_dma_create(setup.device, &dma));

    EXPECT_EQ(doca_ctx_stop(doca_dma_as_ctx(dma)), DOCA_ERROR_NOT_CONNECTED);

    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
}

TEST(DocaCtx, StopInIdleReportsNothing)
{
    DmaSetup setup(1, 4096, Start::later);

    EXPECT_EQ(setup.context.stop(), DOCA_SUCCESS);

    EXPECT_EQ(setup.context.record(), Record{});
}

TEST(DocaCtx, StopWithNothingOutstandingEndsInsideTheCall)
{
    DmaSetup setup(1, 4096);
    (void)setup.context.take();

    const doca_error_t result = setup.context.stop();

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(setup.context.take(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.record(), Record{});
}

TEST(DocaCtx, StopWithATaskInFlightReportsStoppingInsideTheCall)
{
    DmaSetup setup(1, 4096);
    must(doca_task_submit(setup.task()));
    (void)setup.context.take();

    const doca_error_t result = setup.context.stop();

    EXPECT_EQ(result, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(setup.context.take(), (Record{"RUNNING->STOPPING"}));
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_STOPPING);
}

TEST(DocaCtx, StopInStoppingReportsNothingMore)
{
    DmaSetup setup(1, 4096);
    must(doca_task_submit(setup.task()));
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    (void)setup.context.take();

    EXPECT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    EXPECT_EQ(setup.context.record(), Record{});
}

TEST(DocaCtx, StopWaitsForATaskThatIsNotFreed)
{
    DmaSetup setup(1, 4096);
    doca_task *const held = setup.task();
    (void)setup.context.take();

    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.take(), (Record{"RUNNING->STOPPING"}));
    setup.context.free(held);
    EXPECT_EQ(setup.context.record(), Record{}); // not inside free
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaCtx, StopFlushesInTheOrderOfSubmission)
{
    DmaSetup setup(5, 4096);
    std::vector<doca_task *> submitted, flushed;
    setup.context.on_error = [&](doca_task *task) { flushed.push_back(task); };
    for (std::size_t i = 0; i < 5; ++i) {
        submitted.push_back(setup.task(i));
        must(doca_task_submit(submitted.back()));
    }
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    (void)setup.context.take();

    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.record(), Record(5, "error SHUTDOWN"));
    EXPECT_EQ(flushed, submitted);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0); // they are not freed
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_STOPPING);
}

TEST(DocaCtx, FlushedTaskHasCopiedNothing)
{
    DmaSetup setup(1, 4096);
    doca_buf *const dst = setup.destination(0, 64);
    must(doca_task_submit(setup.context.alloc(setup.source(0, 64), dst)));
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    ASSERT_EQ(doca_pe_progress(setup.pe), 1);

    std::size_t data_len = 1;
    EXPECT_EQ(doca_buf_get_data_len(dst, &data_len), DOCA_SUCCESS);
    EXPECT_EQ(data_len, 0u);
    EXPECT_EQ(setup.dst.at(0)[0], std::byte{0});
}

TEST(DocaCtx, WhatWasCopiedBeforeTheStopStaysASuccess)
{
    DmaSetup setup(3, 4096);
    setup.context.frees_tasks = true;
    for (std::size_t i = 0; i < 3; ++i)
        must(doca_task_submit(setup.task(i)));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));

    EXPECT_EQ(setup.context.take(), (Record{"success", "RUNNING->STOPPING", "error SHUTDOWN",
                                            "error SHUTDOWN", "STOPPING->IDLE"}));
}

// ---- a task that fails ----

TEST(DocaCtx, FailedTaskTakesTheContextDown)
{
    DmaSetup setup(3, 4096);
    setup.context.frees_tasks = true;
    must(doca_task_submit(setup.bad_task()));
    must(doca_task_submit(setup.task(1)));
    must(doca_task_submit(setup.task(2)));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"error IO_FAILED", "RUNNING->STOPPING"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"error SHUTDOWN"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"error SHUTDOWN"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaCtx, ErrorCallbackOfTheFailedTaskSeesRunningAndMaySubmit)
{
    DmaSetup setup(2, 4096);
    doca_task *const another = setup.task(1);
    doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    doca_error_t submitted = DOCA_ERROR_UNKNOWN;
    setup.context.on_error = [&](doca_task *task) {
        if (task == another)
            return;
        state = setup.context.state();
        submitted = doca_task_submit(another);
    };
    must(doca_task_submit(setup.bad_task()));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(state, DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(submitted, DOCA_SUCCESS);
    EXPECT_EQ(setup.context.take(),
              (Record{"error IO_FAILED", "RUNNING->STOPPING", "error SHUTDOWN"}));
}

TEST(DocaCtx, StopInTheErrorCallbackReportsStoppingOnce)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    doca_error_t stopped = DOCA_SUCCESS;
    setup.context.on_error = [&](doca_task *) { stopped = setup.context.stop(); };
    must(doca_task_submit(setup.bad_task()));
    (void)setup.context.take();

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));

    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(setup.context.take(),
              (Record{"error IO_FAILED", "RUNNING->STOPPING", "STOPPING->IDLE"}));
}

TEST(DocaCtx, FailedTaskLeavesOtherContextsOfTheEngineAlone)
{
    DmaSetup setup(1, 4096);
    DmaContext other(setup.device, setup.pe, 1);
    must(other.start());
    must(doca_task_submit(setup.bad_task()));
    must(doca_task_submit(other.alloc(setup.source(64, 64), setup.destination(64, 64))));
    (void)other.take();

    EXPECT_TRUE(wait_until(setup.pe, [&] { return !other.record().empty(); }));

    EXPECT_EQ(other.take(), (Record{"success"}));
    EXPECT_EQ(other.state(), DOCA_CTX_STATE_RUNNING);
}

// ---- restart ----

TEST(DocaCtx, RestartAfterAFailureCopies)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    must(doca_task_submit(setup.bad_task()));
    ASSERT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));
    (void)setup.context.take();

    EXPECT_EQ(setup.context.start(), DOCA_SUCCESS);
    must(doca_task_submit(setup.task(3)));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING", "success"}));
    EXPECT_TRUE(setup.is_copied(3 * 64, 64));
}

/// How many tasks can be allocated before the pool is empty; all are freed again.
std::uint32_t pool_size(DmaContext &context)
{
    std::vector<doca_task *> tasks;
    doca_task *task = nullptr;
    while (context.try_alloc(nullptr, nullptr, &task) == DOCA_SUCCESS)
        tasks.push_back(task);
    for (doca_task *each : tasks)
        context.free(each);
    return static_cast<std::uint32_t>(tasks.size());
}

TEST(DocaCtx, RestartTakesTheNewNumberOfTasks)
{
    DmaSetup setup(4, 4096);
    EXPECT_EQ(pool_size(setup.context), 4u);

    for (const std::uint32_t num : {9u, 2u, 2u, 1u, 300u}) {
        must(setup.context.stop());
        EXPECT_EQ(setup.context.configure(num), DOCA_SUCCESS);
        EXPECT_EQ(setup.context.start(), DOCA_SUCCESS);
        EXPECT_EQ(pool_size(setup.context), num);
    }
}

TEST(DocaCtx, LastConfigurationCounts)
{
    DmaSetup setup(4, 4096, Start::later);

    EXPECT_EQ(setup.context.configure(7), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.configure(3), DOCA_SUCCESS);

    must(setup.context.start());
    EXPECT_EQ(pool_size(setup.context), 3u);
}

TEST(DocaCtx, RefusedConfigurationLeavesTheNumberOfTasks)
{
    DmaSetup setup(4, 4096);
    ASSERT_EQ(setup.context.configure(9), DOCA_ERROR_BAD_STATE);
    must(setup.context.stop());
    ASSERT_EQ(setup.context.configure(0), DOCA_ERROR_INVALID_VALUE);

    must(setup.context.start());

    EXPECT_EQ(pool_size(setup.context), 4u);
}

TEST(DocaCtx, ManyRestartsReportTheSameMoves)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    must(setup.context.stop());

    for (int i = 0; i < 50; ++i) {
        (void)setup.context.take();
        must(setup.context.start());
        must(doca_task_submit(setup.task(static_cast<std::size_t>(i))));
        ASSERT_EQ(doca_pe_progress(setup.pe), 1);
        must(setup.context.stop());
        ASSERT_EQ(setup.context.take(),
                  (Record{"IDLE->RUNNING", "success", "RUNNING->STOPPING", "STOPPING->IDLE"}));
    }
}

} // namespace
