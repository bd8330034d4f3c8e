// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Credits: a send needs a posted receive, else submit says AGAIN, and the submit alone, repeated,
// is enough to succeed later.

#include "support/comch_stream.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

class DocaComchCredit : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchCredit, testing::ValuesIn(kAllBackings), name_of_backing);

/// Submits in a loop as in a callback, where no progress is possible; tells the other side when it
/// has met AGAIN for the first time.
doca_error_t spin(doca_task *task, const Line &line)
{
    const doca_error_t first = doca_task_submit(task);
    if (first != DOCA_ERROR_AGAIN)
        return first;
    line.send("again");
    return ComchProducer::submit(task);
}

/// A stage that posts one receive each time the peer has met AGAIN, so many times.
ConsumerPart posts_when_asked(std::size_t num)
{
    return [=](ComchEnd &, ComchConsumer &consumer, Line &line) {
        for (std::size_t i = 0; i < num; ++i) {
            EXPECT_EQ(line.receive(), "again");
            consumer.post(i);
            EXPECT_TRUE(consumer.receives(i + 1));
        }
    };
}

} // namespace

TEST(DocaComchCreditOnce, SubmitIsAgainUntilAReceiveIsPosted)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            EXPECT_EQ(line.receive(), "post");
            consumer.post(0);
            line.send("posted");
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"hello"}));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            doca_task *const task = producer.task("hello", consumer);
            for (int i = 0; i < 1000; ++i)
                ASSERT_EQ(doca_task_submit(task), DOCA_ERROR_AGAIN);
            EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_AGAIN);
            line.send("post");
            EXPECT_EQ(line.receive(), "posted");

            EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS); // nobody has progressed anything

            EXPECT_TRUE(producer.ends_sends(1));
        });
}

TEST(DocaComchCreditOnce, ATaskThatWasAgainIsTheProgrammes)
{
    on_fast_path([](ComchEnd &, ComchConsumer &, Line &) {},
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     doca_task *const task = producer.task("hello", consumer);
                     EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_AGAIN);

                     EXPECT_EQ(producer.num_inflight(), 0u);
                     EXPECT_EQ(producer.progress(), 0);
                     producer.free(task);
                     EXPECT_EQ(producer.stop(), DOCA_SUCCESS);
                 });
}

TEST(DocaComchCreditOnce, SpinningInsideTheRunningCallbackSucceeds)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            consumer.start_and_run();
            posts_when_asked(1)(own, consumer, line);
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"hello"}));
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            producer.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next != DOCA_CTX_STATE_RUNNING)
                    return;
                EXPECT_EQ(spin(producer.task("hello", consumer), line), DOCA_SUCCESS);
            };

            EXPECT_EQ(producer.start(), DOCA_SUCCESS);

            EXPECT_TRUE(producer.ends_sends(1));
            meet(own, line);
        });
}

TEST(DocaComchCreditOnce, SpinningInsideACompletionCallbackSucceeds)
{
    static constexpr std::size_t kNum = 10;
    on_fast_path(
        [](ComchEnd &own, ComchConsumer &consumer, Line &line) {
            posts_when_asked(kNum)(own, consumer, line);
            EXPECT_EQ(consumer.texts(), std::vector<std::string>(kNum, "hello"));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            std::size_t num_sent = 0;
            producer.on_sent = [&](doca_task *, doca_error_t status) {
                EXPECT_EQ(status, DOCA_SUCCESS);
                if (++num_sent < kNum) {
                    EXPECT_EQ(spin(producer.task("hello", consumer), line), DOCA_SUCCESS);
                }
            };
            EXPECT_EQ(spin(producer.task("hello", consumer), line), DOCA_SUCCESS);

            EXPECT_TRUE(producer.ends_sends(kNum));
        },
        {.num_tasks = kNum}, {.num_tasks = 1});
}

