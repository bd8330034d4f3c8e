// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/comch_pair.hpp"

#include <doca_buf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// Streams of messages from producers to consumers, in one thread or several.
namespace softdoca::test {

inline constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

/// Is it random_text(len, seed)? Prints where not, instead of megabytes.
void expect_bytes(std::string_view got, std::size_t len, unsigned seed);
/// The data of a buffer, where it is.
std::string_view view_of(const doca_buf *buf);

/// Which message of a stream it is.
struct Stamp {
    std::uint32_t sender, number;
    bool operator==(const Stamp &) const = default;
};
inline constexpr std::size_t kStampLen = sizeof(Stamp);
/// A message that begins with its stamp, and whose other bytes follow from that and the length.
std::string stamped(Stamp stamp, std::size_t len);
/// Nothing if a byte of the message is wrong.
std::optional<Stamp> stamp_of(std::string_view message);

/// A set of messages, as far as two sets can be compared by a number and a sum.
struct Tally {
    std::uint64_t num = 0, sum = 0;
    void add(Stamp stamp);
    Tally &operator+=(const Tally &other);
    bool operator==(const Tally &) const = default;
};
std::ostream &operator<<(std::ostream &out, const Tally &tally);

/// What has come: every message intact, and in order within its sender.
class Arrivals {
public:
    enum class Gaps { none, allowed };
    explicit Arrivals(Gaps gaps = Gaps::none) : gaps_(gaps) {}

    void take(std::string_view message);
    std::uint64_t num() const { return tally_.num; }
    const Tally &tally() const { return tally_; }

private:
    Gaps gaps_;
    Tally tally_;
    std::map<std::uint32_t, std::uint32_t> next_; // number that is due, by sender
};

/// The messages of one producer to whatever consumers, each in a slot that no other send uses.
/// Takes over the tasks and the hook of its producer.
class StampedSends {
public:
    StampedSends(ComchProducer &producer, std::uint32_t sender);
    ~StampedSends();
    StampedSends(const StampedSends &) = delete;
    StampedSends &operator=(const StampedSends &) = delete;

    /// A task for a message; nullptr if its slot is still in use.
    doca_task *make(std::uint32_t number, std::size_t len, std::uint32_t consumer);
    /// Of one that was not submitted.
    void drop(doca_task *task);

    std::function<void(Stamp stamp, doca_error_t status)> on_end;

private:
    ComchProducer &producer_;
    const std::uint32_t sender_;
    std::vector<doca_buf *> bufs_; // by slot
    std::vector<bool> is_busy_;    // by slot
};

using LenOf = std::function<std::size_t(std::uint32_t number)>;

/// Sends the messages of a stream, a step at a time, until it is refused.
class StreamSender {
public:
    StreamSender(ComchProducer &producer, std::uint32_t consumer, std::uint32_t sender,
                 std::uint32_t num, LenOf len_of);

    /// Submits what tasks and credits allow, and progresses once.
    void step();
    bool is_done() const { return next_ == num_ && producer_.num_inflight() == 0; }
    std::uint32_t num_submitted() const { return next_; }
    /// Why it submits no more.
    std::optional<doca_error_t> refusal() const { return refusal_; }

    StampedSends sends;

private:
    bool has_task();

    ComchProducer &producer_;
    const std::uint32_t consumer_, num_;
    const LenOf len_of_;
    std::uint32_t next_ = 0;
    doca_task *waiting_ = nullptr; // made, not submitted
    std::optional<doca_error_t> refusal_;
};

/// Sends a whole stream; every send has to succeed.
void send_stream(ComchProducer &producer, std::uint32_t consumer, std::uint32_t sender,
                 std::uint32_t num, const LenOf &len_of);
/// From now on the consumer posts each receive again, and what comes goes there.
void receive_into(ComchConsumer &consumer, Arrivals &arrivals);

/// A thread of a test; what it throws is a failure. Joined at its end.
class Worker {
public:
    explicit Worker(std::function<void()> body);
    ~Worker() { join(); }
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    void join();

private:
    std::thread thread_;
};

/// A thread that progresses a server or client, and nobody else touches that meanwhile: so do
/// programs whose producers and consumers have threads of their own.
class ControlThread {
public:
    explicit ControlThread(ComchEnd &end);
    ~ControlThread();

    doca_comch_connection *connection() const { return connection_; }
    /// The consumer that the peer has announced last; 0: there is none.
    std::uint32_t peer_consumer() const { return peer_consumer_; }
    /// Waits for one.
    std::uint32_t await_consumer() const;

private:
    ComchEnd &end_;
    doca_comch_connection *const connection_;
    std::atomic<std::uint32_t> peer_consumer_;
    std::atomic<bool> is_over_{false};
    std::optional<Worker> worker_;
};

/// Waits, progressing, until the other side has come here too. No message may be left in the line.
void meet(const ComchEnd &own, const Line &line);

using ConsumerPart = std::function<void(ComchEnd &own, ComchConsumer &consumer, Line &line)>;
using ProducerPart =
    std::function<void(ComchEnd &own, ComchProducer &producer, std::uint32_t consumer, Line &line)>;

/// on_connected_ends() with a consumer on the stage and a producer at the peer, both RUNNING. They
/// stay until both parts are done.
void on_fast_path(const ConsumerPart &stage, const ProducerPart &peer,
                  const ConsumerSettings &consumer = {}, const ProducerSettings &producer = {});

} // namespace softdoca::test
