// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 19 to 21: what contexts with nothing to do cost a progress engine.

#include "harness.hpp"
#include "probes/queue.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <deque>

namespace softdoca::bench {

namespace {

constexpr std::size_t kLen = 64;

/// Running DMA contexts on one progress engine. The last one connected does the work, if any is
/// done.
struct Crowd {
    explicit Crowd(std::size_t num)
        : memory(kLen), src_map(device, memory.src(), kLen), dst_map(device, memory.dst(), kLen),
          inventory(2)
    {
        for (std::size_t i = 0; i < num; ++i)
            contexts.emplace_back(device, engine, 1, count_completion);
    }

    Memory memory;
    Device device;
    Map src_map, dst_map;
    Inventory inventory;
    ProgressEngine engine;
    std::deque<Dma> contexts;
};

/// Turns that find nothing, among them, as in a program, every 256th that yields the CPU. By
/// processor time, so that what others do with a CPU that was yielded to them does not count.
Body idle_turns(const Crowd &crowd)
{
    return [&crowd](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i)
            doca_pe_progress(crowd.engine.get());
    };
}

void run_one_idle(Report &report)
{
    const Crowd one(1);
    probe::Queue queue(64);
    const Body reference = [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            if (queue.poll(64) != 0)
                require(false, "the empty queue");
            clobber();
        }
    };
    const Rounds rounds = alternate(report.options(), {idle_turns(one), reference});
    report.line({.number = "19",
                 .what = "one idle progress; empty poll of a bare queue",
                 .unit = "ns",
                 .ours = spread_of(rounds[0]).median,
                 .reference = spread_of(rounds[1]).median,
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, 10, Goal::Judges::ours},
                 .note = ""});
}

void run_many_idle(Report &report, std::size_t num, double goal)
{
    const Crowd one(1);
    const Crowd many(report.options().is_brief ? num / 100 : num);
    const Rounds rounds = alternate(report.options(), {idle_turns(many), idle_turns(one)});
    report.line({.number = "20",
                 .what = "idle progress, " + std::to_string(many.contexts.size()) +
                         " contexts; one context",
                 .unit = "ns",
                 .ours = spread_of(rounds[0]).median,
                 .reference = spread_of(rounds[1]).median,
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, goal},
                 .note = ""});
}

/// A task on the last context, submitted and delivered again and again.
Body busy_turns(const Crowd &crowd, const ReusedTask &task)
{
    return [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            submit_again(task);
            doca_pe_progress(crowd.engine.get());
        }
    };
}

ReusedTask make_task(const Crowd &crowd)
{
    return ReusedTask(crowd.contexts.back(), crowd.inventory, crowd.src_map.get(),
                      crowd.memory.src(), crowd.dst_map.get(), crowd.memory.dst(), kLen);
}

void run_one_active(Report &report)
{
    const Crowd one(1);
    const Crowd many(report.options().is_brief ? 10 : 1000);
    const ReusedTask task_of_one = make_task(one);
    const ReusedTask task_of_many = make_task(many);
    const Rounds rounds =
        alternate(report.options(), {busy_turns(many, task_of_many), busy_turns(one, task_of_one)});
    report.line(
        {.number = "21",
         .what = "one active of " + std::to_string(many.contexts.size()) + " contexts; one alone",
         .unit = "ns",
         .ours = spread_of(rounds[0]).median,
         .reference = spread_of(rounds[1]).median,
         .ratio = spread_of(ratios(rounds[0], rounds[1])),
         .goal = {Goal::Kind::at_most, 1.5},
         .note = ""});
}

} // namespace

void run_idle_rows(Report &report)
{
    if (report.wants("19"))
        run_one_idle(report);
    if (report.wants("20")) {
        run_many_idle(report, 1000, 2);
        run_many_idle(report, 10000, 3);
    }
    if (report.wants("21"))
        run_one_active(report);
}

} // namespace softdoca::bench
