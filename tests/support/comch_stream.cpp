// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/comch_stream.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace softdoca::test {

namespace {

unsigned seed_of(Stamp stamp)
{
    return stamp.sender * 0x01000193u + stamp.number;
}

doca_error_t in_time(bool is_in_time)
{
    return is_in_time ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT;
}

} // namespace

void expect_bytes(std::string_view got, std::size_t len, unsigned seed)
{
    ASSERT_EQ(got.size(), len);
    EXPECT_EQ(first_difference(got.data(), pattern(len, seed).data(), len), len)
        << "the first wrong byte of " << len;
}

std::string_view view_of(const doca_buf *buf)
{
    void *data = nullptr;
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return {static_cast<const char *>(data), len};
}

std::string stamped(Stamp stamp, std::size_t len)
{
    std::string message(reinterpret_cast<const char *>(&stamp), kStampLen);
    return len <= kStampLen ? message : message + random_text(len - kStampLen, seed_of(stamp));
}

std::optional<Stamp> stamp_of(std::string_view message)
{
    Stamp stamp{};
    if (message.size() < kStampLen)
        return std::nullopt;
    std::memcpy(&stamp, message.data(), kStampLen);
    if (message != stamped(stamp, message.size()))
        return std::nullopt;
    return stamp;
}

void Tally::add(Stamp stamp)
{
    ++num;
    sum += (stamp.number + 1ull) * (2ull * stamp.sender + 0x9e3779b97f4a7c15ull);
}

Tally &Tally::operator+=(const Tally &other)
{
    num += other.num;
    sum += other.sum;
    return *this;
}

std::ostream &operator<<(std::ostream &out, const Tally &tally)
{
    return out << tally.num << " messages, sum " << tally.sum;
}

void Arrivals::take(std::string_view message)
{
    const std::optional<Stamp> stamp = stamp_of(message);
    if (!stamp) {
        ADD_FAILURE() << "a damaged message of " << message.size() << " bytes, after "
                      << tally_.num;
        return;
    }
    std::uint32_t &next = next_[stamp->sender];
    if (gaps_ == Gaps::none)
        EXPECT_EQ(stamp->number, next) << "of sender " << stamp->sender;
    else
        EXPECT_GE(stamp->number, next) << "of sender " << stamp->sender;
    next = stamp->number + 1;
    tally_.add(*stamp);
}

StampedSends::StampedSends(ComchProducer &producer, std::uint32_t sender)
    : producer_(producer), sender_(sender), is_busy_(producer.memory.num_slots)
{
    for (std::size_t slot = 0; slot < is_busy_.size(); ++slot)
        bufs_.push_back(producer_.memory.data(slot, producer_.memory.slot_len));
    producer_.frees_tasks = false;
    producer_.on_sent = [this](doca_task *task, doca_error_t status) {
        const auto number = static_cast<std::uint32_t>(doca_task_get_user_data(task).u64);
        drop(task);
        if (on_end)
            on_end({sender_, number}, status);
    };
}

StampedSends::~StampedSends()
{
    producer_.on_sent = nullptr;
    producer_.frees_tasks = true;
}

doca_task *StampedSends::make(std::uint32_t number, std::size_t len, std::uint32_t consumer)
{
    const std::size_t slot = number % is_busy_.size();
    if (is_busy_[slot])
        return nullptr;
    const std::string message = stamped({sender_, number}, len);
    must(message.size() <= producer_.memory.slot_len ? DOCA_SUCCESS : DOCA_ERROR_TOO_BIG);
    std::memcpy(producer_.memory.slot(slot), message.data(), message.size());
    must(doca_buf_set_data(bufs_[slot], producer_.memory.slot(slot), message.size()));
    doca_task *task = nullptr;
    must(producer_.try_alloc(bufs_[slot], {}, consumer, &task, number));
    is_busy_[slot] = true;
    return task;
}

void StampedSends::drop(doca_task *task)
{
    is_busy_[doca_task_get_user_data(task).u64 % is_busy_.size()] = false;
    producer_.free(task);
}

