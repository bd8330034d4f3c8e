// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp_fixture.hpp"

using namespace softdoca::test;

namespace {

class DocaArgpParam : public ArgpTest {};

doca_argp_param *bare_param()
{
    doca_argp_param *param = nullptr;
    EXPECT_EQ(doca_argp_param_create(&param), DOCA_SUCCESS);
    return param;
}

} // namespace

TEST_F(DocaArgpParam, CreateNeedsAnAddress)
{
    EXPECT_EQ(doca_argp_param_create(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpParam, AnUnregisteredOneCanBeDestroyedOnce)
{
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(start({"-x", "1"}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaArgpParam, ARegisteredOneCannotBeDestroyed)
{
    doca_argp_param *param = add_param("x", nullptr, DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(start({"-x", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpParam, NullIsNoParameter)
{
    EXPECT_EQ(doca_argp_param_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpParam, SettersIgnoreNull)
{
    doca_argp_param_set_short_name(nullptr, "x");
    doca_argp_param_set_long_name(nullptr, "x");
    doca_argp_param_set_arguments(nullptr, "x");
    doca_argp_param_set_description(nullptr, "x");
    doca_argp_param_set_callback(nullptr, on_int);
    doca_argp_param_set_type(nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_mandatory(nullptr);
    doca_argp_param_set_cli_only(nullptr);
    doca_argp_param_set_multiplicity(nullptr);
    doca_argp_param_set_singular(nullptr);
    doca_argp_param_set_inherited(nullptr);
    doca_argp_param_set_hidden(nullptr);

    EXPECT_NE(stderr_text().find("doca_argp_param_set_hidden"), std::string::npos);
    EXPECT_EQ(start({}), DOCA_SUCCESS);
}

TEST_F(DocaArgpParam, SettersIgnoreATextThatIsNull)
{
    doca_argp_param *param = make_param("x", "long", DOCA_ARGP_TYPE_INT);

    doca_argp_param_set_short_name(param, nullptr);
    doca_argp_param_set_long_name(param, nullptr);
    doca_argp_param_set_arguments(param, nullptr);
    doca_argp_param_set_description(param, nullptr);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
    EXPECT_EQ(start({"-x", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpParam, SettersDoNotChangeARegisteredOne)
{
    doca_argp_param *param = add_param("x", nullptr, DOCA_ARGP_TYPE_INT);

    doca_argp_param_set_short_name(param, "y");
    doca_argp_param_set_mandatory(param);

    EXPECT_EQ(start({}), DOCA_SUCCESS);
    EXPECT_NE(stderr_text().find("registered already"), std::string::npos);
}

TEST_F(DocaArgpParam, RegisterTwiceIsBadState)
{
    doca_argp_param *param = add_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_cmd *cmd = make_cmd("get");

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_argp_cmd_register_param(cmd, param), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(start({"-x", "1"}), DOCA_SUCCESS);
}

TEST_F(DocaArgpParam, NeedsAName)
{
    doca_argp_param *param = make_param(nullptr, nullptr, DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
}

TEST_F(DocaArgpParam, NeedsADescription)
{
    doca_argp_param *param = bare_param();
    doca_argp_param_set_short_name(param, "x");
    doca_argp_param_set_callback(param, on_int);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
}

TEST_F(DocaArgpParam, NeedsACallback)
{
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_callback(param, nullptr);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
}

TEST_F(DocaArgpParam, NeedsAType)
{
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_UNKNOWN);

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
    EXPECT_NE(stderr_text().find("doca_argp_param_set_type"), std::string::npos);
}

TEST_F(DocaArgpParam, NeedsATypeThatExists)
{
    doca_argp_param *param = make_param("x", nullptr, static_cast<doca_argp_type>(7));

    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpParam, NamesCannotBeginWithADashOrHoldABlank)
{
    EXPECT_EQ(doca_argp_register_param(make_param("-x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(make_param(nullptr, "--long", DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(make_param(nullptr, "a name", DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(make_param(nullptr, "a=b", DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaArgpParam, NamesMustDiffer)
{
    add_param("x", "long", DOCA_ARGP_TYPE_INT);

    EXPECT_EQ(doca_argp_register_param(make_param("x", nullptr, DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(make_param("y", "long", DOCA_ARGP_TYPE_INT)),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_argp_register_param(make_param("long", "x", DOCA_ARGP_TYPE_INT)), DOCA_SUCCESS);
}

TEST_F(DocaArgpParam, NamesOfBuiltInFlagsAreReserved)
{
    for (const char *name : {"h", "v", "l", "j"})
        EXPECT_EQ(doca_argp_register_param(make_param(name, nullptr, DOCA_ARGP_TYPE_INT)),
                  DOCA_ERROR_INVALID_VALUE)
            << name;
    for (const char *name : {"help", "version", "log-level", "sdk-log-level", "json"})
        EXPECT_EQ(doca_argp_register_param(make_param(nullptr, name, DOCA_ARGP_TYPE_INT)),
                  DOCA_ERROR_INVALID_VALUE)
            << name;
}

TEST_F(DocaArgpParam, IsOwnedByArgpAlsoIfItCouldNotBeRegistered)
{
    add_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    doca_argp_param *param = make_param("x", nullptr, DOCA_ARGP_TYPE_INT);
    ASSERT_EQ(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(doca_argp_param_destroy(param), DOCA_ERROR_INVALID_VALUE);
    doca_argp_param_set_short_name(param, "y");
    EXPECT_EQ(doca_argp_register_param(param), DOCA_ERROR_INVALID_VALUE);
}
