// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Messages between a server and a client that are connected. The stage is the one or the other, as
// its role says; the peer is the other one.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

class ComchQueue : public testing::TestWithParam<std::uint32_t> {
protected:
    const ComchSettings settings_{.recv_queue_size = GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Sizes, ComchQueue, testing::Values(1u, 2u, 10u, 64u, 8192u),
                         testing::PrintToStringParamName());

} // namespace

TEST(ComchControl, AMessageArrivesAsItWasSent)
{
    constexpr std::size_t kLens[] = {1, 2, 7, 8, 9, 63, 64, 65, 1000, 4079, 4080};
    on_connected_ends(
        [&](ComchEnd &own, Line &line) {
            for (const std::size_t len : kLens)
                EXPECT_EQ(own.send_and_wait(random_text(len, 1)), DOCA_SUCCESS) << len << " bytes";
            EXPECT_EQ(line.receive(), "compared");
        },
        [&](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(std::size(kLens)));
            for (std::size_t i = 0; i < std::size(kLens); ++i) {
                EXPECT_EQ(own.messages[i].text, random_text(kLens[i], 1)) << kLens[i] << " bytes";
                EXPECT_EQ(own.messages[i].connection, own.connection());
            }
            line.send("compared");
            (void)line.wait();
        });
}

TEST_P(ComchQueue, MessagesArriveOnceAndInOrder)
{
    constexpr std::size_t kNum = 2000;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            keep_sending(own, kNum);
            EXPECT_TRUE(own.ends_sends(kNum));
            expect_all_sent(own, kNum);
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_FALSE(own.receives(kNum + 1, kWhile));
            EXPECT_EQ(own.texts(), numbers(kNum));
            line.send("compared");
            (void)line.wait();
        },
        settings_);
}

TEST_P(ComchQueue, BothDirectionsAtOnce)
{
    constexpr std::size_t kNum = 1000;
    const EndPart part = [](ComchEnd &own, Line &line) {
        keep_sending(own, kNum);
        EXPECT_TRUE(
            own.progress_until([&] { return own.num_messages == kNum && own.num_ended == kNum; }));
        expect_all_sent(own, kNum);
        EXPECT_EQ(own.texts(), numbers(kNum));
        line.send("compared");
        own.progress_until_told(line);
        EXPECT_EQ(line.receive(), "compared");
    };
    on_connected_ends(part, part, settings_);
}

/// A queue holds so many messages; those behind them wait at their sender, none is lost.
TEST(ComchControl, ASendCompletesWhenTheQueueOfThePeerHasTakenTheMessage)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (std::size_t i = 0; i < 5; ++i)
                own.send(std::to_string(i), i);
            EXPECT_TRUE(own.ends_sends(2)); // nobody receives
            EXPECT_FALSE(own.ends_sends(3, kWhile));
            EXPECT_EQ(own.num_inflight(), 3u);

            line.send("receive one");
            EXPECT_TRUE(own.ends_sends(3));
            EXPECT_FALSE(own.ends_sends(4, kWhile));
            line.send("receive all");
            EXPECT_TRUE(own.ends_sends(5));
            expect_all_sent(own, 5);
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive one");
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(line.receive(), "receive all");
            EXPECT_EQ(own.num_messages, 1u);
            EXPECT_TRUE(own.receives(5));
            EXPECT_EQ(own.texts(), numbers(5));
            line.send("compared");
            (void)line.wait();
        },
        {.recv_queue_size = 2});
}

TEST(ComchControl, ATaskThatCouldBeTakenCanBeSubmitted)
{
    constexpr std::uint32_t kNum = 64;
    const std::string longest = random_text(4080, 3);
    on_connected_ends(
        [&](ComchEnd &own, Line &line) {
            std::vector<doca_task *> tasks;
            for (std::uint32_t i = 0; i < kNum; ++i) {
                must(own.try_alloc(own.connection(), longest.data(), 4080, &tasks.emplace_back()));
                doca_task_set_user_data(tasks.back(), {.u64 = i});
            }
            doca_task *one_more = nullptr;
            EXPECT_EQ(own.try_alloc(own.connection(), longest.data(), 1, &one_more),
                      DOCA_ERROR_NO_MEMORY);
            for (doca_task *task : tasks)
                EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS); // the peer takes one

            line.send("receive");
            EXPECT_TRUE(own.ends_sends(kNum));
            expect_all_sent(own, kNum);
            EXPECT_EQ(line.receive(), "compared");
        },
        [&](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive");
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), std::vector<std::string>(kNum, longest));
            line.send("compared");
            (void)line.wait();
        },
        {.num_sends = kNum, .recv_queue_size = 1});
}

