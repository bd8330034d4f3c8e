// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The life of a task: who has it when, and what happens to those who forget.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::must;
using softdoca::test::Record;
using softdoca::test::SdkLog;
using softdoca::test::text_of;
using softdoca::test::wait_until;

// ---- freed while in flight ----

TEST(DocaTask, FreeInFlightWithdrawsWithoutACallback)
{
    DmaSetup setup(1, 4096);
    doca_task *const task = setup.task();
    must(doca_task_submit(task));
    (void)setup.context.take();

    setup.context.free(task);

    EXPECT_EQ(setup.context.num_inflight(), 0u);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.record(), Record{});
    EXPECT_EQ(setup.dst.at(0)[0], std::byte{0});
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_RUNNING);
}

TEST(DocaTask, FreeInFlightWarnsOnceForTheContext)
{
    const SdkLog log;
    DmaSetup setup(3, 4096);
    for (std::size_t i = 0; i < 3; ++i) {
        doca_task *const task = setup.task(i);
        must(doca_task_submit(task));
        setup.context.free(task);
    }

    EXPECT_EQ(log.count({"[WRN]", text_of(setup.context.dma()), "withdrawn"}), 1);
}

TEST(DocaTask, FreeInFlightGivesTheBuffersBack)
{
    DmaSetup setup(1, 4096);
    const std::uint32_t num_free = setup.inventory.num_free();
    doca_buf *const src = setup.source(0, 64);
    doca_buf *const dst = setup.destination(0, 64);
    doca_task *const task = setup.context.alloc(src, dst);
    must(doca_task_submit(task));

    setup.context.free(task);

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(setup.inventory.num_free(), num_free);
    EXPECT_EQ(doca_mmap_stop(setup.dst_mmap), DOCA_SUCCESS);
}

TEST(DocaTask, FreeInFlightLeavesTheOrderOfTheOthers)
{
    for (std::size_t withdrawn = 0; withdrawn < 4; ++withdrawn) {
        DmaSetup setup(4, 4096);
        std::vector<doca_task *> tasks, done;
        setup.context.on_success = [&](doca_task *task) { done.push_back(task); };
        for (std::size_t i = 0; i < 4; ++i) {
            tasks.push_back(setup.task(i));
            must(doca_task_submit(tasks.back()));
        }

        setup.context.free(tasks[withdrawn]);
        tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(withdrawn));
        tasks.push_back(setup.task(9)); // behind the one that was withdrawn, perhaps the last
        must(doca_task_submit(tasks.back()));

        for (int i = 0; i < 4; ++i)
            EXPECT_EQ(doca_pe_progress(setup.pe), 1);
        EXPECT_EQ(done, tasks) << "withdrawn " << withdrawn;
        EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    }
}

TEST(DocaTask, FreeInFlightInStoppingLetsTheContextBecomeIdle)
{
    DmaSetup setup(2, 4096);
    doca_task *const first = setup.task(0);
    doca_task *const second = setup.task(1);
    must(doca_task_submit(first));
    must(doca_task_submit(second));
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    (void)setup.context.take();

    setup.context.free(first);
    setup.context.free(second);

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
}

TEST(DocaTask, FreeOfAnotherTaskInACallbackWithdrawsIt)
{
    DmaSetup setup(2, 4096);
    doca_task *const first = setup.task(0);
    doca_task *const second = setup.task(1);
    setup.context.on_success = [&](doca_task *) { setup.context.free(second); };
    must(doca_task_submit(first));
    must(doca_task_submit(second));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.take(), (Record{"success"}));
}

// ---- freed twice, used afterwards ----

TEST(DocaTask, DoubleFreeIsIgnoredWithOneWarning)
{
    const SdkLog log;
    DmaSetup setup(2, 4096);
    doca_task *const task = setup.task();

    setup.context.free(task);
    doca_task_free(task);
    doca_task_free(task);

    EXPECT_EQ(log.count({"[WRN]", text_of(task), text_of(setup.context.dma())}), 1);
    // The pool still gives two different tasks and no third.
    doca_task *first = nullptr, *second = nullptr, *third = nullptr;
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &first), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &second), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &third), DOCA_ERROR_NO_MEMORY);
    EXPECT_NE(first, second);
}

TEST(DocaTask, FreedTaskCannotBeSubmitted)
{
    DmaSetup setup(1, 4096);
    doca_task *const task = setup.task();
    setup.context.free(task);

    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaTask, SubmitTwiceIsRefusedAndNamesTheTask)
{
    const SdkLog log;
    DmaSetup setup(1, 4096);
    doca_task *const task = setup.task();
    must(doca_task_submit(task));
    (void)setup.context.take();

    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(setup.context.num_inflight(), 1u);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.take(), (Record{"success"}));
    EXPECT_EQ(log.count({"[ERR]", text_of(task), "in flight"}), 1);
}

