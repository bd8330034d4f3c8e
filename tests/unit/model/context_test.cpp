// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/sdk_log.hpp"
#include "unit/codes/in_role.hpp"
#include "unit/common/in_topology.hpp"

#include <doca_log.h>

namespace {

using softdoca::test::garbage;
using softdoca::test::Handle;
using softdoca::test::in_role;
using softdoca::test::in_topology;
using softdoca::test::LogLevels;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;
using softdoca::test::pci_addr_of;
using softdoca::test::Pe;
using softdoca::test::SdkLog;
using softdoca::test::text_of;

TEST(ModelContext, IsOneInAProcessAtATime)
{
    const ModelContextHandle first;
    doca_ctx *second = nullptr;

    EXPECT_EQ(doca_ctx_create(&second), DOCA_ERROR_ALREADY_EXIST);
    EXPECT_EQ(doca_ctx_create(), nullptr);

    EXPECT_EQ(second, nullptr);
}

TEST(ModelContext, PointerFormGivesOneThatWorks)
{
    doca_ctx *const ctx = doca_ctx_create();
    ASSERT_NE(ctx, nullptr);

    EXPECT_NE(doca_devinfo_get_first(ctx), nullptr);

    EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_SUCCESS);
}

TEST(ModelContext, CanBeCreatedAgainAfterItsEnd)
{
    for (int round = 0; round < 3; ++round) {
        doca_ctx *ctx = nullptr;

        EXPECT_EQ(doca_ctx_create(&ctx), DOCA_SUCCESS);
        EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_SUCCESS);
    }
}

