// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A server ends one of its connections.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

/// A client that is told and ends by itself.
void expect_told(ComchClient &client)
{
    EXPECT_TRUE(client.reaches(DOCA_CTX_STATE_IDLE, patience(std::chrono::seconds(1))));
    EXPECT_EQ(client.take(), (Record{"IDLE->STARTING", "STARTING->RUNNING", "RUNNING->STOPPING",
                                     "STOPPING->IDLE"}));
}

} // namespace

TEST(ComchDisconnect, TheClientIsToldAndTheServerHasNoEvent)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            EXPECT_EQ(own.disconnect(own.connection()), DOCA_SUCCESS);
            own.progress_until_told(line);
            EXPECT_EQ(own.record(), (Record{"IDLE->RUNNING", "connect"}));
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            expect_told(own);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchDisconnect, TheServerGoesOnWithOthers)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_TRUE(own.has_connections(2));
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.disconnect(own.messages.front().connection), DOCA_SUCCESS);
            EXPECT_EQ(own.send_and_wait("still here"), DOCA_SUCCESS);
            EXPECT_TRUE(own.has_connections(2)); // the first comes back
            own.progress_until_told(line);
            EXPECT_EQ(own.num_disconnects, 0u);
        },
        [](Line &line) {
            ComchClient first, second;
            (void)first.start();
            (void)second.start();
            EXPECT_TRUE(first.connects());
            EXPECT_TRUE(second.connects());
            first.send("it is me");
            EXPECT_TRUE(first.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_TRUE(second.receives(1));
            EXPECT_EQ(second.state(), DOCA_CTX_STATE_RUNNING);
            first.start_and_connect();
            line.send("done");
            (void)line.wait();
        });
}

/// As programs do that want one client only: the first is not disturbed.
TEST(ComchDisconnect, ASecondClientIsRejectedInTheConnectCallback)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.on_connect = [&](doca_comch_connection *connection, bool) {
                if (own.connections.size() > 1) {
                    EXPECT_EQ(own.disconnect(connection), DOCA_SUCCESS);
                }
            };
            own.start_and_connect();
            line.send("connected");
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.num_connects, 2u);
            EXPECT_EQ(own.num_disconnects, 0u);
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient first, second;
            first.start_and_connect();
            EXPECT_EQ(line.receive(), "connected");
            (void)second.start();
            EXPECT_TRUE(second.reaches(DOCA_CTX_STATE_IDLE)); // whether it was RUNNING or not
            EXPECT_EQ(second.record().back(), "STOPPING->IDLE");
            EXPECT_EQ(first.send_and_wait("still here"), DOCA_SUCCESS);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchDisconnect, ItsConnectionIsForgotten)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            doca_comch_connection *const connection = own.connection();
            doca_task *task = nullptr;
            EXPECT_EQ(own.disconnect(connection), DOCA_SUCCESS);
            EXPECT_EQ(own.disconnect(connection), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.try_alloc(connection, "x", 1, &task), DOCA_ERROR_INVALID_VALUE);
            own.progress_until_told(line);
            EXPECT_EQ(own.disconnect(connection), DOCA_ERROR_INVALID_VALUE);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            expect_told(own);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchDisconnect, AConnectionOfAnotherServerIsNone)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own, other({.name = "other"});
            must(other.start());
            own.start_and_connect();
            EXPECT_EQ(other.disconnect(own.connection()), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.send_and_wait("still here"), DOCA_SUCCESS);
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchDisconnect, LiveConsumersOrProducersAreInTheWay)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            {
                const ComchConsumer consumer(own);
                EXPECT_EQ(own.disconnect(own.connection()), DOCA_ERROR_IN_USE);
            }
            {
                const ComchProducer producer(own);
                EXPECT_EQ(own.disconnect(own.connection()), DOCA_ERROR_IN_USE);
            }
            EXPECT_EQ(own.disconnect(own.connection()), DOCA_SUCCESS);
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            expect_told(own);
            line.send("done");
            (void)line.wait();
        });
}

/// What was sent before is received before the end is seen.
TEST(ComchDisconnect, MessagesSentBeforeArrive)
{
    static constexpr std::size_t kNum = 10;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            for (std::size_t i = 0; i < kNum; ++i)
                own.send(std::to_string(i), i);
            EXPECT_TRUE(own.ends_sends(kNum));
            EXPECT_EQ(own.disconnect(own.connection()), DOCA_SUCCESS);
            line.send("disconnected");
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "disconnected");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.texts(), numbers(kNum));
            EXPECT_EQ(own.record().size(), kNum + 4);
            EXPECT_EQ(own.record()[kNum + 2], "RUNNING->STOPPING");
            line.send("done");
            (void)line.wait();
        });
}

/// Sends that are still on their way end once each, in whatever way.
TEST(ComchDisconnect, SendsUnderWayEndOnce)
{
    static constexpr std::size_t kNum = 10;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            for (std::size_t i = 0; i < kNum; ++i)
                own.send(std::to_string(i), i);
            const doca_error_t result = own.disconnect(own.connection());
            EXPECT_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
            line.send("disconnected");
            EXPECT_TRUE(own.ends_sends(kNum));
            for (std::size_t i = 0; i < kNum; ++i) {
                EXPECT_EQ(own.sends[i].number, i);
                if (own.sends[i].status != DOCA_SUCCESS) {
                    EXPECT_EQ(own.sends[i].status, DOCA_ERROR_CONNECTION_RESET);
                }
            }
            if (result == DOCA_ERROR_AGAIN) {
                EXPECT_EQ(own.disconnect(own.connection()), DOCA_SUCCESS);
            }
            own.progress_until_told(line);
            EXPECT_EQ(own.num_ended, kNum);
        },
        [](Line &line) {
            ComchClient own({.recv_queue_size = 1});
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "disconnected");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.texts(), numbers(own.num_messages)); // those that arrived, in order
            line.send("done");
            (void)line.wait();
        });
}
