// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 13 to 15: round trips of control messages, and what it takes to wake a program that sleeps
// on the handle of its engine.

#include "comch_rig.hpp"
#include "contest.hpp"
#include "harness.hpp"
#include "probes/seqpacket.hpp"
#include "probes/wake.hpp"
#include "rows.hpp"

namespace softdoca::bench {

namespace {

constexpr std::size_t kLen = probe::kSeqpacketMessageLen;

struct Row {
    const char *number, *what;
    double goal;
    double trips = 1; ///< of these in a round trip is told
};

void run(Report &report, const Row &row, const Measure &ours, const Measure &reference)
{
    const Options &options = report.options();
    const Rounds rounds =
        run_in_turn(options, {calibrated(options, ours), calibrated(options, reference)});
    const double ns_per_us = 1000;
    report.line({.number = row.number,
                 .what = row.what,
                 .unit = "us",
                 .ours = median(rounds[0]) / ns_per_us / row.trips,
                 .reference = median(rounds[1]) / ns_per_us / row.trips,
                 .ratio = spread_of(ratios(rounds[0], rounds[1])),
                 .goal = {Goal::Kind::at_most, row.goal},
                 .note = ""});
}

/// Round trips of control messages on the rig's newest connection.
Measure control_trips(ComchRig &rig, const Message &message, Rest rest)
{
    const End end = end_of(rig.control, rig.link(), message);
    return beside(rig.peer, rest == Rest::polling ? "echo" : "sleepy-echo",
                  [end, rest](std::uint64_t num) { ask(end, num, rest); });
}

Measure socket_trips(const ComchPeer &peer, probe::Waiting waiting)
{
    const int socket = peer.probes().socket();
    return beside(
        peer, waiting == probe::Waiting::spinning ? "socket-spin" : "socket-block",
        [socket, waiting](std::uint64_t num) { probe::seqpacket_ask(socket, num, waiting); });
}

void run_control(Report &report)
{
    ComchRig rig;
    rig.serve(1);
    const Message message(rig.link(), kLen);
    const char *const polling = "64 B control round trip, polling; SEQPACKET";
    if (report.wants("13") && other_cpu() < 0)
        report.skip("13", polling, "one CPU only, it needs two");
    else if (report.wants("13"))
        run(report, {"13", polling, 0.3}, control_trips(rig, message, Rest::polling),
            socket_trips(rig.peer, probe::Waiting::spinning));
    rig.peer.move_to_cpu(measuring_cpu());
    if (report.wants("14"))
        run(report, {"14", "the same, sleeping, one CPU; SEQPACKET blocking", 1.6},
            control_trips(rig, message, Rest::sleeping),
            socket_trips(rig.peer, probe::Waiting::blocking));
}

void run_wake(Report &report)
{
    ComchRig rig;
    rig.serve(1);
    rig.open_data({Placement::mapped, kLen, 16, 1});
    const SharedProbes &probes = rig.peer.probes();
    const probe::Waker waker(probes.own_event(), probes.event_of_peer());
    const End end = end_of(rig.data_engine, *rig.data);
    const Measure ours = beside(rig.peer, "sleepy-answer",
                                [end](std::uint64_t num) { ask(end, num, Rest::sleeping); });
    const Measure reference =
        beside(rig.peer, "wake", [&waker](std::uint64_t num) { waker.ask(num); });

    if (other_cpu() >= 0)
        run(report, {"15", "wake-up by the handle, two CPUs; bare eventfd", 1.2, 2}, ours,
            reference);
    rig.peer.move_to_cpu(measuring_cpu());
    run(report, {"15", "wake-up by the handle, one CPU; bare eventfd", 1.5, 2}, ours, reference);
}

} // namespace

void run_comch_control_rows(Report &report)
{
    if (report.wants("13") || report.wants("14"))
        run_control(report);
    if (report.wants("15"))
        run_wake(report);
}

} // namespace softdoca::bench
