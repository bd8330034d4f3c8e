// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "log_capture.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <string>

using softdoca::test::Capture;
using softdoca::test::in_own_process;
using softdoca::test::levels_in;
using softdoca::test::log_at_all_levels;
using softdoca::test::MemoryLog;

namespace {

constexpr auto kSdk = doca_log_backend_create_with_fd_sdk;

/// Does the library's log show an error (a refusal), and what it says of a control call at DEBUG?
/// Each call must be refused at another place in the library, as a refusal is told once.
bool shows_refusal(const MemoryLog &log, doca_error_t (*refused_call)())
{
    const std::size_t before = log.text().size();
    EXPECT_NE(refused_call(), DOCA_SUCCESS);
    return log.text().find("[ERR]", before) != std::string::npos;
}

bool shows_debug(const MemoryLog &log)
{
    const std::size_t before = log.text().size();
    doca_log_backend *backend = nullptr;
    EXPECT_EQ(doca_log_backend_create_with_file(stderr, &backend), DOCA_SUCCESS);
    return log.text().find("[DBG]", before) != std::string::npos;
}

} // namespace

TEST(DocaLog, DefaultLimitsAreInfoAndCrit)
{
    in_own_process([] {
        EXPECT_EQ(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
        EXPECT_EQ(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_CRIT);
        EXPECT_EQ(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_INFO);
        MemoryLog log;

        log_at_all_levels();

        EXPECT_EQ(levels_in(log.text()), "20 30 40 50 ");
    });
}

TEST(DocaLog, LimitsOfABackendSelectWhatItShows)
{
    in_own_process([] {
        MemoryLog log;
        MemoryLog other;

        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), 60), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), 40), DOCA_SUCCESS);
        log_at_all_levels();

        EXPECT_EQ(levels_in(log.text()), "40 50 60 ");
        EXPECT_EQ(levels_in(other.text()), "20 30 40 50 ");
    });
}

TEST(DocaLog, DisableAsLowerLimitSilencesABackend)
{
    in_own_process([] {
        MemoryLog log;
        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), DOCA_LOG_LEVEL_DISABLE),
                  DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), DOCA_LOG_LEVEL_DISABLE),
                  DOCA_SUCCESS);

        log_at_all_levels();

        EXPECT_EQ(log.text(), "");
    });
}

TEST(DocaLog, GlobalLimitsChangeAllBackendsAndTheDefaultOfNewOnes)
{
    in_own_process([] {
        MemoryLog before;
        EXPECT_EQ(doca_log_backend_set_level_lower_limit(before.backend(), 70), DOCA_SUCCESS);

        EXPECT_EQ(doca_log_level_set_global_lower_limit(40), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_level_set_global_upper_limit(30), DOCA_SUCCESS);
        MemoryLog after;
        log_at_all_levels();

        EXPECT_EQ(doca_log_level_get_global_lower_limit(), 40U);
        EXPECT_EQ(doca_log_level_get_global_upper_limit(), 30U);
        EXPECT_EQ(levels_in(before.text()), "30 40 ");
        EXPECT_EQ(levels_in(after.text()), "30 40 ");
    });
}

TEST(DocaLog, StrictLowerLimitCanOnlyShowMore)
{
    in_own_process([] {
        MemoryLog log;
        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), 40), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(log.backend()), DOCA_SUCCESS);

        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), 30),
                  DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(doca_log_level_set_global_lower_limit(10), DOCA_SUCCESS);
        log_at_all_levels();
        EXPECT_EQ(levels_in(log.text()), "20 30 40 ");

        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), 60), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), 40), DOCA_SUCCESS)
            << "back to the pin";
    });
}

TEST(DocaLog, StrictUpperLimitCanOnlyShowMore)
{
    in_own_process([] {
        MemoryLog log;
        EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), 30), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(log.backend()), DOCA_SUCCESS);

        EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), 40),
                  DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(doca_log_level_set_global_upper_limit(50), DOCA_SUCCESS);
        log_at_all_levels();
        EXPECT_EQ(levels_in(log.text()), "30 40 50 ");

        EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), 20), DOCA_SUCCESS);
    });
}

