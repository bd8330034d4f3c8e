// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The end of a connection that one side wants: by doca_ctx_stop, by doca_comch_server_disconnect.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

/// Stops and becomes IDLE, each state reported once.
void expect_stops(ComchEnd &own)
{
    (void)own.take();
    (void)own.stop();
    EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
    EXPECT_EQ(own.record(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
}

} // namespace

TEST(ComchStop, AServerWithoutClientsIsIdleAtOnce)
{
    on_both_sides(
        [](Line &) {
            ComchServer own;
            must(own.start());
            EXPECT_EQ(own.stop(), DOCA_SUCCESS);
            EXPECT_EQ(own.record(),
                      (Record{"IDLE->RUNNING", "RUNNING->STOPPING", "STOPPING->IDLE"}));
            EXPECT_EQ(own.stop(), DOCA_SUCCESS);
            EXPECT_EQ(own.record().size(), 3u);
        },
        [](Line &) {});
}

/// No event for what the program itself has asked for; the peer is told at once, without traffic.
TEST(ComchStop, AConnectedContextGoesThroughStoppingToIdle)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            (void)own.take();
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STOPPING);
            EXPECT_EQ(own.take(), (Record{"RUNNING->STOPPING"}));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.take(), (Record{"STOPPING->IDLE"}));
            EXPECT_EQ(line.receive(), "lost");
        },
        [](ComchEnd &own, Line &line) {
            expect_lost(own);
            line.send("lost");
        });
}

/// It needs nothing of the other side.
TEST(ComchStop, AContextStopsWhileItsPeerMakesNoCall)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            expect_stops(own);
            line.send("look");
            EXPECT_EQ(line.receive(), "lost");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "look");
            expect_lost(own);
            line.send("lost");
        });
}

TEST(ComchStop, ASecondStopIsNoMistake)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
            (void)own.take();
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS); // the task holds it
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(own.record(), (Record{"RUNNING->STOPPING"}));
            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.stop(), DOCA_SUCCESS);
            EXPECT_EQ(own.record(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
        },
        only_waits);
}

TEST(ComchStop, BothSidesStopAtOnce)
{
    const EndPart part = [](ComchEnd &own, Line &line) {
        line.send("ready");
        EXPECT_EQ(line.receive(), "ready");
        (void)own.stop(); // or it has stopped by itself
        EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
    };
    on_connected_ends(part, part);
}

/// A reply and the stop in the next statement: the reply arrives, and its send is a success that is
/// reported in STOPPING.
TEST(ComchStop, ASendBeforeTheStopInTheSameCallbackArrivesAndIsASuccess)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            (void)own.take();
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send("answer", 1, from), DOCA_SUCCESS);
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            };
            EXPECT_TRUE(own.receives(1));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.sends, (std::vector<SendEnd>{{1, DOCA_SUCCESS}}));
            EXPECT_EQ(own.record(),
                      (Record{"message question", "RUNNING->STOPPING", "sent", "STOPPING->IDLE"}));
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            own.send("question");
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"answer"}));
            expect_lost(own);
            EXPECT_EQ(own.sends, (std::vector<SendEnd>{{0, DOCA_SUCCESS}}));
            line.send("compared");
        });
}

TEST(ComchStop, AContextStopsInTheCompletionCallbackOfItsOnlySend)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            (void)own.take();
            own.on_sent = [&](doca_task *, doca_error_t) {
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            };
            own.send("hello");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.record(), (Record{"sent", "RUNNING->STOPPING", "STOPPING->IDLE"}));
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            expect_lost(own);
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"hello"}));
            line.send("compared");
        });
}

/// What the queue of the peer has no room for is not dropped by a stop.
TEST(ComchStop, EarlierSendsAreDrained)
{
    constexpr std::size_t kNum = 10;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (std::size_t i = 0; i < kNum; ++i)
                own.send(std::to_string(i), i);
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            look_around(own);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STOPPING);
            EXPECT_EQ(own.num_ended, 1u);

            line.send("receive");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            expect_all_sent(own, kNum);
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive");
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), numbers(kNum));
            expect_lost(own);
            line.send("compared");
        },
        {.recv_queue_size = 1});
}

