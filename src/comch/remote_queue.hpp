// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/biased_lock.hpp"
#include "base/fork_safe_lock.hpp"
#include "fabric/channel.hpp"
#include "fabric/receive_queue.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

struct doca_comch_producer_task_send;

namespace softdoca {

/// What a producer sends, beside the bytes.
struct MessageHead {
    std::uint32_t producer_id = 0;
    std::uint32_t len = 0;
    std::uint32_t imm_len = 0;
    const std::uint8_t *imm = nullptr;
};

/// A consumer of the other side, as all producers of this process send to it: which posted receive
/// is the next one is known here alone. Long messages go through staging, one after the other in
/// the order of their receives. Threads: any, as each call says.
class RemoteQueue {
public:
    RemoteQueue(std::shared_ptr<Channel> channel, std::shared_ptr<AttachedQueue> attached) noexcept;

    std::uint32_t id() const noexcept { return attached_->id; }
    Channel &channel() const noexcept { return *channel_; }
    /// It takes nothing any more; also known by what it says itself.
    bool is_expired() const noexcept
    {
        return is_expired_.load(std::memory_order_relaxed) ||
               memory().consumer.is_stopping.load(std::memory_order_acquire) != 0;
    }
    /// The peer has said that it has ended; whoever still sends to it is told.
    void expire() noexcept;
    /// Do its buffers lie in memory that is mapped here?
    bool is_direct() const noexcept { return attached_->window.is_valid(); }

    enum class Claim { claimed, none_posted, too_long, too_much_imm };
    /// Takes the next posted receive for a message. Under a copy mark.
    Claim claim(const MessageHead &head, std::uint64_t *count) noexcept
    {
        if (!claim_lock_.try_lock_as_owner()) [[unlikely]]
            claim_lock_.lock();
        const Claim result = claim_locked(head, count);
        claim_lock_.unlock();
        return result;
    }
    /// What claim() would answer, without a claim.
    Claim foresee(const MessageHead &head) noexcept;
    /// Puts the message in: a short one, or any if is_direct(). False: what the consumer wrote of
    /// its buffer makes no sense.
    bool fill(std::uint64_t count, const MessageHead &head, const std::byte *payload) noexcept;
    /// What was claimed is not sent after all.
    void leave_empty(std::uint64_t count) noexcept;
    /// Tells the consumer, unless it looks by itself.
    void tell() const noexcept;

    // Long messages, see Stream.
    /// Claims and stands in line.
    Claim begin_stream(doca_comch_producer_task_send &task, const MessageHead &head) noexcept;
    enum class Pumped {
        waiting, ///< for room, or for those before it
        done,    ///< all of it is in staging
        refused, ///< the consumer has ended
    };
    /// Copies what there is room for. Under a copy mark; by the thread of the task's producer.
    Pumped pump(doca_comch_producer_task_send &task, const std::byte *payload) noexcept;
    /// Leaves the line before anything was copied; false if it has begun.
    bool cancel_stream(doca_comch_producer_task_send &task) noexcept;
    /// The consumer's process has gone.
    void abandon_stream(doca_comch_producer_task_send &task) noexcept { leave_line(task); }
    /// Could pump() do something?
    bool has_room_for(const doca_comch_producer_task_send &task) const noexcept;
    /// If the task is the first in line: the consumer is to ring that bell when it has made room.
    void ask_for_bell(const doca_comch_producer_task_send &task, std::uint64_t bell_id,
                      std::uint32_t bit) noexcept;

private:
    ReceiveQueue &memory() const noexcept
    {
        return *reinterpret_cast<ReceiveQueue *>(attached_->memory.data());
    }
    ReceiveSlot &slot(std::uint64_t count) const noexcept
    {
        return slots_[count & (num_slots_ - 1)];
    }
    std::uint64_t number(std::uint64_t count, SlotUse use) const noexcept
    {
        return slot_number((count >> round_shift_) + 1, use); // rounds begin with 1
    }
    Claim claim_locked(const MessageHead &head, std::uint64_t *count) noexcept;
    static void put_head(ReceiveSlot &slot, const MessageHead &head, PayloadKind kind) noexcept;
    std::uint64_t room() const noexcept;
    void leave_line(doca_comch_producer_task_send &task) noexcept;
    void tell_first_in_line() noexcept;

    const std::shared_ptr<Channel> channel_;
    const std::shared_ptr<AttachedQueue> attached_;
    ReceiveSlot *const slots_;
    const std::uint32_t num_slots_;
    const int round_shift_;
    BiasedLock claim_lock_;
    std::uint64_t next_ = 0; // under claim_lock_
    std::atomic<bool> is_expired_{false};

    ForkSafeLock line_lock_; // guards the line
    doca_comch_producer_task_send *line_ = nullptr;
    std::atomic<const doca_comch_producer_task_send *> front_{nullptr}; // of the line
    std::uint64_t num_staged_ = 0;                                      // of the one at the front
};

} // namespace softdoca
