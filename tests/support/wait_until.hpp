// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_pe.h>

#include <chrono>

namespace softdoca::test {

inline constexpr std::chrono::seconds kDeadline{5};

/// Progresses until the condition holds; false when the deadline passes.
template <typename Condition>
[[nodiscard]] bool wait_until(doca_pe *pe, Condition condition,
                              std::chrono::milliseconds deadline = kDeadline)
{
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        (void)doca_pe_progress(pe);
    }
    return true;
}

} // namespace softdoca::test
