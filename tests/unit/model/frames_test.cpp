// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/sdk_log.hpp"
#include "unit/common/in_topology.hpp"

#include <doca_buf.h>

#include <cstring>

namespace {

using softdoca::test::garbage;
using softdoca::test::in_topology;
using softdoca::test::Memory;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;
using softdoca::test::SdkLog;

std::size_t data_len_of(const doca_buf *buf)
{
    std::size_t len = 0;
    must(doca_buf_get_data_len(buf, &len));
    return len;
}

TEST(ModelFrames, AreLoopedBackInOrder)
{
    const Model model;
    doca_buf *const into = model.another_buf(4096, 2048);
    for (unsigned seed = 1; seed <= 3; ++seed) {
        model.memory.fill(seed);
        must(doca_buf_set_data_len(model.buf, 100 * seed));
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    }

    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Memory wanted(2048);
        wanted.fill(seed);
        EXPECT_EQ(softdoca_model_receive(model.ctx, into), DOCA_SUCCESS);
        EXPECT_EQ(data_len_of(into), 100u * seed);
        EXPECT_EQ(std::memcmp(model.memory.at(4096), wanted.data(), 100 * seed), 0);
    }
    EXPECT_EQ(softdoca_model_receive(model.ctx, into), DOCA_ERROR_AGAIN);
    EXPECT_EQ(doca_buf_destroy(into), DOCA_SUCCESS);
}

TEST(ModelFrames, AreCopiedBeforeSubmitReturns)
{
    const Model model;
    doca_buf *const from = model.another_buf(4096, 64);
    std::memset(model.memory.at(4096), 'a', 64);
    must(doca_task_submit(model.ctx, from));
    std::memset(model.memory.at(4096), 'b', 64);
    must(doca_buf_destroy(from));

    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);

    EXPECT_EQ(data_len_of(model.buf), 64u);
    EXPECT_EQ(std::memchr(model.memory.data(), 'b', 64), nullptr);
}

TEST(ModelFrames, AreTheDataSectionAlone)
{
    const Model model;
    std::memcpy(model.memory.at(10), "payload", 7);
    must(doca_buf_set_data(model.buf, model.memory.at(10), 7));

    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);

    void *data = nullptr;
    must(doca_buf_get_data(model.buf, &data));
    EXPECT_EQ(data, model.memory.data()); // at the head again
    EXPECT_EQ(std::memcmp(model.memory.data(), "payload", 7), 0);
}

TEST(ModelFrames, AreCounted)
{
    const Model model;
    must(doca_task_submit(model.ctx, model.buf));
    must(doca_buf_set_data_len(model.buf, 14));
    must(doca_task_submit(model.ctx, model.buf));
    must(doca_buf_set_data_len(model.buf, 13)); // a runt, sent all the same
    must(doca_task_submit(model.ctx, model.buf));

    const auto counters = model.counters();

    EXPECT_EQ(counters.tx_frames, 3u);
    EXPECT_EQ(counters.tx_bytes, 1500u + 14 + 13);
    EXPECT_EQ(counters.rx_frames, 3u);
    EXPECT_EQ(counters.rx_bytes, counters.tx_bytes);
    EXPECT_EQ(counters.dropped, 0u);
    EXPECT_EQ(counters.runts, 1u);
}

TEST(ModelFrames, AreDroppedWhenTheQueueIsFull)
{
    const Model model;
    must(doca_buf_set_data_len(model.buf, 60));
    for (int i = 0; i < 258; ++i)
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);

    const auto counters = model.counters();

    EXPECT_EQ(counters.tx_frames, 258u);
    EXPECT_EQ(counters.rx_frames, 256u);
    EXPECT_EQ(counters.dropped, 2u);
    for (int i = 0; i < 256; ++i)
        EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_ERROR_AGAIN);
    must(doca_buf_set_data_len(model.buf, 60));
    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);
}

