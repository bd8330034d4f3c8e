// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "ucx_messages.hpp"

#include "child_process.hpp"
#include "harness.hpp"
#include "ucx_reference.hpp"

#include <algorithm>
#include <unistd.h>

namespace softdoca::bench {

namespace {

ChildProcess::Setup setup_of(std::vector<std::string> arguments, int cpu)
{
    arguments.insert(arguments.begin(), "ucx_perftest");
    return {.command = std::move(arguments),
            .cpus = {cpu},
            .environment = {{"UCX_TLS", "posix,cma,self"}, {"UCX_WARN_UNUSED_ENV_VARS", "n"}},
            .is_quiet = true};
}

/// The last line of the output: iterations, then median, average and overall time in microseconds.
double overall_ns_of(std::FILE *output)
{
    double overall_us = 0;
    char line[256];
    while (std::fgets(line, sizeof line, output) != nullptr) {
        double us = 0;
        if (std::sscanf(line, "%*u %*f %*f %lf", &us) == 1)
            overall_us = us;
    }
    return 1000 * overall_us;
}

} // namespace

UcxMessages::UcxMessages() : trouble_(UcxReference().trouble()) {}

double UcxMessages::measure_ns(const std::string &test, std::size_t len, std::uint64_t num_messages)
{
    constexpr int kMaxAttempts = 50; // the other side listens only after a moment
    const std::string port = std::to_string(20000 + getpid() % 20000);
    const ChildProcess listener(setup_of({"-p", port}, std::max(other_cpu(), 0)));
    for (int attempt = 0; attempt < kMaxAttempts && trouble_.empty(); ++attempt) {
        usleep(20'000);
        ChildProcess sender(
            setup_of({"127.0.0.1", "-p", port, "-t", test, "-s", std::to_string(len), "-n",
                      std::to_string(num_messages), "-w", std::to_string(num_messages / 10), "-f"},
                     measuring_cpu()));
        const double ns = overall_ns_of(sender.output());
        if (sender.wait() == 0 && ns > 0)
            return ns;
    }
    listener.kill();
    if (trouble_.empty())
        trouble_ = "ucx_perftest -t " + test + " over posix shared memory does not work here";
    return 0;
}

} // namespace softdoca::bench
