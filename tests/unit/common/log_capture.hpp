// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_log.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <regex.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softdoca::test {

/// Runs the body in a child process: log backends live as long as their process does.
template <typename Body>
void in_own_process(Body body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        for (const char *name : {"SOFTDOCA_QUIET", "SOFTDOCA_LOG"})
            ::unsetenv(name);
        body();
        std::fflush(nullptr);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }

    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
}

/// A file in memory.
class MemoryFile {
public:
    MemoryFile() : fd_(::memfd_create("log", MFD_CLOEXEC))
    {
        ::fcntl(fd_, F_SETFL, O_APPEND); // else two threads may write to one place
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;

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

/// What is written to a descriptor (1 or 2) while this lives.
class Capture {
public:
    explicit Capture(int fd) : fd_(fd), saved_(::dup(fd))
    {
        std::fflush(nullptr);
        ::dup2(file_.fd(), fd_);
    }
    ~Capture()
    {
        std::fflush(nullptr);
        ::dup2(saved_, fd_);
        ::close(saved_);
    }
    Capture(const Capture &) = delete;
    Capture &operator=(const Capture &) = delete;

    std::string text() const { return file_.text(); }

private:
    MemoryFile file_;
    int fd_;
    int saved_;
};

/// A backend of the application, or of the library, that writes to memory.
class MemoryLog {
public:
    using CreateFn = doca_error_t (*)(int fd, doca_log_backend **backend);

    explicit MemoryLog(CreateFn create = doca_log_backend_create_with_fd)
    {
        EXPECT_EQ(create(file_.fd(), &backend_), DOCA_SUCCESS);
    }
    doca_log_backend *backend() const { return backend_; }
    std::string text() const { return file_.text(); }

private:
    MemoryFile file_;
    doca_log_backend *backend_ = nullptr;
};

/// Is the whole text of this form? POSIX extended, plus \n in raw strings; `.` is no newline.
inline bool matches(const std::string &text, std::string pattern)
{
    for (auto at = pattern.find("\\n"); at != std::string::npos; at = pattern.find("\\n", at))
        pattern.replace(at, 2, "\n");
    ::regex_t regex{};
    if (::regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NEWLINE) != 0) {
        ADD_FAILURE() << "bad pattern " << pattern;
        return false;
    }
    ::regmatch_t match{};
    const int result = ::regexec(&regex, text.c_str(), 1, &match, 0);
    ::regfree(&regex);
    return result == 0 && match.rm_so == 0 && match.rm_eo == static_cast<regoff_t>(text.size());
}

inline int num_lines(const std::string &text)
{
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

/// The beginning of each line, up to the level.
inline const std::string kTimeAndThread = R"(\[..:..:..:[0-9]{6}\]\[[0-9]+\]\[DOCA\])";

/// One line of the application at each level, its text being the number of the level.
inline void log_at_all_levels()
{
    int source = -1;
    ASSERT_EQ(doca_log_register_source("TEST::LEVELS", &source), DOCA_SUCCESS);
    for (std::uint32_t level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
        EXPECT_EQ(doca_log(level, source, "file.c", 1, "fn", "%u", level), DOCA_SUCCESS);
}

/// The numbers of the levels in a text that log_at_all_levels produced: "20 30 40 ".
inline std::string levels_in(const std::string &text)
{
    std::string levels;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', end + 1))
        levels += text.substr(end - 2, 2) + " ";
    return levels;
}

} // namespace softdoca::test
