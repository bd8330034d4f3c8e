// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

using namespace softdoca::test;

namespace {

/// prog [-t T] [-q Q] get [-r R] [-v] | set [-r R] [-m M] port [-w W]; Q is inherited, M mandatory
class DocaArgpCmd : public ArgpTest {
protected:
    DocaArgpCmd()
    {
        add_param("t", "top", DOCA_ARGP_TYPE_INT);
        add_param("q", "quality", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_inherited});

        doca_argp_cmd *get = make_cmd("get");
        add_param_to(get, "r", "rep", DOCA_ARGP_TYPE_STRING);
        add_param_to(get, "v", "vf-pci-addr", DOCA_ARGP_TYPE_STRING);
        EXPECT_EQ(doca_argp_register_cmd(get), DOCA_SUCCESS);

        doca_argp_cmd *set = make_cmd("set");
        add_param_to(set, "r", "rep", DOCA_ARGP_TYPE_INT);
        add_param_to(set, "m", "must", DOCA_ARGP_TYPE_INT, {doca_argp_param_set_mandatory});
        doca_argp_cmd *port = make_cmd("port");
        add_param_to(port, "w", "width", DOCA_ARGP_TYPE_INT);
        EXPECT_EQ(doca_argp_cmd_register_cmd(set, port), DOCA_SUCCESS);
        EXPECT_EQ(doca_argp_register_cmd(set), DOCA_SUCCESS);
    }
};

} // namespace

TEST_F(DocaArgpCmd, CallbacksComeInTheOrderOfTheLine)
{
    EXPECT_EQ(start({"-t", "1", "get", "-r", "pf0"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"int 1", "command", "string pf0"}));
}

