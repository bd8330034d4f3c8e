// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/message_ring.hpp"

#include <cstring>

namespace softdoca {

bool SendRing::push(MessageKind kind, std::uint32_t id, std::span<const std::byte> message) noexcept
{
    std::uint64_t count = next_.load(std::memory_order_relaxed);
    for (;;) {
        // Pairs with the release store in ReceiveRing::take().
        const std::uint64_t number = slots_.at(count).number.load(std::memory_order_acquire);
        if (number == slots_.number(count, SlotUse::posted)) {
            if (next_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed))
                break;
            continue;
        }
        const std::uint64_t now = next_.load(std::memory_order_relaxed);
        if (now == count)
            return false;
        count = now;
    }
    MessageSlot &slot = slots_.at(count);
    slot.kind = kind;
    slot.id = id;
    slot.len = static_cast<std::uint32_t>(message.size());
    if (!message.empty())
        std::memcpy(MessageSlots::payload(slot), message.data(), message.size());
    slot.number.store(slots_.number(count, SlotUse::filled), std::memory_order_release);
    return true;
}

bool SendRing::push_notice(MessageKind kind, std::uint32_t id) noexcept
{
    // Slots are given back in order: if this one is free, so are all before it.
    const std::uint64_t last =
        next_.load(std::memory_order_relaxed) + slots_.shape.num_sends + slots_.shape.recv_queue;
    return slots_.at(last).number.load(std::memory_order_relaxed) ==
               slots_.number(last, SlotUse::posted) &&
           push(kind, id, {});
}

ReceiveRing::State ReceiveRing::look() noexcept
{
    const MessageSlot &slot = slots_.at(head_);
    // Pairs with the release store in SendRing::push().
    const std::uint64_t number = slot.number.load(std::memory_order_acquire);
    if (number == slots_.number(head_, SlotUse::posted))
        return State::nothing;
    kind_ = slot.kind;
    id_ = slot.id;
    len_ = slot.len;
    const bool is_empty = kind_ != MessageKind::data;
    if (number != slots_.number(head_, SlotUse::filled) || kind_ < MessageKind::data ||
        kind_ > MessageKind::goodbye || len_ > slots_.max_len || (len_ == 0) != is_empty)
        return State::broken;
    return State::message;
}

void ReceiveRing::take(std::byte *out) noexcept
{
    MessageSlot &slot = slots_.at(head_);
    if (len_ != 0)
        std::memcpy(out, MessageSlots::payload(slot), len_);
    slot.number.store(slots_.number(head_ + slots_.shape.num_slots, SlotUse::posted),
                      std::memory_order_release); // pairs with push()
    ++head_;
}

void ReceiveRing::note_taken(const BellRef &sender, bool needs_fence) noexcept
{
    direction_->receiver.num_taken.store(++num_taken_, std::memory_order_release);
    if (needs_fence) [[unlikely]]
        std::atomic_thread_fence(std::memory_order_seq_cst);
    else
        std::atomic_signal_fence(std::memory_order_seq_cst); // a sender that waits fences us
    if (direction_->sender.wants_bell.load(std::memory_order_relaxed) != 0)
        sender.ring();
}

} // namespace softdoca
