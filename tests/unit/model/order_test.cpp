// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Release goes against creation.

#include "model_setup.hpp"

#include "support/sdk_log.hpp"

#include <doca_buf.h>

#include <algorithm>
#include <array>
#include <functional>

namespace {

using softdoca::test::DevinfoList;
using softdoca::test::Model;
using softdoca::test::must;
using softdoca::test::SdkLog;
using softdoca::test::Setting;
using softdoca::test::text_of;

/// The four objects; 0 is the Buffer, 3 the Context.
struct Four {
    Four()
    {
        must(doca_ctx_create(&ctx));
        must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
        must(doca_mem_reg(dev, memory.data(), memory.size(), DOCA_MEM_ACCESS_RW, &mem));
        must(doca_buf_create(mem, 0, 64, &buf));
    }
    doca_error_t release(int which) const
    {
        switch (which) {
        case 0:
            return doca_buf_destroy(buf);
        case 1:
            return doca_mem_unreg(mem);
        case 2:
            return doca_dev_close(dev);
        default:
            return doca_ctx_destroy(ctx);
        }
    }

    const softdoca::test::Memory memory{4096};
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
};

TEST(ModelOrder, ParentsBeforeChildrenAreRefusedInAll24Orders)
{
    std::array order = {0, 1, 2, 3};
    int num_orders = 0;
    do {
        const Four four;
        std::array<bool, 4> is_released = {};
        for (const int which : order) {
            const bool has_child = which > 0 && !is_released[static_cast<std::size_t>(which - 1)];
            const doca_error_t result = four.release(which);
            EXPECT_EQ(result, has_child ? DOCA_ERROR_IN_USE : DOCA_SUCCESS);
            is_released[static_cast<std::size_t>(which)] = result == DOCA_SUCCESS;
        }
        for (int which = 0; which < 4; ++which) // and the program goes on to its end
            if (!is_released[static_cast<std::size_t>(which)]) {
                EXPECT_EQ(four.release(which), DOCA_SUCCESS);
            }
        ++num_orders;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(num_orders, 24);
}

TEST(ModelOrder, ARefusalChangesNothing)
{
    const Model model;

    EXPECT_EQ(doca_ctx_destroy(model.ctx), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_dev_close(model.dev), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_IN_USE);

    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_SUCCESS);
}

TEST(ModelOrder, NullChainSucceedsWhateverWasMade)
{
    for (int num_made = 0; num_made <= 4; ++num_made) {
        const softdoca::test::Memory memory(64);
        doca_ctx *ctx = nullptr;
        doca_dev *dev = nullptr;
        doca_mem *mem = nullptr;
        doca_buf *buf = nullptr;
        if (num_made > 0)
            must(doca_ctx_create(&ctx));
        if (num_made > 1)
            must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
        if (num_made > 2)
            must(doca_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem));
        if (num_made > 3)
            must(doca_buf_create(mem, 0, 64, &buf));

        EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
        EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
        EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
        EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_SUCCESS);
    }
}

TEST(ModelOrder, DanglingChildrenAreDeadHandles)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "dangle");
    const SdkLog log;
    const Four four;
    std::uint64_t host = 0, device = 0;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;

    EXPECT_EQ(doca_ctx_destroy(four.ctx), DOCA_SUCCESS);

    EXPECT_EQ(log.count({"[WRN]", text_of(four.ctx), "1 devices, 1 memories and 1 buffers"}), 1);
    EXPECT_EQ(doca_task_submit(four.ctx, four.buf), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_mem_addr(four.mem, &host, &device), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(four.dev, four.memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_create(four.mem, 0, 64, &buf), DOCA_ERROR_INVALID_VALUE);
    for (int which = 0; which < 4; ++which)
        EXPECT_EQ(four.release(which), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelOrder, DanglingChildrenAreDeadBesideANewContext)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "dangle");
    const Four four;
    must(doca_ctx_destroy(four.ctx));
    const softdoca::test::ModelContextHandle again;

    for (int which = 0; which < 3; ++which)
        EXPECT_EQ(four.release(which), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelOrder, DanglingReleasesTheRealObjectsAtOnce)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "dangle");
    const Four four;
    must(doca_buf_inc_refcount(four.buf, nullptr)); // this one too

    EXPECT_EQ(doca_ctx_destroy(four.ctx), DOCA_SUCCESS);

    const DevinfoList list; // the device has no reference left: one open, one close
    doca_dev *dev = nullptr;
    EXPECT_EQ(doca_dev_open(list[0], &dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(dev), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelOrder, DanglingIsForTheContextAlone)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "dangle");
    const Model model;

    EXPECT_EQ(doca_dev_close(model.dev), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_IN_USE);
}

TEST(ModelOrder, OtherWordsAreWarnedOfAndIgnored)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "backwards");
    const SdkLog log;
    const Model model;

    EXPECT_EQ(doca_ctx_destroy(model.ctx), DOCA_ERROR_IN_USE);

    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_ORDER=backwards is ignored"}), 1);
}

} // namespace
