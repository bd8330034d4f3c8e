// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

#include <cstdarg>
#include <cstdlib>

using namespace softdoca::test;

namespace {

/// Nothing is initialised.
class DocaArgpOutside : public testing::Test {
protected:
    ~DocaArgpOutside() override { (void)doca_argp_destroy(); }

    Capture stderr_{STDERR_FILENO};
};

class DocaArgp : public ArgpTest {};

doca_error_t on_version(void *value, void *config)
{
    return note(config, *static_cast<bool *>(value) ? "version" : "no version");
}

doca_error_t destroy_and_exit(void *, void *)
{
    std::exit(doca_argp_destroy() == DOCA_SUCCESS ? 0 : 1);
}

doca_error_t destroy_and_return(void *, void *config)
{
    (void)note(config, "destroy");
    return doca_argp_destroy();
}

std::string logged;

doca_error_t on_log(doca_log_level level, const char *format, std::va_list args)
{
    char text[512];
    std::vsnprintf(text, sizeof(text), format, args);
    logged += std::to_string(level) + " " + text + "\n";
    return DOCA_SUCCESS;
}

std::vector<std::string> dpdk_words;
char **dpdk_argv;
doca_error_t dpdk_answer;

doca_error_t on_dpdk(int argc, char **argv)
{
    dpdk_argv = argv;
    dpdk_words.assign(argv, argv + argc);
    return argv[argc] == nullptr ? dpdk_answer : DOCA_ERROR_UNEXPECTED;
}

class DocaArgpDpdk : public ArgpTest {
protected:
    DocaArgpDpdk()
    {
        dpdk_words.clear();
        dpdk_argv = nullptr;
        dpdk_answer = DOCA_SUCCESS;
        add_param("n", "num", DOCA_ARGP_TYPE_INT);
        doca_argp_set_dpdk_program(on_dpdk);
    }
};

} // namespace

