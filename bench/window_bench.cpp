// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 16 to 18, and 22 of those: copies out of memory that another process has exported. That
// process sleeps meanwhile, except where its agent does the copying.

#include "call_counter.hpp"
#include "exporter.hpp"
#include "harness.hpp"
#include "hot_copy.hpp"
#include "rows.hpp"
#include "ucx_reference.hpp"
#include "window_rig.hpp"

#include <sys/uio.h>

namespace softdoca::bench {

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kTaskLen = 2 * kMiB; // the most that a task may copy
constexpr Offsets kAligned[] = {{0, 0}};

/// One task again and again, each to its end.
Body repeat_one(const WindowRig &rig, const ReusedTask &task)
{
    return [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            const std::uint64_t before = num_completed;
            submit_again(task);
            while (num_completed == before)
                doca_pe_progress(rig.engine.get());
        }
    };
}

// ---- row 16: the mapped route beside a copy out of the same mapping ----

void run_mapped(Report &report, const WindowRig &rig)
{
    const HotMemory memory{mapping_of_shared_memory(), rig.memory.dst(), rig.engine.get(),
                           [&](Offsets at, std::size_t len) { return rig.make_task(at, len); }};
    require(memory.src != nullptr, "finding the mapping of an import");
    run_hot(report, {"16", "mapped, 64 B; memcpy", 64, Goal{}, kAligned}, memory);
    run_hot(report, {"16", "mapped, 4 KiB; better of memcpy, vector", 4096, at_least(0.65)},
            memory);
    run_hot(report, {"16", "mapped, 1 MiB; better of memcpy, vector", kMiB, at_least(0.97)},
            memory);
}

// ---- row 17: the mapped route beside UCX ----

void run_beside_ucx(Report &report, const WindowRig &rig, UcxReference &ucx, const char *what,
                    std::size_t len)
{
    if (report.options().is_brief)
        return report.skip("17", what, "--brief");
    const ReusedTask task = rig.make_task({0, 0}, len);
    const Body ours = repeat_one(rig, task);
    const std::uint64_t num_ops = calibrate(ours, report.options().min_ms);
    std::vector<double> ours_ns, ucx_ns;
    for (int round = 0; round < report.options().num_rounds && ucx.trouble().empty(); ++round) {
        ours_ns.push_back(ns_per_op(ours, num_ops));
        ucx_ns.push_back(ucx.measure_ns(len));
    }
    if (!ucx.trouble().empty())
        return report.skip("17", what, ucx.trouble());
    report.line({.number = "17",
                 .what = what,
                 .unit = "M/s",
                 .ours = 1000 / median(ours_ns),
                 .reference = 1000 / median(ucx_ns),
                 .ratio = spread_of(ratios(ucx_ns, ours_ns)),
                 .goal = at_least(1),
                 .note = ""});
}

// ---- row 18: the cross route beside the system call that it makes ----

/// One call for each of so many pieces, as a program without us would do it.
Body call_for_each(const WindowRig &rig, pid_t exporter, std::size_t num_pieces, std::size_t len)
{
    return [&rig, exporter, num_pieces, len](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            for (std::size_t piece = 0; piece < num_pieces; ++piece) {
                const iovec here{rig.memory.dst() + piece * len, len};
                const iovec there{rig.import.addr() + piece * len, len};
                if (process_vm_readv(exporter, &here, 1, &there, 1, 0) != static_cast<ssize_t>(len))
                    [[unlikely]]
                    require(false, "process_vm_readv");
            }
        }
    };
}

void run_cross(Report &report, const WindowRig &rig, pid_t exporter, const char *what,
               std::size_t num_tasks, std::size_t len, double goal)
{
    const std::vector<ReusedTask> tasks = rig.make_tasks(num_tasks, len);
    const Body all = [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i)
            run_all(rig, tasks);
    };
    const Body ours = num_tasks == 1 ? repeat_one(rig, tasks[0]) : all;
    const Rounds rounds =
        alternate(report.options(), {ours, call_for_each(rig, exporter, num_tasks, len)});
    report.line({.number = "18",
                 .what = what,
                 .unit = "GB/s",
                 .ours = gb_per_second(num_tasks * len, median(rounds[0])),
                 .reference = gb_per_second(num_tasks * len, median(rounds[1])),
                 .ratio = spread_of(ratios(rounds[1], rounds[0])),
                 .goal = at_least(goal),
                 .note = ""});
}

