// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "ucx_reference.hpp"

#include "child_process.hpp"
#include "harness.hpp"

#include <algorithm>
#include <unistd.h>

namespace softdoca::bench {

namespace {

ChildProcess::Setup setup_of(std::vector<std::string> arguments, int cpu)
{
    arguments.insert(arguments.begin(), "ucx_perftest");
    return {.command = std::move(arguments),
            .cpus = {cpu},
            .environment = {{"UCX_TLS", "posix,self"}, {"UCX_WARN_UNUSED_ENV_VARS", "n"}},
            .is_quiet = true};
}

/// The last line of the output: iterations, then the median and averages in microseconds.
double median_ns_of(std::FILE *output)
{
    double median_us = 0;
    char line[256];
    while (std::fgets(line, sizeof line, output) != nullptr) {
        double us = 0;
        if (std::sscanf(line, "%*u %lf", &us) == 1)
            median_us = us;
    }
    return 1000 * median_us;
}

} // namespace

UcxReference::UcxReference()
{
    ChildProcess help(setup_of({"-h"}, measuring_cpu()));
    median_ns_of(help.output()); // reads it all
    if (help.wait() == 127)
        trouble_ = "UCX not installed (Debian package ucx-utils)";
}

double UcxReference::measure_ns(std::size_t len)
{
    constexpr int kMaxAttempts = 50; // the owner listens only after a moment
    const std::string port = std::to_string(20000 + getpid() % 20000);
    // -o: the owner of the memory has nothing to do meanwhile.
    const ChildProcess owner(setup_of({"-p", port, "-o"}, std::max(other_cpu(), 0)));
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
        usleep(20'000);
        ChildProcess reader(
            setup_of({"127.0.0.1", "-p", port, "-t", "ucp_get", "-s", std::to_string(len), "-n",
                      "300000", "-w", "2000", "-o", "-f"},
                     measuring_cpu()));
        const double ns = median_ns_of(reader.output());
        if (reader.wait() == 0 && ns > 0)
            return ns;
    }
    owner.kill();
    trouble_ = "ucx_perftest -t ucp_get over posix shared memory does not work here";
    return 0;
}

} // namespace softdoca::bench
