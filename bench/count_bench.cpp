// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Row 22: what the hot path calls, counted. tests/unit/dma/hot_path_count_test.cpp counts more
// loops.

#include "call_counter.hpp"
#include "harness.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <string>

namespace softdoca::bench {

namespace {

constexpr std::uint64_t kNumTasks = 10'000;

void reuse_one(const Rig &rig, const ReusedTask &task)
{
    submit_again(task);
    doca_pe_progress(rig.engine.get());
}

/// Buffers and task made, used and given back.
void use_fresh_ones(const Rig &rig)
{
    const ReusedTask task = rig.make_task(0, 0, 64);
    require(doca_task_submit(task.task), "doca_task_submit");
    doca_pe_progress(rig.engine.get());
}

} // namespace

void run_count_rows(Report &report)
{
    if (!report.wants("22"))
        return;
    const std::string what =
        "calls of " + std::to_string(2 * kNumTasks) + " tasks, reused and fresh";
    if (const char *reason = why_calls_are_not_counted(); reason != nullptr)
        return report.skip("22", what, reason);

    Calls calls;
    const std::uint64_t completed_before = num_completed;
    run_watched([&] {
        const Rig rig(64, 2, count_completion);
        const ReusedTask task = rig.make_task(0, 0, 64);
        reuse_one(rig, task); // whatever is done once, at the first use, is done here
        use_fresh_ones(rig);
        calls = count_calls([&] {
            for (std::uint64_t i = 0; i < kNumTasks; ++i) {
                reuse_one(rig, task);
                use_fresh_ones(rig);
            }
        });
    });
    require(num_completed - completed_before == 2 * kNumTasks + 2, "a turn that found its task");
    report.line(calls_line("22", what, calls));
}

} // namespace softdoca::bench
