// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch_link.hpp"
#include "rig.hpp"

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

/// Consumers and producers of a connection, on either side of it; released at the end of a scope.
namespace softdoca::bench {

/// Where a consumer's buffers lie: in memory that the producer maps as well, or anywhere.
enum class Placement { mapped, heap };

const char *name_of(Placement placement);

/// Memory for buffers of one length, all in one mmap.
class ReceiveMemory {
public:
    ReceiveMemory(const Device &device, Placement placement, std::size_t num_buffers,
                  std::size_t len);
    ReceiveMemory(const ReceiveMemory &) = delete;
    ReceiveMemory &operator=(const ReceiveMemory &) = delete;

    doca_mmap *map() const { return map_.get(); }
    /// The nth buffer; the caller's.
    doca_buf *take_buffer(std::size_t index) const;

private:
    using Bytes = std::unique_ptr<char, void (*)(void *)>;
    static Bytes allocate(Placement placement, std::size_t len);

    std::size_t len_;
    Bytes bytes_;
    Map map_;
    Inventory inventory_;
};

/// A started consumer. Its posts are posted again whenever a message has come.
class Receiver {
public:
    Receiver(const Link &link, const ProgressEngine &engine, const ReceiveMemory &memory,
             std::size_t first_buffer, std::size_t num_posted);
    ~Receiver();
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;

    std::uint32_t id() const;
    bool is_running() const;
    void post() const; ///< once it is running
    const std::uint64_t &num_received() const { return num_received_; }
    /// Turns until so many messages more have come.
    void receive(std::uint64_t num_messages) const;

private:
    static void on_received(doca_comch_consumer_task_post_recv *task, doca_data task_user_data,
                            doca_data ctx_user_data);

    doca_comch_consumer *consumer_ = nullptr;
    doca_pe *pe_;
    std::vector<doca_buf *> buffers_;
    std::uint64_t num_received_ = 0;
};

/// A running producer with some tasks, all of the same buffer and to the same consumer.
class Sender {
public:
    Sender(const Device &device, const Link &link, const ProgressEngine &engine, std::size_t len,
           std::uint32_t consumer);
    ~Sender();
    Sender(const Sender &) = delete;
    Sender &operator=(const Sender &) = delete;

    const char *payload() const { return memory_.src(); }
    doca_task *task() const { return tasks_[0]; } ///< for single messages
    const std::uint64_t &num_sent() const { return num_sent_; }
    /// Keeps all tasks in flight; returns when so many messages more are sent.
    void send(std::uint64_t num_messages) const;

private:
    static constexpr std::uint32_t kNumTasks = 32;

    static void on_sent(doca_comch_producer_task_send *task, doca_data task_user_data,
                        doca_data ctx_user_data);

    Memory memory_;
    Map map_;
    Inventory inventory_;
    doca_buf *buffer_ = nullptr;
    doca_comch_producer *producer_ = nullptr;
    doca_pe *pe_;
    std::vector<doca_task *> tasks_;
    std::uint64_t num_sent_ = 0;
};

struct DataShape {
    Placement placement = Placement::mapped;
    std::size_t len = 256;
    std::size_t num_posted = 128;
    std::size_t num_consumers = 1;
};

/// Consumers and a producer of one side, on one engine. The last consumer is the one that gets
/// messages.
class DataEnd {
public:
    DataEnd(const Device &device, const Link &link, const ProgressEngine &engine,
            const DataShape &shape);

    bool is_running() const;
    /// Posts, and makes a producer to a consumer of the peer.
    void open(std::uint32_t consumer_of_peer);

    Receiver &receiver() { return receivers_.back(); }
    Sender &sender() { return *sender_; }

private:
    const Device &device_;
    const Link &link_;
    const ProgressEngine &engine_;
    std::size_t len_;
    ReceiveMemory memory_;
    std::deque<Receiver> receivers_;
    std::unique_ptr<Sender> sender_;
};

} // namespace softdoca::bench
