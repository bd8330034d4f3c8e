// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A context that cannot become IDLE says why.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"

#include <doca_ctx.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <chrono>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::SdkLog;
using softdoca::test::text_of;
using softdoca::test::wait_until;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(DocaCtxWait, UnfreedTasksAreNamedAfterASecondInStopping)
{
    const SdkLog log;
    DmaSetup setup(3, 4096);
    doca_task *const held[] = {setup.task(0), setup.task(1)};
    const auto begin = Clock::now();
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    EXPECT_TRUE(wait_until(setup.pe, [&] { return log.count({"[WRN]"}) != 0; }));
    EXPECT_GE(Clock::now() - begin, 1s);
    (void)wait_until(
        setup.pe, [] { return false; }, 200ms); // says it once, not each turn

    EXPECT_EQ(log.count({"[WRN]", text_of(setup.context.dma()), "2 ", "doca_task_free"}), 1);
    EXPECT_EQ(log.count({"[WRN]"}), 1);
    for (doca_task *task : held)
        setup.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_IDLE);
}

} // namespace
