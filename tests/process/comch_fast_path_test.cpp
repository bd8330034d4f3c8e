// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Data from producers to consumers: every size, straight into memory that both sides map and by way
// of shared slots and staging; lengths at the limit; immediate data; many at once, also in threads.

#include "support/comch_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

/// Around the borders of slots, chunks and staging.
constexpr std::size_t kSizes[] = {1,      255,    256,      257,          4096,    65'535,
                                  65'536, 65'537, 1 * kMiB, 1 * kMiB + 1, 5 * kMiB};
constexpr std::size_t kNumSizes = std::size(kSizes);

class DocaComchFastPath : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchFastPath, testing::ValuesIn(kAllBackings),
                         name_of_backing);

/// Mostly small, some beyond a slot, few beyond a chunk.
std::size_t mixed_len(std::uint32_t number)
{
    constexpr std::size_t kLens[] = {16, 100, 256, 257, 1000, 4096, 40, 5000, 8, 200};
    return number % 50 == 49 ? 70'000 : kLens[number % std::size(kLens)];
}

/// A send that the channel refuses when it looks at it; the producer goes on.
void expect_refused(ComchProducer &producer, std::string_view data, std::uint32_t consumer,
                    std::string_view imm_data = {})
{
    EXPECT_EQ(producer.send_and_wait(data, consumer, imm_data), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
}

/// 0 to 32 bytes, each different.
std::string imm_data_of(std::size_t len)
{
    return random_text(len, static_cast<unsigned>(len) + 100);
}

/// A message with immediate data at the limit of the consumer, which those above it did not harm.
void expect_limit_of_imm_data(std::uint32_t limit)
{
    on_fast_path(
        [=](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post(0);
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.receipts.front().data, "fits");
            EXPECT_EQ(consumer.receipts.front().imm_data, imm_data_of(limit));
        },
        [=](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::size_t len = limit + 1; len <= 32; ++len) {
                expect_refused(producer, "too much", consumer, imm_data_of(len));
                expect_refused(producer, "", consumer, imm_data_of(len));
            }
            EXPECT_EQ(producer.send_and_wait("fits", consumer, imm_data_of(limit)), DOCA_SUCCESS);
        },
        {.num_tasks = 1, .imm_data_len = limit});
}

} // namespace

TEST_P(DocaComchFastPath, MessagesOfEverySizeArriveWhole)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.reposts = true;
            consumer.post_all();

            EXPECT_TRUE(consumer.receives(kNumSizes + 1));

            EXPECT_EQ(consumer.receipts[0].data, "");
            EXPECT_EQ(consumer.receipts[0].imm_data, "nothing else");
            for (std::size_t i = 0; i < kNumSizes; ++i)
                expect_bytes(consumer.receipts[i + 1].data, kSizes[i], static_cast<unsigned>(i));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            EXPECT_EQ(producer.send_and_wait("", consumer, "nothing else"), DOCA_SUCCESS);
            for (std::size_t i = 0; i < kNumSizes; ++i)
                EXPECT_EQ(producer.send_and_wait(random_text(kSizes[i], static_cast<unsigned>(i)),
                                                 consumer),
                          DOCA_SUCCESS)
                    << kSizes[i];
        },
        {.num_tasks = 2, .slot_len = 5 * kMiB, .imm_data_len = 32, .backing = GetParam()},
        {.num_tasks = 2, .slot_len = 5 * kMiB});
}

/// All submitted before anybody progresses; the large ones are streamed one after the other.
TEST_P(DocaComchFastPath, MessagesOfEverySizeAtOnceKeepTheirOrder)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            line.send("posted");

            EXPECT_TRUE(consumer.receives(kNumSizes));

            for (std::size_t i = 0; i < kNumSizes; ++i) {
                EXPECT_EQ(consumer.receipts[i].slot, i);
                expect_bytes(consumer.receipts[i].data, kSizes[i], static_cast<unsigned>(i));
            }
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            for (std::size_t i = 0; i < kNumSizes; ++i)
                EXPECT_EQ(producer.send(random_text(kSizes[i], static_cast<unsigned>(i)), consumer,
                                        i, {}, Milliseconds(0)),
                          DOCA_SUCCESS);

            EXPECT_TRUE(producer.ends_sends(kNumSizes));

            for (std::size_t i = 0; i < kNumSizes; ++i)
                EXPECT_EQ(producer.sends[i], (SendEnd{i, DOCA_SUCCESS}));
        },
        {.num_tasks = kNumSizes, .slot_len = 5 * kMiB, .backing = GetParam()},
        {.num_tasks = kNumSizes, .slot_len = 5 * kMiB});
}

