// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

using namespace softdoca::test;

namespace {

std::vector<std::string> dpdk_words;

doca_error_t on_dpdk(int argc, char **argv)
{
    dpdk_words.assign(argv + 1, argv + argc);
    return DOCA_SUCCESS;
}

class DocaArgpJson : public ArgpTest {
protected:
    DocaArgpJson()
    {
        dpdk_words.clear();
        add_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING);
        add_param("n", "num", DOCA_ARGP_TYPE_INT);
        add_param("f", "flag", DOCA_ARGP_TYPE_BOOLEAN);
        add_param("d", "ratio", DOCA_ARGP_TYPE_DOUBLE);
        add_param("m", "many", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_multiplicity});
        add_param("s", "alone", DOCA_ARGP_TYPE_BOOLEAN, {doca_argp_param_set_singular});
        add_param("c", "cli-only", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_cli_only});
        add_param("o", nullptr, DOCA_ARGP_TYPE_INT);
    }

    static doca_error_t start_with(const std::string &text, std::vector<std::string> words = {})
    {
        const TextFile file(text);
        words.insert(words.end(), {"-j", file.path()});
        return start(words);
    }
    static doca_error_t start_with_flags(const std::string &members)
    {
        return start_with("{\"doca_program_flags\": {" + members + "}}");
    }
    static doca_error_t start_with_dpdk(const std::string &members,
                                        std::vector<std::string> words = {"--"})
    {
        doca_argp_set_dpdk_program(on_dpdk);
        return start_with("{\"doca_dpdk_flags\": {" + members + "}}", std::move(words));
    }
};

} // namespace