TEST(DocaLog, StrictHoldsForAnSdkBackend)
{
    in_own_process([] {
        MemoryLog log(kSdk);
        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), 60), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(log.backend()), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(log.backend()), DOCA_SUCCESS);

        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), 40), DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(doca_log_level_set_global_sdk_limit(40), DOCA_SUCCESS);

        EXPECT_TRUE(shows_debug(log));
    });
}

TEST(DocaLog, RefusesNumbersThatAreNotLevels)
{
    in_own_process([] {
        MemoryLog log;
        MemoryLog sdk(kSdk);
        for (const std::uint32_t level : {0U, 5U, 11U, 45U, 80U, 4294967290U}) {
            EXPECT_EQ(doca_log_backend_set_level_lower_limit(log.backend(), level),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_backend_set_level_upper_limit(log.backend(), level),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_backend_set_sdk_level(sdk.backend(), level),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_level_set_global_lower_limit(level), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_level_set_global_upper_limit(level), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_level_set_global_sdk_limit(level), DOCA_ERROR_INVALID_VALUE);
        }
        EXPECT_EQ(doca_log_level_get_global_lower_limit(), 50U);
        EXPECT_EQ(doca_log_level_get_global_upper_limit(), 20U);
        EXPECT_EQ(doca_log_level_get_global_sdk_limit(), 50U);
        log_at_all_levels();
        EXPECT_EQ(levels_in(log.text()), "20 30 40 50 ");
    });
}

TEST(DocaLog, LevelSettersTakeOnlyBackendsOfTheirWorld)
{
    in_own_process([] {
        MemoryLog log;
        MemoryLog sdk(kSdk);
        int no_backend = 0;
        auto *const stray = reinterpret_cast<doca_log_backend *>(&no_backend);

        for (doca_log_backend *bad :
             {sdk.backend(), stray, static_cast<doca_log_backend *>(nullptr)}) {
            EXPECT_EQ(doca_log_backend_set_level_lower_limit(bad, 40), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_backend_set_level_upper_limit(bad, 40), DOCA_ERROR_INVALID_VALUE);
        }
        for (doca_log_backend *bad :
             {log.backend(), stray, static_cast<doca_log_backend *>(nullptr)})
            EXPECT_EQ(doca_log_backend_set_sdk_level(bad, 40), DOCA_ERROR_INVALID_VALUE);
        for (doca_log_backend *bad : {stray, static_cast<doca_log_backend *>(nullptr)}) {
            EXPECT_EQ(doca_log_backend_set_level_lower_limit_strict(bad), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_log_backend_set_level_upper_limit_strict(bad), DOCA_ERROR_INVALID_VALUE);
        }
    });
}

TEST(DocaLog, SdkLevelSelectsWhatTheLibraryShows)
{
    in_own_process([] {
        MemoryLog log(kSdk);

        EXPECT_FALSE(shows_debug(log));
        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), 60), DOCA_SUCCESS);
        EXPECT_TRUE(shows_debug(log));

        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), 10), DOCA_SUCCESS);
        const auto refused = [] { return doca_log_unregister_source(-1); };
        EXPECT_FALSE(shows_refusal(log, refused));
        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), 30), DOCA_SUCCESS);
        EXPECT_TRUE(shows_refusal(log, refused)) << "what was not shown has not been told";
    });
}

// F30.4: the user's --sdk-log-level, which argp gives to the global setter, wins over the program.
TEST(DocaLog, GlobalSdkLimitOverridesTheLevelOfABackend)
{
    in_own_process([] {
        MemoryLog log(kSdk);
        EXPECT_EQ(doca_log_backend_set_sdk_level(log.backend(), DOCA_LOG_LEVEL_WARNING),
                  DOCA_SUCCESS);

        EXPECT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
        MemoryLog later(kSdk);

        EXPECT_EQ(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_DEBUG);
        EXPECT_TRUE(shows_debug(log));
        EXPECT_TRUE(shows_debug(later));
    });
}

TEST(DocaLog, GlobalSdkLimitWithoutBackendKeepsTheLoudLines)
{
    in_own_process([] {
        const Capture err(STDERR_FILENO);

        EXPECT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
        doca_log_unregister_source(-1);

        EXPECT_NE(err.text().find("[ERR]"), std::string::npos);
    });
}
