// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Consumers that stop while producers send: a send that was reported as done is received, every
// other one is refused, and nobody waits for what does not come.

#include "support/comch_stream.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

class DocaComchExpiry : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchExpiry, testing::ValuesIn(kAllBackings), name_of_backing);
/// Of the two ways that messages travel.
class DocaComchExpiryLoop : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchExpiryLoop,
                         testing::Values(Backing::plain, Backing::shared), name_of_backing);

/// In slots, in one chunk, in several.
constexpr std::size_t kArrivingLens[] = {100, 3000, 60'000, 200'000};
constexpr std::size_t kNumArriving = std::size(kArrivingLens);

void submit_arriving(ComchProducer &producer, std::uint32_t consumer)
{
    for (unsigned i = 0; i < kNumArriving; ++i)
        EXPECT_EQ(producer.send(random_text(kArrivingLens[i], i), consumer, i), DOCA_SUCCESS);
}

void expect_arrived(const ComchConsumer &consumer)
{
    const std::vector<std::string> texts = consumer.texts();
    ASSERT_EQ(texts.size(), kNumArriving);
    for (unsigned i = 0; i < kNumArriving; ++i)
        expect_bytes(texts[i], kArrivingLens[i], i);
}

void expect_all_sent(const ComchProducer &producer)
{
    ASSERT_EQ(producer.sends.size(), kNumArriving);
    for (std::size_t i = 0; i < kNumArriving; ++i)
        EXPECT_EQ(producer.sends[i], (SendEnd{i, DOCA_SUCCESS}));
}

void stop(ComchConsumer &consumer)
{
    const doca_error_t stopped = consumer.stop();
    EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
    EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
}

std::size_t loop_len(std::uint32_t number)
{
    return number % 20 == 19 ? 70'000 : kStampLen + number % 3000;
}

/// Sends to whatever consumer there is until there has been enough. What was reported as done.
Tally send_to_whoever_is_there(ComchProducer &producer, const ControlThread &control,
                               std::uint32_t sender, const std::atomic<bool> &is_enough)
{
    Tally done;
    StampedSends sends(producer, sender);
    producer.keeps = false;
    sends.on_end = [&](Stamp stamp, doca_error_t status) {
        if (status == DOCA_SUCCESS)
            done.add(stamp);
        else
            EXPECT_EQ(status, DOCA_ERROR_CONNECTION_RESET);
    };
    doca_task *waiting = nullptr;
    std::uint32_t number = 0;
    while (!is_enough) {
        const std::uint32_t consumer = control.peer_consumer();
        if (waiting == nullptr && consumer != 0)
            waiting = sends.make(number, loop_len(number), consumer);
        const doca_error_t result =
            waiting == nullptr ? DOCA_ERROR_AGAIN : doca_task_submit(waiting);
        if (result == DOCA_SUCCESS) {
            ++number;
        } else if (result != DOCA_ERROR_AGAIN) {
            EXPECT_EQ(result, DOCA_ERROR_NOT_CONNECTED);
            sends.drop(waiting);
        }
        if (result != DOCA_ERROR_AGAIN)
            waiting = nullptr;
        (void)producer.progress();
    }
    if (waiting != nullptr)
        sends.drop(waiting);
    EXPECT_TRUE(producer.progress_until([&] { return producer.num_inflight() == 0; }));
    return done;
}

/// The consumer's side of the loop: lives of random length. What was received.
Tally receive_in_many_lives(ComchEnd &own, Backing backing, std::uint64_t num)
{
    ComchConsumer consumer(own, {.slot_len = 72 * kKiB, .backing = backing});
    Arrivals arrivals(Arrivals::Gaps::allowed);
    std::mt19937 random(5);
    while (arrivals.num() < num && !testing::Test::HasFailure()) {
        consumer.start_and_run();
        receive_into(consumer, arrivals);
        consumer.post_all();
        const std::uint64_t enough = arrivals.num() + random() % 300;
        EXPECT_TRUE(consumer.progress_until([&] { return arrivals.num() >= enough; }));
        consumer.reposts = false; // from now on what comes is taken, but nothing is posted
        stop(consumer);
    }
    return arrivals.tally();
}

} // namespace

