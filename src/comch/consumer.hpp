// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/shared_memory.hpp"
#include "comch/connection.hpp"
#include "common/ctx.hpp"
#include "common/mmap.hpp"
#include "common/task_pool.hpp"
#include "fabric/receive_queue.hpp"
#include "fabric/status_page.hpp"

#include <doca_comch_consumer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// Task: a receive. What came with the message is valid from its callback on.
struct doca_comch_consumer_task_post_recv final : doca_task {
    std::uint32_t producer_id = 0;
    std::uint32_t imm_len = 0;
    std::uint8_t imm[softdoca::kMaxImmLen]{};
    std::uint64_t count = 0; ///< of its slot
};

/// Receives messages of the other side's producers into buffers of one mmap, in the order in which
/// they were posted. Its shared memory (see ReceiveQueue) comes with its start. Threads: that of
/// its own progress engine, whichever thread the connection has.
///
/// STOPPING: it says so, waits until no producer is between having looked and having filled, takes
/// what was filled (its sender was told that it is received), and flushes the rest.
struct doca_comch_consumer final : doca_ctx, softdoca::BellTarget, softdoca::RoomWaiter {
public:
    doca_comch_consumer(std::shared_ptr<doca_comch_connection> connection, doca_mmap &mmap);
    ~doca_comch_consumer() override;

    std::uint32_t id() const noexcept { return id_; }
    std::uint32_t max_imm_len() const noexcept { return max_imm_len_; }
    [[nodiscard]] doca_error_t set_max_imm_len(std::uint32_t len) noexcept;
    [[nodiscard]] doca_error_t
    set_conf(doca_comch_consumer_task_post_recv_completion_cb_t on_success,
             doca_comch_consumer_task_post_recv_completion_cb_t on_error,
             std::uint32_t num_tasks) noexcept;
    [[nodiscard]] doca_error_t alloc(doca_buf *buf,
                                     doca_comch_consumer_task_post_recv **out) noexcept;

    // Doorbells. It waits for "room" when it has to look again by itself.
    void on_bell() noexcept override;
    bool look_for_room() noexcept override;
    bool ask_for_bell() noexcept override;

private:
    using Task = doca_comch_consumer_task_post_recv;

    // What is at the head of the queue.
    enum class Head { nothing, message, unfinished, broken };

    doca_error_t check_start() const noexcept override;
    doca_error_t on_start() override;
    doca_error_t check_task(const doca_task &task) noexcept override;
    doca_error_t begin(doca_task &task) noexcept override;
    void run(doca_task &task) noexcept override { deliver(task); }
    void flush(doca_task &task, doca_error_t) noexcept override { deliver(task); }
    bool on_withdraw(doca_task &task) noexcept override;
    bool on_turn() noexcept override;
    bool has_event() const noexcept override { return watch_.has_come(); }
    bool stops_at_once() const noexcept override { return false; }
    void on_stop() noexcept override;
    bool is_drained() noexcept override;
    void on_idle() noexcept override;
    void report_unfinished() noexcept override;

    bool open_memory();
    bool announce();
    bool go_on_starting() noexcept;
    const char *fault_of(const doca_buf *buf) const noexcept;
    void post(Task &task) noexcept;
    void note_next() noexcept;
    Head look() noexcept;
    bool take_staged(softdoca::ReceiveSlot &slot, Task *task) noexcept;
    bool receive() noexcept;
    void finish_head(Task *task) noexcept;
    void lose_connection() noexcept;
    bool take_filled() noexcept;
    void flush_posted() noexcept;
    void tell_producer() noexcept;
    void look_again() noexcept;
    void deliver(doca_task &task) noexcept;
    void deliver_now(Task &task) noexcept;

    softdoca::ReceiveQueue &queue() const noexcept
    {
        return *reinterpret_cast<softdoca::ReceiveQueue *>(memory_.data());
    }
    softdoca::ReceiveSlot &slot(std::uint64_t count) const noexcept
    {
        return slots_[count & (num_slots_ - 1)];
    }
    std::uint64_t number(std::uint64_t count, softdoca::SlotUse use) const noexcept
    {
        return softdoca::slot_number((count >> round_shift_) + 1, use); // rounds begin with 1
    }
    Task *&posted(std::uint64_t count) noexcept { return posted_[count & (num_slots_ - 1)].task; }

    // What this side posted, whatever stands in the shared memory.
    struct Posted {
        Task *task = nullptr; ///< nullptr: the program has freed it
        std::uint32_t capacity = 0;
    };

    // Touched for each message.
    softdoca::ReceiveSlot *slots_ = nullptr;
    std::uint32_t num_slots_ = 0;
    int round_shift_ = 0;
    std::uint64_t head_ = 0; // next to be taken
    std::uint64_t tail_ = 0; // next to be posted
    std::vector<Posted> posted_;
    softdoca::RingWatch watch_;
    softdoca::OwnBell *bell_ = nullptr;
    doca_comch_consumer_task_post_recv_completion_cb_t on_success_ = nullptr;
    std::byte *window_base_ = nullptr; // of direct buffers: the mmap's; nullptr: there are none

    doca_comch_consumer_task_post_recv_completion_cb_t on_error_ = nullptr;
    const std::shared_ptr<doca_comch_connection> connection_;
    doca_mmap &mmap_;
    std::uint32_t id_; // another one at each start: the peer may not have seen the end of the last
    std::uint32_t max_imm_len_ = 0;
    std::uint32_t num_tasks_ = 0;
    std::optional<softdoca::TypedTaskPool<Task>> tasks_;
    softdoca::SharedMemory memory_;
    softdoca::ProcessFd memory_fd_;
    softdoca::ProcessFd window_fd_;
    std::uint64_t window_offset_ = 0;
    std::uint32_t bit_ = softdoca::OwnBell::kNoBit;
    std::uint64_t token_ = 0;
    bool was_started_ = false;
    bool is_attached_ = false;           // the peer was sent the memory
    softdoca::CopiesUnderWay producers_; // in STOPPING: those that had not seen it
    bool owes_bell_ = false;             // to a producer that waits for room
    bool is_flushed_ = false;
    // A message that is coming through staging.
    std::uint64_t num_taken_ = 0;    // of its bytes
    std::uint64_t num_unstaged_ = 0; // position in staging, of all messages
    std::uint32_t staged_len_ = 0;   // of it, once it was seen; 0: none is coming
};