TEST(DocaTask, StaleTaskOfAnEarlierRunIsRecognised)
{
    DmaSetup setup(2, 4096);
    doca_task *const stale = setup.task();
    setup.context.free(stale);
    must(setup.context.stop());

    EXPECT_EQ(doca_task_submit(stale), DOCA_ERROR_BAD_STATE);
    doca_task_free(stale);
    must(setup.context.start());
    EXPECT_EQ(doca_task_submit(stale), DOCA_ERROR_BAD_STATE);
    doca_task_free(stale);

    EXPECT_EQ(setup.context.num_inflight(), 0u);
    EXPECT_EQ(setup.context.stop(), DOCA_SUCCESS); // the count of tasks is right
}

TEST(DocaTask, TaskStaysTheProgramsWhenItsSubmitIsRefused)
{
    DmaSetup setup(1, 4096);
    doca_task *const task = setup.task();
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    ASSERT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(setup.context.num_inflight(), 0u);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0); // it is still held
    setup.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_IDLE);
}

// ---- ways to submit ----

TEST(DocaTask, EveryFlagOfSubmitExRunsTheTask)
{
    for (const std::uint32_t flags :
         {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) { // FLUSH, OPTIMIZE_REPORTS, RANGE_PROFILING
        DmaSetup setup(1, 4096);
        must(doca_task_submit_ex(setup.task(), flags));
        (void)setup.context.take();

        EXPECT_EQ(doca_pe_progress(setup.pe), 1) << flags;

        EXPECT_EQ(setup.context.take(), (Record{"success"})) << flags;
    }
}

TEST(DocaTask, SubmitWithoutFlushIsMentionedOnceAtDebug)
{
    const SdkLog log;
    DmaSetup setup(2, 4096);

    must(doca_task_submit_ex(setup.task(0), DOCA_TASK_SUBMIT_FLAG_NONE));
    must(doca_task_submit_ex(setup.task(1), DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS));

    EXPECT_EQ(log.count({"[DBG]", text_of(setup.context.dma()), "FLUSH"}), 1);
}

TEST(DocaTask, FlushTasksDeliversNothingItself)
{
    DmaSetup setup(2, 4096);
    must(doca_task_submit_ex(setup.task(0), DOCA_TASK_SUBMIT_FLAG_NONE));
    must(doca_task_submit_ex(setup.task(1), DOCA_TASK_SUBMIT_FLAG_NONE));
    (void)setup.context.take();

    doca_ctx_flush_tasks(setup.ctx());

    EXPECT_EQ(setup.context.record(), Record{});
    EXPECT_EQ(setup.context.num_inflight(), 2u);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), Record(2, "success"));
}

TEST(DocaTask, SubmitCopiesNothingBeforeProgress)
{
    DmaSetup setup(1, 4096);

    must(doca_task_submit(setup.task()));

    EXPECT_EQ(setup.dst.at(0)[0], std::byte{0});
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_TRUE(setup.is_copied(0, 64));
}

TEST(DocaTask, TasksOfAContextCompleteInOrder)
{
    DmaSetup setup(64, 8192);
    std::vector<doca_task *> submitted, done;
    setup.context.on_success = [&](doca_task *task) { done.push_back(task); };
    for (std::size_t i = 0; i < 64; ++i) {
        submitted.push_back(setup.task(i));
        must(doca_task_submit(submitted.back()));
    }

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

    EXPECT_EQ(done, submitted);
}

// ---- what a task tells ----

TEST(DocaTask, StatusFollowsItsLife)
{
    DmaSetup setup(3, 4096);
    doca_task *const good = setup.task(0);
    doca_task *const bad = setup.bad_task();
    doca_task *const flushed = setup.task(1);
    EXPECT_EQ(doca_task_get_status(good), DOCA_SUCCESS); // never submitted
    for (doca_task *task : {good, bad, flushed})
        must(doca_task_submit(task));

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

    EXPECT_EQ(doca_task_get_status(good), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_get_status(bad), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(doca_task_get_status(flushed), DOCA_ERROR_SHUTDOWN);
}

TEST(DocaTask, CallbackGetsTheUserDataSetLast)
{
    DmaSetup setup(1, 4096);
    std::vector<std::uint64_t> seen;
    setup.context.on_success = [&](doca_task *task) {
        seen.push_back(doca_task_get_user_data(task).u64);
    };
    doca_task *const task =
        setup.context.alloc(setup.source(0, 64), setup.destination(0, 128), {.u64 = 1});
    EXPECT_EQ(doca_task_get_user_data(task).u64, 1u);
    must(doca_task_submit(task));
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);

    doca_task_set_user_data(task, {.u64 = 2});
    must(doca_task_submit(task));
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
}