/// The rule says the same of flags: a program may ask for a bulk report.
TEST(ComchControl, EachKindOfSubmitSends)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            doca_task *first = nullptr, *second = nullptr;
            must(own.try_alloc(own.connection(), "0", 1, &first));
            must(own.try_alloc(own.connection(), "1", 1, &second));

            EXPECT_EQ(doca_task_try_submit(first), DOCA_SUCCESS);
            EXPECT_EQ(doca_task_submit_ex(second, DOCA_TASK_SUBMIT_FLAG_FLUSH |
                                                      DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS),
                      DOCA_SUCCESS);

            EXPECT_TRUE(own.ends_sends(2));
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(2));
            EXPECT_EQ(own.texts(), numbers(2));
            line.send("compared");
            (void)line.wait();
        });
}

TEST(ComchControl, ASendLeavesAtSubmitWithoutProgress)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            own.send("hello");
            EXPECT_EQ(line.receive(), "received"); // no call since

            EXPECT_TRUE(own.sends.empty()); // completions come in progress
            EXPECT_TRUE(own.ends_sends(1));
            EXPECT_EQ(own.sends, (std::vector<SendEnd>{{0, DOCA_SUCCESS}}));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(1));
            line.send("received");
            (void)line.wait();
        });
}

TEST(ComchControl, AClientSendsInItsRunningCallback)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"at once"}));
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            doca_error_t sent = DOCA_ERROR_UNKNOWN;
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_RUNNING)
                    sent = own.try_send("at once");
            };
            (void)own.start();
            EXPECT_TRUE(own.ends_sends(1));
            EXPECT_EQ(sent, DOCA_SUCCESS);
            EXPECT_EQ(own.sends, (std::vector<SendEnd>{{0, DOCA_SUCCESS}}));
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchControl, ThePayloadIsTakenAtSubmit)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            std::string text = "as it was";
            doca_task *task = nullptr;
            must(own.try_alloc(own.connection(), text.data(),
                               static_cast<std::uint32_t>(text.size()), &task));
            must(doca_task_submit(task));
            text = "as it is!";

            line.send("receive");
            EXPECT_EQ(line.receive(), "as it was");
            EXPECT_TRUE(own.ends_sends(1));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive");
            EXPECT_TRUE(own.receives(1));
            line.send(own.messages.front().text);
            (void)line.wait();
        });
}

TEST(ComchControl, EachProgressCallDeliversOneThing)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 3; ++i)
                own.send("ping");
            EXPECT_EQ(line.receive(), "sent three"); // all is there for us

            for (std::size_t num = own.record().size(), end = num + 6; num < end;) {
                const int result = own.progress();
                num += static_cast<std::size_t>(result);
                ASSERT_EQ(own.record().size(), num);
            }
            EXPECT_EQ(own.num_messages, 3u);
            EXPECT_EQ(own.num_ended, 3u);
            for (int i = 0; i < 100; ++i)
                EXPECT_EQ(own.progress(), 0);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(3));
            for (int i = 0; i < 3; ++i)
                EXPECT_EQ(own.send_and_wait("pong"), DOCA_SUCCESS);
            line.send("sent three");
            (void)line.wait();
        });
}

TEST(ComchControl, MessagesAreAnsweredFromTheReceiveCallback)
{
    constexpr std::size_t kNum = 500;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                if (own.num_messages < kNum) {
                    EXPECT_EQ(own.try_send(std::to_string(own.num_messages), 0, from),
                              DOCA_SUCCESS);
                }
            };
            own.send("0");
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), numbers(kNum));
            line.send("done");
            (void)line.wait();
        },
        [](ComchEnd &own, Line &line) {
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send(own.messages.back().text, 0, from), DOCA_SUCCESS);
            };
            own.progress_until_told(line);
        });
}

TEST(ComchControl, ATaskIsSubmittedAgainInItsCompletion)
{
    constexpr std::size_t kNum = 200;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            own.frees_tasks = false;
            own.on_sent = [&](doca_task *task, doca_error_t) {
                if (own.num_ended < kNum) {
                    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
                }
            };
            own.send("the same");
            EXPECT_TRUE(own.ends_sends(kNum));
            EXPECT_EQ(own.tasks().size(), 1u);
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), std::vector<std::string>(kNum, "the same"));
            line.send("compared");
            (void)line.wait();
        },
        {.num_sends = 1});
}

TEST(ComchControl, ATaskKnowsItsContextAndItsEnd)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            own.frees_tasks = false;
            own.send("hello", 7);
            doca_task *const task = own.tasks().front();
            EXPECT_EQ(doca_task_get_ctx(task), own.ctx());
            EXPECT_EQ(own.num_inflight(), 1u);

            own.on_sent = [&](doca_task *ended, doca_error_t) {
                EXPECT_EQ(ended, task);
                EXPECT_EQ(own.num_inflight(), 0u);
            };
            EXPECT_TRUE(own.ends_sends(1));

            EXPECT_EQ(doca_task_get_status(task), DOCA_SUCCESS);
            EXPECT_EQ(doca_task_get_user_data(task).u64, 7u);
        },
        only_waits);
}

