// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Field cases about servers, clients and their messages, under their numbers.

#include "support/comch_pair.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

/// The one line of a level, which says why.
void expect_one_line(const SdkLog &log, std::initializer_list<std::string_view> words)
{
    EXPECT_EQ(log.count({*words.begin()}), 1) << testing::PrintToString(log.lines());
    EXPECT_EQ(log.count(words), 1) << testing::PrintToString(log.lines());
}

/// Progress calls for so long, none of which says that it did something.
void expect_nothing_for(const ComchContext &context, Milliseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end)
        ASSERT_EQ(context.progress(), 0);
}

/// Longer than it takes until the library says that it waits.
constexpr Milliseconds kUntilLine{1300};

std::string pid_of(const std::string &number)
{
    return "pid " + number;
}

} // namespace

TEST(ComchField, F04AServerWithoutARepresentor)
{
    on_both_sides(
        [](Line &) {
            const Device device;
            const Representor representor(device);
            const SdkLog log;
            EXPECT_EQ(
                doca_comch_server_create(device, nullptr, "svc", Untouched<doca_comch_server *>()),
                DOCA_ERROR_INVALID_VALUE);
            expect_one_line(log, {"[ERR]", "representor", "0000:3b:00.0"});

            EXPECT_EQ(doca_comch_server_create(nullptr, representor, "svc",
                                               Untouched<doca_comch_server *>()),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_comch_client_create(device, nullptr, Untouched<doca_comch_client *>()),
                      DOCA_ERROR_INVALID_VALUE);
        },
        [](Line &) {
            const Device device;
            EXPECT_EQ(doca_comch_client_create(nullptr, "svc", Untouched<doca_comch_client *>()),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca_comch_client_create(device, nullptr, Untouched<doca_comch_client *>()),
                      DOCA_ERROR_INVALID_VALUE);
        });
}

TEST(ComchField, F06TheSameConnectionDisconnectedTwice)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            doca_comch_connection *const connection = own.connection();
            const auto disconnect = [&] {
                return doca_comch_server_disconnect(own.server(), connection);
            };
            EXPECT_EQ(disconnect(), DOCA_SUCCESS);
            own.connections.clear();

            const SdkLog log;
            EXPECT_EQ(disconnect(), DOCA_ERROR_INVALID_VALUE);
            own.progress_until_told(line);
            EXPECT_EQ(disconnect(), DOCA_ERROR_INVALID_VALUE);
            expect_one_line(log, {"[ERR]", "svc"});

            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.num_disconnects, 0u);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING",
                                            "RUNNING->STOPPING", "STOPPING->IDLE"}));
            line.send("IDLE");
            (void)line.wait();
        });
}

TEST(ComchField, F06DisconnectedAfterTheClientHasStopped)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            doca_comch_connection *const connection = own.connection();
            line.send("stop");
            EXPECT_TRUE(own.has_connections(0));
            EXPECT_EQ(doca_comch_server_disconnect(own.server(), connection),
                      DOCA_ERROR_INVALID_VALUE);
            look_around(own);
            EXPECT_EQ(own.num_disconnects, 1u);
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        });
}

/// Killed after it has received so many of the eight messages that it has room for three of.
void expect_survives_kill(std::size_t num_received)
{
    constexpr std::size_t kNum = 8, kQueue = 3;
    on_stage([=] {
        Process server("dpu", [=](Line &line) {
            ComchServer own({.num_sends = kNum, .recv_queue_size = kQueue});
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "submitted");
            EXPECT_TRUE(own.receives(num_received));
            line.send("kill me");
            (void)line.wait();
        });
        const Process client("host", [=](Line &line) {
            auto own = std::make_unique<ComchClient>(ComchSettings{.num_sends = kNum});
            own->frees_tasks = false;
            own->start_and_connect();
            doca_comch_connection *const connection = own->connection();
            for (std::size_t i = 0; i < kNum; ++i)
                own->send(std::to_string(i), i);
            line.send("submitted");
            const std::string pid = line.receive();
            const SdkLog log;

            EXPECT_TRUE(own->ends_sends(kNum, patience(kSoon)));
            EXPECT_TRUE(own->reaches(DOCA_CTX_STATE_STOPPING, patience(kSoon))); // by itself
            ASSERT_EQ(own->sends.size(), kNum);
            for (std::size_t i = 0; i < kNum; ++i)
                EXPECT_EQ(own->sends[i],
                          (SendEnd{i, i < kQueue + num_received ? DOCA_SUCCESS
                                                                : DOCA_ERROR_CONNECTION_RESET}));
            expect_one_line(log, {"[ERR]", "svc", pid_of(pid)});

            EXPECT_EQ(own->try_send("more", 0, connection), DOCA_ERROR_BAD_STATE);
            for (doca_task *task : own->tasks())
                own->free(task);
            const doca_error_t stopped = own->stop();
            EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
            EXPECT_TRUE(own->reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own->moves(), (Record{"IDLE->STARTING", "STARTING->RUNNING",
                                            "RUNNING->STOPPING", "STOPPING->IDLE"}));
            own.reset();
            line.send("done");
            (void)line.wait();
        });
        EXPECT_EQ(client.line.receive(), "submitted");
        server.line.send("submitted");
        EXPECT_EQ(server.line.receive(), "kill me");
        server.kill();
        client.line.send(std::to_string(server.pid()));
        EXPECT_EQ(client.line.receive(), "done");
    });
}

