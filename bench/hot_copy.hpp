// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "harness.hpp"
#include "rig.hpp"

#include <cstddef>
#include <functional>
#include <span>

/// How much of the speed of a bare copy between hot buffers is left when a task does it.
namespace softdoca::bench {

/// Page offsets of source and destination. Where (dst - src) mod 4096 is 16, as between a page and
/// a large block of malloc, some libc copies collapse.
struct Offsets {
    std::size_t src, dst;
};
inline constexpr Offsets kOffsets[] = {{0, 0},   {0, 16},    {16, 0},    {16, 16},    {0, 64},
                                       {64, 16}, {16, 2064}, {2048, 64}, {2048, 2064}};

/// The memory as this process reaches it, and tasks that copy it.
struct HotMemory {
    const char *src;
    char *dst;
    doca_pe *pe;
    std::function<ReusedTask(Offsets at, std::size_t len)> make_task;
};

struct HotRow {
    const char *number;
    const char *what;
    std::size_t len;
    Goal goal;
    std::span<const Offsets> offsets = kOffsets;
};

/// In each round the median over all pairs of offsets; the row is judged on these.
void run_hot(Report &report, const HotRow &row, const HotMemory &memory);

} // namespace softdoca::bench
