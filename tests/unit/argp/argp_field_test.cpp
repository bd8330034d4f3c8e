// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

#include <cstdlib>

using namespace softdoca::test;

DOCA_LOG_REGISTER(TEST::F30);

namespace {

struct F30Config {
    std::vector<std::string> calls;
    doca_error_t pci_answer = DOCA_SUCCESS;
};

F30Config &config_of(void *config)
{
    return *static_cast<F30Config *>(config);
}

doca_error_t on_pci_addr(void *value, void *config)
{
    config_of(config).calls.push_back("pci-addr " + std::string(static_cast<char *>(value)));
    return config_of(config).pci_answer;
}

doca_error_t on_num_src_buf(void *value, void *config)
{
    config_of(config).calls.push_back("num-src-buf " + std::to_string(*static_cast<int *>(value)));
    return DOCA_SUCCESS;
}

doca_error_t on_num(void *value, void *config)
{
    config_of(config).calls.push_back("num " + std::to_string(*static_cast<int *>(value)));
    return DOCA_SUCCESS;
}

doca_error_t on_flag(void *value, void *config)
{
    config_of(config).calls.push_back(*static_cast<bool *>(value) ? "flag true" : "flag false");
    return DOCA_SUCCESS;
}

doca_error_t show_version(void *, void *)
{
    std::exit(doca_argp_destroy() == DOCA_SUCCESS ? 0 : 1);
}

/// One whole life of argp: init, parameters, start, destroy.
class F30Program {
public:
    doca_error_t run(std::vector<std::string> words)
    {
        config_.calls.clear();
        EXPECT_EQ(doca_argp_init(nullptr, &config_), DOCA_SUCCESS);
        add("p", "pci-addr", DOCA_ARGP_TYPE_STRING, on_pci_addr, {doca_argp_param_set_mandatory});
        add("ns", "num-src-buf", DOCA_ARGP_TYPE_INT, on_num_src_buf);
        add("n", "num", DOCA_ARGP_TYPE_INT, on_num);
        add(nullptr, "flag", DOCA_ARGP_TYPE_BOOLEAN, on_flag);
        EXPECT_EQ(doca_argp_register_version_callback(show_version), DOCA_SUCCESS);
        const doca_error_t result = start(std::move(words));
        EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
        return result;
    }
    const Calls &calls() const { return config_.calls; }
    void refuse_pci_addr(doca_error_t answer) { config_.pci_answer = answer; }

private:
    static void add(const char *short_name, const char *long_name, doca_argp_type type,
                    doca_argp_param_cb_t callback, std::initializer_list<ParamSetter> setters = {})
    {
        doca_argp_param *param = make_param(short_name, long_name, type, setters);
        doca_argp_param_set_callback(param, callback);
        EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
    }

    F30Config config_;
};

} // namespace

TEST(FieldCase, F30WordsReachTheirCallbacksInOrder)
{
    F30Program program;

    EXPECT_EQ(program.run({"-p", "03:00.0", "-ns", "3", "-n", "-4", "--flag"}), DOCA_SUCCESS);
    EXPECT_EQ(program.calls(), (Calls{"pci-addr 03:00.0", "num-src-buf 3", "num -4", "flag true"}));

    EXPECT_EQ(program.run({"--pci-addr", "03:00.0", "--num-src-buf", "3"}), DOCA_SUCCESS);
    EXPECT_EQ(program.calls(), (Calls{"pci-addr 03:00.0", "num-src-buf 3"}));
}

TEST(FieldCase, F30ErrorsComeBackWithMessageAndUsage)
{
    F30Program program;
    const auto result_of = [&](const std::vector<std::string> &words) {
        const Capture err(STDERR_FILENO);
        const doca_error_t result = program.run(words);
        EXPECT_NE(err.text().find("\nUsage: prog "), std::string::npos);
        return result;
    };

    EXPECT_EQ(result_of({"-p", "03:00.0", "-x", "1"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(result_of({"-p", "03:00.0", "-ns"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(result_of({"-p", "03:00.0", "-ns", "3a"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(result_of({}), DOCA_ERROR_INVALID_VALUE);
    program.refuse_pci_addr(DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(result_of({"-p", "03:00.0"}), DOCA_ERROR_NOT_PERMITTED);
}

TEST(FieldCase, F30AnUnknownOptionIsNamed)
{
    F30Program program;
    const Capture err(STDERR_FILENO);

    EXPECT_EQ(program.run({"-p", "03:00.0", "-x", "1"}), DOCA_ERROR_NOT_SUPPORTED);

    EXPECT_EQ(err.text().rfind("prog: unknown option \"-x\"\nUsage: prog ", 0), 0U);
}

TEST(FieldCase, F30HelpAndVersionEndTheProgramWithSuccess)
{
    F30Program program;
    const auto run = [&](const char *flag) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)program.run({flag});
        std::exit(3);
    };

    EXPECT_EXIT(run("-h"), testing::ExitedWithCode(0), "^Usage: prog ");
    EXPECT_EXIT(run("-v"), testing::ExitedWithCode(0), "^$");
}

TEST(FieldCase, F30LevelsOfTheUserBeatThoseOfTheProgram)
{
    in_own_process([] {
        const MemoryLog library(doca_log_backend_create_with_fd_sdk);
        const MemoryLog application;
        ASSERT_EQ(doca_log_backend_set_sdk_level(library.backend(), DOCA_LOG_LEVEL_WARNING),
                  DOCA_SUCCESS);
        F30Program program;

        EXPECT_EQ(program.run({"-p", "03:00.0", "--sdk-log-level", "60", "-l", "40"}),
                  DOCA_SUCCESS);
        DOCA_LOG_INFO("information");
        DOCA_LOG_WARN("warning");

        EXPECT_NE(library.text().find("[DOCA][DBG]"), std::string::npos) << library.text();
        EXPECT_EQ(num_lines(application.text()), 1) << application.text();
        EXPECT_NE(application.text().find("warning"), std::string::npos);
    });
}

TEST(FieldCase, F30AJsonFileSaysTheSameAsTheLine)
{
    F30Program program;
    const TextFile file("{\n"
                        "    // levels\n"
                        "    \"doca_general_flags\": { \"log-level\": 40 },\n"
                        "    \"doca_program_flags\": {\n"
                        "        \"pci-addr\": \"03:00.0\", // of the device\n"
                        "        \"num-src-buf\": 3,\n"
                        "        \"num\": -4,\n"
                        "        \"flag\": true\n"
                        "    }\n"
                        "}\n");

    EXPECT_EQ(program.run({"-j", file.path()}), DOCA_SUCCESS);

    EXPECT_EQ(program.calls(), (Calls{"pci-addr 03:00.0", "num-src-buf 3", "num -4", "flag true"}));
    EXPECT_EQ(doca_log_level_get_global_lower_limit(), 40U);
    EXPECT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
}
