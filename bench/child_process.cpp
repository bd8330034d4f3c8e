// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "child_process.hpp"

#include "harness.hpp"

#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softdoca::bench {

namespace {

/// What exec takes, made before the fork: afterwards nothing may be allocated.
class Words {
public:
    explicit Words(std::vector<std::string> words) : words_(std::move(words))
    {
        for (std::string &word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }
    char *const *get() const { return pointers_.data(); }

private:
    std::vector<std::string> words_;
    std::vector<char *> pointers_;
};

std::vector<std::string> environment_of(const ChildProcess::Setup &setup)
{
    std::vector<std::string> words;
    for (const auto &[name, value] : setup.environment)
        words.push_back(name + "=" + value);
    for (char **word = environ; *word != nullptr; ++word) // of a name given twice the first counts
        words.emplace_back(*word);
    return words;
}

} // namespace

ChildProcess::ChildProcess(const Setup &setup)
{
    const Words command(setup.command), environment(environment_of(setup));
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (const int cpu : setup.cpus)
        CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    int to_child[2], from_child[2];
    require(pipe2(to_child, O_CLOEXEC) == 0 && pipe2(from_child, O_CLOEXEC) == 0, "pipe");
    std::signal(SIGPIPE, SIG_IGN); // a child that died shows in the missing answer
    pid_ = fork();
    require(pid_ >= 0, "fork");
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sched_setaffinity(0, sizeof cpus, &cpus);
        dup2(to_child[0], STDIN_FILENO);
        dup2(from_child[1], STDOUT_FILENO);
        if (setup.is_quiet)
            dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execvpe(command.get()[0], command.get(), environment.get());
        _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    input_ = fdopen(to_child[1], "w");
    output_ = fdopen(from_child[0], "r");
}

ChildProcess::~ChildProcess()
{
    wait();
    std::fclose(output_);
}

int ChildProcess::wait()
{
    if (input_ == nullptr)
        return exit_code_;
    std::fclose(input_);
    input_ = nullptr;
    int status = 0;
    waitpid(pid_, &status, 0);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return exit_code_;
}

void ChildProcess::kill() const
{
    if (input_ != nullptr) // else the number may be another's
        ::kill(pid_, SIGKILL);
}

std::string own_program()
{
    char path[4096];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    require(len > 0, "readlink of /proc/self/exe");
    return {path, static_cast<std::size_t>(len)};
}

std::string program_beside(const std::string &name)
{
    const std::string self = own_program();
    return self.substr(0, self.rfind('/') + 1) + name;
}

} // namespace softdoca::bench
