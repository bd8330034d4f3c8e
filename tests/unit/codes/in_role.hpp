// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace softdoca::test {

/// Ends a process; what failed in it goes to stderr, the one stream that a death test shows.
[[noreturn]] inline void exit_with_failures()
{
    const testing::TestResult &result =
        *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < result.total_part_count(); ++i) {
        const testing::TestPartResult &part = result.GetTestPartResult(i);
        if (part.failed())
            std::fprintf(stderr, "%s:%d: %s\n", part.file_name(), part.line_number(),
                         part.message());
    }
    std::exit(result.Failed() ? 1 : 0);
}

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

    EXPECT_EXIT((body(), exit_with_failures()), testing::ExitedWithCode(0), "");

    ::setenv("SOFTDOCA_ROLE", before.c_str(), 1);
    GTEST_FLAG_SET(death_test_style, style);
}

} // namespace softdoca::test
