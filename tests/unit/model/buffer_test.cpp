// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"

#include <doca_buf.h>

#include <utility>
#include <vector>

namespace {

using softdoca::test::garbage;
using softdoca::test::Inventory;
using softdoca::test::Model;
using softdoca::test::must;
using softdoca::test::SdkLog;
using softdoca::test::Setting;

TEST(ModelBuffer, IsAWindowFullOfData)
{
    const Model model;
    doca_buf *const buf = model.another_buf(100, 200);
    void *head = nullptr, *data = nullptr;
    std::size_t len = 0, data_len = 0;
    std::uint16_t refcount = 0;

    must(doca_buf_get_head(buf, &head));
    must(doca_buf_get_data(buf, &data));
    must(doca_buf_get_len(buf, &len));
    must(doca_buf_get_data_len(buf, &data_len));
    must(doca_buf_get_refcount(buf, &refcount));

    EXPECT_EQ(head, model.memory.at(100));
    EXPECT_EQ(data, head);
    EXPECT_EQ(len, 200u);
    EXPECT_EQ(data_len, 200u);
    EXPECT_EQ(refcount, 1);
    EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
}

TEST(ModelBuffer, MayCoverAllOfTheMemory)
{
    const Model model;

    doca_buf *const whole = model.another_buf(0, model.memory.size());
    doca_buf *const last = model.another_buf(model.memory.size() - 1, 1);

    EXPECT_EQ(doca_buf_destroy(whole), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_destroy(last), DOCA_SUCCESS);
}

TEST(ModelBuffer, CreateRefusesBadArguments)
{
    const Model model;
    const std::size_t size = model.memory.size();
    doca_buf *buf = nullptr;

    EXPECT_EQ(doca_buf_create(nullptr, 0, 1, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(model.mem, 0, 1, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(model.mem, 0, 0, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(model.mem, size, 1, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(model.mem, 1, size, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(model.mem, SIZE_MAX, 2, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(garbage<doca_mem>(), 0, 1, &buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(buf, nullptr);
}

TEST(ModelBuffer, DestroyOfNullSucceedsAndOfDeadOnesIsRefused)
{
    const Model model;
    doca_buf *const buf = model.another_buf(0, 64);
    must(doca_buf_destroy(buf));

    EXPECT_EQ(doca_buf_destroy(nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_destroy(buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_destroy(garbage<doca_buf>()), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelBuffer, OfTheProgramsOwnInventoryIsNone)
{
    const Model model;
    Inventory inventory(1);
    softdoca::test::Mmap mmap(model.dev, model.memory);
    doca_buf *const foreign = inventory.by_data(mmap, model.memory.data(), 64);

    EXPECT_EQ(doca_buf_destroy(foreign), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(model.ctx, foreign), DOCA_ERROR_INVALID_VALUE);

    inventory.take_back_all();
}

TEST(ModelBuffer, QuotaIs1024)
{
    const Model model;
    std::vector<doca_buf *> bufs;
    while (bufs.size() < 1023)
        bufs.push_back(model.another_buf(bufs.size(), 1));
    doca_buf *one_more = nullptr;

    EXPECT_EQ(doca_buf_create(model.mem, 0, 1, &one_more), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_buf_destroy(bufs.back()), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_create(model.mem, 0, 1, &bufs.back()), DOCA_SUCCESS);

    for (doca_buf *buf : bufs)
        EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
}

TEST(ModelBuffer, QuotaCanBeSet)
{
    const Setting setting("SOFTDOCA_MODEL_MAX_BUF", "1");
    const SdkLog log;
    const Model model;
    doca_buf *one_more = nullptr;

    EXPECT_EQ(doca_buf_create(model.mem, 0, 1, &one_more), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_buf_create(model.mem, 0, 1, &one_more), DOCA_ERROR_NO_MEMORY);

    EXPECT_EQ(log.count({"[INF]", "all 1 Buffers are in use"}), 1); // back-pressure, once
}

TEST(ModelBuffer, ThatTheProgramReturnedItselfIsDead)
{
    Model model;
    must(doca_buf_dec_refcount(model.buf, nullptr));

    EXPECT_EQ(doca_buf_destroy(model.buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_INVALID_VALUE);

    model.buf = nullptr;
}

TEST(ModelBuffer, ThatATaskInFlightUsesHoldsTheMemory)
{
    Model model;
    doca_buf *const into = model.another_buf(2048, 1500);
    const softdoca::test::Pe pe;
    softdoca::test::DmaContext dma(model.dev, pe, 1);
    must(doca_buf_reset_data_len(into));
    must(dma.start());
    doca_task *const task = dma.alloc(model.buf, into);
    must(doca_task_submit(task));

    EXPECT_EQ(doca_buf_destroy(std::exchange(model.buf, nullptr)), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(into, nullptr), DOCA_SUCCESS); // by the vendor's call
    EXPECT_EQ(doca_buf_destroy(into), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_IN_USE);
    while (dma.num_inflight() > 0)
        doca_pe_progress(pe);
    dma.free(task);

    EXPECT_EQ(doca_mem_unreg(std::exchange(model.mem, nullptr)), DOCA_SUCCESS);
}

TEST(ModelBuffer, ReferencesOfTheProgramHoldTheMemory)
{
    Model model;
    doca_buf *const buf = std::exchange(model.buf, nullptr);
    must(doca_buf_inc_refcount(buf, nullptr));

    EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
}

TEST(ModelBuffer, BehindAnotherInAListIsReleasedWithItsHead)
{
    const Model model;
    doca_buf *const behind = model.another_buf(2000, 64);
    doca_buf *const head = model.another_buf(3000, 64);
    must(doca_buf_chain_list(head, behind));

    EXPECT_EQ(doca_buf_destroy(behind), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_destroy(head), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_destroy(behind), DOCA_ERROR_INVALID_VALUE);
}

} // namespace
