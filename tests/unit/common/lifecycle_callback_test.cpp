// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a callback may do.

#include "support/dma_setup.hpp"
#include "support/wait_until.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace {

using softdoca::test::DmaContext;
using softdoca::test::DmaSetup;
using softdoca::test::must;
using softdoca::test::Pe;
using softdoca::test::Record;
using softdoca::test::Start;
using softdoca::test::wait_until;

// ---- state callbacks ----

TEST(DocaCtxCallback, RunningCallbackMaySubmit)
{
    DmaSetup setup(4, 4096, Start::later);
    std::vector<doca_error_t> submitted;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next != DOCA_CTX_STATE_RUNNING)
            return;
        for (std::size_t i = 0; i < 4; ++i)
            submitted.push_back(doca_task_submit(setup.task(i)));
    };

    const doca_error_t result = setup.context.start();

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(submitted, std::vector<doca_error_t>(4, DOCA_SUCCESS));
    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING"})); // nothing completes in submit
    EXPECT_EQ(setup.context.num_inflight(), 4u);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), Record(4, "success"));
}

TEST(DocaCtxCallback, RunningCallbackMayStop)
{
    DmaSetup setup(1, 4096, Start::later);
    doca_error_t stopped = DOCA_SUCCESS;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_RUNNING)
            stopped = setup.context.stop();
    };

    const doca_error_t result = setup.context.start();

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING", "RUNNING->STOPPING"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
}

TEST(DocaCtxCallback, IdleCallbackInsideStopMayDestroy)
{
    DmaSetup setup(1, 4096);
    doca_error_t destroyed = DOCA_ERROR_UNKNOWN;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_IDLE)
            destroyed = setup.context.destroy();
    };

    const doca_error_t result = doca_ctx_stop(setup.ctx());

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(destroyed, DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
}

TEST(DocaCtxCallback, IdleCallbackInsideProgressMayDestroy)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    doca_error_t destroyed = DOCA_ERROR_UNKNOWN;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_IDLE)
            destroyed = setup.context.destroy();
    };
    must(doca_task_submit(setup.task()));
    ASSERT_EQ(doca_ctx_stop(setup.ctx()), DOCA_ERROR_IN_PROGRESS);

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(destroyed, DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
}

TEST(DocaCtxCallback, StoppingCallbackMayNotDestroy)
{
    DmaSetup setup(1, 4096);
    doca_error_t destroyed = DOCA_SUCCESS;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_STOPPING)
            destroyed = doca_dma_destroy(setup.context.dma());
    };

    EXPECT_EQ(setup.context.stop(), DOCA_SUCCESS);

    EXPECT_EQ(destroyed, DOCA_ERROR_IN_USE);
}

TEST(DocaCtxCallback, StoppingCallbackMayFreeTheHeldTasks)
{
    DmaSetup setup(1, 4096);
    doca_task *const held = setup.task();
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_STOPPING)
            setup.context.free(held);
    };
    (void)setup.context.take();

    (void)setup.context.stop(); // IN_PROGRESS or SUCCESS: the references leave it open

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));
    EXPECT_EQ(setup.context.take(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
}

TEST(DocaCtxCallback, IdleCallbackMayStartAgain)
{
    DmaSetup setup(1, 4096);
    doca_error_t started = DOCA_ERROR_UNKNOWN;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_IDLE)
            started = setup.context.start();
    };
    (void)setup.context.take();

    EXPECT_EQ(setup.context.stop(), DOCA_SUCCESS);

    EXPECT_EQ(started, DOCA_SUCCESS);
    EXPECT_EQ(setup.context.take(),
              (Record{"RUNNING->STOPPING", "STOPPING->IDLE", "IDLE->RUNNING"}));
    must(doca_task_submit(setup.task()));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"success"}));
    setup.context.on_state = nullptr;
}

