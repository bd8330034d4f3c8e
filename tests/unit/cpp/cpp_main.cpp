// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every complaint of a destructor is a failure, whichever test it comes in.

#include <softdoca/doca.hpp>

#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    doca::set_complaint([](const char *line) noexcept {
        ADD_FAILURE() << line;
        (void)std::fprintf(stderr, "doca.hpp: %s\n", line); // for tests in a process of their own
    });
    return RUN_ALL_TESTS();
}
