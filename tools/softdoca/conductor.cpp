// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "conductor.hpp"

#include "keeper.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace softdoca::tool {

namespace {

constexpr int kTurnMs = 20; // while something must be looked at again and again
constexpr Milliseconds kTerminateTime{2000};
constexpr Milliseconds kKillTime{5000};

std::string seconds(Milliseconds time)
{
    std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text + " s";
}

std::string in_words(int status)
{
    const std::string number = std::to_string(status);
    if (status <= 128 || status - 128 >= NSIG)
        return "status " + number;
    return "status " + number + ", as of signal " + std::to_string(status - 128) + ": " +
           strsignal(status - 128);
}

} // namespace

Conductor::Conductor(const PairPlan &plan)
    : plan_(plan), readiness_(plan), lines_(plan.sides), started_(Clock::now())
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, nullptr, &set); // what the keeper blocks is what it wants to know
    signals_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    std::signal(SIGPIPE, SIG_IGN);
}

int Conductor::run()
{
    start(0);
    while (phase_ != Phase::over)
        turn();

    read_outputs();
    for (std::size_t side = 0; side < sides_.size(); ++side)
        lines_.finish(side);
    while (has_reader_ && lines_.has_output()) {
        wait_for_something();
        take_signals();
        write_out();
    }
    return result_.value_or(0);
}

void Conductor::turn()
{
    wait_for_something();
    take_signals();
    reap();
    read_outputs();
    lines_.flush_prompts();
    look_at_clock();
    if (phase_ == Phase::first_side)
        consider_second_side();
    write_out();
}

void Conductor::wait_for_something()
{
    std::array<pollfd, 4> fds{};
    for (std::size_t side = 0; side < sides_.size(); ++side)
        fds[side] = {lines_.is_full() ? -1 : sides_[side].output(), POLLIN, 0};
    fds[2] = {signals_.get(), POLLIN, 0};
    fds[3] = {has_reader_ && lines_.has_output() ? lines_.fd() : -1, POLLOUT, 0};

    int timeout_ms = phase_ == Phase::both_sides ? 1000 : kTurnMs;
    if (const int ms = lines_.ms_to_flush(); ms >= 0)
        timeout_ms = std::min(timeout_ms, ms);
    if (plan_.timeout.count() > 0) {
        const auto left = std::chrono::ceil<Milliseconds>(started_ + plan_.timeout - Clock::now());
        if (may_go_on() && left.count() < timeout_ms)
            timeout_ms = std::max(0, static_cast<int>(left.count()));
    }
    poll(fds.data(), fds.size(), timeout_ms);
}

/// A signal that would end this process ends the pair, at the second time without delay.
void Conductor::take_signals()
{
    signalfd_siginfo info;

    while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const int signal = static_cast<int>(info.ssi_signo);
        if (signal == SIGCHLD)
            continue;
        if (phase_ == Phase::over) {
            has_reader_ = false;
            continue;
        }
        const bool is_first = may_go_on();
        set_result(128 + signal);
        if (is_first)
            begin_ending(signal);
        if (!is_first || is_abandoned())
            phase_end_ = Clock::now();
    }
}

void Conductor::read_outputs()
{
    char buffer[16 * 1024];

    for (std::size_t side = 0; side < sides_.size(); ++side) {
        while (sides_[side].output() >= 0 && !lines_.is_full()) {
            const ssize_t len = read(sides_[side].output(), buffer, sizeof buffer);
            if (len > 0) {
                lines_.add(side, {buffer, static_cast<std::size_t>(len)});
            } else if (len < 0 && (errno == EAGAIN || errno == EINTR)) {
                break;
            } else {
                lines_.finish(side);
                sides_[side].close_output();
            }
        }
    }
}

void Conductor::reap()
{
    has_children_ = reap_children([this](pid_t pid, int wait_status) {
        for (std::size_t side = 0; side < sides_.size(); ++side) {
            if (sides_[side].pid() != pid)
                continue;
            sides_[side].set_status(shell_status(wait_status));
            if (may_go_on())
                side_ended(side);
        }
    });
}

