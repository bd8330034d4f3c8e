// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Event mode: progress until 0, arm, sleep. Whatever comes wakes the sleeper, and nothing else
// does.

#include "support/comch_pair.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <signal.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

void drain(const ComchContext &context)
{
    while (context.progress() != 0)
        continue;
}

/// Sleeps as programs do, for so long and longer; tells how often it was woken.
int num_wakes(const ComchContext &context, Milliseconds time)
{
    int num = 0;
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        drain(context);
        must(doca_pe_request_notification(context.pe()));
        num += sleep_on(context.pe(), time) ? 1 : 0;
    }
    return num;
}

/// What all threads of this process have used.
std::chrono::nanoseconds cpu_time()
{
    timespec now{};
    EXPECT_EQ(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Sends so many messages at random moments, and sleeps in between.
void send_at_random_moments(ComchEnd &own, std::size_t num)
{
    std::mt19937 random(3);
    for (std::size_t i = 0; i < num; ++i) {
        switch (random() % 4) {
        case 0:
            ::usleep(static_cast<useconds_t>(random() % 40));
            break;
        case 1:
            for (auto turn = random() % 2000; turn > 0; --turn)
                (void)own.progress();
            break;
        default: // at once
            break;
        }
        must(own.ends_sends(i < 32 ? 0 : i - 32) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
        own.send(std::to_string(i));
    }
    EXPECT_TRUE(own.ends_sends(num));
}

/// Receives so many, sleeping whenever there is nothing. May look once more between arm and sleep.
void receive_asleep(ComchEnd &own, std::size_t num, bool looks_again)
{
    while (own.num_messages < num) {
        drain(own);
        if (own.num_messages == num)
            break;
        must(doca_pe_request_notification(own.pe()));
        if (looks_again && own.progress() != 0)
            continue;
        ASSERT_TRUE(sleep_on(own.pe())) << own.num_messages << " of " << num << " have come";
    }
}

std::size_t many()
{
    return static_cast<std::size_t>(num_rounds(2000)); // 100,000 in the soak
}

void expect_nothing_lost(bool looks_again)
{
    on_connected_ends(
        [=](ComchEnd &own, Line &line) {
            std::size_t num_in_order = 0;
            own.keeps = false;
            own.on_message = [&](doca_comch_connection *, std::uint8_t *buffer, std::uint32_t len) {
                const std::string text(reinterpret_cast<const char *>(buffer), len);
                num_in_order += text == std::to_string(num_in_order) ? 1 : 0;
            };
            receive_asleep(own, many(), looks_again);
            EXPECT_EQ(num_in_order, many());
            line.send("done");
        },
        [](ComchEnd &own, Line &line) {
            own.keeps = false;
            send_at_random_moments(own, many());
            (void)line.wait();
        },
        {.recv_queue_size = 16});
}

} // namespace

TEST(ComchEvent, F05DrainArmSleep)
{
    expect_nothing_lost(false);
}

TEST(ComchEvent, F05OneMoreProgressBetweenArmingAndSleep)
{
    expect_nothing_lost(true);
}

TEST(ComchEvent, F05TheHandleIsTheSameForTheLifeOfTheEngine)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            doca_notification_handle_t before{}, after{};
            EXPECT_EQ(doca_pe_get_notification_handle(own.pe(), &before), DOCA_SUCCESS);
            EXPECT_TRUE(own.receives(3));
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(doca_pe_get_notification_handle(own.pe(), &after), DOCA_SUCCESS);
            EXPECT_EQ(before, after);
        },
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 3; ++i)
                own.send("hello");
            serves(own, line);
        });
}

/// Neither ever spins: each wakes the other.
TEST(ComchEvent, APingPongOfTwoSleepers)
{
    static const std::size_t kNum = static_cast<std::size_t>(num_rounds(500));
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (std::size_t i = 1; i <= kNum; ++i) {
                own.send("ping");
                ASSERT_TRUE(own.sleep_until([&] { return own.num_messages == i; }));
            }
            EXPECT_TRUE(own.sleep_until([&] { return own.num_ended == kNum; }));
            line.send("done");
        },
        [](ComchEnd &own, Line &line) {
            own.on_message = [&](doca_comch_connection *, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send("pong"), DOCA_SUCCESS);
            };
            EXPECT_TRUE(own.sleep_until([&] { return own.num_ended == kNum; }));
            (void)line.wait();
        });
}

TEST(ComchEvent, ASleepingPairUsesNoProcessor)
{
    constexpr Milliseconds kTime{300};
    const EndPart part = [=](ComchEnd &own, Line &line) {
        EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
        EXPECT_TRUE(own.receives(1));
        line.send("asleep");
        EXPECT_EQ(line.receive(), "asleep");

        const auto before = cpu_time();
        const int num = num_wakes(own, kTime);
        EXPECT_LT(cpu_time() - before, patience(kTime / 30));
        EXPECT_LE(num, 2); // some may be for nothing

        line.send("awake");
        EXPECT_EQ(line.receive(), "awake");
    };
    on_connected_ends(part, part);
}

TEST(ComchEvent, WhatHasComeBeforeTheArmingWakesAtOnce)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            drain(own);
            must(doca_pe_request_notification(own.pe()));
            line.send("send");
            EXPECT_EQ(line.receive(), "sent");
            EXPECT_TRUE(sleep_on(own.pe(), Milliseconds(0)));
            EXPECT_TRUE(own.receives(1));

            line.send("send");
            EXPECT_EQ(line.receive(), "sent");
            must(doca_pe_request_notification(own.pe()));
            EXPECT_TRUE(sleep_on(own.pe(), Milliseconds(0)));
            EXPECT_TRUE(own.receives(2));
        },
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 2; ++i) {
                EXPECT_EQ(line.receive(), "send");
                EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
                line.send("sent");
            }
            (void)line.wait();
        });
}

