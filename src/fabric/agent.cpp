// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/agent.hpp"

#include "base/api_guard.hpp"
#include "fabric/agent_log.hpp"
#include "fabric/local_process.hpp"
#include "fabric/pair_link.hpp"
#include "fabric/peer_link.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

LOG_SOURCE("FABRIC::AGENT");

namespace softdoca {

namespace {

constexpr std::uint64_t kListener = 1;
constexpr std::uint64_t kOfLink = std::uint64_t{1} << 63;
constexpr auto kHelloPatience = std::chrono::seconds(1);
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr std::size_t kMaxStrangers = 64;
constexpr std::size_t kMinSessions = 16;
constexpr std::size_t kMaxSessions = 4096;

/// Connections cost the program descriptors, at most two each: half of its own stay free.
std::size_t max_sessions() noexcept
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return std::clamp<std::size_t>(limit.rlim_cur / 4, kMinSessions, kMaxSessions);
}

bool may_all_trace() noexcept
{
    const char *const setting = std::getenv("SOFTDOCA_PTRACER");
    return setting != nullptr && std::strcmp(setting, "any") == 0;
}

} // namespace

bool Agent::open_descriptors()
{
    epoll_ = ProcessFd(::epoll_create1(EPOLL_CLOEXEC));
    return epoll_.is_open() && mark_.acquire(process_.page()) &&
           add(process_.registration().listener().fd(), EPOLLIN, kListener);
}

bool Agent::add(int fd, std::uint32_t events, Token token) const noexcept
{
    epoll_event interest{};
    interest.events = events;
    interest.data.u64 = token;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &interest) == 0;
}

bool Agent::start()
{
    if (!open_descriptors())
        return false;
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // the thread inherits it
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    errno = ::pthread_create(&thread, &attributes, &Agent::main, this);
    const bool is_started = errno == 0;
    ::pthread_attr_destroy(&attributes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (is_started)
        ::pthread_setname_np(thread, "softdoca-agent");
    return is_started;
}

void *Agent::main(void *self) noexcept
{
    Agent &agent = *static_cast<Agent *>(self);
    agent.process_.page().hold_death_word();
    agent.process_.tell_agent_runs();
    if (may_all_trace())
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    for (;;)
        // Out of memory: what was being done is left, the next event comes.
        (void)api_guard(LOG_SITE, "the agent", [&] {
            agent.run();
            return DOCA_SUCCESS;
        });
}

void Agent::run()
{
    std::array<epoll_event, 32> events;
    for (;;) {
        const int num = ::epoll_wait(epoll_.get(), events.data(), events.size(), next_timeout_ms());
        for (int i = 0; i < num; ++i) {
            const Token token = events[static_cast<std::size_t>(i)].data.u64; // may be unaligned
            if (token == kListener)
                accept_peers();
            else if (token < kOfLink && (token & kOfProcess) != 0)
                end_process(token & ~kOfProcess);
            else if (sessions_.contains(token) || begin_pair(token))
                serve(token);
            else
                note_hang_up(token);
        }
        end_late_strangers();
        if (accept_again_ != Clock::time_point{} && Clock::now() >= accept_again_)
            pause_accepting(false);
    }
}

/// For ever, unless somebody has a deadline.
int Agent::next_timeout_ms() const
{
    if (num_strangers_ == 0 && accept_again_ == Clock::time_point{})
        return -1;
    constexpr int kLookAgainMs = 100;
    return kLookAgainMs;
}

/// Without descriptors the listener stays readable: it is left alone for a while.
void Agent::pause_accepting(bool is_paused) noexcept
{
    accept_again_ = is_paused ? Clock::now() + kAcceptPause : Clock::time_point{};
    epoll_event interest{};
    interest.events = is_paused ? 0u : static_cast<std::uint32_t>(EPOLLIN);
    interest.data.u64 = kListener;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, process_.registration().listener().fd(), &interest);
}

void Agent::accept_peers()
{
    UnixSocket socket = process_.registration().listener().accept();
    if (!socket.is_open()) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            agent_say(LogLevel::error,
                      "a peer cannot be served: %s (raise ulimit -n); it is tried again",
                      std::strerror(errno));
            pause_accepting(true);
        }
        return;
    }
    const auto peer = socket.peer();
    if (!peer)
        return;
    if (num_strangers_ >= kMaxStrangers || !has_room_for(peer->pid))
        end_oldest_stranger();
    if (!has_room_for(peer->pid)) {
        agent_say(LogLevel::warning,
                  "process %d is not served: there are too many connections (ulimit -n)",
                  peer->pid);
        auto refusal = wire::make<wire::HelloReply>(1); // to the first message of a link
        refusal.status = wire::Status::busy;
        (void)socket.send(wire::bytes_of(refusal));
        return;
    }
    const Token token = next_token_++;
    auto session = std::make_unique<AgentSession>(process_, std::move(socket), *peer,
                                                  Clock::now() + kHelloPatience);
    const int fd = session->fd();
    sessions_.emplace(token, std::move(session));
    ++num_strangers_;
    if (!add(fd, EPOLLIN, token))
        end_session(token);
}

void Agent::serve(Token token)
{
    AgentSession &session = *sessions_.at(token);
    const bool was_stranger = session.is_stranger();
    const bool was_blocked = session.is_blocked();
    const bool had_process = session.pid_fd() >= 0;
    if (!(was_blocked ? session.send_unsent() : session.serve(mark_))) {
        end_session(token);
        return;
    }
    if (session.is_blocked() != was_blocked)
        set_interest(token, session);
    if (!had_process)
        watch_process(token, session);
    if (was_stranger && !session.is_stranger())
        --num_strangers_;
}

