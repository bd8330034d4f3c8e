// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/shared_memory.hpp"
#include "base/unix_socket.hpp"
#include "fabric/pair_link.hpp"
#include "fabric/status_page.hpp"
#include "fabric/wire.hpp"

#include <cerrno>
#include <memory>
#include <span>
#include <vector>

namespace softdoca {

class LocalProcess;

/// One process that is connected to our agent, and what it was granted. It may send anything: what
/// is not in order ends this connection and nothing else. Threads: the agent's.
class AgentSession {
public:
    AgentSession(LocalProcess &process, UnixSocket &&socket, const ucred &peer,
                 Clock::time_point hello_deadline);
    /// Of a link that this process has made: the greetings are over.
    AgentSession(LocalProcess &process, std::shared_ptr<PairLink> link);
    ~AgentSession();
    AgentSession(const AgentSession &) = delete;
    AgentSession &operator=(const AgentSession &) = delete;

    int fd() const noexcept { return socket().fd(); }
    /// Readable when the peer's process has ended, even if a child of it holds the socket. -1: of
    /// a connection without channels, or where there is no such descriptor.
    int pid_fd() const noexcept { return pid_fd_.get(); }
    /// An answer waits for room in the socket: nothing is to be read meanwhile.
    bool is_blocked() const noexcept { return !unsent_.empty(); }
    bool has_unread() const noexcept { return socket().wait_readable(Clock::now()); }
    /// There is room. False: it is over.
    bool send_unsent() noexcept;
    pid_t peer_pid() const noexcept { return peer_.pid; }
    /// Until it has said who it is it must do so before the deadline.
    bool is_stranger() const noexcept { return !has_greeted_; }
    Clock::time_point hello_deadline() const noexcept { return hello_deadline_; }

    /// Handles some of what has arrived, so that others get their turn. False: it is over.
    bool serve(CopyMark &mark);

private:
    struct Grant {
        std::uint32_t slot;
        std::uint64_t generation;
        bool is_channel;
    };
    using Bytes = std::span<const std::byte>;

    bool handle(Bytes message, Received &received, CopyMark &mark);
    bool greet(Bytes message, Received &received);
    bool open_window(Bytes message);
    bool close_window(Bytes message);
    bool attach_staging(Bytes message, Received &received);
    bool copy(Bytes message, CopyMark &mark);
    bool list(Bytes message);
    // Channels: agent_channels.cpp.
    void begin_channels() noexcept;
    bool handle_channel(const wire::Header &header, Bytes message, Received &received);
    bool add_bell(Bytes message, Received &received);
    bool retire_bell(Bytes message);
    bool open_channel(Bytes message);
    bool take_opened(Bytes message, Received &received);
    bool take_channel_bell(Bytes message);
    bool attach_queue(Bytes message, Received &received);
    bool close_channel(Bytes message);
    bool move(bool is_write, std::uint64_t addr, std::uint64_t len,
              std::uint64_t staging_offset) const noexcept;
    wire::Status copy_piece(const wire::Copy &request, const wire::Piece &piece,
                            std::uint64_t staging_offset, CopyMark &mark) const noexcept;
    wire::Status check_user() const noexcept;
    template <typename Message>
    bool send(const Message &message, std::span<const int> fds = {}) noexcept
    {
        const bool is_sent = socket().send(wire::bytes_of(message), fds);
        has_hung_up_ = !is_sent && errno == EPIPE;
        return is_sent;
    }

    const UnixSocket &socket() const noexcept { return link_->socket(); }
    const std::shared_ptr<const PeerPage> &page() const noexcept { return link_->page(); }

    LocalProcess &process_;
    const std::shared_ptr<PairLink> link_; // its page is nullptr for a tool, which gets nothing
    const ucred peer_;
    const Clock::time_point hello_deadline_;
    bool has_greeted_ = false;
    bool has_hung_up_ = false; // before it got its answer: nothing to complain of
    bool has_channels_ = false;
    ProcessFd pid_fd_;
    std::vector<std::byte> unsent_; // one message
    ProcessFd unsent_fd_;           // and what comes with it
    std::vector<Grant> grants_;
    SharedMemory staging_;
    ProcessFd staging_fd_;
};

} // namespace softdoca