TEST_P(DocaComchFastPath, AMessageAsLongAsThePostedBufferFitsAndOneByteMoreDoesNot)
{
    static constexpr std::size_t kLens[] = {1, 256, 257, 65'536, 1 * kMiB};
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            for (std::size_t i = 0; i < std::size(kLens); ++i) {
                doca_task *task = nullptr;
                must(consumer.try_alloc(consumer.memory.room(i, kLens[i]), &task));
                must(doca_task_submit(task));

                ASSERT_TRUE(consumer.receives(i + 1));

                expect_bytes(consumer.receipts[i].data, kLens[i], static_cast<unsigned>(i));
                EXPECT_EQ(consumer.memory.slot(i)[kLens[i]], std::byte{0}) << "behind the buffer";
            }
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::size_t i = 0; i < std::size(kLens); ++i) {
                expect_refused(producer, std::string(kLens[i] + 1, 'x'), consumer);
                EXPECT_EQ(producer.send_and_wait(random_text(kLens[i], static_cast<unsigned>(i)),
                                                 consumer),
                          DOCA_SUCCESS);
            }
        },
        {.num_tasks = std::size(kLens), .slot_len = 2 * kMiB, .backing = GetParam()},
        {.num_tasks = 1, .slot_len = 2 * kMiB});
}

TEST(DocaComchFastPathLimits, TrySubmitOfTooLongAMessageChangesNothing)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post(0);
            line.send("posted");
            EXPECT_TRUE(consumer.receives(1));
            expect_bytes(consumer.receipts.front().data, 4096, 0);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            doca_task *const task = producer.task(random_text(4097, 0), consumer);

            EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);

            EXPECT_EQ(producer.num_inflight(), 0u);
            EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
            producer.free(task);
            doca_task *const good = producer.task(random_text(4096, 0), consumer);
            EXPECT_EQ(doca_task_try_submit(good), DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(1));
        },
        {.num_tasks = 1}, {.slot_len = 8192});
}

TEST(DocaComchFastPathImmediate, EveryLengthArrivesWithDataAndAlone)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.reposts = true;
            consumer.post_all();

            EXPECT_TRUE(consumer.receives(33 + 32));

            for (std::size_t len = 0; len <= 32; ++len) {
                EXPECT_EQ(consumer.receipts[len].data, "data");
                EXPECT_EQ(consumer.receipts[len].imm_data, imm_data_of(len));
            }
            for (std::size_t len = 1; len <= 32; ++len) {
                EXPECT_EQ(consumer.receipts[32 + len].data, "");
                EXPECT_EQ(consumer.receipts[32 + len].imm_data, imm_data_of(len));
            }
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::size_t len = 0; len <= 32; ++len)
                EXPECT_EQ(producer.send_and_wait("data", consumer, imm_data_of(len)), DOCA_SUCCESS);
            for (std::size_t len = 1; len <= 32; ++len)
                EXPECT_EQ(producer.send_and_wait("", consumer, imm_data_of(len)), DOCA_SUCCESS);
        },
        {.imm_data_len = 32});
}

TEST(DocaComchFastPathImmediate, ArrivesBesideALargeMessage)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(1));
            expect_bytes(consumer.receipts.front().data, 3 * kMiB, 0);
            EXPECT_EQ(consumer.receipts.front().imm_data, imm_data_of(32));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            EXPECT_EQ(producer.send_and_wait(random_text(3 * kMiB, 0), consumer, imm_data_of(32)),
                      DOCA_SUCCESS);
        },
        {.num_tasks = 1, .slot_len = 3 * kMiB, .imm_data_len = 32},
        {.num_tasks = 1, .slot_len = 3 * kMiB});
}

TEST(DocaComchFastPathImmediate, AConsumerThatSetsNothingTakesNone)
{
    expect_limit_of_imm_data(0);
}

TEST(DocaComchFastPathImmediate, MoreThanTheConsumerTakesIsRefused)
{
    expect_limit_of_imm_data(8);
}

