// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A Context belongs to the process that made it.

#include "model_setup.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using softdoca::test::Memory;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;

/// Runs the body in a forked child, whose failures become this test's.
template <typename Body>
void in_child(Body body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0); // no destructors: the objects are not ours
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
}

TEST(ModelFork, ChildIsRefused)
{
    const Model model;

    in_child([&model] {
        doca_ctx *ctx = nullptr;
        doca_dev *dev = nullptr;
        doca_mem *mem = nullptr;
        doca_buf *buf = nullptr;
        std::uint64_t host = 0, device = 0;
        softdoca_model_device_counters counters{};
        void *const addr = model.memory.data();
        EXPECT_EQ(doca_ctx_create(&ctx), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_ctx_set_log_level(model.ctx, DOCA_LOG_LEVEL_INFO), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_devinfo_get_first(model.ctx), nullptr);
        EXPECT_EQ(doca_dev_open(doca_dev_as_devinfo(model.dev), &dev), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(doca_mem_reg(model.dev, addr, 64, DOCA_MEM_ACCESS_RW, &mem),
                  DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(softdoca_model_mem_addr(model.mem, &host, &device), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_buf_create(model.mem, 0, 64, &buf), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(softdoca_model_receive(model.ctx, model.buf), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(softdoca_model_counters(model.dev, &counters), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_buf_destroy(model.buf), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_dev_close(model.dev), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_ctx_destroy(model.ctx), DOCA_ERROR_BAD_STATE);
    });

    EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS); // the parent goes on
}

TEST(ModelFork, ChildMayNotOpenADeviceOfTheParentsContext)
{
    const ModelContextHandle ctx;
    doca_devinfo *const info = doca_devinfo_get_first(ctx);

    in_child([info] {
        doca_dev *dev = nullptr;
        EXPECT_EQ(doca_dev_open(info, &dev), DOCA_ERROR_BAD_STATE);
    });
}

TEST(ModelFork, ChildReleasesNullAndReadsAdvice)
{
    const Model model;

    in_child([] {
        EXPECT_EQ(doca_buf_destroy(nullptr), DOCA_SUCCESS);
        EXPECT_EQ(doca_mem_unreg(nullptr), DOCA_SUCCESS);
        EXPECT_EQ(doca_dev_close(nullptr), DOCA_SUCCESS);
        EXPECT_EQ(doca_ctx_destroy(nullptr), DOCA_SUCCESS);
        EXPECT_EQ(softdoca_error_classify(DOCA_ERROR_AGAIN), SOFTDOCA_ERROR_CLASS_TRANSIENT);
    });
}

TEST(ModelFork, ChildOfAProcessWithoutAContextMakesItsOwn)
{
    in_child([] {
        const Memory memory(4096);
        const Model model;
        EXPECT_EQ(doca_task_submit(model.ctx, model.buf), DOCA_SUCCESS);
    });
}

} // namespace