TEST(DocaComchCreditOnce, AllProducersShareTheCreditsOfAConsumer)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            for (std::size_t i = 0; i < 3; ++i)
                consumer.post(i);
            line.send("posted");
            EXPECT_TRUE(consumer.receives(3));
        },
        [](ComchEnd &own, ComchProducer &first, std::uint32_t consumer, Line &line) {
            ComchProducer second(own);
            must(second.start());
            EXPECT_EQ(line.receive(), "posted");
            constexpr Milliseconds kOnce{0};

            EXPECT_EQ(first.send("1", consumer, 0, {}, kOnce), DOCA_SUCCESS);
            EXPECT_EQ(second.send("2", consumer, 0, {}, kOnce), DOCA_SUCCESS);
            EXPECT_EQ(first.send("3", consumer, 0, {}, kOnce), DOCA_SUCCESS);

            doca_task *const one_more = first.task("4", consumer);
            doca_task *const another = second.task("4", consumer);
            EXPECT_EQ(doca_task_submit(one_more), DOCA_ERROR_AGAIN);
            EXPECT_EQ(doca_task_submit(another), DOCA_ERROR_AGAIN);
            EXPECT_TRUE(first.ends_sends(2));
            EXPECT_TRUE(second.ends_sends(1));
        },
        {.num_tasks = 3});
}

/// Whatever the staging has room for: a posted receive is a credit.
TEST_P(DocaComchCredit, FourPostedMebibytesTakeFourSendsAtOnce)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            line.send("posted");
            EXPECT_EQ(line.receive(), "submitted");

            EXPECT_TRUE(consumer.receives(4));

            for (unsigned i = 0; i < 4; ++i)
                expect_bytes(consumer.receipts[i].data, kMiB, i);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "posted");
            for (unsigned i = 0; i < 4; ++i)
                EXPECT_EQ(doca_task_submit(producer.task(random_text(kMiB, i), consumer, i)),
                          DOCA_SUCCESS);
            EXPECT_EQ(doca_task_submit(producer.task("one more", consumer)), DOCA_ERROR_AGAIN);
            line.send("submitted");

            EXPECT_TRUE(producer.ends_sends(4));

            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_EQ(producer.sends[i], (SendEnd{i, DOCA_SUCCESS}));
        },
        {.num_tasks = 4, .slot_len = kMiB, .backing = GetParam()},
        {.num_tasks = 5, .slot_len = kMiB});
}

/// The sends before it need room in the staging, and only submits are called to move them on.
TEST_P(DocaComchCredit, SubmitAloneIsEnoughWhileLargeSendsAreUnderWay)
{
    static constexpr std::uint32_t kNum = 6;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();

            EXPECT_TRUE(consumer.progress_until([&] { return arrivals.num() >= kNum; }));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (std::uint32_t i = 0; i < kNum; ++i)
                ASSERT_EQ(producer.send(stamped({1, i}, 3 * kMiB), consumer, i), DOCA_SUCCESS);

            EXPECT_TRUE(producer.ends_sends(kNum));
        },
        {.num_tasks = 2, .slot_len = 3 * kMiB, .backing = GetParam()},
        {.num_tasks = kNum, .slot_len = 3 * kMiB});
}

TEST(DocaComchCreditOnce, RefusedSendsCostNoCredit)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post(0);
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"fits"}));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (int i = 0; i < 100; ++i) {
                EXPECT_EQ(producer.send_and_wait(std::string(65, 'x'), consumer),
                          DOCA_ERROR_INVALID_VALUE);
                EXPECT_EQ(producer.send_and_wait("x", consumer, "immediate"),
                          DOCA_ERROR_INVALID_VALUE);
            }
            EXPECT_EQ(producer.send_and_wait("fits", consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 1, .slot_len = 64});
}

/// A ring of one, round and round.
TEST_P(DocaComchCredit, OneReceiveServesThousandsOfMessages)
{
    static constexpr std::uint32_t kNum = 3000;
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();
            EXPECT_TRUE(consumer.progress_until([&] { return arrivals.num() >= kNum; }));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            send_stream(producer, consumer, 1, kNum,
                        [](std::uint32_t number) { return 8 + number % 300; });
        },
        {.num_tasks = 1, .slot_len = 512, .backing = GetParam()}, {.num_tasks = 1});
}
