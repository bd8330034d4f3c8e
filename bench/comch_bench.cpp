// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 7 to 12: messages from a producer to a consumer in another process, on two CPUs, both sides
// polling. The consumer's program does not read them, nor does that of a reference.

#include "comch_rig.hpp"
#include "contest.hpp"
#include "harness.hpp"
#include "probes/copy.hpp"
#include "rows.hpp"
#include "ucx_messages.hpp"

#include <algorithm>
#include <initializer_list>

namespace softdoca::bench {

namespace {

constexpr std::size_t kSmallLen = 256;
constexpr std::size_t kLargeLen = ProbeBed::kLargeLen;
static_assert(probe::kPostedMessageLen == kSmallLen && probe::kRingMessageLen == kSmallLen);

/// Our side of a row: one connection and its data path.
struct DataRig : ComchRig {
    DataRig(Placement placement, std::size_t len, std::size_t num_posted)
    {
        serve(1);
        open_data({placement, len, num_posted, 1});
    }

    ProbeBed &bed() const { return peer.probes().bed(); }
    Measure send()
    {
        return beside(peer, "receive", [this](std::uint64_t num) { data->sender().send(num); });
    }
};

// ---- lines ----

Line rate_line(const char *row, const std::string &what, const std::vector<double> &ours,
               const std::vector<double> &reference, double goal)
{
    return {.number = row,
            .what = what,
            .unit = "M/s",
            .ours = 1000 / median(ours),
            .reference = 1000 / median(reference),
            .ratio = spread_of(ratios(reference, ours)),
            .goal = at_least(goal),
            .note = ""};
}

Line bandwidth_line(const char *row, const std::string &what, const std::vector<double> &ours,
                    const std::vector<double> &reference, double goal)
{
    Line line = rate_line(row, what, ours, reference, goal);
    line.unit = "GB/s";
    line.ours = gb_per_second(kLargeLen, median(ours));
    line.reference = gb_per_second(kLargeLen, median(reference));
    return line;
}

Line latency_line(const char *row, const std::string &what, const std::vector<double> &ours,
                  const std::vector<double> &reference, double goal)
{
    return {.number = row,
            .what = what,
            .unit = "ns",
            .ours = median(ours),
            .reference = median(reference),
            .ratio = spread_of(ratios(ours, reference)),
            .goal = {Goal::Kind::at_most, goal},
            .note = ""};
}

// ---- UCX as one of the contestants ----

bool is_ucx_wanted(const Report &report, const UcxMessages &ucx, const char *row)
{
    return report.wants(row) && !report.options().is_brief && ucx.trouble().empty();
}

Contestant ucx_contestant(UcxMessages &ucx, const char *test, std::size_t len,
                          std::uint64_t num_messages)
{
    const auto measure = [&ucx, test, len](std::uint64_t num) {
        return ucx.measure_ns(test, len, num);
    };
    return {measure, num_messages};
}

/// The row of a contest in which UCX, if it took part, was the last contestant.
template <typename MakeLine>
void report_beside_ucx(Report &report, const UcxMessages &ucx, const char *row,
                       const std::string &what, const Rounds &rounds, double goal, MakeLine make)
{
    if (!report.wants(row))
        return;
    if (report.options().is_brief)
        report.skip(row, what, "--brief");
    else if (!ucx.trouble().empty())
        report.skip(row, what, ucx.trouble());
    else
        report.line(make(row, what, rounds.front(), rounds.back(), goal));
}

// ---- rows 7, 7b and 8: rate ----

void run_rate(Report &report, UcxMessages &ucx, Placement placement)
{
    DataRig rig(placement, kSmallLen, probe::kNumPosted);
    ProbeBed &bed = rig.bed();
    const bool is_mapped = placement == Placement::mapped;
    probe::PostedSender posted(bed.posted);
    const Measure reference =
        is_mapped ? beside(rig.peer, "posted-receive", [&](std::uint64_t num) { posted.send(num); })
                  : beside(rig.peer, "ring-receive",
                           [&](std::uint64_t num) { probe::ring_send(bed.ring, num); });

    std::vector<Contestant> contestants = {calibrated(report.options(), rig.send()),
                                           calibrated(report.options(), reference)};
    if (is_ucx_wanted(report, ucx, "8"))
        contestants.push_back(ucx_contestant(ucx, "tag_bw", kSmallLen, 200'000));
    const Rounds rounds = run_in_turn(report.options(), contestants);

    const std::string what = std::string("256 B to a consumer, ") + name_of(placement);
    if (report.wants("7"))
        report.line(rate_line(is_mapped ? "7" : "7b",
                              what + (is_mapped ? "; posted model" : "; two-sided ring"), rounds[0],
                              rounds[1], 0.4));
    report_beside_ucx(report, ucx, "8", what + "; UCX tag_bw", rounds, 2, rate_line);
}

// ---- rows 9 and 10: one-way time ----

/// Half of each round trip.
Measure one_way(const Measure &round_trip)
{
    return [round_trip](std::uint64_t num_ops) { return round_trip(num_ops) / 2; };
}

void run_latency(Report &report, UcxMessages &ucx, Placement placement)
{
    DataRig rig(placement, kSmallLen, probe::kNumPosted);
    ProbeBed &bed = rig.bed();
    const End end = end_of(rig.data_engine, *rig.data);
    const Measure ours = beside(rig.peer, "answer", [end](std::uint64_t num) { ask(end, num); });
    const Measure ring =
        beside(rig.peer, "ring-answer", [&](std::uint64_t num) { probe::ring_ask(bed.ring, num); });

    std::vector<Contestant> contestants = {calibrated(report.options(), one_way(ours)),
                                           calibrated(report.options(), one_way(ring))};
    if (is_ucx_wanted(report, ucx, "10"))
        contestants.push_back(ucx_contestant(ucx, "tag_lat", kSmallLen, 50'000));
    const Rounds rounds = run_in_turn(report.options(), contestants);

    const std::string what = std::string("256 B one way, ") + name_of(placement);
    if (report.wants("9"))
        report.line(latency_line("9", what + "; bare ring", rounds[0], rounds[1], 2));
    report_beside_ucx(report, ucx, "10", what + "; UCX tag_lat", rounds, 1, latency_line);
}

// ---- rows 11 and 12: bandwidth ----

/// Into shared memory of the same size, piece by piece, as the messages go.
template <typename Copy>
Measure copy_into(ProbeBed &bed, const char *src, Copy *copy)
{
    const Body body = [&bed, src, copy](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            copy(bed.large[i % ProbeBed::kNumLarge], src, kLargeLen);
            clobber();
        }
    };
    return [body](std::uint64_t num_ops) { return ns_per_op(body, num_ops, Clock::wall); };
}

void run_heap_bandwidth(Report &report, UcxMessages &ucx)
{
    DataRig rig(Placement::heap, kLargeLen, ProbeBed::kNumLarge);
    const Measure ring = beside(rig.peer, "large-ring-receive", [&rig](std::uint64_t num) {
        probe::large_ring_send(rig.bed().ring, num);
    });
    std::vector<Contestant> contestants = {calibrated(report.options(), rig.send()),
                                           calibrated(report.options(), ring)};
    if (is_ucx_wanted(report, ucx, "11"))
        contestants.push_back(ucx_contestant(ucx, "tag_bw", kLargeLen, 5000));
    const Rounds rounds = run_in_turn(report.options(), contestants);
    Line limit =
        bandwidth_line("11", "64 KiB to a consumer, heap; two-sided ring", rounds[0], rounds[1], 0);
    limit.goal = {};
    report.line(limit);
    report_beside_ucx(report, ucx, "11", "64 KiB to a consumer, heap; UCX tag_bw", rounds, 3,
                      bandwidth_line);
}

void run_mapped_bandwidth(Report &report)
{
    DataRig rig(Placement::mapped, kLargeLen, ProbeBed::kNumLarge);
    const char *const src = rig.data->sender().payload();
    const Options &options = report.options();
    const Rounds rounds =
        run_in_turn(options, {calibrated(options, rig.send()),
                              calibrated(options, copy_into(rig.bed(), src, probe::copy_libc)),
                              calibrated(options, copy_into(rig.bed(), src, probe::copy_vector))});
    const bool is_libc_better = median(rounds[1]) <= median(rounds[2]);
    report.line(bandwidth_line("12", "64 KiB to a consumer, mapped; better copy", rounds[0],
                               rounds[is_libc_better ? 1 : 2], 0.6));
}

} // namespace

void run_comch_rows(Report &report)
{
    const auto wants_any = [&](std::initializer_list<const char *> rows) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const char *row) { return report.wants(row); });
    };
    if (!wants_any({"7", "8", "9", "10", "11", "12"}))
        return;
    if (other_cpu() < 0)
        return report.skip("7-12", "producer to consumer", "one CPU only, they need two");
    UcxMessages ucx;
    for (const Placement placement : {Placement::mapped, Placement::heap}) {
        if (wants_any({"7", "8"}))
            run_rate(report, ucx, placement);
        if (wants_any({"9", "10"}))
            run_latency(report, ucx, placement);
    }
    if (report.wants("11"))
        run_heap_bandwidth(report, ucx);
    if (report.wants("12"))
        run_mapped_bandwidth(report);
}

} // namespace softdoca::bench
