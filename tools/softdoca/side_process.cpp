// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "side_process.hpp"

#include "installed.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace softdoca::tool {

namespace {

constexpr int kNotFound = 127;

struct Pipe {
    UniqueFd reader;
    UniqueFd writer;

    bool make()
    {
        int fds[2];
        if (pipe2(fds, O_CLOEXEC) != 0)
            return false;
        reader = UniqueFd(fds[0]);
        writer = UniqueFd(fds[1]);
        return true;
    }
};

[[noreturn]] void become_shell(const SidePlan &plan, int input, int output, pid_t keeper)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(128 + SIGKILL);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);

    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    enter_node(*plan.node);
    execl("/bin/sh", "sh", "-c", plan.command.c_str(), static_cast<char *>(nullptr));
    std::fprintf(stderr, "/bin/sh: %s\n", std::strerror(errno));
    _exit(kNotFound);
}

} // namespace

bool SideProcess::start(const SidePlan &plan)
{
    Pipe input;
    Pipe output;
    if (!input.make() || !output.make())
        return false;
    const pid_t keeper = getpid();
    const pid_t pid = fork();
    if (pid == 0)
        become_shell(plan, input.reader.get(), output.writer.get(), keeper);
    if (pid < 0)
        return false;
    fcntl(input.writer.get(), F_SETFL, O_NONBLOCK);
    fcntl(output.reader.get(), F_SETFL, O_NONBLOCK);
    pid_ = pid;
    input_ = std::move(input.writer);
    output_ = std::move(output.reader);
    return true;
}

void SideProcess::press_enter()
{
    if (is_started()) [[maybe_unused]]
        const ssize_t ignored = write(input_.get(), "\n", 1);
}

} // namespace softdoca::tool
