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

#include <poll.h>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::kDeadline;
using softdoca::test::must;
using softdoca::test::SdkLog;
using softdoca::test::text_of;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A program that turns its engine all the time.
void poll_engine(doca_pe *pe)
{
    for (int i = 0; i < 300; ++i)
        (void)doca_pe_progress(pe);
}

/// A program that sleeps until its engine has something, here for a moment at most.
void sleep_on_engine(doca_pe *pe)
{
    doca_notification_handle_t handle = -1;
    must(doca_pe_get_notification_handle(pe, &handle));
    must(doca_pe_request_notification(pe));
    pollfd entry{handle, POLLIN, 0};
    (void)::poll(&entry, 1, 20);
    must(doca_pe_clear_notification(pe, handle));
    (void)doca_pe_progress(pe);
}

TEST(DocaCtxWait, UnfreedTasksAreNamedOnceAfterASecondInStopping)
{
    const SdkLog log;
    DmaSetup polling(3, 4096), sleeping(1, 4096);
    doca_task *const held[] = {polling.task(0), polling.task(1)};
    doca_task *const another = sleeping.task();
    const auto begin = Clock::now();
    ASSERT_EQ(polling.context.stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_EQ(sleeping.context.stop(), DOCA_ERROR_IN_PROGRESS);
    const auto turn = [&] {
        poll_engine(polling.pe);
        sleep_on_engine(sleeping.pe);
    };
    const auto num_lines = [&](const DmaSetup &setup, const char *num_tasks) {
        return log.count({"[WRN]", text_of(setup.context.dma()), num_tasks, "doca_task_free"});
    };

    while (log.count({"[WRN]"}) == 0 && Clock::now() - begin < kDeadline)
        turn();
    EXPECT_GE(Clock::now() - begin, 1s);
    for (int i = 0; i < 10; ++i) // says it once, not each turn
        turn();

    EXPECT_EQ(num_lines(polling, "2 task"), 1);
    EXPECT_EQ(num_lines(sleeping, "1 task"), 1);
    EXPECT_EQ(log.count({"[WRN]"}), 2);
    for (doca_task *task : held)
        polling.context.free(task);
    sleeping.context.free(another);
    for (const DmaSetup *setup : {&polling, &sleeping}) {
        EXPECT_EQ(doca_pe_progress(setup->pe), 1);
        EXPECT_EQ(setup->context.state(), DOCA_CTX_STATE_IDLE);
    }
}

} // namespace
