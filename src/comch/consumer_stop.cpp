// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A consumer's long messages, and its end.

#include "base/copy.hpp"
#include "comch/consumer.hpp"
#include "comch/control_context.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

LOG_SOURCE("COMCH::CONSUMER");

using softdoca::ReceiveQueue;

/// Copies out what is in staging of the message at the head. True: that was all of it. A message
/// whose task was freed is passed over in the same way.
bool doca_comch_consumer::take_staged(softdoca::ReceiveSlot &from, Task *task) noexcept
{
    if (staged_len_ == 0) {
        const std::uint64_t place = from.place;
        num_unstaged_ = ReceiveQueue::align_up(num_unstaged_);
        staged_len_ = from.len;
        num_taken_ = 0;
        if (place != num_unstaged_ || staged_len_ == 0 ||
            staged_len_ > posted_[head_ & (num_slots_ - 1)].capacity) {
            staged_len_ = 0;
            lose_connection();
            return false;
        }
    }
    const std::byte *const staging = queue().staging(num_slots_);
    while (num_taken_ != staged_len_) {
        const std::uint64_t num_there =
            queue().producer.num_staged.load(std::memory_order_acquire) - num_unstaged_;
        if (num_there > ReceiveQueue::kStagingSize) {
            lose_connection();
            return false;
        }
        const std::uint64_t offset = num_unstaged_ % ReceiveQueue::kStagingSize;
        const std::uint64_t len =
            std::min({num_there, staged_len_ - num_taken_, ReceiveQueue::kChunkSize,
                      ReceiveQueue::kStagingSize - offset});
        if (len == 0) {
            note_next(); // the rest of it is on its way
            return false;
        }
        if (task != nullptr) {
            doca_buf &buf = *task->dst();
            std::byte *const to = buf.data() + buf.data_len() + num_taken_;
            if (len >= softdoca::kVectorCopyMin)
                softdoca::copy_cached(to, staging + offset, len);
            else
                std::memcpy(to, staging + offset, len);
        }
        num_taken_ += len;
        num_unstaged_ += len;
        queue().consumer.num_unstaged.store(num_unstaged_, std::memory_order_release);
        tell_producer();
    }
    if (task != nullptr)
        task->dst()->set_data_len(task->dst()->data_len() + staged_len_);
    staged_len_ = 0;
    return true;
}

/// Staging has room again: a producer may sleep until it has.
void doca_comch_consumer::tell_producer() noexcept
{
    softdoca::Channel &channel = connection_->channel();
    if (channel.needs_fence())
        std::atomic_thread_fence(std::memory_order_seq_cst);
    else
        std::atomic_signal_fence(std::memory_order_seq_cst); // a producer that sleeps fences us
    ReceiveQueue::Producer &producer = queue().producer;
    if (producer.wants_bell.load(std::memory_order_acquire) == 0)
        return;
    const auto bell = channel.link().find_bell(producer.bell_id.load(std::memory_order_relaxed));
    owes_bell_ = bell == nullptr; // it was announced, but our agent has not come to that yet
    if (owes_bell_)
        return look_again();
    producer.wants_bell.store(0, std::memory_order_relaxed);
    bell->ring(producer.bit.load(std::memory_order_relaxed) % softdoca::kBitsPerBell);
}

// ---- stop ----

/// From now on producers look, and refuse. Those that are in the middle are noted.
void doca_comch_consumer::on_stop() noexcept
{
    queue().consumer.is_stopping.store(1, std::memory_order_seq_cst);
    producers_.note(connection_->channel().link().page()->page());
}

/// All that was filled, in order; what was not is passed over. False: of the last one a part is
/// still on its way.
bool doca_comch_consumer::take_filled() noexcept
{
    for (; head_ != tail_; ++head_) {
        const std::uint64_t seen = slot(head_).number.load(std::memory_order_acquire);
        if (seen != number(head_, softdoca::SlotUse::filled))
            continue; // stays in posted_, to be flushed
        const std::uint64_t before = head_;
        (void)receive();
        const bool is_taken = head_ != before;
        if (!is_taken && !connection_->channel().is_lost())
            return false;
        if (is_taken) {
            head_ = before; // the loop goes on
        }
    }
    return true;
}

void doca_comch_consumer::flush_posted() noexcept
{
    const doca_error_t status =
        connection_->channel().is_lost() ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_SHUTDOWN;
    for (std::uint64_t i = 0; i < num_slots_; ++i) { // in the order in which they were posted
        Posted &record = posted_[(tail_ + i) & (num_slots_ - 1)];
        if (record.task != nullptr)
            complete(*std::exchange(record.task, nullptr), status);
    }
    is_flushed_ = true;
}

bool doca_comch_consumer::is_drained() noexcept
{
    if (is_flushed_)
        return true;
    const bool have_settled = connection_->channel().is_lost() || producers_.have_ended();
    if (!have_settled || !take_filled()) {
        look_again();
        return false;
    }
    flush_posted();
    return true;
}

/// Nobody rings for what it waits for now.
void doca_comch_consumer::look_again() noexcept
{
    if (!static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->is_linked())
        pe()->doorbells().add(*this);
}

bool doca_comch_consumer::look_for_room() noexcept
{
    make_ready();
    return true;
}

bool doca_comch_consumer::ask_for_bell() noexcept
{
    return false;
}

void doca_comch_consumer::on_idle() noexcept
{
    static_cast<softdoca::ListHook<softdoca::RoomWaiter> *>(this)->unlink();
    pe()->doorbells().remove(watch_);
    pe()->doorbells().forget(token_);
    connection_->channel().unlisten(token_);
    if (bit_ != softdoca::OwnBell::kNoBit)
        pe()->release_bit(*bell_, bit_);
    bit_ = softdoca::OwnBell::kNoBit;
    if (is_attached_ && !connection_->channel().is_lost())
        connection_->notify(softdoca::MessageKind::expired_consumer, id_);
    is_attached_ = false;
    static const std::atomic<std::uint64_t> kNever{0};
    watch_.expect(kNever, 0);
    memory_ = {};
    memory_fd_.reset();
    window_fd_.reset();
    window_base_ = nullptr;
    slots_ = nullptr;
}

void doca_comch_consumer::report_unfinished() noexcept
{
    const int pid = connection_->channel().link().peer_pid();
    if (state() == DOCA_CTX_STATE_STARTING)
        LOG_WAIT(this,
                 "consumer %u on %s waits until the peer (pid %d) has seen it; the peer's program "
                 "must progress the engine of its %s",
                 id_, dev().name(), pid,
                 std::strcmp(connection_->owner().kind(), "server") == 0 ? "client" : "server");
    else if (!is_flushed_)
        LOG_WAIT(this,
                 "consumer %u on %s cannot become idle: a producer of process %d is in the middle "
                 "of a message; if it is stopped, continue it (kill -CONT %d) or end it",
                 id_, dev().name(), pid, pid);
}
