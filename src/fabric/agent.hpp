// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/process_fd.hpp"
#include "base/unix_socket.hpp"
#include "fabric/agent_session.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

namespace softdoca {

class LocalProcess;
class PairLink;
class PeerLink;

/// The helper thread that serves this process's peers. It sleeps in epoll until one of them wants
/// something; never runs code of the program, never waits for a peer or an engine, takes no lock
/// that is held during a callback, blocks all signals, and ends with the process. Its death word
/// tells peers of that end.
class Agent {
public:
    explicit Agent(LocalProcess &process) : process_(process) {}

    /// Starts the thread; false with the reason in errno.
    bool start();

    /// From now on link.is_gone() is set when its peer hangs up. Any thread.
    bool watch(const std::shared_ptr<PeerLink> &link);

    /// From now on what comes on it is handled, as if the peer had connected. Any thread.
    bool serve_pair(const std::shared_ptr<PairLink> &pair);

    /// The peer would like to read our memory itself. Under Yama level 1 one process may, the first
    /// that asks, until it ends; SOFTDOCA_PTRACER=any lets all. The agent's thread.
    void allow_tracer(pid_t pid) noexcept;

private:
    using Token = std::uint64_t;
    static constexpr Token kOfProcess = std::uint64_t{1} << 62; ///< its end, not its socket

    static void *main(void *self) noexcept;
    void run();
    bool open_descriptors();
    bool add(int fd, std::uint32_t events, Token token) const noexcept;
    int next_timeout_ms() const;
    void accept_peers();
    void pause_accepting(bool is_paused) noexcept;
    void serve(Token token);
    bool begin_pair(Token token);
    void note_hang_up(Token token);
    void watch_process(Token token, const AgentSession &session) noexcept;
    void end_process(Token token);
    void set_interest(Token token, const AgentSession &session) noexcept;
    bool has_room_for(pid_t pid) const noexcept;
    void end_late_strangers();
    void end_oldest_stranger();
    void end_stranger(Token token);
    void end_session(Token token);

    LocalProcess &process_;
    ProcessFd epoll_;
    std::atomic<Token> next_token_{2}; // 1 is the listener

    // Of the thread alone.
    std::map<Token, std::unique_ptr<AgentSession>> sessions_;
    std::size_t num_strangers_ = 0;    // connections that have not said who they are
    Clock::time_point accept_again_{}; // out of descriptors until then
    CopyMark mark_;
    pid_t tracer_ = 0;

    ForkSafeLock links_lock_;
    std::map<Token, std::weak_ptr<PeerLink>> links_;
    std::map<Token, std::shared_ptr<PairLink>> new_pairs_;
};

} // namespace softdoca
