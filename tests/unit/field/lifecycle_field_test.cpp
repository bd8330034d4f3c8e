// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The order in which objects start, stop and go.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

namespace {

using namespace softdoca::test;

TEST(FieldCase, F05UndrainedEngineIsReadableWhenArmed)
{
    DmaSetup setup(1);
    doca_notification_handle_t handle = -1, later = -1;
    must(doca_pe_get_notification_handle(setup.pe, &handle));
    must(doca_task_submit(setup.task()));

    EXPECT_EQ(doca_pe_request_notification(setup.pe), DOCA_SUCCESS);

    pollfd entry{handle, POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 0), 1);
    EXPECT_EQ(entry.revents, POLLIN);
    EXPECT_EQ(doca_pe_get_notification_handle(setup.pe, &later), DOCA_SUCCESS);
    EXPECT_EQ(later, handle);
}

TEST(FieldCase, F08ObjectsDestroyedInTheOrderOfTheirCreation)
{
    const SdkLog log;
    DmaSetup setup(1);
    const Memory more(64);
    Mmap second(setup.device, more);

    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(doca_pe_destroy(setup.pe), DOCA_ERROR_IN_USE);
        EXPECT_EQ(doca_dma_destroy(setup.context.dma()), DOCA_ERROR_IN_USE);
        EXPECT_EQ(doca_dev_close(setup.device), DOCA_ERROR_IN_USE);
    }
    EXPECT_EQ(log.count({"[ERR]", text_of(setup.pe.get()), text_of(setup.context.dma())}), 1);
    EXPECT_EQ(log.count({"[ERR]", setup.device.pci_addr(), "still used by", "destroy"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 3);
    must(doca_task_submit(setup.task()));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_TRUE(setup.is_copied(0, 64));

    EXPECT_EQ(second.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F08ObjectsDestroyedInTheRightOrder)
{
    DmaSetup setup(1);
    doca_buf *const src = setup.source(0, 64);
    doca_buf *const dst = setup.destination(0, 64);
    doca_task *const task = setup.context.alloc(src, dst);
    must(doca_task_submit(task));
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);
    setup.context.free(task);

    EXPECT_EQ(doca_ctx_stop(setup.ctx()), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
    for (Mmap *mmap : {&setup.src_mmap, &setup.dst_mmap}) {
        EXPECT_EQ(doca_mmap_stop(*mmap), DOCA_SUCCESS);
        EXPECT_EQ(mmap->destroy(), DOCA_SUCCESS);
    }
    EXPECT_EQ(setup.inventory.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(setup.device.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F16StoppedInTheCallbackAndAgainInTheCleanUp)
{
    DmaSetup setup(1);
    setup.context.frees_tasks = true;
    doca_error_t stopped = DOCA_SUCCESS;
    Record at_stop;
    setup.context.on_success = [&](doca_task *) {
        stopped = doca_ctx_stop(setup.ctx());
        at_stop = setup.context.record();
    };
    must(doca_task_submit(setup.task()));

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));
    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(at_stop, (Record{"IDLE->RUNNING", "success", "RUNNING->STOPPING"}));
    const Record whole = setup.context.record();
    EXPECT_EQ(whole, (Record{"IDLE->RUNNING", "success", "RUNNING->STOPPING", "STOPPING->IDLE"}));

    EXPECT_EQ(doca_ctx_stop(setup.ctx()), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.record(), whole);
    EXPECT_EQ(setup.context.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F16StoppedAndDestroyedAtOnce)
{
    DmaSetup setup(1);
    (void)setup.context.take();

    EXPECT_EQ(doca_ctx_stop(setup.ctx()), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.take(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
    EXPECT_EQ(setup.context.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F16StoppedBeforeItWasStarted)
{
    DmaSetup setup(1, 4096, Start::later);

    EXPECT_EQ(doca_ctx_stop(setup.ctx()), DOCA_SUCCESS);

    EXPECT_EQ(setup.context.record(), Record{});
}

/// A block of the heap that the test frees when it likes.
struct Block {
    explicit Block(std::size_t size) : bytes(static_cast<char *>(std::aligned_alloc(64, size))) {}
    ~Block() { free(); }
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;
    void free()
    {
        std::free(bytes);
        bytes = nullptr;
    }
    char *bytes;
};

TEST(FieldCase, F18MemoryThatComesLateAndLeavesEarly)
{
    constexpr std::size_t kLen = 4096;
    const Device device;
    Inventory inventory(2);
    const Pe pe;
    Mmap src_mmap, dst_mmap;
    must(doca_mmap_add_dev(src_mmap, device));
    must(doca_mmap_add_dev(dst_mmap, device));
    DmaContext context(device, pe, 1);
    context.frees_tasks = true;
    EXPECT_EQ(context.start(), DOCA_SUCCESS);

    Block src(kLen), dst(kLen);
    std::memset(src.bytes, 42, kLen);
    EXPECT_EQ(doca_mmap_set_memrange(src_mmap, src.bytes, kLen), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(dst_mmap, dst.bytes, kLen), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(src_mmap), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(dst_mmap), DOCA_SUCCESS);
    doca_buf *const src_buf = inventory.by_data(src_mmap, src.bytes, kLen);
    doca_buf *const dst_buf = inventory.by_addr(dst_mmap, dst.bytes, kLen);
    EXPECT_EQ(doca_task_submit(context.alloc(src_buf, dst_buf)), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(pe), 1);
    EXPECT_EQ(context.record().back(), "success");
    EXPECT_EQ(std::memcmp(src.bytes, dst.bytes, kLen), 0);
    EXPECT_EQ(doca_buf_dec_refcount(src_buf, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst_buf, nullptr), DOCA_SUCCESS);

    src.free();
    dst.free();
    EXPECT_EQ(context.stop(), DOCA_SUCCESS);
    EXPECT_EQ(src_mmap.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(dst_mmap.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F18MmapWithoutARange)
{
    const SdkLog log;
    const Device device;
    Mmap mmap;
    must(doca_mmap_add_dev(mmap, device));

    EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", text_of(mmap.get()), "doca_mmap_set_memrange"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
    EXPECT_EQ(mmap.destroy(), DOCA_SUCCESS);
}

TEST(FieldCase, F19StopInTheMiddle)
{
    const SdkLog log;
    DmaSetup setup(16);
    const std::string dma = text_of(setup.context.dma());
    setup.context.frees_tasks = true;
    doca_error_t stopped = DOCA_SUCCESS, destroyed = DOCA_ERROR_UNKNOWN;
    int num_successes = 0, nested = -1;
    Record after_stop;
    setup.context.on_success = [&](doca_task *) {
        if (++num_successes != 8)
            return;
        stopped = doca_ctx_stop(setup.ctx());
        after_stop = setup.context.record();
        nested = doca_pe_progress(setup.pe);
    };
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next == DOCA_CTX_STATE_IDLE)
            destroyed = setup.context.destroy();
    };
    for (std::size_t i = 0; i < 16; ++i)
        must(doca_task_submit(setup.task(i)));
    (void)setup.context.take();

    std::vector<Record> turns;
    while (destroyed == DOCA_ERROR_UNKNOWN && doca_pe_progress(setup.pe) == 1)
        turns.push_back(setup.context.take());

    std::vector<Record> expected(8, Record{"success"});
    expected.back().push_back("RUNNING->STOPPING");
    expected.insert(expected.end(), 8, Record{"error SHUTDOWN"});
    expected.push_back(Record{"STOPPING->IDLE"});
    EXPECT_EQ(turns, expected);
    EXPECT_EQ(stopped, DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(after_stop, (Record{"success", "RUNNING->STOPPING"}));
    EXPECT_EQ(nested, 0);
    EXPECT_EQ(destroyed, DOCA_SUCCESS);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.pe.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(log.count({"[DBG]", dma, "8 tasks", "flush"}), 1);
}

TEST(FieldCase, F19TasksAreFlushedInTheOrderOfSubmission)
{
    DmaSetup setup(16);
    std::vector<std::uint64_t> order;
    setup.context.on_success = [&](doca_task *) {
        if (setup.context.num_inflight() == 8)
            (void)doca_ctx_stop(setup.ctx());
    };
    setup.context.on_error = [&](doca_task *task) {
        order.push_back(doca_task_get_user_data(task).u64);
    };
    for (std::uint64_t i = 0; i < 16; ++i)
        must(doca_task_submit(setup.context.alloc(setup.source(i * 64, 64),
                                                  setup.destination(i * 64, 64), {.u64 = i})));

    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

    EXPECT_EQ(order, (std::vector<std::uint64_t>{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(FieldCase, F20StartOfDmaAnswersSuccessAndReportsOnce)
{
    DmaSetup setup(1, 4096, Start::later);

    EXPECT_EQ(doca_ctx_start(setup.ctx()), DOCA_SUCCESS);

    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING"}));
}

TEST(FieldCase, F20EverythingSubmittedInTheRunningCallback)
{
    DmaSetup setup(16, 4096, Start::later);
    doca_ctx_states seen = DOCA_CTX_STATE_IDLE;
    std::vector<doca_error_t> results;
    setup.context.on_state = [&](doca_ctx_states, doca_ctx_states next) {
        if (next != DOCA_CTX_STATE_RUNNING)
            return;
        seen = setup.context.state();
        for (std::size_t i = 0; i < 16; ++i)
            results.push_back(doca_task_submit(setup.task(i)));
    };

    EXPECT_EQ(doca_ctx_start(setup.ctx()), DOCA_SUCCESS);

    EXPECT_EQ(seen, DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(results, std::vector<doca_error_t>(16, DOCA_SUCCESS));
    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING"}));
    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));
    EXPECT_EQ(setup.context.take(), Record(16, "success"));
}

TEST(FieldCase, F20StartOfARunningContext)
{
    const SdkLog log;
    DmaSetup setup(1);
    (void)setup.context.take();

    EXPECT_EQ(doca_ctx_start(setup.ctx()), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_ctx_start(setup.ctx()), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(setup.context.take(), Record{});
    EXPECT_EQ(log.count({"[ERR]", text_of(setup.context.dma()), "RUNNING"}), 1);
}

TEST(FieldCase, F22OneBadTaskAmongMany)
{
    const SdkLog log;
    DmaSetup setup(255);
    setup.context.frees_tasks = true;
    (void)setup.context.take();
    doca_buf *const empty = setup.inventory.by_addr(setup.src_mmap, setup.src.at(0), 64);
    for (std::size_t i = 0; i < 255; ++i) {
        const doca_buf *const src = i == 2 ? empty : setup.source(i * 64, 64);
        doca_task *const task = setup.context.alloc(src, setup.destination(i * 64, 64));
        ASSERT_EQ(doca_task_submit(task), DOCA_SUCCESS) << i;
        if (i == 127)
            std::this_thread::sleep_for(std::chrono::milliseconds(100)); // nothing runs meanwhile
    }
    ASSERT_EQ(setup.context.record(), Record{});

    std::vector<Record> turns;
    std::vector<std::size_t> in_flight;
    while (doca_pe_progress(setup.pe) == 1) {
        turns.push_back(setup.context.take());
        in_flight.push_back(setup.context.num_inflight());
    }

    std::vector<Record> expected(2, Record{"success"});
    expected.push_back({"error IO_FAILED", "RUNNING->STOPPING"});
    expected.insert(expected.end(), 252, Record{"error SHUTDOWN"});
    expected.push_back({"STOPPING->IDLE"});
    EXPECT_EQ(turns, expected);
    EXPECT_EQ(setup.context.record(), Record{}); // the turn that gave 0 delivered nothing
    for (std::size_t i = 0; i < 255; ++i)
        EXPECT_EQ(in_flight[i], 254 - i) << i;
    EXPECT_EQ(in_flight.back(), 0u);
    EXPECT_EQ(log.count({"[ERR]", text_of(setup.context.dma()), "252"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
}

} // namespace
