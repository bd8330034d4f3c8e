// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace softdoca::test {

/// Runs the body in a new process of another role: the role is fixed by the first device call. To
/// be called before the test makes any, for the new process runs the test up to here once more.
template <typename Body>
void in_role(const char *role, Body body)
{
    const std::string style = GTEST_FLAG_GET(death_test_style);
    const char *const given = std::getenv("SOFTDOCA_ROLE");
    const std::string before = given == nullptr ? "" : given; // empty counts as unset
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ::setenv("SOFTDOCA_ROLE", role, 1);

    EXPECT_EXIT((body(), std::exit(testing::Test::HasFailure() ? 1 : 0)),
                testing::ExitedWithCode(0), "");

    ::setenv("SOFTDOCA_ROLE", before.c_str(), 1);
    GTEST_FLAG_SET(death_test_style, style);
}

} // namespace softdoca::test
