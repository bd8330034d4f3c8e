// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/shared_memory.hpp"
#include "fabric/mailbox.hpp"
#include "fabric/message_ring.hpp"
#include "fabric/pair_link.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace softdoca {

/// Memory of the other side's consumer that has come. Kept until the consumer ends, and by whoever
/// sends to it.
struct AttachedQueue {
    std::uint32_t id = 0;
    std::uint32_t num_slots = 0;
    std::uint32_t max_imm_len = 0;
    SharedMemory memory;
    SharedMemory window; ///< of its buffers; invalid: they cannot be mapped
    std::uint64_t window_offset = 0;
    std::uint64_t window_len = 0;
    BellRef bell; ///< for messages
};

/// Who hears of what other threads do to a channel: a target's mailbox and token.
struct ChannelListener {
    std::shared_ptr<Mailbox> mailbox;
    std::uint64_t token = 0;
};

/// One end of the path between a client and its server: a ring of messages in each direction, and
/// the queues of consumers that either side attaches. The agent fills in what comes by the socket
/// and posts the listeners. Threads: the rings as they say; is_...() and set-up calls any.
class __attribute__((visibility("default"))) Channel {
public:
    /// The client's end; its memory comes later. Registers itself, see LocalProcess.
    static std::shared_ptr<Channel> of_client(std::shared_ptr<PairLink> link,
                                              const wire::ChannelConfig &own);
    /// The server's end, with new memory; nullptr, and errno, if that cannot be had.
    static std::shared_ptr<Channel> of_server(std::shared_ptr<PairLink> link,
                                              const wire::ChannelConfig &own,
                                              const wire::OpenChannel &request, ProcessFd *memory);
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    std::uint64_t number() const noexcept { return number_; }
    PairLink &link() const noexcept { return *link_; }
    std::uint32_t max_msg_size() const noexcept { return shape_.max_msg_size; }

    // What has come so far. The agent sets these after what they stand for.
    bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }
    /// The server's agent does not know the service (any more).
    bool is_rejected() const noexcept { return is_rejected_.load(std::memory_order_acquire); }
    bool has_memory() const noexcept { return has_memory_.load(std::memory_order_acquire); }
    bool has_peer_bell() const noexcept { return has_peer_bell_.load(std::memory_order_acquire); }
    /// The client has given up before it was accepted.
    bool is_closed_by_peer() const noexcept
    {
        return is_closed_by_peer_.load(std::memory_order_acquire);
    }

    // Once it has memory, and the peer's bell.
    SendRing &out() noexcept { return out_; }
    ReceiveRing &in() noexcept { return in_; }
    const BellRef &message_bell() const noexcept { return message_bell_; }
    const BellRef &room_bell() const noexcept { return room_bell_; }
    std::atomic<std::uint32_t> &admission() const noexcept { return memory().admission; }
    /// Does one of the processes have no fence_all_processes()?
    bool needs_fence() const noexcept { return needs_fence_; }
    /// May a ring of ours be hot: do the peer's threads take part in our fences?
    bool may_be_hot() const noexcept { return !needs_fence_; }

    /// Sends a notice to the peer. False: no room now.
    bool notify(MessageKind kind, std::uint32_t id) noexcept
    {
        if (!out_.push_notice(kind, id))
            return false;
        num_notices_.fetch_add(1, std::memory_order_relaxed);
        out_.tell(message_bell_);
        return true;
    }

    void listen(const ChannelListener &listener);
    void unlisten(std::uint64_t token) noexcept;

    /// The other side's consumer of that id, or nullptr if its memory has not come.
    std::shared_ptr<AttachedQueue> find_queue(std::uint32_t id) const noexcept;
    void drop_queue(std::uint32_t id) noexcept;

    /// The bell of the server's engine goes to the client, which may send from then on.
    [[nodiscard]] bool tell_bell(const OwnBell &bell, std::uint32_t message_bit,
                                 std::uint32_t room_bit);
    /// Asks a server's agent for the channel. False as PairLink::tell().
    [[nodiscard]] bool ask(const RandomId &service, const OwnBell &bell, std::uint32_t message_bit,
                           std::uint32_t room_bit);
    /// The peer's number of this end, once it is known.
    std::uint64_t peer_number() const noexcept { return peer_number_; }

    /// For softdoca ls: the connection, if an engine has it, and the other side's consumers.
    void add_rows(std::vector<wire::ListRow> &rows) const;

    // For the agent. False: what came makes no sense.
    bool take_opened(const wire::ChannelOpened &message, const ProcessFd &memory);
    bool take_bell(const wire::ChannelBell &message);
    bool take_queue(std::shared_ptr<AttachedQueue> queue);
    void set_closed_by_peer();
    void set_rejected();
    void lose();

private:
    Channel(std::shared_ptr<PairLink> link, const wire::ChannelConfig &own, bool is_server);
    ChannelMemory &memory() const noexcept
    {
        return *reinterpret_cast<ChannelMemory *>(memory_.data());
    }
    void agree_with(const wire::ChannelConfig &peer) noexcept;
    MessageSlots slots(bool to_server) const noexcept;
    void open_rings() noexcept;
    std::uint32_t num_waiting_sends() const noexcept;
    void post() noexcept;

    const std::uint64_t number_;
    const std::shared_ptr<PairLink> link_;
    const wire::ChannelConfig own_;
    const bool is_server_;
    bool needs_fence_;
    ChannelShape shape_;
    SharedMemory memory_;
    SendRing out_;
    ReceiveRing in_;
    BellRef message_bell_, room_bell_;
    std::uint64_t peer_number_ = 0;
    std::atomic<std::uint64_t> num_notices_{0}; // that were sent; read by softdoca ls alone

    std::atomic<bool> has_memory_{false};
    std::atomic<bool> has_peer_bell_{false};
    std::atomic<bool> is_lost_{false};
    std::atomic<bool> is_rejected_{false};
    std::atomic<bool> is_closed_by_peer_{false};

    mutable ForkSafeLock lock_; // guards what follows
    RandomId service_;          // the key of its start
    std::vector<ChannelListener> listeners_;
    std::map<std::uint32_t, std::shared_ptr<AttachedQueue>> queues_;
};

/// Is it a config that this release can have sent?
bool is_sane(const wire::ChannelConfig &config) noexcept;

} // namespace softdoca
