// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Event mode of consumers and producers: between "progress until 0", arming and sleeping nothing is
// lost, whatever the sleeper waits for, and a sleeper costs nothing.

#include "support/comch_stream.hpp"
#include "support/rounds.hpp"

#include <doca_pe.h>

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

class DocaComchSleep : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchSleep, testing::ValuesIn(kAllBackings), name_of_backing);

std::size_t small_len(std::uint32_t number)
{
    return kStampLen + number * 37 % 1200;
}

/// Now and then, so that the other side is met at each point of its loop.
void pause_at_random(std::mt19937 &random)
{
    const std::uint_fast32_t choice = random() % 16;
    if (choice < 8)
        return;
    if (choice < 15)
        for (volatile std::uint_fast32_t i = random() % 4000; i > 0;)
            i = i - 1;
    else
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
}

/// CPU time of the whole process.
std::chrono::nanoseconds cpu_time()
{
    timespec spent{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

} // namespace

TEST_P(DocaComchSleep, EveryMessageWakesTheConsumer)
{
    const auto num = static_cast<std::uint32_t>(num_rounds(3000));
    on_fast_path(
        [=](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();

            EXPECT_TRUE(consumer.sleep_until([&] { return arrivals.num() >= num; },
                                             patience(std::chrono::seconds(20))))
                << arrivals.num() << " of " << num;
        },
        [=](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            std::mt19937 random(3);
            StreamSender stream(producer, consumer, 1, num, small_len);
            EXPECT_TRUE(producer.progress_until(
                [&] {
                    stream.step();
                    pause_at_random(random);
                    return stream.is_done();
                },
                patience(std::chrono::seconds(20))));
        },
        {.backing = GetParam()});
}

/// One message at a time: the sender sleeps until it is told that its send is done.
TEST_P(DocaComchSleep, EveryCompletionWakesTheProducer)
{
    static constexpr std::uint32_t kNum = 1000;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();
            EXPECT_TRUE(consumer.sleep_until([&] { return arrivals.num() >= kNum; },
                                             patience(std::chrono::seconds(20))));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::uint32_t i = 0; i < kNum; ++i) {
                ASSERT_EQ(producer.send(stamped({1, i}, small_len(i)), consumer, i), DOCA_SUCCESS);
                ASSERT_TRUE(producer.sleep_until([&] { return producer.num_ended > i; })) << i;
            }
        },
        {.backing = GetParam()});
}

TEST_P(DocaComchSleep, ALargeMessageReachesASleepingConsumer)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.sleep_until([&] { return consumer.num_ended >= 3; }));
            for (unsigned i = 0; i < 3; ++i)
                expect_bytes(consumer.receipts[i].data, 5 * kMiB, i);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (unsigned i = 0; i < 3; ++i)
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer, i), DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(3));
        },
        {.num_tasks = 3, .slot_len = 5 * kMiB, .backing = GetParam()},
        {.num_tasks = 3, .slot_len = 5 * kMiB});
}

/// It has to be woken for room in the staging, again and again.
TEST_P(DocaComchSleep, ALargeMessageLeavesASleepingProducer)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(3));
            for (unsigned i = 0; i < 3; ++i)
                expect_bytes(consumer.receipts[i].data, 5 * kMiB, i);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (unsigned i = 0; i < 3; ++i)
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer, i), DOCA_SUCCESS);
            EXPECT_TRUE(producer.sleep_until([&] { return producer.num_ended >= 3; }));
        },
        {.num_tasks = 3, .slot_len = 5 * kMiB, .backing = GetParam()},
        {.num_tasks = 3, .slot_len = 5 * kMiB});
}

TEST_P(DocaComchSleep, LargeMessagesPassBetweenTwoSleepers)
{
    static constexpr std::uint32_t kNum = 20;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();
            EXPECT_TRUE(consumer.sleep_until([&] { return arrivals.num() >= kNum; },
                                             patience(std::chrono::seconds(20))));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::uint32_t i = 0; i < kNum; ++i) {
                ASSERT_EQ(producer.send(stamped({1, i}, 2 * kMiB), consumer, i), DOCA_SUCCESS);
                ASSERT_TRUE(producer.sleep_until([&] { return producer.num_ended > i; })) << i;
            }
        },
        {.num_tasks = 2, .slot_len = 2 * kMiB, .backing = GetParam()},
        {.num_tasks = 2, .slot_len = 2 * kMiB});
}

