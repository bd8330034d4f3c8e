// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/intrusive_list.hpp"
#include "common/task.hpp"
#include "fabric/channel.hpp"
#include "fabric/doorbells.hpp"

#include <doca_comch.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace softdoca {

class ControlContext;
class RemoteQueue;
struct ArrivedList; ///< of connections that may have something to deliver

} // namespace softdoca

/// Task: a control message. Its text has left when submit returns; what it waits for is room in the
/// peer's receive queue.
struct doca_comch_task_send final : doca_task {
    std::shared_ptr<doca_comch_connection> peer;
    const void *message = nullptr;
    std::uint32_t len = 0;
    std::uint64_t sequence = 0; ///< among the messages of its connection
};

/// A client and its server, as one of them sees the pair. Its consumers and producers hold it, so
/// it outlives the handle of the program when they are still there. Threads: that of its context;
/// what says so, any.
///
///     opening ----> open ----> leaving ----> closed
///        \            \___________________/
///         \_____________ the peer was lost, or has left
struct __attribute__((visibility("default"))) doca_comch_connection final
    : softdoca::BellTarget,
      softdoca::RoomWaiter,
      softdoca::ListHook<softdoca::ArrivedList>,
      std::enable_shared_from_this<doca_comch_connection> {
public:
    enum class Stage {
        opening, ///< a client's, not accepted yet
        open,
        leaving, ///< nothing is accepted any more; what was sent is on its way
        closed,
    };

    /// Takes bits of the bell. nullptr, and errno, if there are none. Throws std::bad_alloc.
    static std::shared_ptr<doca_comch_connection> make(softdoca::ControlContext &owner,
                                                       std::shared_ptr<softdoca::Channel> channel);
    doca_comch_connection(softdoca::ControlContext &owner,
                          std::shared_ptr<softdoca::Channel> channel) noexcept;
    ~doca_comch_connection();

    softdoca::ControlContext &owner() const noexcept { return owner_; }
    /// Not after let_go().
    softdoca::Channel &channel() const noexcept { return *channel_; }
    const std::shared_ptr<softdoca::Channel> &shared_channel() const noexcept { return channel_; }
    softdoca::OwnBell &bell() const noexcept { return *bell_; }
    std::uint32_t message_bit() const noexcept { return message_bit_; }
    std::uint32_t room_bit() const noexcept { return room_bit_; }
    doca_data user_data() const noexcept { return user_data_; }
    void set_user_data(doca_data user_data) noexcept { user_data_ = user_data; }
    Stage stage() const noexcept { return stage_.load(std::memory_order_relaxed); } ///< any thread
    bool is_inherited() const noexcept { return process_.is_another(); }

    /// Both sides can send from now on.
    void open() noexcept;
    /// Writes a message of the program, whose task completes at once or when there is room.
    void send(doca_comch_task_send &task) noexcept;
    /// The program frees a task that waits.
    void withdraw(doca_task &task) noexcept { waiting_.remove(task); }
    bool has_waiting() const noexcept { return !waiting_.empty(); }
    std::size_t num_waiting() const noexcept;

    /// Delivers one message or event to the program; false if there was none (any more).
    bool deliver() noexcept;
    /// From now on nothing is delivered or accepted.
    void begin_leaving() noexcept { stage_.store(Stage::leaving, std::memory_order_relaxed); }
    /// In leaving: tells the peer once everything has been taken. False: not yet.
    bool leave() noexcept;
    /// Ends what it has of its engine. Messages that wait end with CONNECTION_RESET.
    void close() noexcept;
    /// If it is closed and nobody uses it: only the handle is kept, not the memory.
    void let_go() noexcept;

    doca_error_t update_info() noexcept;
    doca_error_t counter(doca_comch_counter type, std::uint64_t *value) const noexcept;

    // Any thread: for consumers and producers.
    /// Another one came to be, or ended, of so many that may be. False: too many.
    bool add_child(std::atomic<std::uint32_t> &count, std::uint32_t max) noexcept;
    void remove_child(std::atomic<std::uint32_t> &count) noexcept;
    std::uint32_t num_children() const noexcept { return num_consumers + num_producers; }
    std::atomic<std::uint32_t> num_consumers{0};
    std::atomic<std::uint32_t> num_producers{0};
    /// A number for a consumer or a producer of this side.
    std::uint32_t next_id() noexcept;
    /// Where to send to a consumer of the other side; nullptr if there is none of that number.
    std::shared_ptr<softdoca::RemoteQueue> find_queue(std::uint32_t id);
    /// Tells the peer of a consumer of this side, in the order of the calls.
    void notify(softdoca::MessageKind kind, std::uint32_t id);
    /// Sends those for which there was no room. False: there still are some.
    bool send_kept_notices() noexcept;

    // Doorbells.
    void on_bell() noexcept override;
    bool look_for_room() noexcept override;
    bool ask_for_bell() noexcept override;

private:
    struct RoomTarget final : softdoca::BellTarget {
        explicit RoomTarget(doca_comch_connection &of) noexcept : connection(of) {}
        void on_bell() noexcept override;
        doca_comch_connection &connection;
    };
    struct Counters {
        std::uint64_t num_sent = 0, num_sent_bytes = 0, num_received = 0, num_received_bytes = 0;
    };

    bool allot_bits();
    bool is_taken(const doca_comch_task_send &task) const noexcept;
    void complete_taken() noexcept;
    void flush_waiting() noexcept;
    void wait_for_room() noexcept;
    bool deliver_message() noexcept;
    bool deliver_new_consumer() noexcept;
    bool deliver_expired_consumer() noexcept;
    void expire(std::uint32_t id) noexcept;
    void note_next() noexcept;

    softdoca::ControlContext &owner_;
    std::shared_ptr<softdoca::Channel> channel_; // nullptr after let_go()
    softdoca::OwnBell *bell_ = nullptr;
    std::uint32_t message_bit_ = softdoca::OwnBell::kNoBit;
    std::uint32_t room_bit_ = softdoca::OwnBell::kNoBit;
    std::uint64_t token_ = 0;
    softdoca::RingWatch watch_;
    RoomTarget room_target_;
    softdoca::TaskQueue waiting_;
    std::atomic<Stage> stage_{Stage::opening};
    doca_data user_data_{};
    Counters counters_, shown_;
    softdoca::OwnerProcess process_;

    softdoca::ForkSafeLock lock_; // guards what follows
    std::uint32_t last_id_ = 0;
    std::map<std::uint32_t, std::shared_ptr<softdoca::RemoteQueue>> queues_;
    std::vector<std::pair<softdoca::MessageKind, std::uint32_t>> kept_notices_;
    std::atomic<bool> has_kept_notices_{false};
};
