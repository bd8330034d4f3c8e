// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch/connection.hpp"
#include "comch/remote_queue.hpp"
#include "common/ctx.hpp"
#include "common/task_pool.hpp"

#include <doca_comch_producer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

/// Task: a message to a consumer of the other side.
struct doca_comch_producer_task_send final : doca_task {
    std::uint32_t consumer_id = 0;
    std::uint32_t imm_len = 0;
    std::array<std::uint8_t, softdoca::kMaxImmLen> imm{};

    /// Of a long message, from submit until all of it is in staging.
    struct Stream {
        std::shared_ptr<softdoca::RemoteQueue> queue; ///< nullptr: it is none
        softdoca::MessageHead head;
        std::uint64_t count = 0; ///< of the receive that it has claimed
        std::uint64_t num_done = 0;
        bool has_begun = false;
        bool is_freed = false; ///< by the program; it ends without a callback
        doca_comch_producer_task_send *next_in_line = nullptr;
        std::shared_ptr<softdoca::Mailbox> mailbox; ///< of its producer's engine
        std::uint64_t token = 0;
    } stream;
};

/// Sends to the other side's consumers. A message is in the consumer's memory when its submit
/// returns, and its task ends in the next turn; of a long one the rest follows in turns. Threads:
/// that of its own progress engine, whichever thread the connection has.
struct doca_comch_producer final : doca_ctx, softdoca::BellTarget, softdoca::RoomWaiter {
public:
    explicit doca_comch_producer(std::shared_ptr<doca_comch_connection> connection);
    ~doca_comch_producer() override;

    std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] doca_error_t set_conf(doca_comch_producer_task_send_completion_cb_t on_success,
                                        doca_comch_producer_task_send_completion_cb_t on_error,
                                        std::uint32_t num_tasks) noexcept;
    [[nodiscard]] doca_error_t alloc(const doca_buf *buf, const std::uint8_t *imm,
                                     std::uint32_t imm_len, std::uint32_t consumer_id,
                                     doca_comch_producer_task_send **out) noexcept;
    [[nodiscard]] doca_error_t set_imm(doca_comch_producer_task_send &task, const std::uint8_t *imm,
                                       std::uint32_t imm_len) noexcept;

    // Doorbells.
    void on_bell() noexcept override { make_ready(); }
    bool look_for_room() noexcept override;
    bool ask_for_bell() noexcept override;

private:
    using Task = doca_comch_producer_task_send;

    doca_error_t check_start() const noexcept override;
    doca_error_t on_start() override;
    doca_error_t check_task(const doca_task &task) noexcept override;
    doca_error_t begin(doca_task &task) noexcept override;
    void run(doca_task &task) noexcept override { deliver(task); }
    void flush(doca_task &task, doca_error_t) noexcept override { deliver(task); }
    bool on_withdraw(doca_task &task) noexcept override;
    bool on_turn() noexcept override;
    bool has_event() const noexcept override { return has_room_; }
    bool is_drained() noexcept override;
    void on_stop() noexcept override;
    void on_idle() noexcept override;
    void report_unfinished() noexcept override;
    void report_suspended() noexcept override;

    softdoca::RemoteQueue *queue_of(std::uint32_t id) noexcept;
    [[gnu::noinline]] softdoca::RemoteQueue *find_queue(std::uint32_t id) noexcept;
    doca_error_t send_long(Task &task, const softdoca::MessageHead &head,
                           const std::shared_ptr<softdoca::RemoteQueue> &queue) noexcept;
    doca_error_t answer_claim(softdoca::RemoteQueue::Claim claim, Task &task,
                              softdoca::RemoteQueue &queue) noexcept;
    [[gnu::cold]] doca_error_t refuse_consumer(std::uint32_t id) noexcept;
    [[gnu::cold]] doca_error_t say_again(softdoca::RemoteQueue &queue) noexcept;
    /// What is wrong with the task whatever the consumer; nullptr: nothing.
    const char *fault_of(const Task &task) const noexcept;
    softdoca::MessageHead head_of(const Task &task) const noexcept;
    std::uint32_t max_imm_len() const noexcept
    {
        return std::min(dev().function().comch.max_imm_data_len, softdoca::kMaxImmLen);
    }
    void fail(Task &task, const char *why) noexcept;
    bool pump_streams() noexcept;
    void end_stream(Task &task, doca_error_t status) noexcept;
    void end_streams(doca_error_t status) noexcept;
    void wait_for_room() noexcept;
    void deliver(doca_task &task) noexcept;

    const std::shared_ptr<doca_comch_connection> connection_;
    const std::uint32_t id_;
    doca_comch_producer_task_send_completion_cb_t on_success_ = nullptr;
    doca_comch_producer_task_send_completion_cb_t on_error_ = nullptr;
    std::uint32_t num_tasks_ = 0;
    std::optional<softdoca::TypedTaskPool<Task>> tasks_;
    softdoca::CopyMark *mark_ = nullptr; // of its engine
    bool needs_fence_ = false;

    static constexpr std::size_t kNumKnown = 16;
    std::array<std::shared_ptr<softdoca::RemoteQueue>, kNumKnown> known_; // by id
    softdoca::TaskQueue streams_;       // long messages that are not all in staging
    bool has_room_ = false;             // for one of them
    softdoca::OwnBell *bell_ = nullptr; // for room in staging
    std::uint32_t bit_ = softdoca::OwnBell::kNoBit;
    std::uint64_t token_ = 0;
    std::uint32_t num_again_ = 0; // in a row
    std::uint64_t again_since_ns_ = 0;
};
