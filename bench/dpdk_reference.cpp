// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "dpdk_reference.hpp"

#include "harness.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softdoca::bench {

namespace {

constexpr const char *kPrefix = "dmadev ";

/// The probe lies beside the benchmark.
std::string probe_path()
{
    char path[4096];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    if (len <= 0)
        return "";
    const std::string self(path, static_cast<std::size_t>(len));
    return self.substr(0, self.rfind('/') + 1) + "dmadev_probe";
}

[[noreturn]] void exec_probe(const std::string &program, double min_ms)
{
    const std::string main_cpu = std::to_string(measuring_cpu());
    const std::string worker_cpu = std::to_string(other_cpu());
    const std::string cpus = std::to_string(std::min(measuring_cpu(), other_cpu())) + "," +
                             std::to_string(std::max(measuring_cpu(), other_cpu()));
    const std::string main_option = "--main-lcore=" + main_cpu;
    const std::string device_option = "--vdev=dma_skeleton,lcore=" + worker_cpu;
    const std::string min_ms_text = std::to_string(min_ms);
    // The probe places its own threads: undo the pinning that it would inherit.
    cpu_set_t both;
    CPU_ZERO(&both);
    CPU_SET(static_cast<std::size_t>(measuring_cpu()), &both);
    CPU_SET(static_cast<std::size_t>(other_cpu()), &both);
    sched_setaffinity(0, sizeof both, &both);
    execl(program.c_str(), program.c_str(), min_ms_text.c_str(), "-l", cpus.c_str(),
          main_option.c_str(), "--no-huge", "-m", "512", "--no-pci", "--no-shconf",
          "--no-telemetry", "--log-level=1", device_option.c_str(), nullptr);
    _exit(127);
}

} // namespace

DpdkReference::DpdkReference(double min_ms)
{
    const std::string program = probe_path();
    if (access(program.c_str(), X_OK) != 0)
        trouble_ = "DPDK not installed (libdpdk was not found when this was built)";
    else if (other_cpu() < 0)
        trouble_ = "one CPU only, the skeleton's worker needs a second";
    else
        start(program, min_ms);
}

void DpdkReference::start(const std::string &program, double min_ms)
{
    int to_child[2], from_child[2];
    require(pipe2(to_child, O_CLOEXEC) == 0 && pipe2(from_child, O_CLOEXEC) == 0, "pipe");
    std::signal(SIGPIPE, SIG_IGN); // a probe that died shows in the missing answer
    pid_ = fork();
    require(pid_ >= 0, "fork");
    if (pid_ == 0) {
        dup2(to_child[0], STDIN_FILENO);
        dup2(from_child[1], STDOUT_FILENO);
        exec_probe(program, min_ms);
    }
    close(to_child[0]);
    close(from_child[1]);
    questions_ = fdopen(to_child[1], "w");
    answers_ = fdopen(from_child[0], "r");
    read_answer();
}

DpdkReference::~DpdkReference()
{
    if (pid_ < 0)
        return;
    std::fclose(questions_); // the probe ends when its input does
    std::fclose(answers_);
    waitpid(pid_, nullptr, 0);
}

std::string DpdkReference::read_answer()
{
    char line[256];
    while (std::fgets(line, sizeof line, answers_) != nullptr) {
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
    std::fputs("measure\n", questions_);
    std::fflush(questions_);
    double at_32 = 0, at_512 = 0;
    const std::string answer = read_answer();
    if (std::sscanf(answer.c_str(), "32 %lf 512 %lf", &at_32, &at_512) != 2 && trouble_.empty())
        trouble_ = "DPDK answered: " + answer;
    return std::min(at_32, at_512);
}

} // namespace softdoca::bench
