// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Any call, from any thread, at any time.

#include "model_setup.hpp"

#include "support/rounds.hpp"

#include <doca_buf.h>
#include <doca_log.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace {

using softdoca::test::garbage;
using softdoca::test::LogLevels;
using softdoca::test::Memory;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;
using softdoca::test::num_rounds;
using softdoca::test::Setting;

constexpr int kThreads = 4;

template <typename Body>
void in_threads(Body body)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back(body);
    for (std::thread &thread : threads)
        thread.join();
}

/// Builds the branch below a Context, uses it and takes it down; each step must succeed.
void use_a_branch(doca_ctx *ctx, const Memory &memory)
{
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
    doca_ctx_states state{};
    softdoca_model_device_counters counters{};
    EXPECT_EQ(doca_dev_open(doca_devinfo_get_first(ctx), &dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_reg(dev, memory.data(), memory.size(), DOCA_MEM_ACCESS_RW, &mem),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_create(mem, 0, 64, &buf), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(ctx, buf), DOCA_SUCCESS);
    const doca_error_t received = softdoca_model_receive(ctx, buf);
    EXPECT_TRUE(received == DOCA_SUCCESS || received == DOCA_ERROR_AGAIN);
    EXPECT_EQ(softdoca_model_counters(dev, &counters), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_get_state(ctx, &state), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
    const doca_error_t closed = doca_dev_close(dev); // the last while others register: refused
    EXPECT_TRUE(closed == DOCA_SUCCESS || closed == DOCA_ERROR_IN_USE);
}

TEST(ModelThreads, ShareOneContext)
{
    const ModelContextHandle ctx;
    doca_dev *kept = nullptr; // so that no close is the last
    must(doca_dev_open(doca_devinfo_get_first(ctx), &kept));

    in_threads([&ctx] {
        const Memory memory(4096);
        for (int round = 0; round < num_rounds(100); ++round)
            use_a_branch(ctx, memory);
    });

    EXPECT_EQ(doca_dev_close(kept), DOCA_SUCCESS);
}

TEST(ModelThreads, OpenAndCloseAndTheStateFollows)
{
    const ModelContextHandle ctx;

    in_threads([&ctx] {
        for (int round = 0; round < num_rounds(100); ++round) {
            doca_dev *dev = nullptr;
            doca_ctx_states state{};
            EXPECT_EQ(doca_dev_open(doca_devinfo_get_first(ctx), &dev), DOCA_SUCCESS);
            EXPECT_EQ(doca_ctx_get_state(ctx, &state), DOCA_SUCCESS);
            EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
        }
    });

    doca_ctx_states state{};
    must(doca_ctx_get_state(ctx, &state));
    EXPECT_EQ(state, DOCA_CTX_STATE_IDLE);
}

TEST(ModelThreads, CreateOneContextAmongThem)
{
    for (int round = 0; round < num_rounds(50); ++round) {
        std::atomic<int> num_made{0};
        std::array<std::atomic<doca_ctx *>, 1> made{};

        in_threads([&] {
            doca_ctx *ctx = nullptr;
            const doca_error_t result = doca_ctx_create(&ctx);
            EXPECT_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_ALREADY_EXIST);
            if (result == DOCA_SUCCESS) {
                ++num_made;
                made[0] = ctx;
            }
        });

        EXPECT_EQ(num_made, 1);
        EXPECT_EQ(doca_ctx_destroy(made[0]), DOCA_SUCCESS);
    }
}

TEST(ModelThreads, ReleaseEachThingOnce)
{
    for (int round = 0; round < num_rounds(50); ++round) {
        Model model;
        std::atomic<int> num_bufs{0}, num_mems{0};

        in_threads([&] {
            num_bufs += doca_buf_destroy(model.buf) == DOCA_SUCCESS ? 1 : 0;
            num_mems += doca_mem_unreg(model.mem) == DOCA_SUCCESS ? 1 : 0;
        });

        EXPECT_EQ(num_bufs, 1);
        EXPECT_EQ(num_mems, 1);
        model.buf = nullptr;
        model.mem = nullptr;
    }
}

/// Whatever the others do meanwhile: an answer, and no crash.
void call_everything(doca_ctx *ctx, const Memory &memory)
{
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
    std::uint64_t host = 0, device = 0;
    (void)doca_ctx_set_log_level(ctx, DOCA_LOG_LEVEL_WARNING);
    (void)doca_dev_open(doca_devinfo_get_first(ctx), &dev);
    (void)doca_mem_reg(dev, memory.data(), memory.size(), DOCA_MEM_ACCESS_RW, &mem);
    (void)softdoca_model_mem_addr(mem, &host, &device);
    (void)doca_buf_create(mem, 0, 64, &buf);
    (void)doca_task_submit(ctx, buf);
    (void)softdoca_model_receive(ctx, buf);
    (void)doca_buf_destroy(buf);
    (void)doca_mem_unreg(mem);
    (void)doca_dev_close(dev);
}

TEST(ModelThreads, DestroyAContextUnderTheHandsOfOthers)
{
    const Setting setting("SOFTDOCA_MODEL_ORDER", "dangle");
    const LogLevels levels;
    for (int round = 0; round < num_rounds(20); ++round) {
        doca_ctx *ctx = nullptr;
        must(doca_ctx_create(&ctx));
        std::thread destroyer([ctx] { EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_SUCCESS); });

        in_threads([ctx] {
            const Memory memory(4096);
            for (int i = 0; i < 5; ++i)
                call_everything(ctx, memory);
        });

        destroyer.join();
    }
}

std::atomic<doca_ctx *> ctx_of_handler{nullptr};
std::atomic<long> num_handled{0};

/// A log handler that uses what logs. Calls inside are silent here: lines of a handler pass it by.
void call_from_handler(char *)
{
    doca_ctx *const ctx = ctx_of_handler;
    if (ctx == nullptr)
        return;
    const Memory memory(64);
    call_everything(ctx, memory);
    ++num_handled;
}

TEST(ModelThreads, CallFromLogHandlersToo)
{
    const LogLevels levels;
    static char text[8192];
    doca_log_backend *backend = nullptr;
    must(doca_log_backend_create_with_buf_sdk(text, sizeof text, call_from_handler, &backend));
    must(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
    const ModelContextHandle ctx;
    doca_dev *kept = nullptr;
    must(doca_dev_open(doca_devinfo_get_first(ctx), &kept));
    ctx_of_handler = ctx;

    in_threads([&ctx] {
        const Memory memory(4096);
        for (int round = 0; round < num_rounds(10); ++round) {
            must(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG)); // handlers lower it
            use_a_branch(ctx, memory);
        }
    });

    ctx_of_handler = nullptr;
    EXPECT_GT(num_handled, 0);
    EXPECT_EQ(doca_dev_close(kept), DOCA_SUCCESS);
}

} // namespace
