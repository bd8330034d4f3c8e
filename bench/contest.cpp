// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "contest.hpp"

namespace softdoca::bench {

Measure beside(const ComchPeer &peer, const std::string &activity, const Body &body)
{
    return [&peer, activity, body](std::uint64_t num_ops) {
        peer.begin(activity + " " + std::to_string(num_ops));
        const double ns = ns_per_op(body, num_ops, Clock::wall);
        peer.finish();
        return ns;
    };
}

Contestant calibrated(const Options &options, const Measure &measure)
{
    const Body body = [&](std::uint64_t num_ops) { measure(num_ops); };
    return {measure, calibrate(body, options.min_ms, Clock::wall)};
}

Rounds run_in_turn(const Options &options, const std::vector<Contestant> &contestants)
{
    Rounds rounds(contestants.size());
    for (int round = 0; round < options.num_rounds; ++round) {
        for (std::size_t i = 0; i < contestants.size(); ++i)
            rounds[i].push_back(contestants[i].measure(contestants[i].num_ops));
    }
    return rounds;
}

} // namespace softdoca::bench