/// Two producers of two threads wait for their turns in the staging of one consumer.
TEST(DocaComchSleepOnce, AProducerIsWokenForItsTurnInTheStaging)
{
    static constexpr std::uint32_t kNum = 10;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();
            EXPECT_TRUE(consumer.sleep_until([&] { return arrivals.num() >= 2 * kNum; },
                                             patience(std::chrono::seconds(20))));
        },
        [](ComchEnd &own, ComchProducer &, std::uint32_t consumer, Line &) {
            doca_comch_connection *const connection = own.connection();
            const auto send_asleep = [&](std::uint32_t sender) {
                ComchProducer producer(own, {.num_tasks = 2, .slot_len = 3 * kMiB}, connection);
                must(producer.start());
                for (std::uint32_t i = 0; i < kNum; ++i) {
                    ASSERT_EQ(producer.send(stamped({sender, i}, 3 * kMiB), consumer, i),
                              DOCA_SUCCESS);
                    ASSERT_TRUE(producer.sleep_until([&] { return producer.num_ended > i; }));
                }
            };
            Worker first([&] { send_asleep(1); }), second([&] { send_asleep(2); });
        },
        {.num_tasks = 4, .slot_len = 3 * kMiB});
}

TEST(DocaComchSleepOnce, WhatHasComeWakesAtOnce)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            line.send("posted");
            EXPECT_EQ(line.receive(), "sent");

            must(doca_pe_request_notification(consumer.pe())); // no progress since then

            EXPECT_TRUE(sleep_on(consumer.pe()));
            EXPECT_TRUE(consumer.receives(1));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            EXPECT_EQ(producer.send("hello", consumer), DOCA_SUCCESS);
            must(doca_pe_request_notification(producer.pe()));
            EXPECT_TRUE(sleep_on(producer.pe()));
            EXPECT_TRUE(producer.ends_sends(1));
            line.send("sent");
        });
}

TEST(DocaComchSleepOnce, RunningWakesTheConsumerAndTheEventItsPeer)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            EXPECT_EQ(line.receive(), "asleep soon");
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_TRUE(
                consumer.sleep_until([&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }));

            EXPECT_EQ(line.receive(), "announced");
            (void)consumer.stop();
            EXPECT_TRUE(
                consumer.sleep_until([&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            line.send("asleep soon");
            EXPECT_TRUE(own.sleep_until([&] { return !own.peer_consumers.empty(); }));
            line.send("announced");
            EXPECT_TRUE(own.sleep_until([&] { return own.peer_consumers.empty(); }));
            meet(own, line);
        });
}

TEST(DocaComchSleepOnce, TheEndOfTheConsumerWakesTheProducer)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(own, {.num_tasks = 2, .slot_len = 5 * kMiB});
                consumer.start_and_run();
                consumer.post_all();
                EXPECT_EQ(line.receive(), "asleep soon");
            }
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.num_tasks = 2, .slot_len = 5 * kMiB});
            must(producer.start());
            for (unsigned i = 0; i < 2; ++i) // the first may have begun and be brought to its end
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer), DOCA_SUCCESS);
            line.send("asleep soon");
            EXPECT_TRUE(producer.sleep_until([&] { return producer.num_ended == 2; }));
            EXPECT_EQ(producer.sends.back().status, DOCA_ERROR_CONNECTION_RESET);
            meet(own, line);
        });
}

TEST(DocaComchSleepOnce, ADeadPeerWakesConsumersAndProducers)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            EXPECT_NE(own->peer_consumer(), 0u);
            line.send("kill me");
            (void)line.wait();
        });
        const auto own = own_end();
        own->start_and_connect();
        ComchConsumer consumer(*own);
        ComchProducer producer(*own);
        must(producer.start());
        consumer.start_and_run();
        consumer.post_all();
        EXPECT_EQ(peer.line.receive(), "kill me");
        Worker killer([&] { peer.kill(); });

        EXPECT_TRUE(consumer.sleep_until([&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
        EXPECT_TRUE(producer.sleep_until([&] { return producer.state() == DOCA_CTX_STATE_IDLE; }));
    });
}

TEST(DocaComchSleepOnce, ASleepingPairCostsNothing)
{
    const auto sleep = [](const ComchContext &context) {
        while (context.progress() != 0)
            continue;
        must(doca_pe_request_notification(context.pe()));
        const std::chrono::nanoseconds before = cpu_time();
        EXPECT_FALSE(sleep_on(context.pe(), Milliseconds(300)));
        EXPECT_LT(cpu_time() - before, patience(Milliseconds(10)));
    };
    on_fast_path(
        [&](ComchEnd &own, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            meet(own, line);
            sleep(consumer);
        },
        [&](ComchEnd &own, ComchProducer &producer, std::uint32_t, Line &line) {
            meet(own, line);
            sleep(producer);
        });
}