TEST(ComchControl, ProgressInACallbackDoesNothing)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            own.on_message = [&](doca_comch_connection *, std::uint8_t *, std::uint32_t) {
                const std::size_t num = own.record().size();
                EXPECT_EQ(own.progress(), 0);
                EXPECT_EQ(own.record().size(), num);
            };
            EXPECT_TRUE(own.receives(3));
        },
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 3; ++i)
                own.send("hello");
            serves(own, line);
        });
}

TEST(ComchControl, TheReceiveBufferIsAlignedAndWritableWithAByteBehind)
{
    constexpr std::size_t kNum = 100;
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            std::size_t i = 0;
            own.on_message = [&](doca_comch_connection *, std::uint8_t *buffer, std::uint32_t len) {
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 8, 0u);
                EXPECT_EQ(own.messages.back().text, random_text(i % 2 == 0 ? 4080 : 1, 4)) << i;
                std::fill_n(buffer, len, std::uint8_t{0xff});
                buffer[len] = 0;
                ++i;
            };
            EXPECT_TRUE(own.receives(kNum));
        },
        [](ComchEnd &own, Line &) {
            for (std::size_t i = 0; i < kNum; ++i)
                EXPECT_EQ(own.send_and_wait(random_text(i % 2 == 0 ? 4080 : 1, 4)), DOCA_SUCCESS);
        },
        {.max_msg_size = 4080, .recv_queue_size = 3});
}

TEST(ComchControl, TheCountersAreThoseOfTheLastUpdate)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(own.counters(), (std::vector<std::uint64_t>{0, 0, 0, 0}));
            for (const char *text : {"one", "two", "three"})
                EXPECT_EQ(own.send_and_wait(text), DOCA_SUCCESS);
            EXPECT_TRUE(own.receives(1));
            line.send("go on");

            std::uint64_t old = 7;
            EXPECT_EQ(doca_comch_connection_get_counter(own.connection(),
                                                        DOCA_COMCH_COUNTER_SENT_MESSAGES, &old),
                      DOCA_SUCCESS);
            EXPECT_EQ(old, 0u);
            EXPECT_EQ(own.counters(), (std::vector<std::uint64_t>{3, 11, 1, 6}));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(3));
            EXPECT_EQ(own.send_and_wait("answer"), DOCA_SUCCESS);
            EXPECT_EQ(own.counters(), (std::vector<std::uint64_t>{1, 6, 3, 11}));
            EXPECT_EQ(line.receive(), "go on");
            (void)line.wait();
        });
}

TEST(ComchControl, AConnectionKeepsAValueOfTheProgram)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(doca_comch_connection_get_user_data(own.connection()).u64, 0u);

            EXPECT_EQ(doca_comch_connection_set_user_data(own.connection(), {.u64 = 42}),
                      DOCA_SUCCESS);

            own.on_message = [](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(doca_comch_connection_get_user_data(from).u64, 42u);
                EXPECT_EQ(doca_comch_connection_set_user_data(from, {.u64 = 43}), DOCA_SUCCESS);
            };
            line.send("send");
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(doca_comch_connection_get_user_data(own.connection()).u64, 43u);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "send");
            EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
        });
}

TEST(ComchControl, AConnectionBelongsToOneKindOfContext)
{
    const EndPart part = [](ComchEnd &own, Line &) {
        doca_comch_server *const server = doca_comch_server_get_server_ctx(own.connection());
        doca_comch_client *const client = doca_comch_client_get_client_ctx(own.connection());

        EXPECT_NE(server == nullptr, client == nullptr);
        EXPECT_EQ(server == nullptr ? doca_comch_client_as_ctx(client)
                                    : doca_comch_server_as_ctx(server),
                  own.ctx());
    };
    on_connected_ends(part, part);
}

/// A notice of a consumer stays where it was among the messages.
TEST(ComchControl, ConsumerEventsKeepTheirPlaceAmongMessages)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            (void)own.take();
            EXPECT_TRUE(own.receives(3));
            EXPECT_TRUE(own.progress_until([&] { return own.consumer_events.size() == 2; }));
            const std::string id = std::to_string(own.consumer_events.front().id);
            EXPECT_EQ(own.take(), (Record{"message before", "new consumer " + id, "message between",
                                          "expired consumer " + id, "message after"}));
            EXPECT_EQ(own.consumer_events.front().connection, own.connection());
            line.send("compared");
        },
        [](ComchEnd &own, Line &line) {
            own.send("before");
            {
                ComchConsumer consumer(own);
                consumer.start_and_run();
                own.send("between");
            }
            own.send("after");
            serves(own, line);
        });
}
