// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/remote_queue.hpp"

#include "base/copy.hpp"
#include "base/prefetch.hpp"
#include "comch/producer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

namespace softdoca {

namespace {

/// In slots: what the consumer had last takes as long to come as it takes to send some messages.
constexpr std::uint64_t kPrefetchDistance = 4;

void copy(std::byte *to, const std::byte *from, std::size_t len) noexcept
{
    if (len >= kVectorCopyMin)
        copy_cached(to, from, len);
    else if (len != 0) // of nothing there may be no address
        std::memcpy(to, from, len);
}

} // namespace

RemoteQueue::RemoteQueue(std::shared_ptr<Channel> channel,
                         std::shared_ptr<AttachedQueue> attached) noexcept
    : channel_(std::move(channel)), attached_(std::move(attached)), slots_(memory().slots()),
      num_slots_(attached_->num_slots), round_shift_(std::countr_zero(num_slots_))
{
}

RemoteQueue::Claim RemoteQueue::claim_locked(const MessageHead &head, std::uint64_t *count) noexcept
{
    for (;; ++next_) {
        const ReceiveSlot &posted = slot(next_);
        // Pairs with the release store of the consumer that posts.
        const std::uint64_t seen = posted.number.load(std::memory_order_acquire);
        if (seen == number(next_, SlotUse::posted)) [[likely]] {
            if (head.len > posted.capacity)
                return Claim::too_long;
            if (head.imm_len > attached_->max_imm_len)
                return Claim::too_much_imm;
            *count = next_++;
            prefetch_for_write(&slot(next_ + kPrefetchDistance));
            return Claim::claimed;
        }
        if (seen != number(next_, SlotUse::withdrawn))
            return Claim::none_posted;
    }
}

RemoteQueue::Claim RemoteQueue::foresee(const MessageHead &head) noexcept
{
    claim_lock_.lock();
    std::uint64_t count = 0;
    const Claim result = claim_locked(head, &count);
    if (result == Claim::claimed)
        next_ = count; // not yet
    claim_lock_.unlock();
    return result;
}

void RemoteQueue::put_head(ReceiveSlot &slot, const MessageHead &head, PayloadKind kind) noexcept
{
    slot.len = head.len;
    slot.producer_id = head.producer_id;
    slot.kind = kind;
    slot.imm_len = static_cast<std::uint16_t>(head.imm_len);
    if (head.imm_len != 0)
        std::memcpy(slot.imm, head.imm, head.imm_len);
}

bool RemoteQueue::fill(std::uint64_t count, const MessageHead &head,
                       const std::byte *payload) noexcept
{
    ReceiveSlot &claimed = slot(count);
    if (is_direct()) {
        const std::uint64_t place = claimed.place; // read once
        if (place > attached_->window_len || head.len > attached_->window_len - place) {
            leave_empty(count);
            return false;
        }
        copy(attached_->window.data() + attached_->window_offset + place, payload, head.len);
        put_head(claimed, head, PayloadKind::direct);
    } else {
        for (std::uint32_t place = 0; place < head.len; place += 64)
            prefetch_for_write(slot(count + kPrefetchDistance).payload + place);
        copy_eager(claimed.payload, payload, head.len);
        put_head(claimed, head, PayloadKind::eager);
    }
    claimed.number.store(number(count, SlotUse::filled), std::memory_order_release);
    return true;
}

void RemoteQueue::leave_empty(std::uint64_t count) noexcept
{
    slot(count).number.store(number(count, SlotUse::empty), std::memory_order_release);
}

void RemoteQueue::tell() const noexcept
{
    std::atomic_signal_fence(std::memory_order_seq_cst); // the consumer fences us
    if (memory().consumer.mode.load(std::memory_order_relaxed) == 0)
        attached_->bell.ring();
}

// ---- long messages ----

std::uint64_t RemoteQueue::room() const noexcept
{
    const std::uint64_t used =
        num_staged_ - memory().consumer.num_unstaged.load(std::memory_order_acquire);
    // More than there is: the consumer writes nonsense. It gets nothing.
    return used > ReceiveQueue::kStagingSize ? 0 : ReceiveQueue::kStagingSize - used;
}

/// The line is in the order of the claims: the consumer takes them in that order.
RemoteQueue::Claim RemoteQueue::begin_stream(doca_comch_producer_task_send &task,
                                             const MessageHead &head) noexcept
{
    const std::scoped_lock lock(line_lock_);
    std::uint64_t count = 0;
    const Claim result = claim(head, &count);
    if (result != Claim::claimed)
        return result;
    task.stream.head = head;
    task.stream.count = count;
    task.stream.num_done = 0;
    task.stream.has_begun = false;
    task.stream.next_in_line = nullptr;
    doca_comch_producer_task_send **end = &line_;
    while (*end != nullptr)
        end = &(*end)->stream.next_in_line;
    *end = &task;
    front_.store(line_, std::memory_order_release);
    return result;
}

void RemoteQueue::leave_line(doca_comch_producer_task_send &task) noexcept
{
    {
        const std::scoped_lock lock(line_lock_);
        doca_comch_producer_task_send **link = &line_;
        while (*link != &task)
            link = &(*link)->stream.next_in_line;
        *link = task.stream.next_in_line;
        front_.store(line_, std::memory_order_release);
        if (link != &line_)
            return;
    }
    tell_first_in_line();
}

/// It may be another producer's, on another engine.
void RemoteQueue::tell_first_in_line() noexcept
{
    std::shared_ptr<Mailbox> mailbox;
    std::uint64_t token = 0;
    {
        const std::scoped_lock lock(line_lock_);
        if (line_ == nullptr)
            return;
        mailbox = line_->stream.mailbox;
        token = line_->stream.token;
    }
    mailbox->post(token);
}

void RemoteQueue::expire() noexcept
{
    is_expired_.store(true, std::memory_order_relaxed);
    tell_first_in_line();
}

RemoteQueue::Pumped RemoteQueue::pump(doca_comch_producer_task_send &task,
                                      const std::byte *payload) noexcept
{
    auto &stream = task.stream;
    if (front_.load(std::memory_order_acquire) != &task)
        return Pumped::waiting;
    ReceiveQueue &queue = memory();
    // Of one that is stopping what has begun is taken; of one that has stopped, no more.
    if (stream.has_begun ? is_expired_.load(std::memory_order_relaxed) : is_expired()) {
        leave_line(task);
        return Pumped::refused;
    }
    if (!stream.has_begun)
        num_staged_ = ReceiveQueue::align_up(num_staged_);
    std::byte *const staging = queue.staging(num_slots_);
    while (stream.num_done < stream.head.len) {
        const std::uint64_t place = num_staged_ % ReceiveQueue::kStagingSize;
        const std::uint64_t len =
            std::min({stream.head.len - stream.num_done, ReceiveQueue::kChunkSize, room(),
                      ReceiveQueue::kStagingSize - place});
        if (len == 0)
            return Pumped::waiting;
        copy(staging + place, payload + stream.num_done, len);
        if (!stream.has_begun) {
            ReceiveSlot &claimed = slot(stream.count);
            put_head(claimed, stream.head, PayloadKind::staged);
            claimed.place = num_staged_;
        }
        num_staged_ += len;
        stream.num_done += len;
        queue.producer.num_staged.store(num_staged_, std::memory_order_release);
        if (!stream.has_begun)
            slot(stream.count)
                .number.store(number(stream.count, SlotUse::filled), std::memory_order_release);
        stream.has_begun = true;
        tell();
    }
    leave_line(task);
    return Pumped::done;
}

bool RemoteQueue::cancel_stream(doca_comch_producer_task_send &task) noexcept
{
    if (task.stream.has_begun)
        return false;
    leave_line(task);
    leave_empty(task.stream.count);
    tell();
    return true;
}

bool RemoteQueue::has_room_for(const doca_comch_producer_task_send &task) const noexcept
{
    if (channel_->is_lost())
        return true; // to end it
    if (front_.load(std::memory_order_acquire) != &task)
        return false;
    return is_expired_.load(std::memory_order_relaxed) ||
           (!task.stream.has_begun && is_expired()) || room() > ReceiveQueue::kStagingAlign;
}

void RemoteQueue::ask_for_bell(const doca_comch_producer_task_send &task, std::uint64_t bell_id,
                               std::uint32_t bit) noexcept
{
    if (front_.load(std::memory_order_acquire) != &task)
        return; // who leaves the line before it tells it
    ReceiveQueue::Producer &producer = memory().producer;
    producer.bell_id.store(bell_id, std::memory_order_relaxed);
    producer.bit.store(bit, std::memory_order_relaxed);
    producer.wants_bell.store(1, std::memory_order_release);
}

} // namespace softdoca