TEST_F(DocaArgpOutside, InitTakesNeitherNameNorConfig)
{
    EXPECT_EQ(doca_argp_init(nullptr, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(start({}), DOCA_SUCCESS);
}

TEST_F(DocaArgpOutside, InitRefusesAnEmptyName)
{
    EXPECT_EQ(doca_argp_init("", nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgpOutside, InitCanFollowDestroy)
{
    EXPECT_EQ(doca_argp_init("first", nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_init("second", nullptr), DOCA_SUCCESS);
    EXPECT_EQ(start({}), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
}

TEST_F(DocaArgpOutside, EveryCallNeedsInit)
{
    doca_argp_param *param = nullptr;
    doca_argp_cmd *cmd = nullptr;
    char name[] = "prog";
    char *argv[] = {name, nullptr};

    EXPECT_EQ(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_start(1, argv), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_create(&cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_version_callback(on_version), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_logger_callback(on_log), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(param, nullptr);
    EXPECT_EQ(cmd, nullptr);
}

TEST_F(DocaArgpOutside, VoidCallsWithoutInitDoNothing)
{
    doca_argp_set_dpdk_program(on_dpdk);
    doca_argp_param_set_short_name(nullptr, "x");
    doca_argp_cmd_set_name(nullptr, "x");
    const Capture out(STDOUT_FILENO);
    doca_argp_usage();
    std::fflush(stdout);

    EXPECT_EQ(out.text(), "");
    EXPECT_NE(stderr_.text().find("doca_argp_init"), std::string::npos);
}

TEST_F(DocaArgpOutside, HandlesEndWithDestroy)
{
    ASSERT_EQ(doca_argp_init("prog", nullptr), DOCA_SUCCESS);
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_cmd *cmd = make_cmd("get");
    ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_register_param(cmd, param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_register_cmd(cmd, cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_destroy(cmd), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgpOutside, LogLevelsWithoutInitAreTheGlobalOnes)
{
    int level = 0;
    int sdk_level = 0;

    EXPECT_EQ(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_get_sdk_log_level(&sdk_level), DOCA_SUCCESS);

    EXPECT_EQ(level, static_cast<int>(doca_log_level_get_global_lower_limit()));
    EXPECT_EQ(sdk_level, static_cast<int>(doca_log_level_get_global_sdk_limit()));
}

TEST_F(DocaArgp, InitTwiceIsBadState)
{
    EXPECT_EQ(doca_argp_init("prog", nullptr), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(start({}), DOCA_SUCCESS);
}

TEST_F(DocaArgp, StartNeedsACommandLine)
{
    char name[] = "prog";
    char *argv[] = {name, nullptr};

    EXPECT_EQ(doca_argp_start(1, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_start(0, argv), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_start(-1, argv), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_start(2, argv), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_start(1, argv), DOCA_SUCCESS);
}

TEST_F(DocaArgp, StartTwiceIsBadState)
{
    EXPECT_EQ(start({}), DOCA_SUCCESS);
    EXPECT_EQ(start({}), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgp, AFailedStartChangesNothing)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(start({"-n", "x"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-n", "1", "--bogus"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(calls(), Calls{});

    EXPECT_EQ(start({"-n", "1"}), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{"int 1"});
}

TEST_F(DocaArgp, NothingCanBeRegisteredAfterStart)
{
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_cmd *cmd = make_cmd("get");
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_version_callback(on_version), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_validation_callback(on_validation), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_disable_pedantic_config_parsing(), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgp, CallbacksMustNotBeNull)
{
    EXPECT_EQ(doca_argp_register_version_callback(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_validation_callback(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_logger_callback(nullptr), DOCA_ERROR_INVALID_VALUE);
    doca_argp_set_dpdk_program(nullptr);

    EXPECT_EQ(start({"--", "-l", "40"}), DOCA_ERROR_NOT_SUPPORTED); // so no DPDK program
}

TEST_F(DocaArgp, ValidationComesLastAndGetsTheConfig)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT);
    ASSERT_EQ(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);

    EXPECT_EQ(start({"-n", "1"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 1", "validation"}));
}

TEST_F(DocaArgp, ErrorOfTheValidationIsTheResultOfStart)
{
    ASSERT_EQ(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);
    record_.answer = DOCA_ERROR_NOT_FOUND;

    EXPECT_EQ(start({}), DOCA_ERROR_NOT_FOUND);

    EXPECT_NE(stderr_text().find("DOCA_ERROR_NOT_FOUND"), std::string::npos);
    EXPECT_NE(stderr_text().find("Usage: prog"), std::string::npos);
}

TEST_F(DocaArgp, ValidationIsNotReachedAfterAnError)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory});
    ASSERT_EQ(doca_argp_register_validation_callback(on_validation), DOCA_SUCCESS);

    EXPECT_EQ(start({}), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgp, VersionWithoutCallbackPrintsTwoLinesAndExits)
{
    const auto print_version = [] {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)start({"--version"});
        std::exit(3);
    };

    EXPECT_EXIT(print_version(), testing::ExitedWithCode(0),
                "compile time\\): 3.3.0000\n.*runtime\\): 3.3.0000 \\(SoftDOCA [0-9.]+\\)\n$");
}

TEST_F(DocaArgp, VersionCallbackMayDestroyAndExit)
{
    ASSERT_EQ(doca_argp_register_version_callback(destroy_and_exit), DOCA_SUCCESS);

    EXPECT_EXIT(((void)start({"-v"}), std::exit(3)), testing::ExitedWithCode(0), "");
}

TEST_F(DocaArgp, VersionCallbackThatComesBackLetsStartGoOn)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT);
    ASSERT_EQ(doca_argp_register_version_callback(on_version), DOCA_SUCCESS);

    EXPECT_EQ(start({"-v", "-n", "1"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"version", "int 1"}));
}

TEST_F(DocaArgp, ErrorOfTheVersionCallbackIsTheResultOfStart)
{
    ASSERT_EQ(doca_argp_register_version_callback(on_version), DOCA_SUCCESS);
    record_.answer = DOCA_ERROR_AGAIN;

    EXPECT_EQ(start({"-v"}), DOCA_ERROR_AGAIN);
}

TEST_F(DocaArgp, ACallbackThatDestroysArgpAndComesBackEndsStart)
{
    add_param("n", "num", DOCA_ARGP_TYPE_INT);
    doca_argp_param *param = make_param("d", nullptr, DOCA_ARGP_TYPE_BOOLEAN);
    doca_argp_param_set_callback(param, destroy_and_return);
    ASSERT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);

    EXPECT_EQ(start({"-n", "1", "-d", "-n", "2"}), DOCA_ERROR_INVALID_VALUE); // -n twice
    EXPECT_EQ(calls(), Calls{});
    EXPECT_EQ(start({"-d", "-n", "2"}), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(calls(), Calls{"destroy"});
    EXPECT_EQ(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaArgp, MessagesGoToTheLoggerCallback)
{
    logged.clear();
    ASSERT_EQ(doca_argp_register_logger_callback(on_log), DOCA_SUCCESS);

    EXPECT_EQ(start({"--bogus"}), DOCA_ERROR_NOT_SUPPORTED);

    EXPECT_EQ(logged, "30 unknown option \"--bogus\"\n");
    EXPECT_EQ(stderr_text().rfind("Usage: prog", 0), 0U);
}

TEST_F(DocaArgp, ThereIsOneLoggerCallback)
{
    logged.clear();
    EXPECT_EQ(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_logger_callback(on_log), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_register_logger_callback(on_log), DOCA_ERROR_ALREADY_EXIST);
    EXPECT_EQ(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(start({"--bogus"}), DOCA_ERROR_NOT_SUPPORTED);

    EXPECT_EQ(logged, "");
    EXPECT_NE(stderr_text().find("prog: unknown option \"--bogus\"\n"), std::string::npos);
}

TEST_F(DocaArgp, LogLevelFlagsSetTheGlobalLevels)
{
    EXPECT_EQ(start({"-l", "40", "--sdk-log-level", "70"}), DOCA_SUCCESS);

    EXPECT_EQ(doca_log_level_get_global_lower_limit(), 40U);
    EXPECT_EQ(doca_log_level_get_global_sdk_limit(), 70U);
}

TEST_F(DocaArgp, GivenLogLevelsCanBeRead)
{
    int level = 0;
    int sdk_level = 0;
    ASSERT_EQ(start({"--log-level", "30", "--sdk-log-level=20"}), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_level_set_global_lower_limit(60), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_get_sdk_log_level(&sdk_level), DOCA_SUCCESS);

    EXPECT_EQ(level, 30);
    EXPECT_EQ(sdk_level, 20);
}

TEST_F(DocaArgp, LogLevelsThatWereNotGivenAreTheGlobalOnes)
{
    int level = 0;
    int sdk_level = 0;
    ASSERT_EQ(doca_log_level_set_global_lower_limit(60), DOCA_SUCCESS);
    ASSERT_EQ(doca_log_level_set_global_sdk_limit(30), DOCA_SUCCESS);
    ASSERT_EQ(start({}), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_get_sdk_log_level(&sdk_level), DOCA_SUCCESS);

    EXPECT_EQ(level, 60);
    EXPECT_EQ(sdk_level, 30);
}

TEST_F(DocaArgp, LogLevelGettersNeedAnAddress)
{
    EXPECT_EQ(doca_argp_get_log_level(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_get_sdk_log_level(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgp, NumbersThatAreNoLogLevelAreRefused)
{
    EXPECT_EQ(start({"-l", "55"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-l", "-10"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"--sdk-log-level", "0"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-l", "INFO"}), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpDpdk, WordsBeforeTheDashesAreForDpdk)
{
    EXPECT_EQ(start({"-a", "08:00.0", "--", "-n", "1"}), DOCA_SUCCESS);

    EXPECT_EQ(dpdk_words, (Calls{"path/to/prog", "-a", "08:00.0"}));
    EXPECT_EQ(calls(), Calls{"int 1"});
}

TEST_F(DocaArgpDpdk, WithoutDashesAllWordsAreDocaFlags)
{
    EXPECT_EQ(start({"-n", "1"}), DOCA_SUCCESS);

    EXPECT_EQ(dpdk_words, Calls{"path/to/prog"});
    EXPECT_EQ(calls(), Calls{"int 1"});
}

TEST_F(DocaArgpDpdk, OnlyTheFirstDashesSplitTheLine)
{
    EXPECT_EQ(start({"-a", "x", "--", "--", "-n", "1"}), DOCA_ERROR_NOT_SUPPORTED);

    EXPECT_EQ(dpdk_words, Calls{});
}

TEST_F(DocaArgpDpdk, TheArrayLivesUntilDestroyAndMayBeReordered)
{
    ASSERT_EQ(start({"-a", "a long word that does not fit into a short string", "--"}),
              DOCA_SUCCESS);

    std::swap(dpdk_argv[1], dpdk_argv[2]);

    EXPECT_STREQ(dpdk_argv[1], "a long word that does not fit into a short string");
    EXPECT_STREQ(dpdk_argv[2], "-a");
}

TEST_F(DocaArgpDpdk, ErrorOfTheCallbackIsTheResultOfStart)
{
    dpdk_answer = DOCA_ERROR_DRIVER;

    EXPECT_EQ(start({"-n", "1"}), DOCA_ERROR_DRIVER);
}

TEST_F(DocaArgpDpdk, ValidationComesAfterTheCallback)
{
    ASSERT_EQ(doca_argp_register_validation_callback(
                  [](void *) { return dpdk_words.empty() ? DOCA_ERROR_UNEXPECTED : DOCA_SUCCESS; }),
              DOCA_SUCCESS);

    EXPECT_EQ(start({"-n", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpDpdk, IsNotReachedAfterAnError)
{
    EXPECT_EQ(start({"-a", "x", "--", "-n"}), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(dpdk_words, Calls{});
}