TEST(DocaComchFastPathImmediate, ThirtyThreeBytesAreTooManyForAnyTask)
{
    on_fast_path([](ComchEnd &, ComchConsumer &, Line &) {},
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     doca_task *task = nullptr;

                     EXPECT_EQ(producer.try_alloc(nullptr, std::string(33, 'x'), consumer, &task),
                               DOCA_ERROR_INVALID_VALUE);

                     EXPECT_EQ(task, nullptr);
                 },
                 {.imm_data_len = 32});
}

/// Threads with engines of their own; a third party progresses the connection.
TEST_P(DocaComchFastPath, SeveralProducersKeepTheirOrders)
{
    static constexpr std::uint32_t kNumProducers = 4, kNum = 300;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.reposts = true;
            consumer.post_all();

            EXPECT_TRUE(
                consumer.receives(kNumProducers * kNum, patience(std::chrono::seconds(20))));

            Arrivals arrivals;
            std::map<std::uint32_t, std::uint32_t> id_of_sender, sender_of_id;
            for (std::size_t i = 0; i < consumer.receipts.size(); ++i) {
                const ComchConsumer::Receipt &receipt = consumer.receipts[i];
                arrivals.take(receipt.data);
                EXPECT_EQ(receipt.slot, i % consumer.settings.num_tasks);
                const std::uint32_t sender = stamp_of(receipt.data).value_or(Stamp{}).sender;
                EXPECT_EQ(id_of_sender.emplace(sender, receipt.producer_id).first->second,
                          receipt.producer_id);
                EXPECT_EQ(sender_of_id.emplace(receipt.producer_id, sender).first->second, sender);
            }
            EXPECT_EQ(arrivals.num(), kNumProducers * kNum);
        },
        [](ComchEnd &own, ComchProducer &, std::uint32_t consumer, Line &) {
            const ControlThread control(own);
            std::deque<Worker> threads;
            for (std::uint32_t sender = 0; sender < kNumProducers; ++sender)
                threads.emplace_back([&, sender] {
                    ComchProducer producer(own, {.slot_len = 128 * kKiB}, control.connection());
                    must(producer.start());
                    send_stream(producer, consumer, sender, kNum, mixed_len);
                });
        },
        {.num_tasks = 32, .slot_len = 128 * kKiB, .backing = GetParam()});
}

TEST_P(DocaComchFastPath, OneBufferServesAThousandSendsAtOnce)
{
    static constexpr std::uint32_t kNum = 1024;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            line.send("posted");

            EXPECT_TRUE(consumer.receives(kNum));

            for (const ComchConsumer::Receipt &receipt : consumer.receipts)
                expect_bytes(receipt.data, 1000, 1);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            std::memcpy(producer.memory.slot(0), random_text(1000, 1).data(), 1000);
            const doca_buf *const buf = producer.memory.data(0, 1000);
            for (std::uint32_t i = 0; i < kNum; ++i) {
                doca_task *task = nullptr;
                must(producer.try_alloc(buf, {}, consumer, &task, i));
                EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
            }
            EXPECT_EQ(producer.num_inflight(), kNum);

            EXPECT_TRUE(producer.ends_sends(kNum));

            for (std::uint32_t i = 0; i < kNum; ++i)
                EXPECT_EQ(producer.sends[i], (SendEnd{i, DOCA_SUCCESS}));
        },
        {.num_tasks = kNum, .slot_len = 1024, .backing = GetParam()},
        {.num_tasks = kNum, .slot_len = 1024});
}

TEST(DocaComchFastPathMany, EachOfManyConsumersGetsItsOwn)
{
    static constexpr std::size_t kNum = 64;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            const Pe pe;
            std::deque<ComchConsumer> consumers;
            for (std::size_t i = 0; i < kNum; ++i) {
                consumers.emplace_back(own, ConsumerSettings{.num_tasks = 1, .pe = pe});
                EXPECT_EQ(consumers.back().start(), DOCA_ERROR_IN_PROGRESS);
            }
            for (ComchConsumer &consumer : consumers) {
                EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
                consumer.post(0);
            }

            for (ComchConsumer &consumer : consumers) {
                EXPECT_TRUE(consumer.receives(1));
                EXPECT_EQ(consumer.texts(),
                          (std::vector<std::string>{"for " + std::to_string(consumer.id())}));
            }
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.progress_until([&] { return own.peer_consumers.size() == kNum; }));
            ComchProducer producer(own, {.num_tasks = kNum});
            must(producer.start());
            for (const std::uint32_t id : own.peer_consumers)
                EXPECT_EQ(producer.send("for " + std::to_string(id), id), DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(kNum));
            meet(own, line);
        });
}