void Agent::end_session(Token token)
{
    const auto found = sessions_.find(token);
    if (found->second->is_stranger())
        --num_strangers_;
    if (found->second->peer_pid() == tracer_ && tracer_ != 0) {
        const bool has_others =
            std::any_of(sessions_.begin(), sessions_.end(), [&](const auto &each) {
                return each.first != token && each.second->peer_pid() == tracer_;
            });
        if (!has_others)
            tracer_ = 0;
    }
    // Closing its socket would do, but for a child that holds it, made without our fork handler.
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second->fd(), nullptr);
    sessions_.erase(found);
}

/// One process alone does not get all of it.
bool Agent::has_room_for(pid_t pid) const noexcept
{
    const std::size_t max = max_sessions();
    const auto is_same = [pid](const auto &each) { return each.second->peer_pid() == pid; };
    return sessions_.size() < max &&
           static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(), is_same)) <
               max / 2;
}

void Agent::end_late_strangers()
{
    if (num_strangers_ == 0)
        return;
    const auto now = Clock::now();
    std::size_t num_left = 0;
    for (auto each = sessions_.begin(); each != sessions_.end();) {
        const auto next = std::next(each);
        if (each->second->is_stranger() && each->second->hello_deadline() <= now)
            end_stranger(each->first);
        else if (each->second->is_stranger())
            ++num_left;
        each = next;
    }
    num_strangers_ = num_left; // counted, because memory may run out in the middle of a greeting
}

/// Who wants to be served greets at once: a newcomer is more likely to than those who wait.
void Agent::end_oldest_stranger()
{
    const auto oldest = std::find_if(sessions_.begin(), sessions_.end(),
                                     [](const auto &each) { return each.second->is_stranger(); });
    if (oldest != sessions_.end())
        end_stranger(oldest->first);
}

void Agent::end_stranger(Token token)
{
    agent_say(LogLevel::warning, "connection of process %d ends: it did not say who it is",
              sessions_.at(token)->peer_pid());
    end_session(token);
}

bool Agent::watch(const std::shared_ptr<PeerLink> &link)
{
    const std::scoped_lock lock(links_lock_);
    std::erase_if(links_, [](const auto &each) { return each.second.expired(); });
    const Token token = kOfLink | next_token_++;
    links_.emplace(token, link);
    return add(link->fd(), EPOLLRDHUP, token);
}

bool Agent::serve_pair(const std::shared_ptr<PairLink> &pair)
{
    const std::scoped_lock lock(links_lock_);
    const Token token = next_token_++;
    new_pairs_.emplace(token, pair);
    if (add(pair->socket().fd(), EPOLLIN | EPOLLRDHUP, token))
        return true;
    new_pairs_.erase(token);
    return false;
}

/// The first that is heard of a link which another thread has made.
bool Agent::begin_pair(Token token)
{
    std::shared_ptr<PairLink> pair;
    {
        const std::scoped_lock lock(links_lock_);
        const auto found = new_pairs_.find(token);
        if (found == new_pairs_.end())
            return false;
        pair = std::move(found->second);
        new_pairs_.erase(found);
    }
    const auto added =
        sessions_.emplace(token, std::make_unique<AgentSession>(process_, std::move(pair)));
    watch_process(token, *added.first->second);
    return true;
}

/// A peer that died is noticed by that, too: its socket may live on in a child.
void Agent::watch_process(Token token, const AgentSession &session) noexcept
{
    if (session.pid_fd() >= 0)
        (void)add(session.pid_fd(), EPOLLIN, token | kOfProcess);
}

void Agent::end_process(Token token)
{
    const auto found = sessions_.find(token);
    if (found == sessions_.end())
        return;
    while (found->second->serve(mark_) && !found->second->is_blocked() &&
           found->second->has_unread()) { // what it sent before
    }
    end_session(token);
}

void Agent::set_interest(Token token, const AgentSession &session) noexcept
{
    epoll_event interest{};
    interest.events =
        session.is_blocked() ? static_cast<std::uint32_t>(EPOLLOUT) : EPOLLIN | EPOLLRDHUP;
    interest.data.u64 = token;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, session.fd(), &interest);
}

void Agent::note_hang_up(Token token)
{
    std::shared_ptr<PeerLink> link;
    {
        const std::scoped_lock lock(links_lock_);
        const auto found = links_.find(token);
        if (found == links_.end())
            return;
        link = found->second.lock();
        links_.erase(found);
    }
    if (link == nullptr)
        return;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, link->fd(), nullptr);
    link->set_gone();
}

void Agent::allow_tracer(pid_t pid) noexcept
{
    if (pid <= 0 || tracer_ == pid || may_all_trace())
        return;
    if (tracer_ != 0) {
        agent_say(LogLevel::info,
                  "process %d is not named as our tracer, %d is: it takes the agent route "
                  "(SOFTDOCA_PTRACER=any)",
                  pid, tracer_);
        return;
    }
    // Without Yama the call is refused, and is not needed.
    if (::prctl(PR_SET_PTRACER, static_cast<unsigned long>(pid)) == 0)
        tracer_ = pid;
}

} // namespace softdoca
