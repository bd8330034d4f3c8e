// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <algorithm>
#include <cstdlib>

namespace softdoca::test {

/// How many times a test that looks for rare accidents repeats itself: the usual number, or
/// SOFTDOCA_TEST_ROUNDS times as many (./dev soak).
inline int num_rounds(int usual)
{
    const char *const factor = std::getenv("SOFTDOCA_TEST_ROUNDS");
    return usual * (factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

} // namespace softdoca::test
