// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/bell.hpp"
#include "fabric/channel_memory.hpp"
#include "fabric/doorbells.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softdoca {

/// The slots of one direction, as this process sees them.
struct MessageSlots {
    MessageSlots() = default;
    MessageSlots(std::byte *slots, const ChannelShape &channel, const RingShape &ring) noexcept
        : begin(slots), slot_size(channel.slot_size()), max_len(channel.max_msg_size), shape(ring),
          round_shift(std::countr_zero(ring.num_slots))
    {
    }

    std::byte *begin = nullptr;
    std::size_t slot_size = 0;
    std::size_t max_len = 0; // of a message; less than there is room for
    RingShape shape;
    int round_shift = 0;

    MessageSlot &at(std::uint64_t count) const noexcept
    {
        return *reinterpret_cast<MessageSlot *>(begin +
                                                (count & (shape.num_slots - 1)) * slot_size);
    }
    std::uint64_t number(std::uint64_t count, SlotUse use) const noexcept
    {
        return slot_number(count >> round_shift, use);
    }
    static std::byte *payload(MessageSlot &slot) noexcept
    {
        return reinterpret_cast<std::byte *>(&slot + 1);
    }
};

/// The sender's end of one direction. Threads: any may push; the rest is the connection's.
class __attribute__((visibility("default"))) SendRing {
public:
    void open(ChannelMemory::Direction &direction, const MessageSlots &slots) noexcept
    {
        direction_ = &direction;
        slots_ = slots;
    }

    /// False: there is no room, which the shape excludes for messages of the program.
    bool push(MessageKind kind, std::uint32_t id, std::span<const std::byte> message) noexcept;
    /// For everything else: leaves room for all messages that may be under way. False: later.
    bool push_notice(MessageKind kind, std::uint32_t id) noexcept;
    /// After a push: tells the receiver, unless it looks by itself.
    void tell(const BellRef &bell) const noexcept
    {
        std::atomic_signal_fence(std::memory_order_seq_cst); // the receiver fences us
        if (direction_->receiver.mode.load(std::memory_order_relaxed) == 0)
            bell.ring();
    }

    /// Messages that the receiver's queue has passed on, which makes room in it.
    std::uint64_t num_taken() const noexcept
    {
        return direction_->receiver.num_taken.load(std::memory_order_acquire);
    }
    void set_wants_bell(bool wants) noexcept
    {
        direction_->sender.wants_bell.store(wants ? 1 : 0, std::memory_order_relaxed);
    }
    std::uint32_t recv_queue() const noexcept { return slots_.shape.recv_queue; }

private:
    ChannelMemory::Direction *direction_ = nullptr;
    MessageSlots slots_;
    std::atomic<std::uint64_t> next_{0}; // ours alone: all senders are threads of one process
};

/// The receiver's end. Threads: the connection's.
class __attribute__((visibility("default"))) ReceiveRing {
public:
    void open(ChannelMemory::Direction &direction, const MessageSlots &slots) noexcept
    {
        direction_ = &direction;
        slots_ = slots;
    }
    enum class State { nothing, message, broken };
    /// broken: what is there was not written by a sender of ours.
    State look() noexcept;
    /// Of the message that look() found. Read once: the peer may change what lies there.
    MessageKind kind() const noexcept { return kind_; }
    std::uint32_t id() const noexcept { return id_; }
    std::uint32_t len() const noexcept { return len_; }
    /// Copies it, and gives its slot back.
    void take(std::byte *out) noexcept;
    /// The program's receive queue has room for one more. sender: its bell for that.
    void note_taken(const BellRef &sender, bool needs_fence) noexcept;

    std::atomic<std::uint32_t> &mode() const noexcept { return direction_->receiver.mode; }
    /// Where the next message will show.
    void expect_in(RingWatch &watch) const noexcept
    {
        watch.expect(slots_.at(head_).number, slots_.number(head_, SlotUse::posted));
    }

private:
    ChannelMemory::Direction *direction_ = nullptr;
    MessageSlots slots_;
    std::uint64_t head_ = 0;
    std::uint64_t num_taken_ = 0;
    MessageKind kind_{};
    std::uint32_t id_ = 0;
    std::uint32_t len_ = 0;
};

} // namespace softdoca
