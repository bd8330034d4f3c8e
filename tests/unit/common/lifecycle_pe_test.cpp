// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What one turn of the engine delivers, and whose turn it is.

#include "support/dma_setup.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <string>

namespace {

using softdoca::test::Device;
using softdoca::test::DmaContext;
using softdoca::test::DmaSetup;
using softdoca::test::must;
using softdoca::test::Record;

TEST(DocaPe, TurnDeliversOneThing)
{
    DmaSetup setup(3, 4096);
    for (std::size_t i = 0; i < 3; ++i)
        must(doca_task_submit(setup.task(i)));
    (void)setup.context.take();

    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);
        EXPECT_EQ(setup.context.take(), (Record{"success"}));
    }

    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaPe, ContextsTakeTurns)
{
    const Device another_device("03:00.1");
    DmaSetup setup(3, 4096);
    must(doca_mmap_stop(setup.src_mmap));
    must(doca_mmap_stop(setup.dst_mmap));
    must(doca_mmap_add_dev(setup.src_mmap, another_device));
    must(doca_mmap_add_dev(setup.dst_mmap, another_device));
    must(doca_mmap_start(setup.src_mmap));
    must(doca_mmap_start(setup.dst_mmap));
    DmaContext second(setup.device, setup.pe, 1), third(another_device, setup.pe, 3);
    must(second.start());
    must(third.start());
    std::string order;
    setup.context.on_success = [&](doca_task *) { order += '1'; };
    second.on_success = [&](doca_task *) { order += '2'; };
    third.on_success = [&](doca_task *) { order += '3'; };
    doca_buf *const src = setup.source(0, 64);
    const auto submit = [&](DmaContext &context, std::size_t place) {
        must(doca_task_submit(context.alloc(src, setup.destination(place * 64, 64))));
    };
    for (std::size_t i = 0; i < 3; ++i)
        submit(setup.context, i);
    submit(second, 3);
    for (std::size_t i = 4; i < 7; ++i)
        submit(third, i);

    for (int i = 0; i < 7; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(order, "1231313");
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(DocaPe, BusyContextDoesNotStarveAnother)
{
    DmaSetup setup(1, 4096);
    DmaContext other(setup.device, setup.pe, 1);
    must(other.start());
    doca_buf *const dst = setup.destination(0, 64);
    setup.context.on_success = [&](doca_task *task) {
        EXPECT_EQ(doca_buf_reset_data_len(dst), DOCA_SUCCESS);
        EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    };
    must(doca_task_submit(setup.context.alloc(setup.source(0, 64), dst)));
    must(doca_task_submit(other.alloc(setup.source(64, 64), setup.destination(64, 64))));
    (void)other.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(other.take(), (Record{"success"}));
}

TEST(DocaPe, CountOfTasksIsThatOfAllContexts)
{
    DmaSetup setup(2, 4096);
    DmaContext other(setup.device, setup.pe, 1);
    must(other.start());
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));
    must(doca_task_submit(other.alloc(setup.source(128, 64), setup.destination(128, 64))));

    std::size_t num = 0;
    EXPECT_EQ(doca_pe_get_num_inflight_tasks(setup.pe, &num), DOCA_SUCCESS);

    EXPECT_EQ(num, 3u);
    EXPECT_EQ(setup.context.num_inflight(), 2u);
    EXPECT_EQ(other.num_inflight(), 1u);
}

TEST(DocaPe, StoppedContextDeliversItsFlushBesideTheOthersWork)
{
    DmaSetup setup(2, 4096);
    DmaContext other(setup.device, setup.pe, 2);
    must(other.start());
    other.frees_tasks = true;
    for (std::size_t i = 0; i < 2; ++i) {
        must(doca_task_submit(setup.task(i)));
        must(doca_task_submit(
            other.alloc(setup.source(256 + i * 64, 64), setup.destination(256 + i * 64, 64))));
    }
    ASSERT_EQ(other.stop(), DOCA_ERROR_IN_PROGRESS);
    (void)setup.context.take();
    (void)other.take();

    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), Record(2, "success"));
    EXPECT_EQ(other.take(), (Record{"error SHUTDOWN", "error SHUTDOWN", "STOPPING->IDLE"}));
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

} // namespace
