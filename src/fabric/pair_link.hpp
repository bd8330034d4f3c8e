// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/unix_socket.hpp"
#include "fabric/bell.hpp"
#include "fabric/peer_link.hpp"
#include "fabric/status_page.hpp"
#include "fabric/wire.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace softdoca {

/// A socket between two processes whose both ends are served by their agents: either side tells the
/// other something, and there are no answers but such. All channels between the two share it. Its
/// end is the end of all of them. Threads: any.
class __attribute__((visibility("default"))) PairLink {
public:
    PairLink(UnixSocket &&socket, pid_t pid) noexcept : socket_(std::move(socket)), peer_pid_(pid)
    {
    }
    ~PairLink() { socket_.drain(); }
    PairLink(const PairLink &) = delete;
    PairLink &operator=(const PairLink &) = delete;

    /// Once the peer has said who it is.
    void set_peer(const ProcessId &peer, std::shared_ptr<const PeerPage> page) noexcept
    {
        peer_ = peer;
        page_ = std::move(page);
    }

    const ProcessId &peer() const noexcept { return peer_; }
    pid_t peer_pid() const noexcept { return peer_pid_; } ///< 0: of a PID namespace unknown here
    const std::shared_ptr<const PeerPage> &page() const noexcept { return page_; }
    const UnixSocket &socket() const noexcept { return socket_; }
    bool is_gone() const noexcept { return is_gone_.load(std::memory_order_acquire); }
    /// Nothing more is sent or received; the peer is told by the kernel.
    void hang_up() noexcept;

    /// False: the socket is full, try again later; or the peer has gone, of which the agent hears.
    template <typename Message>
    [[nodiscard]] bool tell(const Message &message, std::span<const int> fds = {}) noexcept
    {
        return socket_.send(wire::bytes_of(message), fds);
    }
    /// The peer can ring this bell from now on. Once for each; false as tell().
    [[nodiscard]] bool announce(const OwnBell &bell);
    /// It has ended.
    void retire(std::uint64_t bell_id) noexcept;

    /// A bell of the peer's has come; false if it makes no sense.
    bool add_bell(std::shared_ptr<PeerBell> bell);
    void remove_bell(std::uint64_t id) noexcept;
    /// nullptr if it was not announced.
    std::shared_ptr<PeerBell> find_bell(std::uint64_t id) const noexcept;

private:
    UnixSocket socket_;
    pid_t peer_pid_;
    ProcessId peer_;
    std::shared_ptr<const PeerPage> page_;
    std::atomic<bool> is_gone_{false};

    mutable ForkSafeLock lock_;
    std::vector<std::uint64_t> announced_; // our bells
    std::map<std::uint64_t, std::shared_ptr<PeerBell>> bells_;
};

} // namespace softdoca
