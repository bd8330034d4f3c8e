// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A server's process dies and another one takes its place. The stage only says who does what.

#include "support/comch_pair.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

/// A server that answers each message with the same, from when it is told until it is told.
void answer_when_told(Line &line)
{
    if (!line.wait())
        return;
    ComchServer own;
    own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
        EXPECT_EQ(own.try_send(own.messages.back().text, 0, from), DOCA_SUCCESS);
    };
    EXPECT_EQ(own.start(), DOCA_SUCCESS);
    line.send("serving");
    own.progress_until_told(line);
}

/// A server that is found and takes no notice of it.
void start_and_wait(Line &line)
{
    ComchServer own;
    EXPECT_EQ(own.start(), DOCA_SUCCESS);
    line.send("started");
    (void)line.wait();
}

void expect_answer(ComchClient &own, const std::string &text)
{
    own.messages.clear();
    own.num_messages = 0;
    own.send(text);
    EXPECT_TRUE(own.receives(1));
    EXPECT_EQ(own.texts(), (std::vector<std::string>{text}));
}

/// A client that asks each server that comes, once.
void ask_each_server(Line &line)
{
    ComchClient own;
    for (std::string round; line.wait(&round);) {
        own.start_and_connect();
        expect_answer(own, round);
        line.send("answered");
        EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE)); // by itself
        line.send("lost");
    }
}

} // namespace

TEST(ComchRestart, AClientReconnectsToTheServerThatComesNext)
{
    on_stage([] {
        std::deque<Process> servers;
        for (int i = 0; i < 5; ++i)
            servers.emplace_back("dpu", answer_when_told);
        const Process client("host", ask_each_server);

        for (std::size_t i = 0; i < servers.size(); ++i) {
            client.line.send(std::to_string(i)); // it waits at first
            servers[i].line.send("serve");
            EXPECT_EQ(servers[i].line.receive(), "serving"); // the name is free
            EXPECT_EQ(client.line.receive(), "answered");
            if (i % 2 == 0)
                servers[i].kill();
            else
                servers[i].end();
            EXPECT_EQ(client.line.receive(), "lost");
        }
    });
}

TEST(ComchRestart, TheNameOfAKilledServerIsFreeAtOnce)
{
    on_stage([] {
        Process first("dpu", answer_when_told);
        const Process second("dpu", answer_when_told);
        first.line.send("serve");
        EXPECT_EQ(first.line.receive(), "serving");

        first.kill();
        second.line.send("serve");

        EXPECT_EQ(second.line.receive(), "serving");
    });
}

/// A client that waits does not wait for one server only.
TEST(ComchRestart, AWaitingClientOutlivesAServerThatNeverAnswered)
{
    on_stage([] {
        Process first("dpu", start_and_wait);
        const Process second("dpu", answer_when_told);
        const Process client("host", [](Line &line) {
            ComchClient own;
            EXPECT_EQ(line.receive(), "begin");
            (void)own.start();
            EXPECT_FALSE(own.connects(Milliseconds(100)));
            line.send("waiting");
            EXPECT_TRUE(own.connects());
            EXPECT_EQ(own.record(), (Record{"IDLE->STARTING", "STARTING->RUNNING"}));
            expect_answer(own, "hello");
            line.send("answered");
            (void)line.wait();
        });
        EXPECT_EQ(first.line.receive(), "started");
        client.line.send("begin");
        EXPECT_EQ(client.line.receive(), "waiting");

        first.kill();
        second.line.send("serve");

        EXPECT_EQ(client.line.receive(), "answered");
    });
}

/// The client has had its end; when the server comes to it, there is nobody.
TEST(ComchRestart, AClientDiesBeforeItsServerHasTakenNotice)
{
    on_stage([] {
        Process first("host", [](Line &line) {
            ComchClient own;
            EXPECT_EQ(line.receive(), "begin");
            (void)own.start();
            EXPECT_FALSE(own.connects(Milliseconds(100)));
            line.send("waiting");
            (void)line.wait();
        });
        const Process second("host", ask_each_server);
        Process server("dpu", [](Line &line) {
            ComchServer own;
            own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
                EXPECT_EQ(own.try_send(own.messages.back().text, 0, from), DOCA_SUCCESS);
            };
            must(own.start());
            line.send("started");
            (void)line.wait();
            look_around(own);
            EXPECT_TRUE(own.has_connections(0, patience(kSoon))); // no event, or both
            line.send("nobody is there");
            own.progress_until_told(line);
        });
        EXPECT_EQ(server.line.receive(), "started");
        first.line.send("begin");
        EXPECT_EQ(first.line.receive(), "waiting");

        first.kill();
        server.line.send("progress");
        EXPECT_EQ(server.line.receive(), "nobody is there");
        second.line.send("hello");

        EXPECT_EQ(second.line.receive(), "answered");
        server.end();
        EXPECT_EQ(second.line.receive(), "lost");
    });
}

