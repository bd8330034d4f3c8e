// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

#include <climits>

using namespace softdoca::test;

namespace {

class DocaArgpLine : public ArgpTest {
protected:
    DocaArgpLine()
    {
        add_param("p", "pci-addr", DOCA_ARGP_TYPE_STRING);
        add_param("n", "num", DOCA_ARGP_TYPE_INT);
        add_param("ns", "num-src-buf", DOCA_ARGP_TYPE_INT);
        add_param("f", "flag", DOCA_ARGP_TYPE_BOOLEAN);
        add_param("d", "ratio", DOCA_ARGP_TYPE_DOUBLE);
        add_param("m", "many", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_multiplicity});
        add_param("s", "alone", DOCA_ARGP_TYPE_BOOLEAN, {doca_argp_param_set_singular});
    }
};

} // namespace

TEST_F(DocaArgpLine, CallbacksComeInTheOrderOfTheLine)
{
    EXPECT_EQ(start({"-n", "1", "-p", "03:00.0", "--flag", "-d", "0.5"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 1", "string 03:00.0", "true", "double 0.500000"}));
}

TEST_F(DocaArgpLine, ShortNamesAreWholeWords)
{
    EXPECT_EQ(start({"-ns", "3", "-n", "4"}), DOCA_SUCCESS);
    EXPECT_EQ(calls(), (Calls{"int 3", "int 4"}));
}

TEST_F(DocaArgpLine, ShortNamesAreNeitherBundledNorGluedToValues)
{
    EXPECT_EQ(start({"-fs"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(start({"-n4"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(start({"-n=4"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpLine, TheNumberOfDashesTellsShortFromLong)
{
    EXPECT_EQ(start({"--n", "1"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(start({"-num", "1"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpLine, LongNamesAreNotAbbreviated)
{
    EXPECT_EQ(start({"--num-src", "1"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpLine, LongNamesTakeTheirValueAlsoBehindAnEqualsSign)
{
    EXPECT_EQ(start({"--num=5", "--pci-addr=a=b", "--ratio="}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"--num=5", "--pci-addr=a=b"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 5", "string a=b"}));
}

TEST_F(DocaArgpLine, TheWordBehindAnOptionIsItsValueWhateverItLooksLike)
{
    EXPECT_EQ(start({"-p", "-n", "-n", "-4"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"string -n", "int -4"}));
}

TEST_F(DocaArgpLine, AnEmptyWordIsAString)
{
    EXPECT_EQ(start({"-p", ""}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"string "});
}

TEST_F(DocaArgpLine, BooleansTakeNoValue)
{
    EXPECT_EQ(start({"--flag=true"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"--flag", "true"}), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(start({"--help=yes"}), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpLine, UnknownWordsAreNotSupported)
{
    for (const char *word : {"-x", "--unknown", "word", "-", "--", "", "--=1", "--=", "---"})
        EXPECT_EQ(start({word}), DOCA_ERROR_NOT_SUPPORTED) << word;
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpLine, AMissingValueIsInvalid)
{
    EXPECT_EQ(start({"-n"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-f", "--num"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-l"}), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpLine, IntsAreDecimal)
{
    for (const char *word :
         {"3a", "", "0x40", "1.5", " ", "+-1", "2147483648", "-2147483649", "99999999999999999999"})
        EXPECT_EQ(start({"-n", word}), DOCA_ERROR_INVALID_VALUE) << word;
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpLine, IntsReachFromEndToEnd)
{
    EXPECT_EQ(start({"-m", "2147483647", "-m", "-2147483648", "-m", "+7", "-m", "007"}),
              DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int " + std::to_string(INT_MAX), "int " + std::to_string(INT_MIN),
                              "int 7", "int 7"}));
}

TEST_F(DocaArgpLine, DoublesAreFiniteNumbers)
{
    for (const char *word : {"x", "", "1.5x", "1e999", "inf", "nan"})
        EXPECT_EQ(start({"-d", word}), DOCA_ERROR_INVALID_VALUE) << word;

    EXPECT_EQ(start({"-d", "-2.5e2"}), DOCA_SUCCESS);
    EXPECT_EQ(calls(), Calls{"double -250.000000"});
}

TEST_F(DocaArgpLine, AParameterCanBeGivenOnce)
{
    EXPECT_EQ(start({"-n", "1", "--num", "2"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-f", "-f"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-l", "40", "-l", "40"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpLine, MultiplicityAllowsRepetition)
{
    EXPECT_EQ(start({"-m", "1", "--many", "2", "-m", "1"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 1", "int 2", "int 1"}));
}

TEST_F(DocaArgpLine, ASingularParameterMustBeAlone)
{
    EXPECT_EQ(start({"-s", "-n", "1"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-m", "1", "-m", "2", "-f", "-s"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpLine, ASingularParameterGoesWithBuiltInFlags)
{
    EXPECT_EQ(start({"-l", "40", "-s"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"true"});
}

TEST_F(DocaArgpLine, AMandatoryParameterMustBeGiven)
{
    add_param("x", nullptr, DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory});

    EXPECT_EQ(start({}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_NE(stderr_text().find("option \"-x\" is mandatory"), std::string::npos);
    EXPECT_EQ(start({"-x", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpLine, ErrorOfACallbackStopsTheLineAndIsTheResultOfStart)
{
    record_.answer = DOCA_ERROR_NOT_PERMITTED;

    EXPECT_EQ(start({"-n", "1", "-f"}), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(calls(), Calls{"int 1"});
}

TEST_F(DocaArgpLine, ErrorOfACallbackComesBeforeAMissingMandatoryParameter)
{
    add_param("x", nullptr, DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory});
    record_.answer = DOCA_ERROR_NOT_PERMITTED;

    EXPECT_EQ(start({"-n", "1"}), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(DocaArgpLine, CallbacksMayWriteIntoTheirString)
{
    doca_argp_param *param = make_param("w", nullptr, DOCA_ARGP_TYPE_STRING);
    doca_argp_param_set_callback(param, [](void *value, void *config) {
        static_cast<char *>(value)[1] = '\0';
        return on_string(value, config);
    });
    ASSERT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);

    EXPECT_EQ(start({"-w", "abc"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{"string a"});
}

TEST_F(DocaArgpLine, ErrorsAreSaidBeforeTheUsage)
{
    EXPECT_EQ(start({"-n", "3a"}), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(stderr_text().rfind("prog: option \"--num\": \"3a\" is not a whole number from "
                                  "-2147483648 to 2147483647\nUsage: prog ",
                                  0),
              0U);
}
