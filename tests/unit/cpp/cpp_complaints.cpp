// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every complaint of a destructor is a failure, whichever test it comes in.

#include <softdoca/doca.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

class NoComplaints : public testing::Environment {
public:
    void SetUp() override
    {
        doca::set_complaint([](const char *line) noexcept {
            ADD_FAILURE() << line;
            (void)std::fprintf(stderr, "doca.hpp: %s\n", line); // for tests in their own process
        });
    }
};

const testing::Environment *const environment =
    testing::AddGlobalTestEnvironment(new NoComplaints); // GoogleTest owns it

} // namespace