/// At whatever moment of the handshake.
TEST(ComchRestart, AServerIsKilledWhileItsClientConnects)
{
    on_stage([] {
        std::deque<Process> servers;
        const int num = std::min(num_rounds(10), 250);
        for (int i = 0; i < num; ++i)
            servers.emplace_back("dpu", answer_when_told);
        const Process last("dpu", answer_when_told);
        const Process client("host", [](Line &line) {
            ComchClient own;
            const char *question = "whoever";
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_RUNNING) {
                    EXPECT_EQ(own.try_send(question), DOCA_SUCCESS);
                }
            };
            const auto start_again_until = [&](auto condition) {
                constexpr std::chrono::seconds kLong{50}; // for many rounds
                return own.progress_until(
                    [&] {
                        if (own.state() == DOCA_CTX_STATE_IDLE)
                            (void)own.start();
                        return condition();
                    },
                    patience(kLong));
            };
            EXPECT_TRUE(start_again_until([&] { return line.is_ready(); }));
            EXPECT_EQ(line.receive(), "last one");
            question = "the last";
            if (own.connection() != nullptr) {
                EXPECT_EQ(own.try_send(question), DOCA_SUCCESS);
            }
            EXPECT_TRUE(start_again_until(
                [&] { return !own.messages.empty() && own.messages.back().text == "the last"; }));
            line.send("answered");
            (void)line.wait();
        });
        std::mt19937 random(17);

        for (Process &server : servers) {
            server.line.send("serve");
            EXPECT_EQ(server.line.receive(), "serving");
            ::usleep(static_cast<useconds_t>(random() % 3000));
            server.kill();
        }
        last.line.send("serve");
        EXPECT_EQ(last.line.receive(), "serving");
        client.line.send("last one");

        EXPECT_EQ(client.line.receive(), "answered");
    });
}

TEST(ComchRestart, EveryoneIsKilledAndTheNextPairStartsClean)
{
    on_stage([] {
        for (int round = 0; round < 3; ++round) {
            Process server("dpu", answer_when_told), client("host", ask_each_server);
            server.line.send("serve");
            client.line.send("hello");
            EXPECT_EQ(client.line.receive(), "answered");
            server.kill();
            client.kill();
        }
        Process server("dpu", answer_when_told), client("host", ask_each_server);
        server.line.send("serve");
        client.line.send("hello");
        EXPECT_EQ(client.line.receive(), "answered");
        server.end();
        EXPECT_EQ(client.line.receive(), "lost");
    });
}

/// Whoever enters the fabric removes what the dead have left: not the new server of that name.
TEST(ComchRestart, TheNewcomersThatSweepUpLeaveTheNewServerAlone)
{
    on_stage([] {
        constexpr std::size_t kNumClients = 4;
        const int num = std::min(num_rounds(10), 100);
        std::deque<Process> victims, heirs, clients;
        for (int i = 0; i < num; ++i) {
            victims.emplace_back("dpu", answer_when_told);
            heirs.emplace_back("dpu", answer_when_told);
            for (std::size_t k = 0; k < kNumClients; ++k)
                clients.emplace_back("host", ask_each_server);
        }
        for (std::size_t i = 0; i < victims.size(); ++i) {
            victims[i].line.send("serve");
            EXPECT_EQ(victims[i].line.receive(), "serving");
            victims[i].kill();

            heirs[i].line.send("serve"); // all at once
            for (std::size_t k = 0; k < kNumClients; ++k)
                clients[i * kNumClients + k].line.send("hello");

            EXPECT_EQ(heirs[i].line.receive(), "serving");
            for (std::size_t k = 0; k < kNumClients; ++k)
                EXPECT_EQ(clients[i * kNumClients + k].line.receive(), "answered");
            heirs[i].kill();
            for (std::size_t k = 0; k < kNumClients; ++k)
                EXPECT_EQ(clients[i * kNumClients + k].line.receive(), "lost");
        }
    });
}
