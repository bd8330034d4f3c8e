// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What softdoca ls (SOFTDOCA_TOOL, from the build) says of Comch: its numbers come from memory that
// other threads and processes use meanwhile. The stage is the one side or the other, as its role
// says.

#include "support/comch_pair.hpp"
#include "support/program.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>

using namespace softdoca::test;

namespace {

class SoftdocaLs : public testing::Test {
    void SetUp() override
    {
        if (run_program(SOFTDOCA_TOOL, {}, {"--help"}).status == kCannotRun)
            GTEST_SKIP() << "this machine does not start programs of the target's kind";
    }
};

constexpr std::uint32_t kQueue = 10; // messages that the peer's queue takes
constexpr std::uint32_t kManyClients = 120;

/// What is said of this process, or only its lines of one kind.
std::string rows(const std::string &kind = "")
{
    const Ended ended = run_program(SOFTDOCA_TOOL, {}, {"ls"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    std::istringstream lines(ended.out);
    const std::string indent(8, ' ');
    std::string found;
    bool is_ours = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(indent))
            is_ours = std::atoi(line.c_str()) == ::getpid();
        else if (is_ours && line.starts_with(indent + kind))
            found += line.substr(indent.size()) + '\n';
    }
    return found;
}

bool ends_with(const std::string &text, const std::string &end)
{
    return text.ends_with("  " + end + '\n');
}

void send_num(ComchEnd &own, std::size_t num)
{
    for (std::size_t i = 0; i < num; ++i)
        own.send("text", i);
}

void serves_when_told(ComchEnd &own, Line &line)
{
    (void)line.wait();
    own.progress_until_told(line);
}

} // namespace

TEST_F(SoftdocaLs, CountsTheSendsForWhichThePeersQueueHasNoRoom)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            send_num(own, kQueue);
            EXPECT_TRUE(ends_with(rows("connection"), "0 sends wait")) << rows();
            send_num(own, 1);
            EXPECT_TRUE(ends_with(rows("connection"), "1 send waits")) << rows();
            send_num(own, 40);
            EXPECT_TRUE(ends_with(rows("connection"), "41 sends wait")) << rows();

            line.send("progress");
            EXPECT_TRUE(own.ends_sends(kQueue + 41));
            EXPECT_TRUE(ends_with(rows("connection"), "0 sends wait")) << rows();
        },
        serves_when_told, {.recv_queue_size = kQueue});
}

TEST_F(SoftdocaLs, DoesNotTakeNoticesOfConsumersForSends)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            const ComchConsumer first(own), second(own);
            EXPECT_EQ(first.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(second.start(), DOCA_ERROR_IN_PROGRESS);
            send_num(own, kQueue + 5);

            EXPECT_TRUE(ends_with(rows("connection"), "5 sends wait")) << rows();

            line.send("progress");
            EXPECT_TRUE(own.ends_sends(kQueue + 5));
            EXPECT_TRUE(ends_with(rows("connection"), "0 sends wait")) << rows();
        },
        serves_when_told, {.recv_queue_size = kQueue});
}

TEST_F(SoftdocaLs, CountsThePostedReceivesOfAConsumer)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, {.num_tasks = 5});
            consumer.start_and_run();
            const std::string id = "consumer  " + std::to_string(consumer.id()) + " of \"svc\"";
            EXPECT_TRUE(ends_with(rows(id), "0 of 8 receives posted")) << rows();
            for (std::size_t i = 0; i < 5; ++i)
                consumer.post(i);
            EXPECT_TRUE(ends_with(rows(id), "5 of 8 receives posted")) << rows();

            line.send("posted");
            EXPECT_EQ(line.receive(), "sent");

            EXPECT_TRUE(ends_with(rows(id), "3 of 8 receives posted")) << rows();
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t id = own.peer_consumer();
            own.progress_until_told(line); // when all are posted
            EXPECT_EQ(line.receive(), "posted");
            ComchProducer producer(own);
            must(producer.start());
            EXPECT_EQ(producer.send("one", id), DOCA_SUCCESS);
            EXPECT_EQ(producer.send("two", id), DOCA_SUCCESS);
            line.send("sent");
            own.progress_until_told(line);
        });
}

TEST_F(SoftdocaLs, ForgetsAConsumerThatHasStopped)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchConsumer consumer(own);
            consumer.start_and_run();
            EXPECT_NE(rows("consumer"), "");

            EXPECT_EQ(consumer.stop(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));

            EXPECT_EQ(rows("consumer"), "");
        },
        serves);
}

TEST_F(SoftdocaLs, ShowsAServerWithItsClientsUntilItStops)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            const bool is_server = own_role() == "dpu";
            const std::string server = "server  \"svc\"  on 0000:3b:00.0  1 of 512 clients\n";
            const std::string other = is_server ? "client" : "server";

            EXPECT_EQ(rows("server"), is_server ? server : "");
            EXPECT_TRUE(rows("connection").starts_with("connection  \"svc\"  with the " + other))
                << rows();

            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));

            EXPECT_EQ(rows(), "");
        },
        serves);
}

TEST_F(SoftdocaLs, ShowsAClientThatTheServersProgramHasNotSeen)
{
    on_both_sides(
        [](Line &line) {
            const auto own = own_end();
            must(own->start());
            line.send("started");
            only_waits(*own, line);
        },
        [](Line &line) {
            const auto own = own_end();
            EXPECT_EQ(line.receive(), "started");
            EXPECT_EQ(own->start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(own->progress_until([] {
                return ends_with(rows("connection"),
                                 "NOT ACCEPTED yet: the server has to progress its engine");
            }));
            line.send("seen");
        });
}

TEST_F(SoftdocaLs, ShowsThatThePeerHasGone)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const auto end = own_end();
            end->start_and_connect();
            only_waits(*end, line);
        });
        const auto own = own_end();
        own->start_and_connect();

        peer.kill();

        EXPECT_TRUE(comes_true(
            [] { return ends_with(rows("connection"), "ENDED: that process has gone"); }));
        if (own_role() == "dpu") {
            EXPECT_TRUE(ends_with(rows("server"), "0 of 512 clients")) << rows();
        }
    });
}

TEST_F(SoftdocaLs, ShowsMoreConnectionsThanOneReplyHas)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_TRUE(own.has_connections(kManyClients));

            EXPECT_TRUE(ends_with(rows("server"), "120 of 512 clients")) << rows();
            const std::string connections = rows("connection");
            EXPECT_EQ(std::count(connections.begin(), connections.end(), '\n'),
                      std::ptrdiff_t{kManyClients});

            own.progress_until_told(line);
        },
        [](Line &line) {
            const Pe pe;
            std::deque<ComchClient> clients;
            for (std::size_t i = 0; i < kManyClients; ++i)
                (void)clients.emplace_back(ComchSettings{.pe = pe}).start();
            for (ComchClient &client : clients)
                EXPECT_TRUE(client.connects());
            line.send("done");
            (void)line.wait();
        });
}
