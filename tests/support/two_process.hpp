// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include <sys/types.h>

/// Tests of several processes.
///
///     the test (GoogleTest) --forks--> the stage --forks--> its peers
///
/// The test itself never uses the library: it only waits and looks at what is left at the end. The
/// stage plays the test in the role of SOFTDOCA_ROLE. It makes its peers before it first uses the
/// library, so that each of them is like a program just started and has a role of its own. Bodies
/// are lambdas: whatever they capture is a copy of their process. A failed expectation is printed
/// by its process and makes it exit with 1, which fails the test.
namespace softdoca::test {

using Milliseconds = std::chrono::milliseconds;

/// A time that is long enough for whatever is no hang; a sanitizer makes it longer.
Milliseconds patience(Milliseconds usual = std::chrono::seconds(5));

/// True if the condition holds in time. For what nobody signals: looks every half millisecond.
template <typename Condition>
[[nodiscard]] bool comes_true(Condition condition, Milliseconds limit = patience())
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
}

/// One end of a line between two processes, for small messages in both directions.
class Line {
public:
    Line(int fd, Milliseconds limit) : fd_(fd), limit_(limit) {}
    ~Line();
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;

    void send(std::string_view message) const;
    void send_number(std::uint64_t number) const;
    /// The next message. Ends the body with a failure if none comes in time.
    std::string receive() const;
    std::uint64_t receive_number() const;
    /// Until the other side sends something or hangs up; false for the latter.
    bool wait(std::string *message = nullptr) const;
    /// Is there a message, or has the other side hung up?
    bool is_ready() const;
    /// Both sides read the end from now on.
    void hang_up() const;

private:
    int fd_;
    Milliseconds limit_;
};

/// A process of a test: a fork of the one that makes it, with a role. At the end of this object it
/// has to exit by itself with success, once the line is hung up, unless it was killed before.
class Process {
public:
    using Body = std::function<void(Line &line)>;

    Process(const std::string &role, const Body &body);
    ~Process();
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    pid_t pid() const { return pid_; }
    /// By SIGKILL; it is gone when this returns.
    void kill();
    /// By SIGSTOP; it stands still when this returns.
    void pause() const;
    void resume() const;
    /// Waits for its exit, without hanging up.
    void join(Milliseconds limit = patience());
    /// Hangs up and waits for its exit.
    void end();

private:
    struct Ends {
        int ours, theirs;
        Ends();
    };
    const Ends ends_;

public:
    Line line; ///< to the body

private:
    bool is_over_ = false;
    pid_t pid_;
};

/// Plays a test, in a process and a fabric directory of its own. To be the last call of the test.
/// Fails it if the body fails, hangs, or leaves a process or (once the next process has cleaned up)
/// a file.
void on_stage(const std::function<void()> &body);

/// Of the body of a stage: the test cannot be made here. Ends the body.
[[noreturn]] void skip_stage(const std::string &reason);

/// The role of the stage, and that of the other side.
std::string own_role();
std::string other_role();

/// What a process has that it could lose track of.
struct Census {
    std::size_t num_fds;
    std::size_t num_threads;

    static Census now();
    bool operator==(const Census &) const = default;
    /// Is there no more of anything than then, when something may have been on its way out?
    bool is_within(const Census &other) const
    {
        return num_fds <= other.num_fds && num_threads <= other.num_threads;
    }
};
std::ostream &operator<<(std::ostream &out, const Census &census);

} // namespace softdoca::test