StreamSender::StreamSender(ComchProducer &producer, std::uint32_t consumer, std::uint32_t sender,
                           std::uint32_t num, LenOf len_of)
    : sends(producer, sender), producer_(producer), consumer_(consumer), num_(num),
      len_of_(std::move(len_of))
{
}

/// The next message, unless all is submitted or its slot is in use.
bool StreamSender::has_task()
{
    if (waiting_ != nullptr)
        return true;
    if (refusal_ || next_ == num_)
        return false;
    if (producer_.state() != DOCA_CTX_STATE_RUNNING) {
        refusal_ = DOCA_ERROR_BAD_STATE;
        return false;
    }
    waiting_ = sends.make(next_, len_of_(next_), consumer_);
    return waiting_ != nullptr;
}

void StreamSender::step()
{
    while (has_task()) {
        const doca_error_t result = doca_task_submit(waiting_);
        if (result == DOCA_ERROR_AGAIN)
            break;
        if (result == DOCA_SUCCESS) {
            ++next_;
        } else {
            sends.drop(waiting_);
            refusal_ = result;
        }
        waiting_ = nullptr;
    }
    (void)producer_.progress();
}

void send_stream(ComchProducer &producer, std::uint32_t consumer, std::uint32_t sender,
                 std::uint32_t num, const LenOf &len_of)
{
    constexpr std::chrono::seconds kLongest{30};
    StreamSender stream(producer, consumer, sender, num, len_of);
    stream.sends.on_end = [](Stamp, doca_error_t status) { EXPECT_EQ(status, DOCA_SUCCESS); };
    const auto end = std::chrono::steady_clock::now() + patience(kLongest);
    while (!stream.is_done()) {
        stream.step();
        must(stream.refusal().value_or(DOCA_SUCCESS));
        must(in_time(std::chrono::steady_clock::now() < end));
    }
}

void receive_into(ComchConsumer &consumer, Arrivals &arrivals)
{
    consumer.reposts = true;
    consumer.keeps = false;
    consumer.on_received = [&arrivals](doca_task *, doca_buf *buf) { arrivals.take(view_of(buf)); };
}

Worker::Worker(std::function<void()> body)
    : thread_([body = std::move(body)] {
          try {
              body();
          } catch (const std::exception &error) {
              ADD_FAILURE() << "a thread ended early: " << error.what();
          }
      })
{
}

void Worker::join()
{
    if (thread_.joinable())
        thread_.join();
}

ControlThread::ControlThread(ComchEnd &end)
    : end_(end), connection_(end.connection()),
      peer_consumer_(end.peer_consumers.empty() ? 0 : end.peer_consumers.back())
{
    end_.on_consumer = [this](doca_comch_connection *, std::uint32_t, bool) {
        peer_consumer_ = end_.peer_consumers.empty() ? 0 : end_.peer_consumers.back();
    };
    worker_.emplace([this] {
        while (!is_over_)
            (void)end_.progress();
    });
}

ControlThread::~ControlThread()
{
    is_over_ = true;
    worker_.reset();
    end_.on_consumer = nullptr;
}

std::uint32_t ControlThread::await_consumer() const
{
    must(in_time(comes_true([this] { return peer_consumer() != 0; })));
    return peer_consumer();
}

void meet(const ComchEnd &own, const Line &line)
{
    line.send("here I am");
    own.progress_until_told(line);
    std::string greeting;
    if (line.wait(&greeting)) { // else the other side has failed and says so by itself
        EXPECT_EQ(greeting, "here I am");
    }
}

void on_fast_path(const ConsumerPart &stage, const ProducerPart &peer,
                  const ConsumerSettings &consumer_settings,
                  const ProducerSettings &producer_settings)
{
    on_connected_ends(
        [&](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, consumer_settings);
            consumer.start_and_run();
            stage(own, consumer, line);
            meet(own, line);
        },
        [&](ComchEnd &own, Line &line) {
            ComchProducer producer(own, producer_settings);
            must(producer.start());
            const std::uint32_t consumer = own.peer_consumer();
            must(in_time(consumer != 0));
            peer(own, producer, consumer, line);
            meet(own, line);
        });
}

} // namespace softdoca::test