TEST(ModelFrames, HaveOneTo9216Bytes)
{
    const Model model;
    doca_buf *const largest = model.another_buf(0, 9216);
    doca_buf *const too_large = model.another_buf(0, 9217);

    EXPECT_EQ(doca_task_submit(model.ctx, largest), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_receive(model.ctx, largest), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(model.ctx, too_large), DOCA_ERROR_INVALID_VALUE);
    must(doca_buf_reset_data_len(largest));
    EXPECT_EQ(doca_task_submit(model.ctx, largest), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(model.counters().tx_frames, 1u);
    EXPECT_EQ(doca_buf_destroy(largest), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_destroy(too_large), DOCA_SUCCESS);
}

TEST(ModelFrames, LieInsideTheBuffer)
{
    const Model model;

    must(doca_buf_set_data(model.buf, model.memory.at(1499), 2));
    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_INVALID_VALUE);
    must(doca_buf_set_data(model.buf, garbage<void>(), 64));
    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelFrames, SubmitRefusesNullAndDeadHandles)
{
    const Model model;
    doca_buf *const dead = model.another_buf(0, 64);
    must(doca_buf_destroy(dead));

    EXPECT_EQ(doca_task_submit(nullptr, model.buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(model.ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(model.ctx, dead), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(model.ctx, garbage<doca_buf>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(garbage<doca_ctx>(), model.buf), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelFrames, SubmitNeedsAnOpenDevice)
{
    const ModelContextHandle ctx;

    EXPECT_EQ(doca_task_submit(ctx, garbage<doca_buf>()), DOCA_ERROR_BAD_STATE);
}

TEST(ModelFrames, NeedANetworkPlane)
{
    in_topology("[[dpu]]\n[[dpu.function]]\n[[dpu.function]]\niface = \"\"\n", "dpu", [] {
        const ModelContextHandle ctx;
        const Memory memory(64);
        doca_devinfo *const without = softdoca_model_devinfo_next(ctx, doca_devinfo_get_first(ctx));
        doca_dev *dev = nullptr;
        doca_mem *mem = nullptr;
        doca_buf *buf = nullptr;
        must(doca_dev_open(without, &dev));
        must(doca_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem));
        must(doca_buf_create(mem, 0, 64, &buf));

        EXPECT_EQ(doca_task_submit(ctx, buf), DOCA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(softdoca_model_receive(ctx, buf), DOCA_ERROR_NOT_SUPPORTED);

        EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
        EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
        EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    });
}

TEST(ModelFrames, ThatAreTooLongForTheBufferStay)
{
    const Model model;
    doca_buf *const small = model.another_buf(4096, 63);
    must(doca_buf_set_data_len(model.buf, 64));
    must(doca_task_submit(model.ctx, model.buf));

    EXPECT_EQ(softdoca_model_receive(model.ctx, small), DOCA_ERROR_TOO_BIG);
    EXPECT_EQ(data_len_of(small), 63u);
    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);

    EXPECT_EQ(doca_buf_destroy(small), DOCA_SUCCESS);
}

TEST(ModelFrames, AreNotWrittenToMemoryForReading)
{
    const Model model(DOCA_MEM_ACCESS_RO);
    must(doca_task_submit(model.ctx, model.buf));

    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_ERROR_NOT_PERMITTED);
}

TEST(ModelFrames, ReceiveRefusesNullAndDeadHandles)
{
    const Model model;

    EXPECT_EQ(softdoca_model_receive(nullptr, model.buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_receive(model.ctx, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_receive(garbage<doca_ctx>(), model.buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_receive(model.ctx, garbage<doca_buf>()), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelFrames, StayOnTheirDevice)
{
    const Model model;
    const Memory memory(64);
    doca_dev *other = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
    must(doca_dev_open(softdoca_model_devinfo_next(model.ctx, doca_devinfo_get_first(model.ctx)),
                       &other));
    must(doca_mem_reg(other, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem));
    must(doca_buf_create(mem, 0, 64, &buf));

    must(doca_task_submit(model.ctx, buf));

    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_ERROR_AGAIN);
    EXPECT_EQ(softdoca_model_receive(model.ctx, buf), DOCA_SUCCESS);
    EXPECT_EQ(model.counters().tx_frames, 0u);
    EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(other), DOCA_SUCCESS);
}

} // namespace
