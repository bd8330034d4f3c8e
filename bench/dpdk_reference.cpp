// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dpdk_reference.hpp"

#include "harness.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace softdoca::bench {

namespace {

constexpr const char *kPrefix = "dmadev ";

/// The probe places its own threads, so it gets both CPUs.
ChildProcess::Setup setup_of(const std::string &program, double min_ms)
{
    const int main_cpu = measuring_cpu(), worker_cpu = other_cpu();
    const std::string cpus = std::to_string(std::min(main_cpu, worker_cpu)) + "," +
                             std::to_string(std::max(main_cpu, worker_cpu));
    return {.command = {program, std::to_string(min_ms), "-l", cpus,
                        "--main-lcore=" + std::to_string(main_cpu), "--no-huge", "-m", "512",
                        "--no-pci", "--no-shconf", "--no-telemetry", "--log-level=1",
                        "--vdev=dma_skeleton,lcore=" + std::to_string(worker_cpu)},
            .cpus = {main_cpu, worker_cpu},
            .environment = {}};
}

} // namespace

DpdkReference::DpdkReference(double min_ms)
{
    const std::string program = program_beside("dmadev_probe");
    if (access(program.c_str(), X_OK) != 0) {
        trouble_ = "DPDK not installed (libdpdk was not found when this was built)";
    } else if (other_cpu() < 0) {
        trouble_ = "one CPU only, the skeleton's worker needs a second";
    } else {
        probe_.emplace(setup_of(program, min_ms));
        read_answer();
    }
}

std::string DpdkReference::read_answer()
{
    char line[256];
    while (std::fgets(line, sizeof line, probe_->output()) != nullptr) {
        line[std::strcspn(line, "\n")] = '\0';
        if (std::strncmp(line, kPrefix, std::strlen(kPrefix)) != 0)
            continue; // what DPDK itself has to say
        const std::string answer = line + std::strlen(kPrefix);
        if (answer.rfind("failed", 0) == 0)
            trouble_ = "DPDK cannot run here: " + answer;
        return answer;
    }
    trouble_ = "DPDK cannot run here: its probe ended early";
    return "";
}

double DpdkReference::measure_ns()
{
    std::fputs("measure\n", probe_->input());
    std::fflush(probe_->input());
    double at_32 = 0, at_512 = 0;
    const std::string answer = read_answer();
    if (std::sscanf(answer.c_str(), "32 %lf 512 %lf", &at_32, &at_512) != 2 && trouble_.empty())
        trouble_ = "DPDK answered: " + answer;
    return std::min(at_32, at_512);
}

} // namespace softdoca::bench