TEST(ModelContext, CreateRefusesNull)
{
    EXPECT_EQ(doca_ctx_create(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelContext, InitMayBeCalledAgain)
{
    EXPECT_EQ(doca_init(), DOCA_SUCCESS);
    EXPECT_EQ(doca_init(), DOCA_SUCCESS);
}

TEST(ModelContext, DestroyOfNullSucceeds)
{
    EXPECT_EQ(doca_ctx_destroy(nullptr), DOCA_SUCCESS);
}

TEST(ModelContext, DestroyOfADeadOneIsRefusedWithOneLine)
{
    const SdkLog log;
    doca_ctx *ctx = nullptr;
    must(doca_ctx_create(&ctx));
    const std::string name = text_of(ctx);
    must(doca_ctx_destroy(ctx));

    EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_destroy(garbage<doca_ctx>()), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", "doca_ctx_destroy", name, "is not alive"}), 1);
}

TEST(ModelContext, IsRunningWhileADeviceIsOpen)
{
    const ModelContextHandle ctx;
    doca_dev *dev = nullptr;
    doca_ctx_states idle{}, running{}, idle_again{};

    must(doca_ctx_get_state(ctx, &idle));
    must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
    must(doca_ctx_get_state(ctx, &running));
    must(doca_dev_close(dev));
    must(doca_ctx_get_state(ctx, &idle_again));

    EXPECT_EQ(idle, DOCA_CTX_STATE_IDLE);
    EXPECT_EQ(running, DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(idle_again, DOCA_CTX_STATE_IDLE);
}

TEST(ModelContext, KeepsUserDataAndHasNoTasks)
{
    const ModelContextHandle ctx;
    doca_data data{.u64 = 42}, found{};
    std::size_t num_tasks = 1;

    EXPECT_EQ(doca_ctx_set_user_data(ctx, data), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_get_user_data(ctx, &found), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_get_num_inflight_tasks(ctx, &num_tasks), DOCA_SUCCESS);

    EXPECT_EQ(found.u64, 42u);
    EXPECT_EQ(num_tasks, 0u);
}

/// In both of its states the program cannot drive it, and a line says so.
void expect_not_driven(doca_ctx *ctx)
{
    const SdkLog log;
    const Pe pe;
    const auto ignore = [](doca_data, doca_ctx *, doca_ctx_states, doca_ctx_states) {};

    EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_ctx_set_state_changed_cb(ctx, ignore), DOCA_ERROR_NOT_SUPPORTED);

    EXPECT_EQ(log.count({"[ERR]", text_of(ctx), "belongs to the model"}), 1); // once a cause
}

TEST(ModelContext, IsNotDrivenByTheProgramInIdle)
{
    const ModelContextHandle ctx;

    expect_not_driven(ctx);
}

TEST(ModelContext, IsNotDrivenByTheProgramInRunning)
{
    const Model model;

    expect_not_driven(model.ctx);
    EXPECT_EQ(model.state(), DOCA_CTX_STATE_RUNNING);
}

TEST(ModelContext, LogLevelLimitsBothWorlds)
{
    const LogLevels levels;
    const ModelContextHandle ctx;

    for (std::uint32_t level = DOCA_LOG_LEVEL_DISABLE; level <= DOCA_LOG_LEVEL_TRACE; level += 10) {
        EXPECT_EQ(doca_ctx_set_log_level(ctx, level), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_level_get_global_lower_limit(), level);
        EXPECT_EQ(doca_log_level_get_global_sdk_limit(), level);
    }
}

TEST(ModelContext, LogLevelRefusesOtherNumbersAndDeadContexts)
{
    doca_ctx *ctx = nullptr;
    must(doca_ctx_create(&ctx));

    EXPECT_EQ(doca_ctx_set_log_level(ctx, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_log_level(ctx, 55), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_set_log_level(nullptr, DOCA_LOG_LEVEL_INFO), DOCA_ERROR_INVALID_VALUE);
    must(doca_ctx_destroy(ctx));
    EXPECT_EQ(doca_ctx_set_log_level(ctx, DOCA_LOG_LEVEL_INFO), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelContext, DevinfosAreThoseOfTheRole)
{
    for (const auto &[role, first, second] : {std::tuple("dpu", "0000:03:00.0", "0000:03:00.1"),
                                              std::tuple("host", "0000:3b:00.0", "0000:3b:00.1")})
        in_role(role, [first = first, second = second] {
            const ModelContextHandle ctx;
            doca_devinfo *const info = doca_devinfo_get_first(ctx);
            doca_devinfo *const next = softdoca_model_devinfo_next(ctx, info);

            EXPECT_EQ(pci_addr_of(info), first);
            EXPECT_EQ(pci_addr_of(next), second);
            EXPECT_EQ(softdoca_model_devinfo_next(ctx, next), nullptr);
        });
}

TEST(ModelContext, DevinfosOfNothingAreNull)
{
    doca_ctx *ctx = nullptr;
    must(doca_ctx_create(&ctx));
    doca_devinfo *const info = doca_devinfo_get_first(ctx);

    EXPECT_EQ(softdoca_model_devinfo_next(ctx, nullptr), nullptr);
    EXPECT_EQ(softdoca_model_devinfo_next(ctx, garbage<doca_devinfo>()), nullptr);
    EXPECT_EQ(softdoca_model_devinfo_next(nullptr, info), nullptr);
    EXPECT_EQ(doca_devinfo_get_first(nullptr), nullptr);
    must(doca_ctx_destroy(ctx));
    EXPECT_EQ(doca_devinfo_get_first(ctx), nullptr);
    EXPECT_EQ(softdoca_model_devinfo_next(ctx, info), nullptr);
}

TEST(ModelContext, NeedsNoDevice)
{
    in_topology("not a topology", "dpu", [] {
        const ModelContextHandle ctx;
        doca_dev *dev = nullptr;

        EXPECT_EQ(doca_devinfo_get_first(ctx), nullptr);
        EXPECT_EQ(doca_dev_open(doca_devinfo_get_first(ctx), &dev), DOCA_ERROR_INVALID_VALUE);
    });
}

TEST(ModelContext, FirstDevinfoHasANetworkPlane)
{
    in_topology("[[dpu]]\n[[dpu.function]]\niface = \"\"\n[[dpu.function]]\n", "dpu", [] {
        const ModelContextHandle ctx;

        EXPECT_EQ(pci_addr_of(doca_devinfo_get_first(ctx)), "0000:03:00.1");
    });
}

TEST(ModelContext, WithAnOpenDeviceIsNotDestroyed)
{
    const SdkLog log;
    const Model model;

    EXPECT_EQ(doca_ctx_destroy(model.ctx), DOCA_ERROR_IN_USE);

    EXPECT_EQ(log.count({"[ERR]", "context " + text_of(model.ctx), "still has 1 open device (",
                         "call doca_dev_close first"}),
              1);
    EXPECT_EQ(model.state(), DOCA_CTX_STATE_RUNNING);
}

} // namespace