/// Nothing lost, nothing twice, nothing damaged, over and over.
TEST_P(DocaComchExpiryLoop, WhatWasReportedAsDoneIsReceived)
{
    const auto num = static_cast<std::uint64_t>(num_rounds(25'000));
    on_connected_ends(
        [&](ComchEnd &own, Line &line) {
            const Tally received = receive_in_many_lives(own, GetParam(), num);
            line.send("enough");
            const Tally reported{line.receive_number(), line.receive_number()};
            EXPECT_EQ(received, reported);
        },
        [](ComchEnd &own, Line &line) {
            std::atomic<bool> is_enough{false};
            Tally reported[2];
            {
                const ControlThread control(own);
                const auto body = [&](std::uint32_t sender) {
                    ComchProducer producer(own, {.slot_len = 72 * kKiB}, control.connection());
                    must(producer.start());
                    reported[sender] =
                        send_to_whoever_is_there(producer, control, sender, is_enough);
                };
                Worker first([&] { body(0); }), second([&] { body(1); });
                EXPECT_EQ(line.receive(), "enough");
                is_enough = true;
            }
            reported[0] += reported[1];
            line.send_number(reported[0].num);
            line.send_number(reported[0].sum);
        });
}

TEST(DocaComchExpiryOnce, AnExpiredIdIsNotConnected)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(own);
                consumer.start_and_run();
                consumer.post_all();
                EXPECT_EQ(line.receive(), "known");
            }
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            must(producer.start());
            line.send("known");
            EXPECT_TRUE(own.progress_until([&] { return own.peer_consumers.empty(); }));

            EXPECT_EQ(producer.send("hello", consumer), DOCA_ERROR_NOT_CONNECTED);

            EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
            meet(own, line);
        });
}

/// A program that spins in a callback does not progress what would tell it.
TEST(DocaComchExpiryOnce, SpinningOnSubmitEndsWhenTheConsumerStops)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(own);
                consumer.start_and_run();
                EXPECT_EQ(line.receive(), "again");
            }
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            must(producer.start());
            doca_task *const task = producer.task("hello", consumer);
            EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_AGAIN);
            line.send("again");

            EXPECT_EQ(ComchProducer::submit(task), DOCA_ERROR_NOT_CONNECTED);

            meet(own, line);
        });
}

TEST(DocaComchExpiryOnce, TheNextConsumerHasAnotherId)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            std::optional<ComchConsumer> consumer(std::in_place, own);
            const std::uint32_t first = consumer->id();
            consumer->start_and_run();
            consumer.emplace(own);
            EXPECT_NE(consumer->id(), first);
            consumer->start_and_run();
            consumer->post_all();
            EXPECT_TRUE(consumer->receives(1));
            EXPECT_EQ(consumer->texts(), (std::vector<std::string>{"to the second"}));
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t first = own.peer_consumer();
            EXPECT_TRUE(own.progress_until([&] { return own.consumer_events.size() == 3; }));
            ComchProducer producer(own);
            must(producer.start());
            EXPECT_EQ(producer.send("to the first", first), DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(producer.send_and_wait("to the second", own.peer_consumers.back()),
                      DOCA_SUCCESS);
            meet(own, line);
        });
}