TEST(ComchField, F07ThePeerIsKilledBeforeItReceives)
{
    expect_survives_kill(0);
}

TEST(ComchField, F07ThePeerIsKilledAfterItHasReceivedSome)
{
    expect_survives_kill(2);
}

TEST(ComchField, F12TheClientComesBeforeTheServer)
{
    on_both_sides(
        [](Line &line) {
            EXPECT_EQ(line.receive(), "begin");
            ComchServer own;
            own.start_and_connect();
            own.progress_until_told(line);
        },
        [](Line &line) {
            const SdkLog log;
            ComchClient own;
            EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
            expect_nothing_for(own, kUntilLine);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STARTING);
            expect_one_line(log, {"[WRN]", "svc", "0000:3b:00.0"});

            line.send("begin");
            EXPECT_TRUE(own.connects());
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
            expect_one_line(log, {"[WRN]", "svc"});
        });
}

TEST(ComchField, F12TheServerHasAnotherName)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own({.name = "svc2"});
            must(own.start());
            line.send(std::to_string(::getpid()));
            own.progress_until_told(line);
        },
        [](Line &line) {
            const std::string pid = line.receive();
            const SdkLog log;
            ComchClient own;
            EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
            expect_nothing_for(own, kUntilLine);
            expect_one_line(log, {"[WRN]", "\"svc\"", "\"svc2\"", pid_of(pid)});

            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.record(),
                      (Record{"IDLE->STARTING", "STARTING->STOPPING", "STOPPING->IDLE"}));
        });
}

TEST(ComchField, F12ThereIsALimitOfTime)
{
    on_both_sides([](Line &) {},
                  [](Line &) {
                      ::setenv("SOFTDOCA_COMCH_TIMEOUT_MS", "300", 1);
                      ComchClient own;
                      const auto begin = std::chrono::steady_clock::now();
                      EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
                      EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                      const auto time = std::chrono::steady_clock::now() - begin;
                      EXPECT_GE(time, Milliseconds(290));
                      EXPECT_LT(time, patience(kSoon));
                      EXPECT_EQ(own.record(),
                                (Record{"IDLE->STARTING", "STARTING->STOPPING", "STOPPING->IDLE"}));
                  });
}

TEST(ComchField, F15SendTasksThatNobodyFrees)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own({.num_sends = 64});
            own.frees_tasks = false;
            own.start_and_connect();
            for (int i = 0; i < 64; ++i)
                own.send("hello");
            EXPECT_TRUE(own.ends_sends(64));
            doca_task *task = nullptr;
            EXPECT_EQ(own.try_alloc(own.connection(), "x", 1, &task), DOCA_ERROR_NO_MEMORY);
            own.free(own.tasks().front());
            EXPECT_EQ(own.try_alloc(own.connection(), "x", 1, &task), DOCA_SUCCESS);

            own.free(task);
            while (own.tasks().size() > 1)
                own.free(own.tasks().front());
            const SdkLog log;
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_FALSE(own.reaches(DOCA_CTX_STATE_IDLE, kUntilLine));
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STOPPING);
            expect_one_line(log, {"[WRN]", "server", "doca_task_free"});

            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE, kWhile));
            (void)line.wait();
        },
        [](Line &) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_TRUE(own.receives(64));
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        });
}

TEST(ComchField, F20WhatStartSays)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            EXPECT_EQ(own.start(), DOCA_SUCCESS);
            EXPECT_EQ(own.record(), (Record{"IDLE->RUNNING"}));
            EXPECT_TRUE(own.connects());
            {
                ComchProducer producer(own);
                EXPECT_EQ(producer.start(), DOCA_SUCCESS);
                EXPECT_EQ(producer.record(), (Record{"IDLE->RUNNING"}));
                EXPECT_EQ(producer.start(), DOCA_ERROR_BAD_STATE);
            }
            EXPECT_EQ(own.start(), DOCA_ERROR_BAD_STATE);
            own.progress_until_told(line);
            EXPECT_EQ(own.texts(), (std::vector<std::string>{"first"}));
        },
        [](Line &line) {
            ComchClient own;
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                doca_comch_connection *connection = nullptr;
                if (next == DOCA_CTX_STATE_RUNNING) {
                    EXPECT_EQ(doca_comch_client_get_connection(own.client(), &connection),
                              DOCA_SUCCESS);
                    EXPECT_EQ(own.try_send("first", 0, connection), DOCA_SUCCESS);
                }
            };
            EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING"}));
            EXPECT_TRUE(own.connects());
            EXPECT_EQ(own.take(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
            EXPECT_TRUE(own.ends_sends(1));
            EXPECT_EQ(own.take(), (Record{"sent"}));

            const SdkLog log;
            EXPECT_EQ(own.start(), DOCA_ERROR_BAD_STATE);
            expect_one_line(log, {"[ERR]", "RUNNING"});
            {
                ComchConsumer consumer(own);
                EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
                EXPECT_EQ(consumer.record(), (Record{"IDLE->STARTING"}));
                EXPECT_EQ(consumer.start(), DOCA_ERROR_BAD_STATE);
                EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
                EXPECT_EQ(consumer.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
            }
            line.send("done");
            (void)line.wait();
        });
}