/// Sends that the other side had no room for when it stopped.
TEST(ComchStop, SendsToAPeerThatStoppedAreReset)
{
    static constexpr std::size_t kNum = 10, kQueue = 3;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (std::size_t i = 0; i < kNum; ++i)
                own.send(std::to_string(i), i);
            EXPECT_TRUE(own.ends_sends(kQueue));
            line.send("stop");
            EXPECT_TRUE(own.ends_sends(kNum, patience(kSoon)));
            expect_lost(own);

            ASSERT_EQ(own.sends.size(), kNum);
            std::size_t num_good = kQueue; // or more, if the peer took some on its way to IDLE
            while (num_good < kNum && own.sends[num_good].status == DOCA_SUCCESS)
                ++num_good;
            for (std::size_t i = 0; i < kNum; ++i)
                EXPECT_EQ(own.sends[i],
                          (SendEnd{i, i < num_good ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET}));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            (void)line.wait();
        },
        {.recv_queue_size = kQueue});
}

TEST(ComchStop, TasksThatAreNotFreedHoldTheContext)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            doca_comch_connection *const connection = own.connection();
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            look_around(own);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STOPPING);
            EXPECT_EQ(own.try_send("more", 0, connection), DOCA_ERROR_BAD_STATE);
            EXPECT_EQ(doca_task_submit(own.tasks().front()), DOCA_ERROR_BAD_STATE);

            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        },
        only_waits);
}

TEST(ComchStop, TheContextIsDestroyedInItsIdleCallback)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_IDLE) {
                    EXPECT_EQ(own.destroy(), DOCA_SUCCESS);
                }
            };
            (void)own.stop();
            EXPECT_TRUE(own.progress_until([&] { return own.ctx() == nullptr; }));
            look_around(own);
        },
        only_waits);
}

TEST(ComchStop, AClientStopsInItsRunningCallback)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            own.progress_until_told(line);
            EXPECT_EQ(own.num_connects, 1u);
            EXPECT_TRUE(own.has_connections(0, patience(kSoon)));
        },
        [](Line &line) {
            ComchClient own;
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_RUNNING) {
                    EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
                }
            };
            (void)own.start();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING",
                                            "RUNNING->STOPPING", "STOPPING->IDLE"}));
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchStop, AServerStopsInItsConnectCallback)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.on_connect = [&](doca_comch_connection *, bool) {
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            };
            must(own.start());
            EXPECT_TRUE(own.progress_until([&] { return own.num_connects != 0; }));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            (void)line.wait();
        },
        [](Line &line) {
            ComchClient own;
            (void)own.start();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            line.send("done");
            (void)line.wait();
        });
}

/// Nothing changes, and the pair goes on.
TEST(ComchStop, StopWithALiveConsumerIsRefused)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                const ComchConsumer consumer(own);
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE); // not even started
                consumer.start_and_run();
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
                EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
                EXPECT_EQ(consumer.state(), DOCA_CTX_STATE_RUNNING);
                EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
                EXPECT_EQ(line.receive(), "received");
            }
            expect_stops(own);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(1));
            line.send("received");
            own.progress_until_told(line);
        });
}

TEST(ComchStop, StopWithALiveProducerIsRefused)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            {
                const ComchProducer producer(own);
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
                must(producer.start());
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
                EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            }
            expect_stops(own);
        },
        only_waits);
}

/// Also in the callback that says that the consumer is IDLE: it lives until it is destroyed.
TEST(ComchStop, StopInTheIdleCallbackOfAConsumerIsRefused)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            {
                ComchConsumer consumer(own);
                consumer.start_and_run();
                consumer.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                    if (next == DOCA_CTX_STATE_IDLE) {
                        EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
                    }
                };
                (void)consumer.stop();
                EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            }
            expect_stops(own);
        },
        serves);
}

TEST(ComchStop, AConnectedContextIsNotDestroyed)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            EXPECT_EQ(own.destroy(), DOCA_ERROR_IN_USE);
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(doca_dev_close(own.device), DOCA_ERROR_IN_USE);
            EXPECT_EQ(doca_pe_destroy(own.pe()), DOCA_ERROR_IN_USE);
            EXPECT_EQ(own.destroy(), DOCA_SUCCESS);
        },
        only_waits);
}

/// A server that replies, stops and exits at once: first the reply, then the loss.
TEST(ComchStop, LastWordsOfAProcessThatExitsArriveBeforeTheLoss)
{
    on_both_sides(
        [](Line &line) {
            Process last(own_role(), [](Line &) {
                ComchServer own;
                own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                    EXPECT_EQ(own.try_send("answer", 0, from), DOCA_SUCCESS);
                    (void)own.stop();
                    ::_exit(testing::Test::HasFailure() ? 1 : 0);
                };
                must(own.start());
                EXPECT_FALSE(own.receives(2));
            });
            last.join();
            line.send("over");
            (void)line.wait();
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            own.send("question");
            EXPECT_EQ(line.receive(), "over"); // nothing was seen before

            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"answer"}));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
            EXPECT_EQ(own.sends, (std::vector<SendEnd>{{0, DOCA_SUCCESS}}));
        });
}
