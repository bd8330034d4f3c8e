// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"

#include <optional>

namespace {

using softdoca::test::DevinfoList;
using softdoca::test::DmaContext;
using softdoca::test::garbage;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;
using softdoca::test::pci_addr_of;
using softdoca::test::Pe;
using softdoca::test::SdkLog;

TEST(ModelDevice, IsTheDeviceThatTheVendorsCallOpens)
{
    const Model model;
    const DevinfoList list;
    doca_dev *same = nullptr;

    must(doca_dev_open(list[0], &same));

    EXPECT_EQ(same, model.dev);
    EXPECT_EQ(pci_addr_of(doca_dev_as_devinfo(model.dev)), pci_addr_of(list[0]));
    EXPECT_EQ(doca_dev_close(same), DOCA_SUCCESS);
}

TEST(ModelDevice, OpenedTwiceIsClosedTwice)
{
    const ModelContextHandle ctx;
    doca_dev *dev = nullptr, *same = nullptr;
    must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
    must(doca_dev_open(doca_devinfo_get_first(ctx), &same));

    EXPECT_EQ(same, dev);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(dev), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelDevice, OpenRefusesNullAndStaleDevinfos)
{
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    must(doca_ctx_create(&ctx));
    doca_devinfo *const info = doca_devinfo_get_first(ctx);

    EXPECT_EQ(doca_dev_open(nullptr, &dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_open(info, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_open(garbage<doca_devinfo>(), &dev), DOCA_ERROR_INVALID_VALUE);
    must(doca_ctx_destroy(ctx));
    EXPECT_EQ(doca_dev_open(info, &dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(dev, nullptr);
}

TEST(ModelDevice, CloseOfNullSucceedsAndOfGarbageIsRefused)
{
    EXPECT_EQ(doca_dev_close(nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(garbage<doca_dev>()), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelDevice, OfAnotherDevinfoIsNoChild)
{
    const ModelContextHandle ctx;
    const DevinfoList list;
    const softdoca::test::Memory memory(64);
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_ctx_states state{};
    softdoca_model_device_counters counters{};

    EXPECT_EQ(doca_dev_open(list[0], &dev), DOCA_SUCCESS);

    must(doca_ctx_get_state(ctx, &state));
    EXPECT_EQ(state, DOCA_CTX_STATE_IDLE);
    EXPECT_EQ(doca_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_counters(dev, &counters), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST(ModelDevice, WithAMemoryIsNotClosed)
{
    const SdkLog log;
    const Model model;

    EXPECT_EQ(doca_dev_close(model.dev), DOCA_ERROR_IN_USE);

    EXPECT_EQ(log.count({"[ERR]", "still has 1 memory", "call doca_mem_unreg first"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
    EXPECT_EQ(model.state(), DOCA_CTX_STATE_RUNNING);
}

TEST(ModelDevice, WithAMemoryGivesBackAReferenceThatIsNotTheLast)
{
    const Model model;
    doca_dev *again = nullptr;
    must(doca_dev_open(doca_devinfo_get_first(model.ctx), &again));
    EXPECT_EQ(doca_dev_close(again), DOCA_SUCCESS);

    const DevinfoList list;
    must(doca_dev_open(list[0], &again));
    EXPECT_EQ(doca_dev_close(again), DOCA_SUCCESS);

    EXPECT_EQ(doca_dev_close(model.dev), DOCA_ERROR_IN_USE);
}

TEST(ModelDevice, UsedByDmaIsNotClosed)
{
    const ModelContextHandle ctx;
    doca_dev *dev = nullptr;
    must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
    {
        const Pe pe;
        const DmaContext dma(dev, pe, 1);

        EXPECT_EQ(doca_dev_close(dev), DOCA_ERROR_IN_USE);
        EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_ERROR_IN_USE);
    }

    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST(ModelDevice, SaysItsCountersWhenItIsClosed)
{
    const SdkLog log;
    {
        const Model model;
        must(doca_task_submit(model.ctx, model.buf));
    }

    EXPECT_EQ(log.count({"[INF]", "is closed: tx_frames 1, tx_bytes 1500, rx_frames 1"}), 1);
}

TEST(ModelDevice, CountersRefuseNullAndGarbage)
{
    const Model model;
    softdoca_model_device_counters counters{};

    EXPECT_EQ(softdoca_model_counters(nullptr, &counters), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_counters(model.dev, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_counters(garbage<doca_dev>(), &counters), DOCA_ERROR_INVALID_VALUE);
}

} // namespace
