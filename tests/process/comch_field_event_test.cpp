// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Field cases about what is delivered, and in which order, under their numbers.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace softdoca::test;

TEST(ComchField, F26OneByteBehindTheMessage)
{
    constexpr std::size_t kNum = 100;
    const auto text = [](std::size_t i) {
        return random_text(i % 2 == 0 ? 4080 : 1, static_cast<unsigned>(i));
    };
    on_connected_ends(
        [=](ComchEnd &own, Line &line) {
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *buffer,
                                 std::uint32_t len) {
                const std::size_t i = own.num_messages - 1;
                EXPECT_EQ(own.messages.back().text, text(i)) << i;
                buffer[len] = 0;
                std::fill_n(buffer, len, std::uint8_t{0xff});
                EXPECT_EQ(own.try_send(std::to_string(i), i, from), DOCA_SUCCESS);
            };
            EXPECT_TRUE(own.ends_sends(kNum));
            EXPECT_EQ(line.receive(), "compared");
        },
        [=](ComchEnd &own, Line &line) {
            for (std::size_t i = 0; i < kNum; ++i) {
                EXPECT_TRUE(own.ends_sends(i < 8 ? 0 : i - 7));
                own.send(text(i));
            }
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), numbers(kNum));
            line.send("compared");
            (void)line.wait();
        },
        {.num_sends = 128, .max_msg_size = 4080, .recv_queue_size = 10});
}

TEST(ComchField, F27TheFirstEventOfAConnection)
{
    static constexpr std::size_t kNum = 200;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            std::unique_ptr<ComchConsumer> consumer;
            own.on_connect = [&](doca_comch_connection *connection, bool) {
                EXPECT_EQ(doca_comch_client_get_client_ctx(connection), nullptr);
                EXPECT_EQ(own.try_send("first", 0, connection), DOCA_SUCCESS);
                consumer = std::make_unique<ComchConsumer>(
                    own, ConsumerSettings{.num_tasks = 1, .pe = own.pe()}, connection);
                EXPECT_EQ(consumer->start(), DOCA_ERROR_IN_PROGRESS);
            };
            must(own.start());
            (void)own.take();
            for (std::size_t i = 1; i <= kNum; ++i) {
                ASSERT_TRUE(own.progress_until([&] { return own.num_disconnects == i; }));
                ASSERT_TRUE(consumer->reaches(DOCA_CTX_STATE_IDLE));
                consumer.reset();
                EXPECT_EQ(own.record().size(), 4u);
                EXPECT_EQ(own.take().front(), "connect");
                line.send("next");
            }
        },
        [](Line &line) {
            ComchClient own;
            const auto expect_user_data = [](doca_comch_connection *connection) {
                EXPECT_EQ(doca_comch_connection_get_user_data(connection).u64, 42u);
            };
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                expect_user_data(from);
            };
            own.on_consumer = [&](doca_comch_connection *connection, std::uint32_t, bool) {
                expect_user_data(connection);
            };
            for (std::size_t i = 1; i <= kNum; ++i) {
                EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
                ASSERT_TRUE(own.connects()); // looks after each call
                EXPECT_EQ(own.take(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
                EXPECT_EQ(doca_comch_server_get_server_ctx(own.connection()), nullptr);
                EXPECT_EQ(doca_comch_connection_get_user_data(own.connection()).u64, 0u);
                must(doca_comch_connection_set_user_data(own.connection(), {.u64 = 42}));
                own.send("answer");
                ASSERT_TRUE(own.receives(i));
                ASSERT_NE(own.peer_consumer(), 0u);
                ASSERT_TRUE(own.ends_sends(i));
                (void)own.stop();
                ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                own.peer_consumers.clear();
                (void)own.take();
                EXPECT_EQ(line.receive(), "next");
            }
        });
}

TEST(ComchField, F28AServerRepliesAndStopsInTheNextStatement)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send("answer", 0, from), DOCA_SUCCESS);
                EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            };
            must(own.start());
            EXPECT_TRUE(own.receives(1));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.record(), (Record{"IDLE->RUNNING", "connect", "message question",
                                            "RUNNING->STOPPING", "sent", "STOPPING->IDLE"}));
            EXPECT_EQ(own.destroy(), DOCA_SUCCESS);
            line.send("gone");
            (void)line.wait();
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            doca_comch_connection *const connection = own.connection();
            must(doca_comch_connection_set_user_data(connection, {.u64 = 42}));
            own.send("question");
            EXPECT_EQ(line.receive(), "gone"); // no progress until the server has gone

            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"answer"}));
            EXPECT_TRUE(own.ends_sends(1));
            EXPECT_EQ(own.sends.front().status, DOCA_SUCCESS);
            EXPECT_EQ(doca_comch_connection_get_user_data(connection).u64, 42u);
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(doca_comch_connection_get_user_data(connection).u64, 42u);
        });
}

TEST(ComchField, F28AMessageLeavesThoughItsSenderSleeps)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            EXPECT_TRUE(own.receives(1, patience(kSoon)));
            line.send("received");
            (void)line.wait();
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            own.send("hello");
            EXPECT_EQ(line.receive(), "received"); // no call to the library in between
        });
}

TEST(ComchField, F28AQuietClientStops)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            line.send("stop");
            expect_lost(own);
            line.send("gone");
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            EXPECT_EQ(line.receive(), "gone"); // without a progress of ours
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        });
}

/// The same of a server.
TEST(ComchField, F28AQuietServerStops)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            (void)own.stop();
            EXPECT_EQ(line.receive(), "gone");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE, patience(kSoon)));
            line.send("gone");
        });
}