TEST_F(DocaArgpCmd, NoCommandIsNoError)
{
    EXPECT_EQ(start({"-t", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpCmd, CallbackIsOptional)
{
    doca_argp_cmd *cmd = make_cmd("quiet");
    doca_argp_cmd_set_callback(cmd, nullptr);
    ASSERT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);

    EXPECT_EQ(start({"quiet"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), Calls{});
}

TEST_F(DocaArgpCmd, ErrorOfTheCallbackIsTheResultOfStart)
{
    record_.answer = DOCA_ERROR_NOT_PERMITTED;

    EXPECT_EQ(start({"get", "-r", "pf0"}), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(calls(), Calls{"command"});
}

TEST_F(DocaArgpCmd, SameNameMeansAnotherParameterInAnotherCommand)
{
    EXPECT_EQ(start({"set", "-m", "1", "-r", "2"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"command", "int 1", "int 2"}));
}

TEST_F(DocaArgpCmd, ParametersOfACommandShadowTheBuiltInOnes)
{
    EXPECT_EQ(start({"get", "-v", "3b:00.0"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"command", "string 3b:00.0"}));
}

TEST_F(DocaArgpCmd, BuiltInFlagsAreKnownInsideCommands)
{
    EXPECT_EQ(start({"get", "-l", "40"}), DOCA_SUCCESS);

    EXPECT_EQ(doca_log_level_get_global_lower_limit(), 40U);
}

TEST_F(DocaArgpCmd, ParametersOfTheProgramEndWithTheCommandWord)
{
    EXPECT_EQ(start({"get", "-t", "1"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpCmd, ParametersOfACommandAreUnknownBeforeIt)
{
    EXPECT_EQ(start({"-r", "pf0", "get"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpCmd, InheritedParametersAreKnownInInnerCommands)
{
    EXPECT_EQ(start({"set", "-m", "1", "port", "-q", "5", "-w", "2"}), DOCA_SUCCESS);

    EXPECT_EQ(calls(), (Calls{"command", "int 1", "command", "int 5", "int 2"}));
}

TEST_F(DocaArgpCmd, InheritedParametersCanStillBeGivenOnlyOnce)
{
    EXPECT_EQ(start({"-q", "1", "get", "-q", "2"}), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpCmd, InnerCommandsAreUnknownOutside)
{
    EXPECT_EQ(start({"port"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpCmd, CommandsOfTheProgramAreUnknownInside)
{
    EXPECT_EQ(start({"get", "set"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpCmd, MandatoryParametersCountOnlyForCommandsThatWereGiven)
{
    EXPECT_EQ(start({"set"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_NE(stderr_text().find("option \"--must\" is mandatory"), std::string::npos);
    EXPECT_EQ(start({"set", "port"}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"get"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpCmd, CreateNeedsAnAddress)
{
    EXPECT_EQ(doca_argp_cmd_create(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpCmd, NullIsNoCommand)
{
    EXPECT_EQ(doca_argp_cmd_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_cmd(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_cmd_register_cmd(make_cmd("a"), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_cmd_register_param(make_cmd("b"), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_cmd_register_cmd(nullptr, make_cmd("c")), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_cmd_register_param(nullptr, make_param("x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpCmd, SettersIgnoreNull)
{
    doca_argp_cmd *cmd = make_cmd("cmd");

    doca_argp_cmd_set_name(nullptr, "x");
    doca_argp_cmd_set_description(nullptr, "x");
    doca_argp_cmd_set_callback(nullptr, on_cmd);
    doca_argp_cmd_set_hidden(nullptr);
    doca_argp_cmd_set_name(cmd, nullptr);
    doca_argp_cmd_set_description(cmd, nullptr);

    EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
    EXPECT_EQ(start({"cmd"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpCmd, NeedsANameAndADescription)
{
    doca_argp_cmd *nameless = nullptr;
    doca_argp_cmd *undescribed = nullptr;
    ASSERT_EQ(doca_argp_cmd_create(&nameless), DOCA_SUCCESS);
    ASSERT_EQ(doca_argp_cmd_create(&undescribed), DOCA_SUCCESS);
    doca_argp_cmd_set_description(nameless, "a command");
    doca_argp_cmd_set_name(undescribed, "cmd");

    EXPECT_EQ(doca_argp_register_cmd(nameless), DOCA_ERROR_INITIALIZATION);
    EXPECT_EQ(doca_argp_cmd_register_cmd(make_cmd("outer"), undescribed),
              DOCA_ERROR_INITIALIZATION);
}

TEST_F(DocaArgpCmd, ParametersOfACommandAreCheckedToo)
{
    doca_argp_cmd *cmd = make_cmd("cmd");
    add_param_to(cmd, "x", nullptr, DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_cmd_register_param(cmd, make_param("y", nullptr, DOCA_ARGP_TYPE_UNKNOWN)),
              DOCA_ERROR_INITIALIZATION);
    EXPECT_EQ(doca_argp_cmd_register_param(cmd, make_param("x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpCmd, NamesMustDifferAndNotLookLikeOptions)
{
    EXPECT_EQ(doca_argp_register_cmd(make_cmd("get")), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_cmd(make_cmd("-get")), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_cmd(make_cmd("port")), DOCA_SUCCESS); // another one is inside set
}

TEST_F(DocaArgpCmd, ARegisteredOneIsFixed)
{
    doca_argp_cmd *cmd = make_cmd("cmd");
    ASSERT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_cmd_register_param(cmd, make_param("x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_register_cmd(cmd, make_cmd("inner")), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_register_cmd(make_cmd("outer"), cmd), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_destroy(cmd), DOCA_ERROR_BAD_STATE);
    doca_argp_cmd_set_name(cmd, "renamed");

    EXPECT_EQ(start({"cmd"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpCmd, AnInnerOneIsFixedBeforeTheOuterOne)
{
    doca_argp_cmd *outer = make_cmd("outer");
    doca_argp_cmd *inner = make_cmd("inner");
    ASSERT_EQ(doca_argp_cmd_register_cmd(outer, inner), DOCA_SUCCESS);

    EXPECT_EQ(doca_argp_cmd_register_param(inner, make_param("x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_destroy(inner), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_destroy(outer), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_cmd_destroy(inner), DOCA_ERROR_INVALID_VALUE); // went with the outer one
}

TEST_F(DocaArgpCmd, CannotBeRegisteredWithItself)
{
    doca_argp_cmd *cmd = make_cmd("cmd");

    EXPECT_EQ(doca_argp_cmd_register_cmd(cmd, cmd), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
}

TEST_F(DocaArgpCmd, IsOwnedByArgpAlsoIfItCouldNotBeRegistered)
{
    doca_argp_cmd *cmd = make_cmd("get");
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    ASSERT_EQ(doca_argp_cmd_register_param(cmd, param), DOCA_SUCCESS);
    ASSERT_EQ(doca_argp_register_cmd(cmd), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(doca_argp_cmd_destroy(cmd), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE); // went with it
}

TEST_F(DocaArgpCmd, AnUnregisteredOneCanBeDestroyedOnce)
{
    doca_argp_cmd *cmd = make_cmd("cmd");

    EXPECT_EQ(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_cmd_destroy(cmd), DOCA_ERROR_INVALID_VALUE);
}
