// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/sdk_log.hpp"

namespace {

using softdoca::test::Model;
using softdoca::test::must;
using softdoca::test::SdkLog;
using softdoca::test::Setting;

constexpr const char *kFault = "SOFTDOCA_MODEL_FAULT";

TEST(ModelFault, EachNthCallGivesTheCode)
{
    const Setting setting(kFault, "submit:again:3,reg:no_memory:2");
    const Model model; // the first registration
    doca_mem *mem = nullptr;

    for (int i = 1; i <= 9; ++i)
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf),
                  i % 3 == 0 ? DOCA_ERROR_AGAIN : DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_reg(model.dev, model.memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_NO_MEMORY);

    EXPECT_EQ(mem, nullptr);
    EXPECT_EQ(model.counters().tx_frames, 6u); // without effect
}

TEST(ModelFault, EachCallCanBeMadeToFail)
{
    doca_ctx *ctx = nullptr;
    {
        const Setting setting(kFault, "create:DOCA_ERROR_DRIVER:1");
        EXPECT_EQ(doca_ctx_create(&ctx), DOCA_ERROR_DRIVER);
        EXPECT_EQ(doca_ctx_create(), nullptr);
        EXPECT_EQ(ctx, nullptr);
    }
    const Setting setting(kFault, "open:in_use:2,buf:Io_Failed:2,submit:io_failed:1");
    const Model model;
    doca_dev *dev = nullptr;
    doca_buf *buf = nullptr;
    EXPECT_EQ(doca_dev_open(doca_devinfo_get_first(model.ctx), &dev), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_buf_create(model.mem, 0, 64, &buf), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_IO_FAILED);
}

TEST(ModelFault, SaysThatItWasAskedFor)
{
    const Setting setting(kFault, "submit:again:1");
    const SdkLog log;
    const Model model;

    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_AGAIN);

    EXPECT_EQ(log.count({"[INF]", "doca_task_submit: call 1 gives DOCA_ERROR_AGAIN"}), 1);
}

TEST(ModelFault, MalformedListsAreIgnored)
{
    for (const char *value :
         {"submit", "submit:again", "submit:again:", "submit:again:0", "submit:again:x",
          "submit:again:1x", "submit:success:1", "submit:wrong:1", "close:again:1",
          "again:submit:1", "submit:again:1,", ",submit:again:1", "submit:again:1,open",
          "submit:again:-1", "submit:again:99999999999", "submit:again:1:1"}) {
        const Setting setting(kFault, value);
        const Model model;

        const doca_error_t result = doca_task_submit(model.ctx, model.buf);

        EXPECT_EQ(result, DOCA_SUCCESS) << value;
    }
}

TEST(ModelFault, MalformedValuesGiveOneWarningEach)
{
    const SdkLog log;
    const Setting fault(kFault, "submit:never:1");
    const Setting max_mem("SOFTDOCA_MODEL_MAX_MEM", "1M");
    const Setting max_buf("SOFTDOCA_MODEL_MAX_BUF", "1048577");
    for (int round = 0; round < 2; ++round) {
        const Model model;
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    }

    EXPECT_LE(log.count({"[WRN]", "SOFTDOCA_MODEL_FAULT=submit:never:1 is ignored"}), 1);
    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_MAX_MEM=1M is ignored"}), 1);
    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_MAX_BUF=1048577 is ignored"}), 1);
}

} // namespace