void Conductor::side_ended(std::size_t side)
{
    const std::size_t other = 1 - side;
    const int status = *sides_[side].status();

    read_outputs(); // its last lines come before what its end makes others say
    if (plan_.is_verbose || status != 0)
        lines_.say(label(side) + " has ended with " + in_words(status));
    sides_[other].press_enter();
    if (status != 0) {
        set_result(status);
        give_up_ = Clock::now() + plan_.grace;
        if (phase_ == Phase::first_side)
            lines_.say(label(other) + " is not started, as " + label(side) +
                       " has failed (if that needs something of it first, see --first)");
    }
    const bool is_all = phase_ == Phase::both_sides && !sides_[other].is_running();
    if (is_all || (status != 0 && phase_ == Phase::first_side) || plan_.last_word == side)
        begin_ending(SIGTERM);
}

void Conductor::look_at_clock()
{
    const Clock::time_point now = Clock::now();

    if (may_go_on() && plan_.timeout.count() > 0 && now >= started_ + plan_.timeout) {
        lines_.say("the time of " + seconds(plan_.timeout) + " is over (--timeout); ending both");
        set_result(kTimedOut);
        begin_ending(SIGTERM);
    } else if (may_go_on() && give_up_ && now >= *give_up_) {
        for (std::size_t side = 0; side < sides_.size(); ++side)
            if (sides_[side].is_running())
                lines_.say("ending " + label(side) + ", " + seconds(plan_.grace) +
                           " after its peer has failed (--grace)");
        begin_ending(SIGTERM);
    }
    if (may_go_on())
        return;
    if (!has_children_) {
        phase_ = Phase::over;
    } else if (phase_ == Phase::terminating && now >= phase_end_) {
        phase_ = Phase::killing;
        phase_end_ = now + kKillTime;
        signal_descendants(SIGKILL);
    } else if (phase_ == Phase::killing) {
        signal_descendants(SIGKILL); // again: a process may have been forked in between
        if (now >= phase_end_) {
            lines_.say("some processes cannot be ended: they belong to another user, or the kernel "
                       "holds them");
            phase_ = Phase::over;
        }
    }
}

void Conductor::consider_second_side()
{
    const std::string &first = label(0);
    const bool has_ended = !sides_[0].is_running() && !has_children_;
    const bool is_ready = !has_ended && readiness_.look();
    const Milliseconds waited = std::chrono::duration_cast<Milliseconds>(Clock::now() - started_);

    if (!has_ended && !is_ready && waited < plan_.max_wait)
        return;
    if (is_ready && plan_.is_verbose)
        lines_.say(first + " is ready after " + seconds(waited));
    else if (!is_ready && !has_ended && plan_.max_wait.count() > 0)
        lines_.say(first +
                   (plan_.until_files.empty() ? " offers nothing" : " has not written all files") +
                   " after " + seconds(plan_.max_wait) + " (--wait); starting " + label(1) +
                   " all the same");
    phase_ = Phase::both_sides;
    start(1);
    if (!sides_[0].is_running())
        sides_[1].press_enter();
}

void Conductor::start(std::size_t side)
{
    if (!sides_[side].start(plan_.sides[side])) {
        lines_.say("cannot start " + label(side) + ": " + std::strerror(errno));
        set_result(EXIT_FAILURE);
        begin_ending(SIGTERM);
    } else if (plan_.is_verbose) {
        lines_.say("started " + label(side) + " as node " + plan_.sides[side].node->name +
                   ", process " + std::to_string(sides_[side].pid()));
    }
}

void Conductor::begin_ending(int signal)
{
    phase_ = Phase::terminating;
    phase_end_ = Clock::now() + kTerminateTime;
    signal_descendants(signal);
}

void Conductor::set_result(int status)
{
    if (!result_)
        result_ = status;
}

void Conductor::write_out()
{
    if (!has_reader_ || !lines_.has_output())
        return;
    pollfd fd{lines_.fd(), POLLOUT, 0};
    while (lines_.has_output() && poll(&fd, 1, 0) > 0) {
        if (!lines_.write_some()) {
            has_reader_ = false;
            if (may_go_on()) {
                set_result(128 + SIGPIPE);
                begin_ending(SIGTERM);
            }
            return;
        }
        if (lines_.has_output())
            fd.fd = lines_.fd();
    }
}

} // namespace softdoca::tool
