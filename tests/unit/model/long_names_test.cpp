// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The header without its short names, beside the vendor's calls of the same names.

#define SOFTDOCA_MODEL_NO_NAMES

#include <softdoca/model.h>

#include "support/handles.hpp"

namespace {

using softdoca::test::must;

#if defined(doca_dev_open) || defined(doca_init) || defined(doca_task_submit)
#error there are short names
#endif

TEST(ModelLongNames, WorkAsTheShortOnes)
{
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    EXPECT_EQ(softdoca_model_ctx_create(&ctx), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_dev_open(softdoca_model_devinfo_get_first(ctx), &dev), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_ctx_destroy(ctx), DOCA_ERROR_IN_USE);
    EXPECT_EQ(softdoca_model_dev_close(dev), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_ctx_destroy(ctx), DOCA_SUCCESS);
}

TEST(ModelLongNames, ADeviceThatTheVendorsCallClosedLetsTheContextGo)
{
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    const softdoca::test::Memory memory(64);
    must(softdoca_model_ctx_create(&ctx));
    must(softdoca_model_dev_open(softdoca_model_devinfo_get_first(ctx), &dev));

    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);

    EXPECT_EQ(softdoca_model_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_dev_close(dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_ctx_destroy(ctx), DOCA_SUCCESS);
}

TEST(ModelLongNames, TheVendorsCloseRefusesADeviceWithAMemory)
{
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    const softdoca::test::Memory memory(64);
    must(softdoca_model_ctx_create(&ctx));
    must(softdoca_model_dev_open(softdoca_model_devinfo_get_first(ctx), &dev));
    must(softdoca_model_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem));

    EXPECT_EQ(doca_dev_close(dev), DOCA_ERROR_IN_USE);

    EXPECT_EQ(softdoca_model_mem_unreg(mem), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_dev_close(dev), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_model_ctx_destroy(ctx), DOCA_SUCCESS);
}

} // namespace
