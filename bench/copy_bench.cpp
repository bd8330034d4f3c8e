// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 4 to 6: how much of the speed of a bare copy is left when a task does it.

#include "harness.hpp"
#include "hot_copy.hpp"
#include "probes/copy.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <algorithm>
#include <deque>
#include <unistd.h>

namespace softdoca::bench {

namespace {

/// Rows 4 and 5.
void run_own(Report &report, const char *number, const char *what, std::size_t len, double goal)
{
    const Rig rig(len, 1, count_completion);
    run_hot(report, {number, what, len, at_least(goal)},
            {rig.memory.src(), rig.memory.dst(), rig.engine.get(),
             [&](Offsets at, std::size_t each) { return rig.make_task(at.src, at.dst, each); }});
}

// ---- row 6 ----

constexpr std::size_t kTaskLen = 2U << 20;
constexpr std::size_t kQueueLen = 64U << 20;
constexpr std::size_t kTasksPerQueue = kQueueLen / kTaskLen;

/// So many queues of 64 MiB, one behind the other, that a pass over all of them has left the caches
/// when the next one comes, whatever this machine's last level cache is, within reason.
std::size_t num_queues_for_cold(const Options &options)
{
    if (options.is_brief)
        return 1;
    const long cache = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
    const std::size_t num = 3 * static_cast<std::size_t>(cache) / (2 * kQueueLen) + 1;
    return std::clamp<std::size_t>(num, 4, 8);
}

void run_cold(Report &report)
{
    const std::size_t num_tasks = num_queues_for_cold(report.options()) * kTasksPerQueue;
    const Rig rig(num_tasks * kTaskLen, static_cast<std::uint32_t>(num_tasks), count_completion);
    std::deque<ReusedTask> tasks;
    for (std::size_t i = 0; i < num_tasks; ++i)
        tasks.push_back(rig.make_task(i * kTaskLen, i * kTaskLen, kTaskLen));

    const Body ours = [&](std::uint64_t num_passes) {
        for (std::uint64_t pass = 0; pass < num_passes; ++pass) {
            for (std::size_t first = 0; first < num_tasks; first += kTasksPerQueue) {
                for (std::size_t i = 0; i < kTasksPerQueue; ++i)
                    submit_again(tasks[first + i]);
                for (std::size_t i = 0; i < kTasksPerQueue; ++i)
                    doca_pe_progress(rig.engine.get());
            }
        }
    };
    const Body reference = [&](std::uint64_t num_passes) {
        for (std::uint64_t pass = 0; pass < num_passes; ++pass) {
            for (std::size_t i = 0; i < num_tasks; ++i) {
                probe::copy_libc(rig.memory.dst() + i * kTaskLen, rig.memory.src() + i * kTaskLen,
                                 kTaskLen);
                clobber();
            }
        }
    };
    const Rounds rounds = alternate(report.options(), {ours, reference});
    const std::size_t pass_len = num_tasks * kTaskLen;
    report.line({.number = "6",
                 .what = "queues of 2 MiB tasks over 64 MiB, cold; memcpy",
                 .unit = "GB/s",
                 .ours = gb_per_second(pass_len, median(rounds[0])),
                 .reference = gb_per_second(pass_len, median(rounds[1])),
                 .ratio = spread_of(ratios(rounds[1], rounds[0])),
                 .goal = at_least(1.2),
                 .note = std::to_string(num_tasks / kTasksPerQueue) + " queues a pass"});
}

} // namespace

void run_copy_rows(Report &report)
{
    if (report.wants("4"))
        run_own(report, "4", "4 KiB reused, hot; better of memcpy, vector", 4096, 0.65);
    if (report.wants("5")) {
        run_own(report, "5", "64 KiB reused, hot; better of memcpy, vector", 65536, 0.95);
        run_own(report, "5", "1 MiB reused, hot; better of memcpy, vector", 1U << 20, 0.97);
    }
    if (report.wants("6"))
        run_cold(report);
}

} // namespace softdoca::bench
