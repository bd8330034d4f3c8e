// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A context that cannot become IDLE says why.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"

#include <doca_ctx.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <chrono>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::SdkLog;
using softdoca::test::text_of;
using Clock = std::chrono::steady_clock;

void progress_for(doca_pe *pe, std::chrono::milliseconds time)
{
    for (const auto end = Clock::now() + time; Clock::now() < end;)
        (void)doca_pe_progress(pe);
}

TEST(DocaCtxWait, UnfreedTaskIsNamedAfterASecondInStoppingAndNotBefore)
{
    const SdkLog log;
    DmaSetup setup(3, 4096);
    doca_task *const held[] = {setup.task(0), setup.task(1)};
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    progress_for(setup.pe, std::chrono::milliseconds(600));
    EXPECT_EQ(log.count({"[WRN]"}), 0);
    progress_for(setup.pe, std::chrono::milliseconds(700));

    EXPECT_EQ(log.count({"[WRN]", text_of(setup.context.dma()), "2 ", "doca_task_free"}), 1);
    EXPECT_EQ(log.count({"[WRN]"}), 1);
    for (doca_task *task : held)
        setup.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_IDLE);
}

} // namespace
