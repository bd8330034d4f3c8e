// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch/connection.hpp"
#include "common/ctx.hpp"
#include "common/task_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace softdoca {

/// What server and client have in common: the service's name, limits, callbacks, send tasks, and
/// the delivery of what comes on their connections. Threads: that of the progress engine.
class __attribute__((visibility("default"))) ControlContext : public doca_ctx, public BellTarget {
public:
    // Configuration.
    [[nodiscard]] doca_error_t set_max_msg_size(const char *call, std::uint32_t size) noexcept;
    [[nodiscard]] doca_error_t set_recv_queue_size(const char *call, std::uint32_t size) noexcept;
    [[nodiscard]] doca_error_t set_send_conf(const char *call,
                                             doca_comch_task_send_completion_cb_t on_success,
                                             doca_comch_task_send_completion_cb_t on_error,
                                             std::uint32_t num_tasks) noexcept;
    [[nodiscard]] doca_error_t set_message_cb(const char *call,
                                              doca_comch_event_msg_recv_cb_t callback) noexcept;
    [[nodiscard]] doca_error_t set_consumer_cbs(const char *call,
                                                doca_comch_event_consumer_cb_t on_new,
                                                doca_comch_event_consumer_cb_t on_expired) noexcept;
    std::uint32_t max_msg_size() const noexcept { return max_msg_size_; }
    std::uint32_t recv_queue_size() const noexcept { return recv_queue_size_; }
    const std::string &name() const noexcept { return name_; }
    /// For log lines: a service's name may hold any bytes.
    const char *shown_name() const noexcept { return shown_name_.c_str(); }
    doca_dev &device() const noexcept { return dev(); }

    [[nodiscard]] doca_error_t alloc(const char *call, doca_comch_connection *peer,
                                     const void *message, std::uint32_t len,
                                     doca_comch_task_send **out) noexcept;

    // For connections.
    void complete_send(doca_comch_task_send &task, doca_error_t status) noexcept
    {
        complete(task, status);
    }
    /// It may have something.
    void add_arrived(doca_comch_connection &connection) noexcept;
    /// It has nothing more, so far. Before a callback.
    void remove_arrived(doca_comch_connection &connection) noexcept;
    /// Others come first.
    void rotate_arrived() noexcept { arrived_.rotate(); }
    /// The peer was lost (or sent nonsense), or has left: everything it sent has been delivered.
    /// True if the program heard of it.
    [[nodiscard]] virtual bool on_peer_gone(doca_comch_connection &connection,
                                            bool was_lost) noexcept = 0;
    /// A consumer or producer of one of its connections came to be, or ended. Any thread; after the
    /// last one has ended, this object may be destroyed.
    void add_child() noexcept { num_children_.fetch_add(1); }
    void remove_child() noexcept;
    std::uint32_t num_children() const noexcept { return num_children_.load(); }
    Doorbells &doorbells() const noexcept { return *doorbells_; }
    bool is_stopping() const noexcept { return state() == DOCA_CTX_STATE_STOPPING; }
    std::byte *message_room() noexcept { return reinterpret_cast<std::byte *>(room_.get()); }
    doca_comch_event_msg_recv_cb_t on_message() const noexcept { return on_message_; }
    doca_comch_event_consumer_cb_t on_new_consumer() const noexcept { return on_new_consumer_; }
    doca_comch_event_consumer_cb_t on_expired_consumer() const noexcept
    {
        return on_expired_consumer_;
    }

    void on_bell() noexcept override { make_ready(); }

protected:
    ControlContext(doca_dev &dev, const char *kind, const char *name);
    ~ControlContext() override;

    const ComchLimits &limits() const noexcept { return dev().function().comch; }
    wire::ChannelConfig config() const noexcept;
    /// The connection behind a handle of the program, or nullptr.
    virtual std::shared_ptr<doca_comch_connection>
    find_connection(const doca_comch_connection *handle) noexcept = 0;
    /// What is needed while it is not IDLE. Throws std::bad_alloc; INITIALIZATION if this process
    /// cannot take part in the fabric.
    [[nodiscard]] doca_error_t open_common();
    void close_common() noexcept;
    std::uint64_t token() const noexcept { return token_; }

    doca_error_t check_start() const noexcept override;
    bool deliver_arrived() noexcept;
    bool has_event() const noexcept override { return !arrived_.empty(); }

private:
    doca_error_t check_task(const doca_task &task) noexcept override;
    doca_error_t begin(doca_task &task) noexcept override;
    void run(doca_task &task) noexcept override { deliver_send(task); }
    void flush(doca_task &task, doca_error_t) noexcept override { deliver_send(task); }
    bool on_withdraw(doca_task &task) noexcept override;
    void deliver_send(doca_task &task) noexcept;

    const std::string name_;
    const std::string shown_name_;
    std::uint32_t max_msg_size_;
    std::uint32_t recv_queue_size_;
    std::uint32_t num_tasks_ = 0;
    doca_comch_task_send_completion_cb_t on_sent_ = nullptr;
    doca_comch_task_send_completion_cb_t on_send_error_ = nullptr;
    doca_comch_event_msg_recv_cb_t on_message_ = nullptr;
    doca_comch_event_consumer_cb_t on_new_consumer_ = nullptr;
    doca_comch_event_consumer_cb_t on_expired_consumer_ = nullptr;

    std::optional<TypedTaskPool<doca_comch_task_send>> tasks_;
    std::unique_ptr<std::uint64_t[]> room_; // for one message, aligned
    Doorbells *doorbells_ = nullptr;        // of its engine, once started
    std::uint64_t token_ = 0;
    std::atomic<std::uint32_t> num_children_{0};
    IntrusiveList<doca_comch_connection, ArrivedList> arrived_;
};

} // namespace softdoca
