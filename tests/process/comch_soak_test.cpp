// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Both directions at once at the full rate: nothing is lost, reordered or torn, and neither side
// grows. A second, ten minutes in a soak.

#include "support/comch_stream.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

using Clock = std::chrono::steady_clock;
using Number = std::uint64_t;

constexpr std::uint32_t kNumTasks = 64;
constexpr std::size_t kLongest = 20'000;

Milliseconds duration()
{
    constexpr int kPerRound = 15, kTenMinutes = 600;
    const int factor = num_rounds(1);
    return std::chrono::seconds(factor == 1 ? 1 : std::min(factor * kPerRound, kTenMinutes));
}

/// Short ones, and now and then one that goes through staging; in every slot sometimes.
std::size_t len_of(Number number)
{
    return number % 4099 == 0 ? kLongest : 16 + number % 241;
}

std::size_t resident_kib()
{
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

/// Sends numbers, each at the beginning and the end of its message, from buffers that are reused.
class Sender {
public:
    Sender(ComchProducer &producer, std::uint32_t consumer) : producer_(producer)
    {
        producer.keeps = producer.frees_tasks = false;
        producer.on_sent = [this](doca_task *task, doca_error_t status) {
            EXPECT_EQ(status, DOCA_SUCCESS);
            idle_.push_back(task);
        };
        for (std::uint32_t i = 0; i < kNumTasks; ++i) {
            doca_task *task = nullptr;
            buffers_.push_back(producer.memory.room(i));
            must(producer.try_alloc(buffers_.back(), {}, consumer, &task, i));
            idle_.push_back(task);
        }
    }

    void send_what_goes()
    {
        while (!idle_.empty() && submit(idle_.back()))
            idle_.pop_back();
    }
    Number num_sent() const { return next_; }
    bool is_done() const { return idle_.size() == kNumTasks; }

private:
    bool submit(doca_task *task)
    {
        const std::size_t index = doca_task_get_user_data(task).u64;
        std::byte *const data = producer_.memory.slot(index);
        const std::size_t len = len_of(next_);
        std::memcpy(data + len - sizeof next_, &next_, sizeof next_);
        std::memcpy(data, &next_, sizeof next_);
        must(doca_buf_set_data(buffers_[index], data, len));
        const doca_error_t result = doca_task_submit(task);
        if (result == DOCA_ERROR_AGAIN)
            return false;
        must(result);
        ++next_;
        return true;
    }

    ComchProducer &producer_;
    std::vector<doca_buf *> buffers_;
    std::vector<doca_task *> idle_;
    Number next_ = 0;
};

/// Takes them, each of which must be the next one, whole.
class Receiver {
public:
    explicit Receiver(ComchConsumer &consumer)
    {
        consumer.keeps = consumer.frees_tasks = false;
        consumer.reposts = true;
        consumer.on_received = [this](doca_task *, doca_buf *buf) { take(view_of(buf)); };
        consumer.post_all();
    }

    Number num_received() const { return next_; }
    bool is_in_order() const { return is_in_order_; }

private:
    void take(std::string_view message)
    {
        Number first = 0, last = 0;
        if (message.size() == len_of(next_)) {
            std::memcpy(&first, message.data(), sizeof first);
            std::memcpy(&last, message.data() + message.size() - sizeof last, sizeof last);
        }
        is_in_order_ =
            is_in_order_ && message.size() == len_of(next_) && first == next_ && last == next_;
        ++next_;
    }

    Number next_ = 0;
    bool is_in_order_ = true;
};

void stream(ComchEnd &own, Line &line)
{
    ComchConsumer consumer(own, {.num_tasks = kNumTasks, .slot_len = kLongest});
    ComchProducer producer(own, {.num_tasks = kNumTasks, .slot_len = kLongest});
    must(producer.start());
    EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(progress_all_until({&own, &consumer}, [&] {
        return consumer.state() == DOCA_CTX_STATE_RUNNING && !own.peer_consumers.empty();
    }));
    Receiver receiver(consumer);
    Sender sender(producer, own.peer_consumers.back());
    const auto turn = [&](int num_turns) {
        for (int i = 0; i < num_turns; ++i) {
            (void)consumer.progress();
            (void)producer.progress();
        }
    };
    const auto run_until = [&](Clock::time_point end) {
        while (Clock::now() < end && receiver.is_in_order()) {
            for (int i = 0; i < 256; ++i) {
                sender.send_what_goes();
                turn(16);
            }
            (void)own.progress();
        }
    };

    const auto start = Clock::now();
    run_until(start + duration() / 2); // all of the memory was touched then
    const Census census = Census::now();
    [[maybe_unused]] const std::size_t resident = resident_kib();
    run_until(start + duration());
    EXPECT_TRUE(Census::now().is_within(census));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LE(resident_kib(), resident + 256);
#endif

    while (!sender.is_done())
        turn(1);
    line.send_number(sender.num_sent());
    while (!line.is_ready())
        turn(1);
    const Number num = line.receive_number();
    const auto last = Clock::now() + patience();
    while (receiver.num_received() < num && Clock::now() < last)
        turn(1);
    EXPECT_EQ(receiver.num_received(), num);
    EXPECT_TRUE(receiver.is_in_order()) << "up to message " << receiver.num_received();
    std::printf("# %s: %llu messages received\n", own_role().c_str(),
                static_cast<unsigned long long>(num));
    meet(own, line);
}

} // namespace

TEST(ComchSoak, BothDirectionsAtTheFullRate)
{
    on_connected_ends(stream, stream);
}
