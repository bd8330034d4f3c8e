// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "harness.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <time.h>

namespace softdoca::bench {

namespace {

std::uint64_t read_ns(Clock clock)
{
    timespec now;
    clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

/// The nth CPU, from the last, that this process may use; -1 if there are fewer.
int cpu_from_last(int nth)
{
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        require(sched_getaffinity(0, sizeof set, &set) == 0, "sched_getaffinity");
        return set;
    }();
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0)
            return cpu;
    }
    return -1;
}

} // namespace

int measuring_cpu()
{
    return cpu_from_last(0);
}

int other_cpu()
{
    return cpu_from_last(1);
}

void pin_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        std::perror("bench: not pinned to one CPU: sched_setaffinity");
}

void require(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    std::fflush(stdout);
    std::fprintf(stderr, "bench: failed: %s\n", what);
    std::exit(1);
}

Spread spread_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front(), values.back()};
}

double ns_per_op(const Body &body, std::uint64_t num_ops, Clock clock)
{
    const std::uint64_t start = read_ns(clock);
    body(num_ops);
    return static_cast<double>(read_ns(clock) - start) / static_cast<double>(num_ops);
}

std::uint64_t calibrate(const Body &body, double min_ms, Clock clock)
{
    const double wanted_ns = min_ms * 1e6;
    for (std::uint64_t num_ops = 1;;) {
        const double took_ns = ns_per_op(body, num_ops, clock) * static_cast<double>(num_ops);
        if (took_ns >= wanted_ns)
            return num_ops;
        // Grow towards the goal, but never by more than 16: a first run is slow and misleads.
        const double factor = took_ns > 0 ? std::min(1.2 * wanted_ns / took_ns, 16.0) : 16.0;
        num_ops = std::max(num_ops + 1,
                           static_cast<std::uint64_t>(factor * static_cast<double>(num_ops)));
    }
}

Rounds alternate(const Options &options, const std::vector<Body> &bodies, Clock clock)
{
    std::vector<std::uint64_t> num_ops;
    for (const Body &body : bodies)
        num_ops.push_back(calibrate(body, options.min_ms, clock));

    Rounds rounds(bodies.size());
    for (int round = 0; round < options.num_rounds; ++round) {
        for (std::size_t i = 0; i < bodies.size(); ++i)
            rounds[i].push_back(ns_per_op(bodies[i], num_ops[i], clock));
    }
    return rounds;
}

std::vector<double> ratios(const std::vector<double> &above, const std::vector<double> &below)
{
    std::vector<double> result;
    for (std::size_t i = 0; i < above.size(); ++i)
        result.push_back(above[i] / below[i]);
    return result;
}

} // namespace softdoca::bench