TEST_F(DocaArgpJson, ValuesComeInTheOrderOfTheFile)
{
    EXPECT_EQ(start_with_flags(R"("num": -4, "pci-addr": "03:00.0", "flag": true, "ratio": 0.5)"),
              DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int -4", "string 03:00.0", "true", "double 0.500000"}));
}

TEST_F(DocaArgpJson, FileComesBeforeTheLine)
{
    EXPECT_EQ(start_with(R"({"doca_program_flags": {"num": 1}})", {"-n", "2"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 1", "int 2"}));
}

TEST_F(DocaArgpJson, GeneralFlagsSetTheLevels)
{
    EXPECT_EQ(start_with(R"({"doca_general_flags": {"log-level": 60, "sdk-log-level": 30}})"),
              DOCA_SUCCESS);

    EXPECT_EQ(doca_log_level_get_global_lower_limit(), 60U);
    EXPECT_EQ(doca_log_level_get_global_sdk_limit(), 30U);
}

TEST_F(DocaArgpJson, LevelsOfTheLineBeatThoseOfTheFile)
{
    EXPECT_EQ(start_with(R"({"doca_general_flags": {"log-level": 60}})", {"-l", "20"}),
              DOCA_SUCCESS);

    int level = 0;
    EXPECT_EQ(doca_argp_get_log_level(&level), DOCA_SUCCESS);
    EXPECT_EQ(level, 20);
    EXPECT_EQ(doca_log_level_get_global_lower_limit(), 20U);
}

TEST_F(DocaArgpJson, ANumberThatIsNoLevelIsInvalid)
{
    EXPECT_EQ(start_with(R"({"doca_general_flags": {"log-level": 61}})"), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpJson, CommentsCountOnlyOutsideOfStrings)
{
    EXPECT_EQ(start_with("// first line\n"
                         "{ // open\n"
                         "  \"doca_program_flags\": {\n"
                         "    // \"num\": 1,\n"
                         "    \"pci-addr\": \"http://03:00.0 /* no comment */\" // behind\n"
                         "  }\n"
                         "}\n"
                         "// last line"),
              DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"string http://03:00.0 /* no comment */"});
}

TEST_F(DocaArgpJson, AnEmptyObjectGivesNothing)
{
    EXPECT_EQ(start_with("{}"), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpJson, AFlagThatIsFalseWasNotGiven)
{
    add_param("x", "must", DOCA_ARGP_TYPE_BOOLEAN, {doca_argp_param_set_mandatory});

    EXPECT_EQ(start_with_flags(R"("flag": false, "must": false)"), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(calls(), Calls{});
    EXPECT_EQ(start_with_flags(R"("flag": false, "must": true)"), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{"true"});
}

TEST_F(DocaArgpJson, AMandatoryParameterMayStandInTheFile)
{
    add_param("x", "must", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory});

    EXPECT_EQ(start_with_flags(R"("must": 1)"), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, AListIsForMultiplicity)
{
    EXPECT_EQ(start_with_flags(R"("num": [1])"), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start_with_flags(R"("many": [1, "2"])"), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start_with_flags(R"("many": [1, [2]])"), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(calls(), Calls{});

    EXPECT_EQ(start_with_flags(R"("many": [1, 2, 3])"), DOCA_SUCCESS);
    EXPECT_EQ(calls(), (Calls{"int 1", "int 2", "int 3"}));
}

TEST_F(DocaArgpJson, MultiplicityTakesOneValueToo)
{
    EXPECT_EQ(start_with_flags(R"("many": 1)"), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{"int 1"});
}

TEST_F(DocaArgpJson, AKeyGivenTwiceIsARepetition)
{
    EXPECT_EQ(start_with_flags(R"("num": 1, "num": 2)"), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start_with_flags(R"("many": 1, "many": 2)"), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, ASingularParameterMustBeAloneInFileAndLine)
{
    EXPECT_EQ(start_with(R"({"doca_program_flags": {"alone": true}})", {"-n", "2"}),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start_with_flags(R"("alone": true)"), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, WrongTypesAreInvalid)
{
    for (const char *member :
         {R"("num": "4")", R"("num": 4.5)", R"("num": true)", R"("num": null)",
          R"("num": 2147483648)", R"("num": 18446744073709551615)", R"("num": {})", R"("flag": 1)",
          R"("flag": "true")", R"("ratio": "0.5")", R"("pci-addr": 3)", R"("pci-addr": null)",
          R"("pci-addr": "cut\u0000short")"})
        EXPECT_EQ(start_with_flags(member), DOCA_ERROR_INVALID_VALUE) << member;
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpJson, ADoubleMayBeAWholeNumber)
{
    EXPECT_EQ(start_with_flags(R"("ratio": 2)"), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{"double 2.000000"});
}

TEST_F(DocaArgpJson, UnknownKeysAreNotSupported)
{
    for (const char *text :
         {R"({"unknown": {}})", R"({"doca_dpdk_flags": {}})",
          R"({"doca_program_flags": {"unknown": 1}})", R"({"doca_program_flags": {"n": 1}})",
          R"({"doca_program_flags": {"": 1}})", R"({"doca_program_flags": {"log-level": 60}})",
          R"({"doca_general_flags": {"num": 1}})"})
        EXPECT_EQ(start_with(text), DOCA_ERROR_NOT_SUPPORTED) << text;
}

TEST_F(DocaArgpJson, UnknownKeysAreSkippedIfTheProgramWantsIt)
{
    ASSERT_EQ(doca_argp_disable_pedantic_config_parsing(), DOCA_SUCCESS);

    EXPECT_EQ(start_with(R"({"unknown": [[1]], "doca_program_flags": {"bogus": 1, "num": 2}})"),
              DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"int 2"});
    EXPECT_NE(stderr_text().find("unknown key \"bogus\" is skipped"), std::string::npos);
}

TEST_F(DocaArgpJson, KeysOfTheCommandLineOnlyAreSkippedWithAWarning)
{
    EXPECT_EQ(start_with_flags(R"("cli-only": 1, "num": 2)"), DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"int 2"});
    EXPECT_NE(stderr_text().find("prog: warning: JSON file"), std::string::npos);
    EXPECT_NE(stderr_text().find("\"cli-only\""), std::string::npos);
}

TEST_F(DocaArgpJson, SectionsMustBeObjects)
{
    for (const char *text : {"[]", "1", "\"text\"", "null", R"({"doca_program_flags": []})",
                             R"({"doca_general_flags": 60})"})
        EXPECT_EQ(start_with(text), DOCA_ERROR_INVALID_VALUE) << text;
}

TEST_F(DocaArgpJson, WhatIsNoJsonIsAnIoFailure)
{
    for (const char *text : {"", "{", "{}}", "{\"a\": }", "{a: 1}", "{\"a\": 1,}", "nul", "/",
                             "{} x", "{\"a\": \"\xff\"}", "{\"a\": 1e999}"})
        EXPECT_EQ(start_with(text), DOCA_ERROR_IO_FAILED) << text;
}

TEST_F(DocaArgpJson, MessagesNameFileAndLine)
{
    EXPECT_EQ(start_with("{\n\"doca_program_flags\": {\n\"num\" 1\n}}"), DOCA_ERROR_IO_FAILED);

    EXPECT_NE(stderr_text().find("JSON file \"/proc/self/fd/"), std::string::npos);
    EXPECT_NE(stderr_text().find("line 3 "), std::string::npos);
}

TEST_F(DocaArgpJson, AFileThatCannotBeReadIsAnIoFailure)
{
    EXPECT_EQ(start({"-j", "/nonexistent/flags.json"}), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(start({"-j", "/"}), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(start({"-j", ""}), DOCA_ERROR_IO_FAILED);
}

TEST_F(DocaArgpJson, AFileThatIsTooLongIsAnIoFailure)
{
    std::string text = "{}";
    text.resize((1U << 20) + 1, ' ');
    EXPECT_EQ(start_with(text), DOCA_ERROR_IO_FAILED);

    text.pop_back();
    EXPECT_EQ(start_with(text), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, DepthIsBounded)
{
    ASSERT_EQ(doca_argp_disable_pedantic_config_parsing(), DOCA_SUCCESS);
    const auto nested = [](std::size_t depth) {
        return "{\"x\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
    };

    EXPECT_EQ(start_with(nested(500000)), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(start_with(nested(32)), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(start_with(nested(31)), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, OneFileCanBeGiven)
{
    const TextFile file("{}");

    EXPECT_EQ(start({"-j", file.path(), "--json", file.path()}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"--json=" + file.path()}), DOCA_SUCCESS);
}

TEST_F(DocaArgpJson, DpdkFlagsBecomeWords)
{
    EXPECT_EQ(start_with_dpdk(R"("devices": ["08:00.0,key=1",
                                             {"device": "sf", "id": "4", "sft": true, "x": false},
                                             {"device": "pf", "id": "03:00.0", "n": 2, "s": "t"}],
                                 "core-mask": "0xf", "flags": " --a  b ")"),
              DOCA_SUCCESS);

    EXPECT_EQ(dpdk_words, (Calls{"-a", "08:00.0,key=1", "-a", "auxiliary:mlx5_core.sf.4,sft=1",
                                 "-a", "03:00.0,n=2,s=t", "-c", "0xf", "--a", "b"}));
}

TEST_F(DocaArgpJson, DpdkWordsOfTheFileComeBeforeThoseOfTheLine)
{
    EXPECT_EQ(start_with_dpdk(R"("core-list": "0-3")", {"--line", "--"}), DOCA_SUCCESS);

    EXPECT_EQ(dpdk_words, (Calls{"-l", "0-3", "--line"}));
}

TEST_F(DocaArgpJson, DpdkFlagsAreChecked)
{
    EXPECT_EQ(start_with_dpdk(R"("unknown": 1)"), DOCA_ERROR_NOT_SUPPORTED);
    for (const char *members :
         {R"("core-mask": 15)", R"("core-mask": "f", "core-list": "0")", R"("flags": [])",
          R"("devices": "x")", R"("devices": [1])", R"("devices": [""])", R"("devices": [{}])",
          R"("devices": [{"device": "pf"}])", R"("devices": [{"device": 1, "id": "x"}])",
          R"("devices": [{"id": "x", "y": []}])"})
        EXPECT_EQ(start_with_dpdk(members), DOCA_ERROR_INVALID_VALUE) << members;
    EXPECT_EQ(dpdk_words, Calls{});
}
