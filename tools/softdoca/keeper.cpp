// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "keeper.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

pid_t starter = 0; // who called in_keeper()

sigset_t expected_signals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD})
        sigaddset(&signals, signal);
    return signals;
}

constexpr int kCleanUpTurns = 2000; // of a millisecond

/// Parent of each process, from /proc/PID/stat: "PID (any name) STATE PPID ...".
std::vector<std::pair<pid_t, pid_t>> parents()
{
    std::vector<std::pair<pid_t, pid_t>> result;
    std::error_code error;

    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
        const int pid = std::atoi(it->path().filename().c_str());
        if (pid <= 0)
            continue;
        std::ifstream file(it->path() / "stat");
        std::string line;
        std::getline(file, line);
        const std::size_t name_end = line.rfind(')');
        int parent = 0;
        if (name_end != std::string::npos &&
            std::sscanf(line.c_str() + name_end + 1, " %*c %d", &parent) == 1)
            result.emplace_back(pid, parent);
    }
    return result;
}

/// All descendants of this process but those.
std::vector<pid_t> descendants(const std::vector<pid_t> &others = {})
{
    const std::vector<std::pair<pid_t, pid_t>> all = parents();
    std::vector<pid_t> found{getpid()};

    for (std::size_t i = 0; i < found.size(); ++i)
        for (const auto &[pid, parent] : all)
            if (parent == found[i] && std::ranges::find(found, pid) == found.end() &&
                std::ranges::find(others, pid) == others.end())
                found.push_back(pid);
    found.erase(found.begin());
    return found;
}

void end_orphans(const std::vector<pid_t> &not_ours)
{
    for (int turn = 0; turn < kCleanUpTurns; ++turn) {
        reap_children([](pid_t, int) {});
        const std::vector<pid_t> orphans = descendants(not_ours);
        if (orphans.empty())
            break;
        for (const pid_t pid : orphans)
            kill(pid, SIGKILL);
        usleep(1000);
    }
}

/// Passes signals on until the keeper has ended.
int watch_keeper(pid_t keeper, const sigset_t &signals)
{
    int status = 0;

    while (true) {
        const int signal = sigwaitinfo(&signals, nullptr);
        if (signal == SIGCHLD && waitpid(keeper, &status, WNOHANG) == keeper)
            return status;
        if (signal > 0 && signal != SIGCHLD)
            kill(keeper, signal);
    }
}

[[noreturn]] void be_keeper(const std::function<int()> &work)
{
    setsid(); // the terminal's signals come through the starter, once
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (is_abandoned())
        _exit(128 + SIGTERM);
    const int status = work();
    std::fflush(nullptr);
    _exit(status);
}

} // namespace

int in_keeper(const std::function<int()> &work)
{
    const sigset_t signals = expected_signals();
    const std::vector<pid_t> earlier_children = descendants(); // of a shell that became us by exec

    starter = getpid();
    while (open("/dev/null", O_RDWR) <= STDERR_FILENO) // no pipe shall get the number of a
        ;                                              // standard descriptor that was closed
    std::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    prctl(PR_SET_CHILD_SUBREAPER, 1); // for what a killed keeper leaves
    std::fflush(nullptr);
    const pid_t keeper = fork();
    if (keeper == 0)
        be_keeper(work);
    if (keeper < 0) {
        std::fprintf(stderr, "softdoca: cannot start a process: %s\n", std::strerror(errno));
        return EXIT_FAILURE;
    }
    const int status = watch_keeper(keeper, signals);
    if (WIFSIGNALED(status))
        end_orphans(earlier_children);
    return shell_status(status);
}

bool is_abandoned()
{
    return getppid() != starter;
}

void signal_descendants(int signal)
{
    for (const pid_t pid : descendants()) {
        kill(pid, signal);
        if (signal != SIGKILL)
            kill(pid, SIGCONT);
    }
}

bool reap_children(const std::function<void(pid_t, int)> &visitor)
{
    int status = 0;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        visitor(pid, status);
    return pid == 0;
}

int shell_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

} // namespace softdoca::tool