/// Sends that had no room to move when the consumer stopped. The first may have begun.
TEST(DocaComchExpiryOnce, SendsInFlightEndWithConnectionReset)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(own, {.num_tasks = 4, .slot_len = 5 * kMiB});
                consumer.start_and_run();
                consumer.post_all();
                line.send("posted");
                EXPECT_EQ(line.receive(), "submitted");

                stop(consumer);

                EXPECT_EQ(consumer.num_ended, 4u);
                line.send_number(consumer.texts().size());
            }
            ComchConsumer next(own);
            next.start_and_run();
            next.post_all();
            EXPECT_TRUE(next.receives(1));
            EXPECT_EQ(next.texts(), (std::vector<std::string>{"the next one"}));
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.num_tasks = 3, .slot_len = 5 * kMiB});
            must(producer.start());
            EXPECT_EQ(line.receive(), "posted");
            for (unsigned i = 0; i < 3; ++i)
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer, i), DOCA_SUCCESS);
            line.send("submitted");

            EXPECT_TRUE(producer.ends_sends(3));

            const std::uint64_t num_received = line.receive_number();
            EXPECT_LE(num_received, 1u);
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_EQ(
                    producer.sends[i],
                    (SendEnd{i, i < num_received ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET}));
            EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
            EXPECT_TRUE(own.progress_until([&] { return own.consumer_events.size() == 3; }));
            EXPECT_EQ(producer.send_and_wait("the next one", own.peer_consumers.back()),
                      DOCA_SUCCESS);
            meet(own, line);
        });
}

TEST_P(DocaComchExpiry, AProducerThatProgressesAfterTheConsumerHasGoneHearsOfItsSuccess)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(
                    own,
                    {.num_tasks = kNumArriving, .slot_len = 256 * kKiB, .backing = GetParam()});
                consumer.start_and_run();
                consumer.post_all();
                EXPECT_TRUE(consumer.receives(kNumArriving));
                expect_arrived(consumer);
            }
            line.send("gone");
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.slot_len = 256 * kKiB});
            must(producer.start());
            submit_arriving(producer, consumer);
            EXPECT_EQ(line.receive(), "gone");
            EXPECT_TRUE(own.progress_until([&] { return own.peer_consumers.empty(); }));

            EXPECT_TRUE(producer.ends_sends(kNumArriving)); // its first progress

            expect_all_sent(producer);
            meet(own, line);
        });
}

/// The producer was told; the consumer has not looked yet when it stops.
TEST_P(DocaComchExpiry, WhatHasArrivedIsReceivedThoughTheConsumerStops)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            EXPECT_EQ(line.receive(), "done");
            (void)consumer.take();

            stop(consumer);

            expect_arrived(consumer);
            EXPECT_EQ(consumer.take(),
                      (Record{"RUNNING->STOPPING", "received", "received", "received", "received",
                              "receive error SHUTDOWN", "STOPPING->IDLE"}));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            submit_arriving(producer, consumer);
            EXPECT_TRUE(producer.ends_sends(kNumArriving));
            expect_all_sent(producer);
            line.send("done");
        },
        {.num_tasks = kNumArriving + 1, .slot_len = 256 * kKiB, .backing = GetParam()},
        {.slot_len = 256 * kKiB});
}

TEST(DocaComchExpiryOnce, StopReturnsPostedReceivesInTheirOrder)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            for (const std::size_t slot : {3u, 1u, 0u, 2u})
                consumer.post(slot);

            stop(consumer);

            ASSERT_EQ(consumer.receipts.size(), 4u);
            std::vector<std::uint64_t> slots;
            for (const ComchConsumer::Receipt &receipt : consumer.receipts) {
                EXPECT_EQ(receipt.status, DOCA_ERROR_SHUTDOWN);
                slots.push_back(receipt.slot);
            }
            EXPECT_EQ(slots, (std::vector<std::uint64_t>{3, 1, 0, 2}));
        },
        [](ComchEnd &, ComchProducer &, std::uint32_t, Line &) {}, {.num_tasks = 4});
}

TEST(DocaComchExpiryOnce, ReceivesFreedWhilePostedDoNotHoldUpTheStop)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            line.send("posted");
            EXPECT_EQ(line.receive(), "sent");
            for (doca_task *task : consumer.tasks()) // some hold messages by now
                consumer.free(task);
            EXPECT_EQ(consumer.num_inflight(), 0u);

            stop(consumer);

            EXPECT_EQ(consumer.num_ended, 0u);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
            EXPECT_EQ(producer.send_and_wait(random_text(3000, 0), consumer), DOCA_SUCCESS);
            line.send("sent");
        });
}
