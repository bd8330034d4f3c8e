// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Row "start": what a context with the most tasks costs to start and to hold.

#include "harness.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <unistd.h>

namespace softdoca::bench {

namespace {

/// Bytes that this process holds: what malloc gave out, or how far the address space grew if the
/// memory came from elsewhere. Differences of both are taken, the larger counts.
struct Held {
    double heap, address_space;

    static Held now()
    {
        const struct mallinfo2 info = mallinfo2();
        double pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return {static_cast<double>(info.uordblks + info.hblkhd),
                pages * static_cast<double>(sysconf(_SC_PAGESIZE))};
    }
};

} // namespace

void run_start_rows(Report &report)
{
    if (!report.wants("start"))
        return;
    const std::uint32_t num_tasks = report.options().is_brief ? 64 : 65536;
    const Device device;
    const ProgressEngine engine;
    std::vector<double> start_ms, bytes_per_task;
    for (int round = 0; round < report.options().num_rounds; ++round) {
        std::optional<Dma> dma;
        const Held before = Held::now();
        start_ms.push_back(1e-6 * ns_per_op(
                                      [&](std::uint64_t) {
                                          dma.emplace(device, engine, num_tasks, count_completion);
                                      },
                                      1));
        const Held after = Held::now();
        bytes_per_task.push_back(
            std::max(after.heap - before.heap, after.address_space - before.address_space) /
            num_tasks);
    }
    const std::string tasks = std::to_string(num_tasks) + " tasks";
    report.line({.number = "start",
                 .what = "create and start a context with " + tasks,
                 .unit = "ms",
                 .ours = spread_of(start_ms).median,
                 .reference = 0,
                 .ratio = {},
                 .goal = {Goal::Kind::at_most, 50, Goal::Judges::ours},
                 .note = ""});
    report.line({.number = "start",
                 .what = "memory of a context with " + tasks + ", a task",
                 .unit = "B",
                 .ours = spread_of(bytes_per_task).max,
                 .reference = 0,
                 .ratio = {},
                 .goal = {Goal::Kind::at_most, 255, Goal::Judges::ours},
                 .note = ""});
}

} // namespace softdoca::bench