TEST(DocaTask, KnowsItsContext)
{
    DmaSetup setup(1, 4096);

    EXPECT_EQ(doca_task_get_ctx(setup.task()), setup.ctx());
}

// ---- buffers ----

TEST(DocaTask, BuffersMayBeSetAfterTheAllocation)
{
    DmaSetup setup(1, 4096);
    doca_dma_task_memcpy *task = nullptr;
    must(doca_dma_task_memcpy_alloc_init(setup.context.dma(), nullptr, nullptr, {}, &task));
    doca_buf *const src = setup.source(64, 64);
    doca_buf *const dst = setup.destination(64, 64);
    EXPECT_EQ(doca_dma_task_memcpy_get_src(task), nullptr);
    EXPECT_EQ(doca_dma_task_memcpy_get_dst(task), nullptr);

    doca_dma_task_memcpy_set_src(task, src);
    doca_dma_task_memcpy_set_dst(task, dst);

    EXPECT_EQ(doca_dma_task_memcpy_get_src(task), src);
    EXPECT_EQ(doca_dma_task_memcpy_get_dst(task), dst);
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_TRUE(setup.is_copied(64, 64));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

TEST(DocaTask, BuffersReleasedInFlightStillServeTheCopy)
{
    DmaSetup setup(1, 4096);
    const std::uint32_t num_free = setup.inventory.num_free();
    doca_buf *const src = setup.source(0, 64);
    doca_buf *const dst = setup.destination(0, 64);
    must(doca_task_submit(setup.context.alloc(src, dst)));
    (void)setup.context.take();

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(setup.inventory.num_free(), num_free - 2); // not while they are used

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), (Record{"success"}));
    EXPECT_TRUE(setup.is_copied(0, 64));
    EXPECT_EQ(setup.inventory.num_free(), num_free);
}

TEST(DocaTask, BufferReleasedInFlightWarnsOnce)
{
    const SdkLog log;
    DmaSetup setup(1, 4096);
    doca_buf *const src = setup.source(0, 64);
    must(doca_task_submit(setup.context.alloc(src, setup.destination(0, 64))));

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(log.count({"[WRN]", text_of(src)}), 1);
}

TEST(DocaTask, BuffersReleasedInFlightWarnOnceInAll)
{
    const SdkLog log;
    DmaSetup setup(8, 4096);
    std::vector<doca_buf *> bufs;
    for (std::size_t i = 0; i < 8; ++i) {
        bufs.push_back(setup.source(i * 64, 64));
        must(doca_task_submit(setup.context.alloc(bufs.back(), setup.destination(i * 64, 64))));
    }

    for (doca_buf *buf : bufs)
        EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);

    EXPECT_EQ(log.count({"[WRN]", "in flight"}), 1);
}

TEST(DocaTask, BufferReleasedInFlightKeepsItsMmap)
{
    DmaSetup setup(1, 4096);
    doca_buf *const dst = setup.destination(0, 64);
    must(doca_task_submit(setup.context.alloc(setup.source(0, 64), dst)));
    must(doca_buf_dec_refcount(dst, nullptr));

    EXPECT_EQ(doca_mmap_stop(setup.dst_mmap), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_destroy(setup.dst_mmap), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_mmap_stop(setup.dst_mmap), DOCA_SUCCESS);
}

TEST(DocaTask, ListReleasedInFlightReturnsWithAllItsElements)
{
    DmaSetup setup(1, 4096);
    const std::uint32_t num_free = setup.inventory.num_free();
    doca_buf *const src = setup.source(0, 32);
    must(doca_buf_chain_list(src, setup.source(32, 32)));
    doca_buf *const dst = setup.destination(0, 64);
    must(doca_task_submit(setup.context.alloc(src, dst)));

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_TRUE(setup.is_copied(0, 64));
    EXPECT_EQ(setup.inventory.num_free(), num_free - 1); // dst alone is out
}

TEST(DocaTask, OneSourceMayServeManyTasksAtATime)
{
    DmaSetup setup(8, 4096);
    doca_buf *const src = setup.source(0, 64);
    for (std::size_t i = 0; i < 8; ++i)
        must(doca_task_submit(setup.context.alloc(src, setup.destination(i * 64, 64))));
    (void)setup.context.take();

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

    EXPECT_EQ(setup.context.take(), Record(8, "success"));
    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
}

} // namespace
