// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/unix_socket.hpp"
#include "fabric/status_page.hpp"
#include "fabric/wire.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace softdoca {

class LocalProcess;

/// Why a peer cannot be talked to.
enum class LinkFault : std::uint8_t {
    none,
    gone,          ///< no such process in this fabric, or it has ended
    silent,        ///< it does not answer in time
    other_release, ///< its libraries are not of our release
    other_user,    ///< it belongs to another user
    out_of_order,  ///< it answers what no process of ours answers
    busy,          ///< it has no room for us: connections, descriptors
    no_resources,  ///< of this process: descriptors, memory
};

/// The connection to another process's agent, shared by all that uses that process. Threads: any;
/// one dialogue at a time.
class PeerLink {
public:
    /// Connects and says hello. nullptr with *fault.
    static std::shared_ptr<PeerLink> open(LocalProcess &self, const ProcessId &peer,
                                          Clock::time_point deadline, LinkFault *fault);

    ~PeerLink() { socket_.drain(); }
    PeerLink(const PeerLink &) = delete;
    PeerLink &operator=(const PeerLink &) = delete;

    const ProcessId &peer() const noexcept { return peer_; }
    pid_t peer_pid() const noexcept
    {
        return peer_pid_;
    } ///< 0: of a PID namespace that we cannot see
    int fd() const noexcept { return socket_.fd(); }

    bool is_alive() const noexcept { return !is_gone() && page_->is_alive(); }
    /// What its sockets say. A death shows in the page first.
    bool is_gone() const noexcept { return is_gone_.load(std::memory_order_relaxed); }
    void set_gone() noexcept { is_gone_.store(true, std::memory_order_release); }
    const PeerPage &page() const noexcept { return *page_; }
    /// The peer's memory as a file to read from, opened once, while it is known that we may trace
    /// it; -1 where there is none. thread: one of the peer's; id_addr: where its id can be read.
    /// The file is of the memory, not of the process number: it ends with the peer.
    int memory_fd(pid_t thread, std::uint64_t id_addr) noexcept;

    /// Sends a request and waits for its answer, which may come with descriptors.
    template <typename Answer, typename Request>
    std::optional<Answer> ask(Request request, Clock::time_point deadline, Received *received,
                              LinkFault *fault)
    {
        const std::scoped_lock lock(dialogue_);
        request.serial = ++serial_;
        std::byte buffer[sizeof(Answer)];
        *fault = exchange(wire::bytes_of(request), buffer, deadline, received);
        if (*fault != LinkFault::none)
            return std::nullopt;
        auto answer = wire::take<Answer>({buffer, received->size});
        if (!answer)
            *fault = LinkFault::out_of_order;
        return answer;
    }
    /// Sends what has no answer.
    template <typename Message>
    void tell(const Message &message) noexcept
    {
        (void)socket_.send(wire::bytes_of(message));
    }

private:
    PeerLink(UnixSocket &&socket, const ProcessId &peer, pid_t pid,
             std::shared_ptr<PeerPage> page) noexcept
        : socket_(std::move(socket)), peer_(peer), peer_pid_(pid), page_(std::move(page))
    {
    }
    LinkFault exchange(std::span<const std::byte> request, std::span<std::byte> buffer,
                       Clock::time_point deadline, Received *received);

    UnixSocket socket_;
    const ProcessId peer_;
    const pid_t peer_pid_;
    const std::shared_ptr<PeerPage> page_;
    std::atomic<bool> is_gone_{false};
    ForkSafeLock dialogue_;
    std::uint32_t serial_ = 1; // under dialogue_; the greeting was the first
    ProcessFd memory_;         // likewise
};

/// The greeting that every connection of ours begins with.
wire::Hello hello_of(const LocalProcess &self) noexcept;

/// Connects to the agent of a process. EAGAIN is waited out until the deadline.
UnixSocket connect_to_agent(const std::string &directory, const ProcessId &peer,
                            Clock::time_point deadline, LinkFault *fault);

/// A connection whose greetings have been exchanged.
struct GreetedSocket {
    UnixSocket socket;
    pid_t pid;
    std::shared_ptr<PeerPage> page;
};
std::optional<GreetedSocket> greet_agent(LocalProcess &self, const ProcessId &peer,
                                         Clock::time_point deadline, LinkFault *fault);

} // namespace softdoca
