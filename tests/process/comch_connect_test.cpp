// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// How a server and its clients find each other: in any order, again and again, many at once.

#include "support/comch_pair.hpp"
#include "support/sdk_log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

/// Turns the engine until the client of the other process has had what it wants.
void serve(const Line &line)
{
    ComchServer own;
    must(own.start());
    line.send("serving");
    own.progress_until_told(line);
}

doca_error_t connection_code(const ComchClient &client)
{
    doca_comch_connection *connection = nullptr;
    return doca_comch_client_get_connection(client.client(), &connection);
}

/// A client that waits, and goes on waiting.
void expect_waits(ComchClient &client)
{
    EXPECT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_FALSE(client.connects(Milliseconds(100)));
    EXPECT_EQ(client.state(), DOCA_CTX_STATE_STARTING);
    EXPECT_EQ(client.take(), (Record{"IDLE->STARTING"}));
}

} // namespace

TEST(ComchConnect, AServerRunsAtOnce)
{
    on_both_sides(
        [](Line &) {
            ComchServer own;
            EXPECT_EQ(own.start(), DOCA_SUCCESS);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            EXPECT_EQ(own.record(), (Record{"IDLE->RUNNING"}));
        },
        [](Line &) {});
}

TEST(ComchConnect, AClientNeverConnectsInsideStart)
{
    on_both_sides(serve, [](Line &line) {
        ComchClient own;
        EXPECT_EQ(line.receive(), "serving");
        for (int round = 0; round < 20; ++round) {
            EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STARTING);
            EXPECT_EQ(own.take(), (Record{"IDLE->STARTING"}));

            EXPECT_TRUE(own.connects());
            EXPECT_EQ(own.take(), (Record{"STARTING->RUNNING"}));
            (void)own.stop();
            ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            (void)own.take();
        }
    });
}

/// The server has taken notice of its client before the client runs.
TEST(ComchConnect, AClientRunsAfterTheConnectEventOfItsServer)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            line.send("started"); // and no progress
            EXPECT_EQ(line.receive(), "go on");
            EXPECT_TRUE(own.connects());
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            EXPECT_EQ(line.receive(), "started");
            expect_waits(own);
            line.send("go on");
            EXPECT_TRUE(own.connects());
            line.send("done");
            (void)line.wait();
        });
}

/// The server makes no call between its connect callback and the client's RUNNING.
TEST(ComchConnect, AClientNeedsNoProgressOfTheServerAfterTheConnectEvent)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_TRUE(own.connects());
            (void)line.wait();
        },
        [](Line &line) {
            ComchClient own;
            must(own.start() == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED);
            EXPECT_TRUE(own.connects());
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, TheCallThatReportsRunningDeliversNothingElse)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.on_connect = [&](doca_comch_connection *to, bool) {
                EXPECT_EQ(own.try_send("first", 0, to), DOCA_SUCCESS);
            };
            must(own.start());
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            (void)own.start();
            EXPECT_TRUE(own.connects()); // looks after each call
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));

            EXPECT_TRUE(own.receives(1));
            EXPECT_EQ(own.record().back(), "message first");
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, TheConnectEventComesBeforeAllOthersOfItsConnection)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_EQ(line.receive(), "started"); // what the client does waits for us
            EXPECT_TRUE(own.receives(1));
            EXPECT_NE(own.peer_consumer(), 0u);
            ASSERT_EQ(own.record().size(), 4u);
            EXPECT_EQ(own.record()[1], "connect");
            EXPECT_EQ(own.messages[0].connection, own.connection());
            EXPECT_EQ(own.consumer_events[0].connection, own.connection());
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            std::unique_ptr<ComchConsumer> consumer;
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_RUNNING) {
                    EXPECT_EQ(own.try_send("first"), DOCA_SUCCESS);
                    consumer = std::make_unique<ComchConsumer>(own);
                    EXPECT_EQ(consumer->start(), DOCA_ERROR_IN_PROGRESS);
                }
            };
            (void)own.start();
            line.send("started");
            EXPECT_TRUE(own.connects());
            EXPECT_TRUE(consumer->reaches(DOCA_CTX_STATE_RUNNING));
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, TheConnectionIsThereFromTheRunningCallbackOn)
{
    on_both_sides(serve, [](Line &) {
        ComchClient own;
        EXPECT_EQ(connection_code(own), DOCA_ERROR_BAD_STATE);
        doca_comch_connection *in_callback = nullptr;
        own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
            if (next == DOCA_CTX_STATE_STARTING) {
                EXPECT_EQ(connection_code(own), DOCA_ERROR_BAD_STATE);
            }
            if (next == DOCA_CTX_STATE_RUNNING) {
                EXPECT_EQ(doca_comch_client_get_connection(own.client(), &in_callback),
                          DOCA_SUCCESS);
            }
        };
        (void)own.start();
        EXPECT_EQ(connection_code(own), DOCA_ERROR_BAD_STATE);
        EXPECT_TRUE(own.connects());
        EXPECT_NE(in_callback, nullptr);
        EXPECT_EQ(own.connection(), in_callback);

        (void)own.stop();
        ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        EXPECT_EQ(connection_code(own), DOCA_ERROR_BAD_STATE);
    });
}

