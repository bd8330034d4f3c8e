// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Many clients, services and threads at once.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

/// Each gets its own answer: "3" sends "3" and is told "3".
void expect_answers(std::deque<ComchClient> &clients)
{
    for (std::size_t i = 0; i < clients.size(); ++i)
        clients[i].send(std::to_string(i));
    for (std::size_t i = 0; i < clients.size(); ++i) {
        ASSERT_TRUE(clients[i].receives(1));
        EXPECT_EQ(clients[i].texts(), (std::vector<std::string>{std::to_string(i)}));
        clients[i].messages.clear();
        clients[i].num_messages = 0;
    }
}

/// Answers each message with the same, to whom it came from.
void answer(ComchServer &server)
{
    server.on_message = [&server](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
        EXPECT_EQ(server.try_send(server.messages.back().text, 0, from), DOCA_SUCCESS);
    };
}

} // namespace

TEST(ComchMany, ClientsOfOneProcessOnOneEngine)
{
    constexpr std::size_t kNum = 40;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            answer(own);
            must(own.start());
            EXPECT_TRUE(own.has_connections(kNum));
            own.progress_until_told(line);
        },
        [](Line &line) {
            const Pe pe;
            std::deque<ComchClient> clients;
            for (std::size_t i = 0; i < kNum; ++i)
                (void)clients.emplace_back(ComchSettings{.pe = pe}).start();
            for (ComchClient &client : clients)
                EXPECT_TRUE(client.connects());
            expect_answers(clients);
            expect_answers(clients);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchMany, ClientsOfManyProcesses)
{
    constexpr std::size_t kNumProcesses = 5, kNumClients = 4;
    on_stage([&] {
        std::deque<Process> processes;
        for (std::size_t i = 0; i < kNumProcesses; ++i)
            processes.emplace_back("host", [](Line &line) {
                std::deque<ComchClient> clients(kNumClients);
                for (ComchClient &client : clients)
                    (void)client.start();
                for (ComchClient &client : clients)
                    EXPECT_TRUE(client.connects());
                expect_answers(clients);
                line.send("done");
                (void)line.wait();
            });
        const Process server("dpu", [&](Line &line) {
            ComchServer own;
            answer(own);
            must(own.start());
            own.progress_until_told(line);
            EXPECT_EQ(own.num_connects, kNumProcesses * kNumClients);
        });
        for (const Process &process : processes)
            EXPECT_EQ(process.line.receive(), "done");
    });
}

TEST(ComchMany, ServicesOfOneProcess)
{
    constexpr std::size_t kNum = 20;
    on_both_sides(
        [](Line &line) {
            const Pe pe;
            std::deque<ComchServer> servers;
            for (std::size_t i = 0; i < kNum; ++i) {
                ComchServer &server =
                    servers.emplace_back(ComchSettings{.name = std::to_string(i), .pe = pe});
                answer(server);
                must(server.start());
            }
            servers.front().progress_until_told(line);
            for (std::size_t i = 0; i < kNum; ++i)
                EXPECT_EQ(servers[i].texts(), (std::vector<std::string>{std::to_string(i)}));
        },
        [](Line &line) {
            std::deque<ComchClient> clients;
            for (std::size_t i = 0; i < kNum; ++i)
                clients.emplace_back(ComchSettings{.name = std::to_string(i)}).start_and_connect();
            expect_answers(clients);
            line.send("done");
            (void)line.wait();
        });
}

/// One device, opened by each, as programs with a thread an engine do.
TEST(ComchMany, ClientsInThreadsOfTheirOwn)
{
    constexpr std::size_t kNum = 4;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            answer(own);
            must(own.start());
            own.progress_until_told(line);
        },
        [](Line &line) {
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < kNum; ++i)
                threads.emplace_back([] {
                    std::deque<ComchClient> clients(1);
                    clients.front().start_and_connect();
                    for (int round = 0; round < 50; ++round)
                        expect_answers(clients);
                });
            for (std::thread &thread : threads)
                thread.join();
            line.send("done");
            (void)line.wait();
        });
}
