// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 20 and 21 of Comch: what connections and consumers with nothing to do cost a progress
// engine; and how long it takes until many clients are connected.

#include "comch_rig.hpp"
#include "contest.hpp"
#include "harness.hpp"
#include "rows.hpp"

#include <algorithm>

namespace softdoca::bench {

namespace {

constexpr std::size_t kLen = 64;
constexpr std::size_t kNumServers = 2;
// Many connections have short queues.
constexpr ControlSizes kSmall{.num_send_tasks = 2, .recv_queue_size = 8};

/// Turns that find nothing, by processor time (see idle_bench.cpp).
Body idle_turns(const ProgressEngine &engine)
{
    return [&engine](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i)
            doca_pe_progress(engine.get());
    };
}

void run_idle(Report &report, const std::string &what, const ProgressEngine &many,
              const ProgressEngine &one)
{
    const Rounds rounds = alternate(report.options(), {idle_turns(many), idle_turns(one)});
    report.line({.number = "20",
                 .what = "idle progress, " + what,
                 .unit = "ns",
                 .ours = median(rounds[0]),
                 .reference = median(rounds[1]),
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, 2},
                 .note = ""});
}

void run_active(Report &report, const std::string &what, const Measure &many, const Measure &one)
{
    if (other_cpu() < 0)
        return report.skip("21", what, "one CPU only, it needs two");
    const Options &options = report.options();
    const Rounds rounds =
        run_in_turn(options, {calibrated(options, many), calibrated(options, one)});
    report.line({.number = "21",
                 .what = "round trip, " + what,
                 .unit = "ns",
                 .ours = median(rounds[0]),
                 .reference = median(rounds[1]),
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, 1.5},
                 .note = ""});
}

/// Control messages on the newest connection.
Measure round_trips(ComchRig &rig, const Message &message)
{
    const End end = end_of(rig.control, rig.link(), message);
    return beside(rig.peer, "echo", [end](std::uint64_t num) { ask(end, num); });
}

/// Messages to the last consumer.
Measure data_round_trips(ComchRig &rig)
{
    const End end = end_of(rig.data_engine, *rig.data);
    return beside(rig.peer, "answer", [end](std::uint64_t num) { ask(end, num); });
}

void run_connections(Report &report, std::size_t num_clients)
{
    ComchRig many(kSmall), one(kSmall);
    for (std::size_t i = 0; i < kNumServers; ++i)
        many.serve(num_clients);
    one.serve(1);
    const std::string num = std::to_string(kNumServers * num_clients);
    if (report.wants("20"))
        run_idle(report, num + " connections; one connection", many.control, one.control);
    if (report.wants("21")) {
        const Message message_of_many(many.link(), kLen), message_of_one(one.link(), kLen);
        run_active(report, "one active of " + num + " connections; alone",
                   round_trips(many, message_of_many), round_trips(one, message_of_one));
    }
}

void run_consumers(Report &report, std::size_t num_consumers)
{
    ComchRig many, one;
    many.serve(1);
    many.open_data({Placement::mapped, kLen, 2, num_consumers});
    one.serve(1);
    one.open_data({Placement::mapped, kLen, 2, 1});
    const std::string num = std::to_string(num_consumers);
    if (report.wants("20"))
        run_idle(report, num + " consumers; one consumer", many.data_engine, one.data_engine);
    if (report.wants("21"))
        run_active(report, "one active of " + num + " consumers; alone", data_round_trips(many),
                   data_round_trips(one));
}

/// From the first client made to the last one running, all of one process and to one server.
void run_connect(Report &report, std::size_t num_clients)
{
    std::vector<double> seconds;
    const int num_rounds = std::min(report.options().num_rounds, 3);
    for (int round = 0; round < num_rounds; ++round) {
        ComchRig rig(kSmall);
        seconds.push_back(
            1e-9 * ns_per_op([&](std::uint64_t) { rig.serve(num_clients); }, 1, Clock::wall));
    }
    report.line({.number = "connect",
                 .what = std::to_string(num_clients) + " clients of one server are connected",
                 .unit = "s",
                 .ours = median(seconds),
                 .reference = 0,
                 .ratio = {},
                 .goal = {Goal::Kind::at_most, 2, Goal::Judges::ours},
                 .note = ""});
}

} // namespace

void run_comch_idle_rows(Report &report)
{
    const bool is_brief = report.options().is_brief;
    if (report.wants("20") || report.wants("21")) {
        run_connections(report, is_brief ? 5 : 500);
        run_consumers(report, is_brief ? 10 : 1000);
    }
    if (report.wants("connect"))
        run_connect(report, is_brief ? 8 : 512);
}

} // namespace softdoca::bench