TEST(ComchConnect, AServerThatComesLaterIsFound)
{
    on_both_sides(
        [](Line &line) {
            EXPECT_EQ(line.receive(), "begin");
            serve(line);
        },
        [](Line &line) {
            ComchClient own;
            expect_waits(own);
            line.send("begin");
            EXPECT_TRUE(own.connects());
            EXPECT_EQ(own.take(), (Record{"STARTING->RUNNING"}));
            EXPECT_EQ(line.receive(), "serving");
        });
}

TEST(ComchConnect, AServerOfAnotherNameIsNone)
{
    on_both_sides(serve, [](Line &line) {
        EXPECT_EQ(line.receive(), "serving");
        for (const char *name : {"sv", "svc2", "SVC", "svc "}) {
            ComchClient own({.name = name});
            expect_waits(own);
        }
    });
}

TEST(ComchConnect, AServerForAnotherFunctionIsNone)
{
    on_both_sides(serve, [](Line &line) {
        EXPECT_EQ(line.receive(), "serving");
        ComchClient other({.pci_addr = second_device()});
        expect_waits(other);
        ComchClient own;
        own.start_and_connect();
    });
}

TEST(ComchConnect, AWaitingClientStops)
{
    on_both_sides([](Line &) {},
                  [](Line &) {
                      ComchClient own;
                      for (int round = 0; round < 3; ++round) {
                          expect_waits(own);
                          EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
                          EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                          EXPECT_EQ(own.take(), (Record{"STARTING->STOPPING", "STOPPING->IDLE"}));
                      }
                  });
}

/// The server has heard of the client, and nobody has seen the event.
TEST(ComchConnect, AClientStopsBeforeItsServerHasAcceptedIt)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            line.send("started");
            EXPECT_EQ(line.receive(), "stopped");
            look_around(own);
            EXPECT_EQ(own.num_connects, own.num_disconnects);
            line.send("go on");
            EXPECT_TRUE(own.connects());
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            EXPECT_EQ(line.receive(), "started");
            expect_waits(own);
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            line.send("stopped");
            EXPECT_EQ(line.receive(), "go on");
            own.start_and_connect();
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, ALimitOfTimeEndsTheWait)
{
    on_both_sides([](Line &) {},
                  [](Line &) {
                      ::setenv("SOFTDOCA_COMCH_TIMEOUT_MS", "200", 1);
                      ComchClient own;
                      expect_waits(own); // for less than that
                      EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                      EXPECT_EQ(own.take(), (Record{"STARTING->STOPPING", "STOPPING->IDLE"}));
                  });
}