/// The ids of two connections may be the same numbers; their consumers are not the same.
TEST(DocaComchFastPathMany, TheConsumersOfTwoConnectionsDoNotMix)
{
    const ComchSettings other_service{.name = "another"};
    const auto send_own_name = [](ComchEnd &own, const std::string &text, Line &line) {
        const std::uint32_t consumer = own.peer_consumer();
        ComchProducer producer(own);
        must(producer.start());
        for (int i = 0; i < 10; ++i)
            EXPECT_EQ(producer.send_and_wait(text, consumer), DOCA_SUCCESS);
        meet(own, line);
    };
    on_stage([&] {
        Process one(other_role(), [&](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            send_own_name(*own, "one", line);
        });
        Process two(other_role(), [&](Line &line) {
            const auto own = own_end(other_service);
            own->start_and_connect();
            send_own_name(*own, "two", line);
        });
        const auto end_of_one = own_end(), end_of_two = own_end(other_service);
        end_of_one->start_and_connect();
        end_of_two->start_and_connect();
        ComchConsumer from_one(*end_of_one), from_two(*end_of_two);
        for (ComchConsumer *consumer : {&from_one, &from_two}) {
            consumer->start_and_run();
            consumer->post_all();
        }

        EXPECT_TRUE(from_one.receives(10));
        EXPECT_TRUE(from_two.receives(10));

        EXPECT_EQ(from_one.texts(), std::vector<std::string>(10, "one"));
        EXPECT_EQ(from_two.texts(), std::vector<std::string>(10, "two"));
        meet(*end_of_one, one.line);
        meet(*end_of_two, two.line);
    });
}

namespace {

/// One thread: its consumer and its producer in turn.
void exchange_in_turns(ComchEnd &own, Line &line, Backing backing)
{
    constexpr std::uint32_t kNum = 1000;
    ComchConsumer consumer(own, {.slot_len = 128 * kKiB, .backing = backing});
    ComchProducer producer(own, {.slot_len = 128 * kKiB});
    must(producer.start());
    EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(progress_all_until({&own, &consumer}, [&] {
        return consumer.state() == DOCA_CTX_STATE_RUNNING && !own.peer_consumers.empty();
    }));
    Arrivals arrivals;
    receive_into(consumer, arrivals);
    consumer.post_all();

    StreamSender stream(producer, own.peer_consumers.back(), 1, kNum, mixed_len);
    EXPECT_TRUE(progress_all_until(
        {&own, &consumer},
        [&] {
            stream.step();
            return stream.is_done() && arrivals.num() >= kNum;
        },
        patience(std::chrono::seconds(20))));

    EXPECT_EQ(arrivals.num(), kNum);
    meet(own, line);
}

/// Three threads with an engine each on one connection: control, consumer, producer.
void exchange_in_threads(ComchEnd &own, Line &line, Backing backing)
{
    constexpr std::uint32_t kNum = 1000;
    {
        const ControlThread control(own);
        Worker receiver([&] {
            ComchConsumer consumer(own,
                                   {.num_tasks = 64, .slot_len = 128 * kKiB, .backing = backing},
                                   control.connection());
            consumer.start_and_run();
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();
            EXPECT_TRUE(consumer.progress_until([&] { return arrivals.num() >= kNum; },
                                                patience(std::chrono::seconds(20))));
            EXPECT_EQ(arrivals.num(), kNum);
        });
        Worker sender([&] {
            ComchProducer producer(own, {.num_tasks = 64, .slot_len = 128 * kKiB},
                                   control.connection());
            must(producer.start());
            send_stream(producer, control.await_consumer(), 1, kNum, mixed_len);
        });
    }
    meet(own, line);
}

} // namespace

TEST_P(DocaComchFastPath, BothDirectionsAtOnce)
{
    const auto part = [](ComchEnd &own, Line &line) { exchange_in_turns(own, line, GetParam()); };
    on_connected_ends(part, part);
}

TEST_P(DocaComchFastPath, ThreeThreadsASideOnOneConnection)
{
    const auto part = [](ComchEnd &own, Line &line) { exchange_in_threads(own, line, GetParam()); };
    on_connected_ends(part, part);
}
