// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/slot.hpp"
#include "fabric/status_page.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

/// The shared memory of a channel between a client and its server: one ring of messages in each
/// direction.
///
///     ChannelMemory | slots from client to server | slots from server to client
///
/// The server's process makes it. Both sides take the sizes from what they agreed on, never from
/// here.
namespace softdoca {

/// What is in a slot.
enum class MessageKind : std::uint16_t {
    data = 1,         ///< of the program
    new_consumer,     ///< id: its number
    expired_consumer, ///< likewise
    goodbye,          ///< the last message
};

struct MessageSlot {
    SlotNumber number;
    std::uint32_t len;
    MessageKind kind;
    std::uint16_t unused;
    std::uint32_t id;
    std::uint32_t unused_too;
    // The message follows.
};
static_assert(sizeof(MessageSlot) == 24);

/// How a server answers a client that wants to connect.
enum class Admission : std::uint32_t {
    waiting = 0,
    accepted = 1,
    refused = 2,  ///< it has no room
    too_late = 3, ///< it has stopped; another one may come
};

struct ChannelMemory {
    static constexpr std::uint32_t kMagic = 0x48434653; // "SFCH"

    std::uint32_t magic;
    std::uint32_t version;

    /// Of one direction. A line has one writer.
    struct Direction {
        struct alignas(kPageLine) Receiver {
            std::atomic<std::uint64_t> num_taken; ///< messages that the receive queue has passed on
            std::atomic<std::uint32_t> mode;      ///< 0: ring my bell, 1: I look
        } receiver;
        struct alignas(kPageLine) Sender {
            std::atomic<std::uint32_t> wants_bell; ///< 1: ring when num_taken has grown
        } sender;
    };
    Direction to_server, to_client;
    alignas(kPageLine) std::atomic<std::uint32_t> admission; ///< the server's
};

/// The sizes of one direction's ring.
struct RingShape {
    std::uint32_t num_slots = 0;  ///< a power of two
    std::uint32_t recv_queue = 0; ///< messages that the receiver takes before it passes them on
    std::uint32_t num_sends = 0;  ///< that the sender may have under way

    /// Notices of consumers wait for room behind these, so that messages always find theirs.
    static constexpr std::uint32_t kRoomForNotices = 256;
    static constexpr std::uint32_t kMaxNum = 1u << 20;

    static RingShape of(std::uint32_t num_sends, std::uint32_t recv_queue) noexcept
    {
        return {std::bit_ceil(num_sends + recv_queue + kRoomForNotices), recv_queue, num_sends};
    }
};

/// All that both sides must know.
struct ChannelShape {
    RingShape to_server, to_client;
    std::uint32_t max_msg_size = 0; ///< the smaller one of both sides'

    /// A multiple of a line; one byte more than the longest message, as receivers may end it.
    std::size_t slot_size() const noexcept
    {
        return (sizeof(MessageSlot) + max_msg_size + 1 + 63) / 64 * 64;
    }
    std::size_t memory_size() const noexcept
    {
        return sizeof(ChannelMemory) +
               slot_size() * (std::size_t{to_server.num_slots} + to_client.num_slots);
    }
};

} // namespace softdoca
