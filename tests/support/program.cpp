// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/program.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softdoca::test {

namespace {

/// A file in memory that takes a stream of the program.
class Stream {
public:
    Stream() : fd_(::memfd_create("stream", MFD_CLOEXEC)) {}
    ~Stream() { ::close(fd_); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    int fd() const { return fd_; }
    std::string text() const
    {
        std::string text(static_cast<std::size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
        EXPECT_EQ(::pread(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        return text;
    }

private:
    int fd_;
};

void set_environment(const Environment &environment)
{
    for (const auto &[name, value] : environment) {
        if (value)
            ::setenv(name.c_str(), value->c_str(), 1);
        else
            ::unsetenv(name.c_str());
    }
}

} // namespace

Ended run_program(const std::string &path, const Environment &environment,
                  const std::vector<std::string> &arguments)
{
    std::vector<char *> argv = {const_cast<char *>(path.c_str())};
    for (const std::string &argument : arguments)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    const Stream out, err;

    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        set_environment(environment);
        ::dup2(out.fd(), STDOUT_FILENO);
        ::dup2(err.fd(), STDERR_FILENO);
        ::execv(path.c_str(), argv.data());
        ::_exit(kCannotRun);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.text(), err.text()};
}

} // namespace softdoca::test
