// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "hot_copy.hpp"

#include "probes/copy.hpp"

#include <string>

namespace softdoca::bench {

namespace {

constexpr std::size_t kVectorLoopUnit = 128;

/// One pair of page offsets, measured in turn: our task, libc's copy, the vector loop.
struct Contest {
    std::vector<double> ours_ns, better_ns, ratio;
    bool is_libc_better;
};

Contest copy_in_turn(Report &report, const HotMemory &memory, Offsets at, std::size_t len)
{
    const ReusedTask task = memory.make_task(at, len);
    const char *const src = memory.src + at.src;
    char *const dst = memory.dst + at.dst;
    const auto repeat = [=](auto *copy) {
        return [=](std::uint64_t num_ops) {
            for (std::uint64_t i = 0; i < num_ops; ++i) {
                copy(dst, src, len);
                clobber();
            }
        };
    };
    const Body ours = [&](std::uint64_t num_ops) {
        for (std::uint64_t i = 0; i < num_ops; ++i) {
            submit_again(task);
            doca_pe_progress(memory.pe);
        }
    };

    std::vector<Body> bodies = {ours, repeat(probe::copy_libc)};
    if (len % kVectorLoopUnit == 0)
        bodies.push_back(repeat(probe::copy_vector));
    const Rounds rounds = alternate(report.options(), bodies);
    // The better one is chosen once for the pair: a choice in each round would choose luck.
    const bool is_libc_better = median(rounds[1]) <= median(rounds.back());
    Contest contest{rounds[0], is_libc_better ? rounds[1] : rounds.back(), {}, is_libc_better};
    contest.ratio = ratios(contest.better_ns, contest.ours_ns);
    return contest;
}

} // namespace

void run_hot(Report &report, const HotRow &row, const HotMemory &memory)
{
    std::vector<Contest> contests;
    std::vector<double> ours_ns, better_ns;
    double worst = 1e9;
    std::string worst_pair;
    for (const Offsets at : row.offsets) {
        contests.push_back(copy_in_turn(report, memory, at, row.len));
        const Contest &last = contests.back();
        const std::string pair = "src+" + std::to_string(at.src) + " dst+" + std::to_string(at.dst);
        const Spread ratio = spread_of(last.ratio);
        ours_ns.push_back(median(last.ours_ns));
        better_ns.push_back(median(last.better_ns));
        report.detail({.number = row.number,
                       .what = "  " + pair,
                       .unit = "GB/s",
                       .ours = gb_per_second(row.len, ours_ns.back()),
                       .reference = gb_per_second(row.len, better_ns.back()),
                       .ratio = ratio,
                       .goal = {},
                       .note = last.is_libc_better ? "memcpy" : "vector loop"});
        if (ratio.median < worst) {
            worst = ratio.median;
            worst_pair = pair;
        }
    }

    std::vector<double> ratio_of_round;
    for (std::size_t round = 0; round < contests[0].ratio.size(); ++round) {
        std::vector<double> over_pairs;
        for (const Contest &contest : contests)
            over_pairs.push_back(contest.ratio[round]);
        ratio_of_round.push_back(median(over_pairs));
    }
    char note[96] = "";
    if (contests.size() > 1)
        std::snprintf(note, sizeof note, "worst pair %s: %.3f", worst_pair.c_str(), worst);
    report.line({.number = row.number,
                 .what = row.what,
                 .unit = "GB/s",
                 .ours = gb_per_second(row.len, median(ours_ns)),
                 .reference = gb_per_second(row.len, median(better_ns)),
                 .ratio = spread_of(ratio_of_round),
                 .goal = row.goal,
                 .note = note});
}

} // namespace softdoca::bench
