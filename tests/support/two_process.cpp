// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/two_process.hpp"

#include "support/handles.hpp"
#include "support/own_fabric.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
/// Forked children may start an agent of their own; and many processes end, each of which would
/// wait a second for late reports.
extern "C" const char *__tsan_default_options();
extern "C" const char *__tsan_default_options()
{
    return "die_after_fork=0:atexit_sleep_ms=0";
}
static constexpr int kSlowness = 10;
#elif defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
static constexpr int kSlowness = 4;
#else
static constexpr int kSlowness = 1;
#endif

namespace softdoca::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxMessage = 4096;
/// Of a whole test, and of a peer's wait: the stage runs out of patience before.
Milliseconds longest()
{
    const bool is_soak = num_rounds(1) > 1;
    return patience(is_soak ? std::chrono::minutes(20) : std::chrono::minutes(1));
}

struct Skipped {
    std::string reason;
};

/// The body stops here; its objects are destroyed on the way.
[[noreturn]] void give_up(const std::string &why)
{
    ADD_FAILURE() << why;
    throw std::runtime_error(why);
}

/// Ends the process.
[[noreturn]] void play(const Process::Body &body, Line &line)
{
    try {
        body(line);
    } catch (const Skipped &skipped) {
        line.send(skipped.reason);
    } catch (const std::exception &error) {
        ADD_FAILURE() << "process " << ::getpid() << " ended early: " << error.what();
    }
    std::exit(testing::Test::HasFailure() ? 1 : 0);
}

/// What was left by processes that were killed is removed by the next one.
void expect_clean(const OwnFabric &fabric)
{
    Process(own_role(), [](Line &) {
        const Device device;
        const Memory memory(64);
        const Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        const void *descriptor = nullptr;
        std::size_t len = 0;
        must(doca_mmap_export_pci(mmap, device, &descriptor, &len));
    }).join();
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(fabric.path()))
        EXPECT_TRUE(entry.is_directory()) << entry.path() << " was left behind";
}

/// Children of processes that have ended are ours (see PR_SET_CHILD_SUBREAPER).
void expect_no_children()
{
    const auto reap = [] {
        pid_t pid = 0;
        while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0)
            continue;
        return pid < 0 && errno == ECHILD;
    };
    EXPECT_TRUE(comes_true(reap)) << "a process was left behind";
}

std::size_t num_entries(const char *directory)
{
    std::size_t num = 0;
    for ([[maybe_unused]] const fs::directory_entry &entry : fs::directory_iterator(directory))
        ++num;
    return num;
}

} // namespace

Milliseconds patience(Milliseconds usual)
{
    return usual * kSlowness;
}

Line::~Line()
{
    ::close(fd_);
}

void Line::send(std::string_view message) const
{
    if (message.size() > kMaxMessage || message.empty())
        give_up("a message of " + std::to_string(message.size()) + " bytes");
    if (::send(fd_, message.data(), message.size(), MSG_NOSIGNAL) < 0)
        give_up(std::string("cannot send: ") + std::strerror(errno));
}

void Line::send_number(std::uint64_t number) const
{
    send({reinterpret_cast<const char *>(&number), sizeof number});
}

bool Line::is_ready() const
{
    pollfd ready{fd_, POLLIN, 0};
    return ::poll(&ready, 1, 0) > 0;
}

bool Line::wait(std::string *message) const
{
    pollfd ready{fd_, POLLIN, 0};
    int num_ready = 0;
    do
        num_ready = ::poll(&ready, 1, static_cast<int>(limit_.count()));
    while (num_ready < 0 && errno == EINTR);
    if (num_ready == 0)
        give_up("process " + std::to_string(::getpid()) + " waits in vain for a message");
    char buffer[kMaxMessage];
    const ssize_t len = ::recv(fd_, buffer, sizeof buffer, 0);
    if (len > 0 && message != nullptr)
        message->assign(buffer, static_cast<std::size_t>(len));
    return len > 0;
}

std::string Line::receive() const
{
    std::string message;
    if (!wait(&message))
        give_up("the other process has hung up");
    return message;
}

std::uint64_t Line::receive_number() const
{
    const std::string message = receive();
    std::uint64_t number = 0;
    if (message.size() != sizeof number)
        give_up("not a number");
    std::memcpy(&number, message.data(), sizeof number);
    return number;
}

void Line::hang_up() const
{
    ::shutdown(fd_, SHUT_RDWR);
}

Process::Ends::Ends()
{
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        give_up("no pair of sockets");
    ours = fds[0];
    theirs = fds[1];
}

Process::Process(const std::string &role, const Body &body) : line(ends_.ours, patience())
{
    std::fflush(nullptr); // else the child prints it once more
    pid_ = ::fork();
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setenv("SOFTDOCA_ROLE", role.c_str(), 1);
        ::close(ends_.ours);
        Line to_maker(ends_.theirs, longest());
        play(body, to_maker);
    }
    ::close(ends_.theirs);
    if (pid_ < 0)
        give_up("no process");
}

Process::~Process()
{
    end();
}

void Process::kill()
{
    if (is_over_)
        return;
    ::kill(pid_, SIGKILL);
    EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_);
    is_over_ = true;
}

void Process::pause() const
{
    int status = 0;
    ::kill(pid_, SIGSTOP);
    EXPECT_EQ(::waitpid(pid_, &status, WUNTRACED), pid_);
    EXPECT_TRUE(WIFSTOPPED(status)) << "status " << status;
}

void Process::resume() const
{
    ::kill(pid_, SIGCONT);
}

void Process::join(Milliseconds limit)
{
    if (is_over_)
        return;
    int status = 0;
    if (!comes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, limit)) {
        ADD_FAILURE() << "process " << pid_ << " hangs and is killed";
        kill();
        return;
    }
    is_over_ = true;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "process " << pid_ << " failed, wait status " << status;
}

void Process::end()
{
    line.hang_up();
    join();
}

void on_stage(const std::function<void()> &body)
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const OwnFabric fabric;
    for (const char *name : {"SOFTDOCA_WINDOW", "SOFTDOCA_TOPOLOGY", "SOFTDOCA_PTRACER"})
        ::unsetenv(name);
    std::string skipped;
    {
        Process stage(own_role(), [&](Line &) { body(); });
        stage.join(longest());
        if (stage.line.is_ready())
            (void)stage.line.wait(&skipped);
    }
    expect_no_children();
    expect_clean(fabric);
    if (!skipped.empty())
        GTEST_SKIP() << skipped;
}

void skip_stage(const std::string &reason)
{
    throw Skipped{reason};
}

std::string own_role()
{
    const char *const role = std::getenv("SOFTDOCA_ROLE");
    return role == nullptr || *role == '\0' ? "dpu" : role;
}

std::string other_role()
{
    return own_role() == "dpu" ? "host" : "dpu";
}

Census Census::now()
{
    return {num_entries("/proc/self/fd"), num_entries("/proc/self/task")};
}

std::ostream &operator<<(std::ostream &out, const Census &census)
{
    return out << census.num_fds << " descriptors, " << census.num_threads << " threads";
}

} // namespace softdoca::test