/// One message of several is taken: the others still count when it arms.
TEST(ComchEvent, AnUndrainedEngineWakesAtOnce)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "sent");
            for (std::size_t i = 1; i <= 3; ++i) {
                must(doca_pe_request_notification(own.pe()));
                EXPECT_TRUE(sleep_on(own.pe(), Milliseconds(0)));
                EXPECT_TRUE(own.receives(i));
            }
        },
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 3; ++i)
                EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
            line.send("sent");
            (void)line.wait();
        });
}

TEST(ComchEvent, ACompletionWakesTheSleepingSender)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 10; ++i)
                own.send("hello");
            EXPECT_TRUE(own.sleep_until([&] { return own.num_ended == 2; }));
            line.send("receive");
            EXPECT_TRUE(own.sleep_until([&] { return own.num_ended == 10; }));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive");
            for (std::size_t i = 1; i <= 10; ++i) {
                EXPECT_TRUE(own.receives(i));
                ::usleep(200); // so that the sender sleeps, or not
            }
            (void)line.wait();
        },
        {.recv_queue_size = 2});
}

TEST(ComchEvent, AConnectionIsMadeOfSleepers)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            EXPECT_EQ(line.receive(), "waiting");
            must(own.start());
            EXPECT_TRUE(own.sleep_until([&] { return own.connection() != nullptr; }));
            EXPECT_EQ(line.receive(), "stopped");
            EXPECT_TRUE(own.sleep_until([&] { return own.connection() == nullptr; }));
        },
        [](Line &line) {
            ComchClient own;
            (void)own.start();
            EXPECT_LE(num_wakes(own, Milliseconds(50)), 5); // it looks now and then, no more
            line.send("waiting");
            EXPECT_TRUE(own.sleep_until([&] { return own.connection() != nullptr; }));
            (void)own.stop();
            EXPECT_TRUE(own.sleep_until([&] { return own.state() == DOCA_CTX_STATE_IDLE; }));
            line.send("stopped");
        });
}

TEST(ComchEvent, TheStopOfAPeerWakesTheSleeper)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            line.send("stop");
            EXPECT_TRUE(own.sleep_until([&] { return own.connection() == nullptr; }));
            expect_lost(own);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "stop");
            ::usleep(20000); // the other sleeps by then, or it does not: both count
            (void)own.stop();
            EXPECT_TRUE(own.sleep_until([&] { return own.state() == DOCA_CTX_STATE_IDLE; }));
            (void)line.wait();
        });
}

/// And what is left of it does not keep the sleeper awake.
TEST(ComchEvent, TheDeathOfAPeerWakesTheSleeperOnce)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            ::usleep(20000);
            ::kill(::getpid(), SIGKILL);
        });
        const auto own = own_end();
        own->start_and_connect();
        EXPECT_EQ(peer.line.receive(), "connected");
        peer.line.send("die");

        EXPECT_TRUE(
            own->sleep_until([&] { return own->connection() == nullptr; }, patience(kSoon)));
        expect_lost(*own);
        EXPECT_TRUE(
            comes_true([&] { return num_wakes(*own, Milliseconds(50)) == 0; }, patience(kSoon)));
        peer.kill();
    });
}

/// Reset sends are completions too.
TEST(ComchEvent, TheDeathOfAPeerWakesASleepingSender)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto own = own_end({.recv_queue_size = 1});
            own->start_and_connect();
            line.send("connected");
            (void)line.wait();
            ::usleep(20000);
            ::kill(::getpid(), SIGKILL);
        });
        const auto own = own_end();
        own->start_and_connect();
        EXPECT_EQ(peer.line.receive(), "connected");
        for (int i = 0; i < 4; ++i)
            own->send("hello");
        peer.line.send("die");

        EXPECT_TRUE(own->sleep_until([&] { return own->num_ended == 4; }, patience(kSoon)));
        EXPECT_EQ(own->sends.back().status, DOCA_ERROR_CONNECTION_RESET);
        peer.kill();
    });
}

TEST(ComchEvent, ConsumerEventsWakeTheSleeper)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.sleep_until([&] { return own.consumer_events.size() == 1; }));
            line.send("stop");
            EXPECT_TRUE(own.sleep_until([&] { return own.consumer_events.size() == 2; }));
            EXPECT_FALSE(own.consumer_events.back().is_new);
        },
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(
                consumer.sleep_until([&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }));
            EXPECT_EQ(line.receive(), "stop");
            (void)consumer.stop();
            EXPECT_TRUE(
                consumer.sleep_until([&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
            (void)line.wait();
        });
}

/// Several connections wake one engine, and each is served.
TEST(ComchEvent, ManyClientsWakeOneSleepingServer)
{
    static constexpr std::size_t kNumClients = 12, kNum = 50;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send("pong", 0, from), DOCA_SUCCESS);
            };
            must(own.start());
            EXPECT_TRUE(own.sleep_until([&] { return own.num_ended == kNumClients * kNum; }));
            (void)line.wait();
        },
        [](Line &line) {
            const Pe pe;
            std::vector<std::unique_ptr<ComchClient>> clients;
            for (std::size_t i = 0; i < kNumClients; ++i) {
                clients.push_back(std::make_unique<ComchClient>(ComchSettings{.pe = pe}));
                clients.back()->start_and_connect();
            }
            for (std::size_t i = 1; i <= kNum; ++i) {
                for (const auto &client : clients)
                    client->send("ping");
                ASSERT_TRUE(clients.front()->sleep_until([&] {
                    for (const auto &client : clients)
                        if (client->num_messages != i)
                            return false;
                    return true;
                }));
            }
            line.send("done");
            (void)line.wait();
        });
}