/// By wall time, as the exporter's agent does half of the work.
void run_agent(Report &report, const WindowRig &agent, const WindowRig &cross)
{
    for (const std::size_t len : {std::size_t{4096}, kMiB}) {
        const ReusedTask by_agent = agent.make_task({0, 0}, len);
        const ReusedTask across = cross.make_task({0, 0}, len);
        const Rounds rounds =
            alternate(report.options(), {repeat_one(agent, by_agent), repeat_one(cross, across)},
                      Clock::wall);
        const bool is_small = len == 4096;
        const double ours = median(rounds[0]), reference = median(rounds[1]);
        report.line({.number = "18",
                     .what = is_small ? "agent, 4 KiB, one after the other; cross"
                                      : "agent, 1 MiB, one after the other; cross",
                     .unit = is_small ? "us" : "GB/s",
                     .ours = is_small ? ours / 1000 : gb_per_second(len, ours),
                     .reference = is_small ? reference / 1000 : gb_per_second(len, reference),
                     .ratio = spread_of(is_small ? ratios(rounds[0], rounds[1])
                                                 : ratios(rounds[1], rounds[0])),
                     .goal = {},
                     .note = ""});
    }
}

/// From the descriptor to the last byte, with what the copy of a whole window costs anyhow beside
/// it.
void run_first_copy(Report &report, const Exporter &exporter, const WindowRig &rig,
                    std::size_t window_len)
{
    const std::size_t num_tasks = window_len / kTaskLen;
    const Body ours = [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            const Import import(rig.device, exporter.ordinary(), "cross");
            std::vector<ReusedTask> tasks;
            for (std::size_t at = 0; at < window_len; at += kTaskLen)
                tasks.emplace_back(rig.dma, rig.inventory, import.get(), import.addr() + at,
                                   rig.dst_map.get(), rig.memory.dst() + at, kTaskLen);
            run_all(rig, tasks);
        }
    };
    const Rounds rounds =
        alternate(report.options(), {ours, call_for_each(rig, exporter.pid(), num_tasks, kTaskLen)},
                  Clock::wall);
    report.line({.number = "18",
                 .what = "import and first copy of " + std::to_string(window_len / kMiB) +
                         " MiB, cross; readv",
                 .unit = "ms",
                 .ours = median(rounds[0]) * 1e-6,
                 .reference = median(rounds[1]) * 1e-6,
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, 20, Goal::Judges::ours},
                 .note = ""});
}

// ---- row 22 ----

/// num_allowed: system calls that a task makes because the copy is one.
void run_count(Report &report, const WindowRig &rig, const char *route, std::uint64_t num_allowed)
{
    constexpr std::uint64_t kNumTasks = 10'000;
    const std::string what = "calls of " + std::to_string(kNumTasks) + " reads of 4 KiB, " + route;
    if (const char *reason = why_calls_are_not_counted(); reason != nullptr)
        return report.skip("22", what, reason);
    const ReusedTask task = rig.make_task({0, 0}, 4096);
    const Body read = repeat_one(rig, task);
    read(1); // whatever is done once, at the first use, is done here
    Calls calls;
    run_watched([&] { calls = count_calls([&] { read(kNumTasks); }); });
    calls.system_calls -= num_allowed * kNumTasks;
    Line line = calls_line("22", what, calls);
    if (num_allowed != 0)
        line.note = "besides the system call that copies";
    report.line(line);
}

void run_mapped_rows(Report &report, const Exporter &exporter)
{
    const WindowRig rig(exporter.shared(), "mapped", kMiB, 64);
    if (!rig.import.trouble().empty())
        return report.skip("16-17", "mapped", rig.import.trouble());
    if (report.wants("16"))
        run_mapped(report, rig);
    if (report.wants("17")) {
        UcxReference ucx;
        run_beside_ucx(report, rig, ucx, "mapped, 64 B; UCX get", 64);
        run_beside_ucx(report, rig, ucx, "mapped, 4 KiB; UCX get", 4096);
    }
    if (report.wants("22"))
        run_count(report, rig, "mapped", 0);
}

void run_ordinary_rows(Report &report, const Exporter &exporter, std::size_t window_len)
{
    const WindowRig cross(exporter.ordinary(), "cross", window_len, 64);
    if (!cross.import.trouble().empty())
        return report.skip("18", "cross", cross.import.trouble());
    if (report.wants("18")) {
        const pid_t pid = exporter.pid();
        run_cross(report, cross, pid, "cross, 4 KiB; process_vm_readv", 1, 4096, 0.95);
        run_cross(report, cross, pid, "cross, 1 MiB; process_vm_readv", 1, kMiB, 0.97);
        run_cross(report, cross, pid, "cross, 64 x 4 KiB queued; 64 x readv", 64, 4096, 2);
        const WindowRig agent(exporter.ordinary(), "agent", kMiB, 64);
        run_agent(report, agent, cross);
        run_first_copy(report, exporter, cross, window_len);
    }
    if (report.wants("22"))
        run_count(report, cross, "cross", 1);
}

} // namespace

void run_window_rows(Report &report)
{
    const bool is_mapped_wanted = report.wants("16") || report.wants("17");
    if (!is_mapped_wanted && !report.wants("18") && !report.wants("22"))
        return;
    const std::size_t window_len = report.options().is_brief ? kTaskLen : 64 * kMiB;
    const Exporter exporter(window_len);
    run_mapped_rows(report, exporter);
    run_ordinary_rows(report, exporter, window_len);
}

} // namespace softdoca::bench