TEST(ComchConnect, AServerIsStoppedWhileAClientWaitsForIt)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            line.send("started");
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            line.send("stopped");
            EXPECT_EQ(line.receive(), "start");
            own.start_and_connect();
            own.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient own;
            EXPECT_EQ(line.receive(), "started");
            expect_waits(own);
            line.send("stop");
            EXPECT_EQ(line.receive(), "stopped");
            look_around(own);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_STARTING); // it waits for the next one
            line.send("start");
            EXPECT_TRUE(own.connects());
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, AClientConnectsAgainAndAgain)
{
    constexpr int kNum = 50;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            own.progress_until_told(line);
            EXPECT_EQ(own.num_connects, static_cast<std::size_t>(kNum));
            EXPECT_EQ(own.texts(), numbers(kNum));
            EXPECT_TRUE(own.has_connections(0));
        },
        [](Line &line) {
            ComchClient own;
            for (int round = 0; round < kNum; ++round) {
                own.start_and_connect();
                EXPECT_EQ(own.send_and_wait(std::to_string(round)), DOCA_SUCCESS);
                (void)own.stop();
                ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            }
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchConnect, AServerStartsAgainAndItsClientConnectsAgain)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            for (int round = 0; round < 20; ++round) {
                own.start_and_connect();
                ASSERT_TRUE(own.receives(static_cast<std::size_t>(round) + 1));
                (void)own.stop();
                ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                own.connections.clear();
            }
            EXPECT_EQ(own.texts(), numbers(20));
            (void)line.wait();
        },
        [](Line &) {
            ComchClient own;
            for (int round = 0; round < 20; ++round) {
                own.start_and_connect();
                own.send(std::to_string(round));
                ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE)); // by itself
                EXPECT_EQ(own.sends, (std::vector<SendEnd>{{0, DOCA_SUCCESS}}));
                own.sends.clear();
            }
        });
}

/// Other sizes and callbacks hold after a restart.
TEST(ComchConnect, AnIdleContextIsConfiguredAnew)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            const std::string longer = random_text(200, 1);
            EXPECT_EQ(own.try_send(longer), DOCA_ERROR_INVALID_VALUE);
            line.send("stop");
            (void)own.stop();
            ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));

            if (auto *const server = dynamic_cast<ComchServer *>(&own)) {
                server->connections.clear();
                must(doca_comch_server_set_max_msg_size(server->server(), 200));
                must(server->configure(1));
            } else {
                auto &client = dynamic_cast<ComchClient &>(own);
                must(doca_comch_client_set_max_msg_size(client.client(), 200));
                must(client.configure(1));
            }
            own.start_and_connect();

            EXPECT_EQ(own.try_send(longer), DOCA_SUCCESS);
            EXPECT_EQ(own.try_send(longer), DOCA_ERROR_NO_MEMORY);
            EXPECT_EQ(line.receive(), longer);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            ASSERT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            if (auto *const server = dynamic_cast<ComchServer *>(&own)) {
                server->connections.clear();
                must(doca_comch_server_set_max_msg_size(server->server(), 4080));
            } else {
                must(doca_comch_client_set_max_msg_size(dynamic_cast<ComchClient &>(own).client(),
                                                        4080));
            }
            own.start_and_connect();
            EXPECT_TRUE(own.receives(1));
            line.send(own.messages.front().text);
            own.progress_until_told(line);
        },
        {.num_sends = 2, .max_msg_size = 100});
}

/// Life cycles are INFO on both sides: those lines too must be made of what still exists.
TEST(ComchConnect, TheLogTellsWhoComesAndGoes)
{
    on_both_sides(
        [](Line &line) {
            const SdkLog log;
            ComchServer own;
            own.start_and_connect();
            line.send(std::to_string(::getpid()));
            const std::string client = "process " + line.receive();
            EXPECT_TRUE(own.has_connections(0));
            EXPECT_EQ(log.count({"[INF]", "svc", client}), 2)
                << testing::PrintToString(log.lines());
        },
        [](Line &line) {
            const SdkLog log;
            ComchClient own;
            own.start_and_connect();
            const std::string server = "process " + line.receive();
            EXPECT_EQ(log.count({"[INF]", "svc", server}), 1)
                << testing::PrintToString(log.lines());
            line.send(std::to_string(::getpid()));
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            (void)line.wait();
        });
}