TEST(DocaCtxCallback, CallbackGetsTheUserDataOfItsOwnTime)
{
    DmaSetup setup(1, 4096);
    static std::uint64_t seen;
    seen = 0;
    must(doca_ctx_set_state_changed_cb(setup.ctx(),
                                       [](doca_data user_data, doca_ctx *, doca_ctx_states,
                                          doca_ctx_states) { seen = user_data.u64; }));
    must(doca_ctx_set_user_data(setup.ctx(), {.u64 = 12}));

    must(setup.context.stop());

    EXPECT_EQ(seen, 12u);
}

// ---- completion callbacks ----

TEST(DocaCtxCallback, LastCompletionMayFreeAndStop)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    doca_error_t stopped = DOCA_SUCCESS;
    setup.context.on_success = [&](doca_task *) { stopped = setup.context.stop(); };
    must(doca_task_submit(setup.task()));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(setup.context.take(), (Record{"success", "RUNNING->STOPPING"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
}

TEST(DocaCtxCallback, CompletionMaySubmitItsTaskAgain)
{
    DmaSetup setup(1, 4096);
    doca_buf *const dst = setup.destination(0, 3 * 64);
    int num_left = 2;
    setup.context.on_success = [&](doca_task *task) {
        if (num_left-- > 0) {
            EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
        }
    };
    must(doca_task_submit(setup.context.alloc(setup.source(0, 64), dst)));
    (void)setup.context.take();

    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.take(), Record(3, "success"));
    std::size_t data_len = 0;
    EXPECT_EQ(doca_buf_get_data_len(dst, &data_len), DOCA_SUCCESS);
    EXPECT_EQ(data_len, 3 * 64u); // appended each time
}

TEST(DocaCtxCallback, CompletionMayAllocateFromThePlaceItFreed)
{
    DmaSetup setup(1, 4096);
    setup.context.frees_tasks = true;
    doca_error_t allocated = DOCA_ERROR_UNKNOWN;
    doca_task *fresh = nullptr;
    setup.context.on_success = [&](doca_task *) {
        allocated = setup.context.try_alloc(nullptr, nullptr, &fresh);
    };
    must(doca_task_submit(setup.task()));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(allocated, DOCA_SUCCESS);
}

TEST(DocaCtxCallback, FinishingTaskIsNoLongerInFlight)
{
    DmaSetup setup(2, 4096);
    std::vector<std::size_t> counts;
    setup.context.on_success = [&](doca_task *) {
        std::size_t num_in_engine = 99;
        EXPECT_EQ(doca_pe_get_num_inflight_tasks(setup.pe, &num_in_engine), DOCA_SUCCESS);
        counts.push_back(setup.context.num_inflight());
        counts.push_back(num_in_engine);
    };
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(counts, (std::vector<std::size_t>{1, 1, 0, 0}));
}

TEST(DocaCtxCallback, BuffersMayBeReturnedBeforeTheTaskIsFreed)
{
    DmaSetup setup(1, 4096);
    doca_buf *const src = setup.source(0, 64);
    doca_buf *const dst = setup.destination(0, 64);
    const std::uint32_t num_free = setup.inventory.num_free();
    setup.context.on_success = [&](doca_task *task) {
        EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
        EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
        setup.context.free(task);
    };
    must(doca_task_submit(setup.context.alloc(src, dst)));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.inventory.num_free(), num_free + 2);
}

// ---- the engine inside callbacks ----

TEST(DocaPeCallback, ProgressInsideAnyCallbackReturnsZero)
{
    DmaSetup setup(3, 4096, Start::later);
    std::vector<int> nested;
    const auto progress = [&] { nested.push_back(doca_pe_progress(setup.pe)); };
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states) { progress(); };
    setup.context.on_success = setup.context.on_error = [&](doca_task *) { progress(); };
    must(setup.context.start());
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.bad_task()));
    must(doca_task_submit(setup.task(2)));
    (void)setup.context.take();

    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(),
              (Record{"success", "error IO_FAILED", "RUNNING->STOPPING", "error SHUTDOWN"}));
    EXPECT_EQ(nested, std::vector<int>(5, 0)); // IDLE->RUNNING too
    setup.context.on_state = nullptr;
}

TEST(DocaPeCallback, ProgressOfAnotherEngineWorks)
{
    DmaSetup setup(1, 4096);
    const Pe another_pe;
    DmaContext another(setup.device, another_pe, 1);
    must(another.start());
    must(doca_task_submit(another.alloc(setup.source(64, 64), setup.destination(64, 64))));
    int progressed = -1;
    setup.context.on_success = [&](doca_task *) { progressed = doca_pe_progress(another_pe); };
    must(doca_task_submit(setup.task()));
    (void)another.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(progressed, 1);
    EXPECT_EQ(another.take(), (Record{"success"}));
}

TEST(DocaPeCallback, EngineMayNotBeDestroyed)
{
    DmaSetup setup(1, 4096);
    doca_error_t with_ctx = DOCA_SUCCESS, without_ctx = DOCA_SUCCESS;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next != DOCA_CTX_STATE_IDLE)
            return;
        with_ctx = doca_pe_destroy(setup.pe);
        EXPECT_EQ(setup.context.destroy(), DOCA_SUCCESS);
        without_ctx = doca_pe_destroy(setup.pe);
    };

    EXPECT_EQ(doca_ctx_stop(setup.ctx()), DOCA_SUCCESS);

    EXPECT_EQ(with_ctx, DOCA_ERROR_IN_USE);
    EXPECT_EQ(without_ctx, DOCA_ERROR_IN_USE);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
}

TEST(DocaPeCallback, AnotherContextOfTheEngineMayBeStartedAndStopped)
{
    DmaSetup setup(2, 4096);
    DmaContext other(setup.device, setup.pe, 1);
    std::vector<doca_error_t> results;
    int num_calls = 0;
    setup.context.on_success = [&](doca_task *) {
        results.push_back(++num_calls == 1 ? other.start() : other.stop());
    };
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(other.take(), (Record{"IDLE->RUNNING"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(other.take(), (Record{"RUNNING->STOPPING"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(other.take(), (Record{"STOPPING->IDLE"}));

    EXPECT_EQ(results, (std::vector<doca_error_t>{DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS}));
}

TEST(DocaPeCallback, CallbackInsideACallbackEndsOnlyItself)
{
    DmaSetup setup(2, 4096);
    DmaContext other(setup.device, setup.pe, 1);
    int progressed = -1;
    doca_error_t stopped = DOCA_SUCCESS;
    setup.context.on_success = [&](doca_task *) {
        EXPECT_EQ(other.start(), DOCA_SUCCESS); // runs the state callback
        progressed = doca_pe_progress(setup.pe);
        stopped = other.stop();
    };
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(progressed, 0);
    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    setup.context.on_success = nullptr;
}

TEST(DocaPeCallback, ContextOfAnotherEngineStopsInsideTheCall)
{
    DmaSetup setup(1, 4096);
    const Pe another_pe;
    DmaContext other(setup.device, another_pe, 1);
    must(other.start());
    doca_error_t stopped = DOCA_ERROR_UNKNOWN;
    setup.context.on_success = [&](doca_task *) { stopped = other.stop(); };
    must(doca_task_submit(setup.task()));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(stopped, DOCA_SUCCESS);
    EXPECT_EQ(other.take(), (Record{"IDLE->RUNNING", "RUNNING->STOPPING", "STOPPING->IDLE"}));
}

TEST(DocaPeCallback, AnotherIdleContextMayBeDestroyedAndANewOneConnected)
{
    DmaSetup setup(1, 4096);
    DmaContext idle(setup.device, setup.pe, 1);
    std::unique_ptr<DmaContext> fresh;
    doca_error_t destroyed = DOCA_ERROR_UNKNOWN, started = DOCA_ERROR_UNKNOWN;
    setup.context.on_success = [&](doca_task *) {
        destroyed = idle.destroy();
        fresh = std::make_unique<DmaContext>(setup.device, setup.pe, 1);
        started = fresh->start();
    };
    must(doca_task_submit(setup.task()));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(destroyed, DOCA_SUCCESS);
    EXPECT_EQ(started, DOCA_SUCCESS);
    must(doca_task_submit(fresh->alloc(setup.source(64, 64), setup.destination(64, 64))));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(fresh->take(), (Record{"IDLE->RUNNING", "success"}));
}

} // namespace
