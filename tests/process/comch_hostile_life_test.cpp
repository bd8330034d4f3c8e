// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Clients that come in crowds, stand still, leave in the middle, or are not who they say.

#include "support/comch_victim.hpp"
#include "support/raw_channel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

/// How far a client goes, and what it does next is up to the test.
struct Step {
    const char *name;
    std::function<void(raw::Client &client)> go;
};

void go_on(raw::Client &client)
{
    ASSERT_TRUE(client.open());
    ASSERT_TRUE(client.is_accepted());
}

const Step kSteps[] = {
    {"says nothing", [](raw::Client &) {}},
    {"greets", [](raw::Client &client) { EXPECT_TRUE(client.greet()); }},
    {"does not read the answer to its greeting",
     [](raw::Client &client) { client.socket.send(client.hello(), {client.page.fd()}); }},
    {"has a bell", [](raw::Client &client) { EXPECT_TRUE(client.introduce()); }},
    {"asks for a channel and does not read the answer",
     [](raw::Client &client) {
         EXPECT_TRUE(client.introduce());
         client.send(raw::kOpenChannel, client.open_channel());
     }},
    {"has a channel", [](raw::Client &client) { EXPECT_TRUE(client.open()); }},
    {"closes its channel, and stays",
     [](raw::Client &client) {
         EXPECT_TRUE(client.open());
         client.send(raw::kCloseChannel, raw::Bytes().u64(client.server_number));
     }},
    {"is accepted", go_on},
    {"does not take its messages",
     [](raw::Client &client) {
         go_on(client);
         for (int i = 0; i < 60; ++i)
             client.say("ping");
     }},
    {"rings without a message",
     [](raw::Client &client) {
         go_on(client);
         client.ring_server();
     }},
    {"has written half a message",
     [](raw::Client &client) {
         go_on(client);
         raw::RawMessage half = raw::RawMessage::of("ping");
         half.number = 0; // as before
         client.say(half);
     }},
    {"spoils all slots",
     [](raw::Client &client) {
         go_on(client);
         const raw::Ring &ring = client.channel->to_client;
         for (std::size_t i = 0; i < ring.num_slots(); ++i)
             client.channel->memory.put64(ring.slot(i), 77);
     }},
    {"speaks of a consumer whose memory does not come",
     [](raw::Client &client) {
         go_on(client);
         client.say(raw::RawMessage::notice(raw::kNewConsumer, 1));
         client.say("ping");
     }},
    {"attaches a consumer and does not speak of it",
     [](raw::Client &client) {
         go_on(client);
         const raw::Fd memory = raw::memory_file(raw::QueueMemory::size(4), raw::kSealSize);
         raw::QueueOffer offer;
         offer.channel = client.server_number;
         client.send(raw::kAttachQueue, raw::Bytes().raw(offer.bytes()), {memory.get()});
     }},
};

/// The ids of the processes of the fabric, but one.
std::vector<std::string> processes_but(const std::string &process)
{
    std::vector<std::string> found;
    const std::string directory = std::string(std::getenv("SOFTDOCA_FABRIC")) + "/p";
    for (const auto &entry : std::filesystem::directory_iterator(directory)) {
        const std::string name = entry.path().filename();
        if (name.size() != 32 || name == raw::name_of(process))
            continue;
        found.push_back(raw::Bytes()
                            .u64(std::stoull(name.substr(0, 16), nullptr, 16))
                            .u64(std::stoull(name.substr(16), nullptr, 16))
                            .str());
    }
    return found;
}

/// The census begins with them.
std::size_t num_descriptors(const ComchVictim &victim)
{
    return std::stoul(victim.ask("census"));
}

} // namespace

TEST(ComchHostileClient, LeavesInTheMiddle)
{
    on_stage([] {
        HostileComchScene scene;
        for (const Step &step : kSteps) {
            SCOPED_TRACE(step.name);
            raw::Client client(raw::ServiceRecord::find());
            step.go(client);
        }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, StandsStillInTheMiddle)
{
    on_stage([] {
        HostileComchScene scene;
        {
            std::deque<raw::Client> clients;
            for (const Step &step : kSteps) {
                SCOPED_TRACE(step.name);
                step.go(clients.emplace_back(raw::ServiceRecord::find()));
            }
            scene.expect_served();
            expect_newcomer_served();
        }
        scene.expect_unharmed();
    });
}

/// What was not sent to it cannot be waited for.
TEST(ComchHostileClient, DoesNotKeepTheServerFromStopping)
{
    on_stage([] {
        const ComchVictim victim;
        std::deque<raw::Client> clients;
        for (const Step &step : kSteps) {
            SCOPED_TRACE(step.name);
            if (std::string(step.name) != "does not take its messages")
                step.go(clients.emplace_back(raw::ServiceRecord::find()));
        }
        EXPECT_EQ(victim.ask("stop"), "IDLE");
    });
}

/// More than a server has places for, and faster than its program turns.
TEST(ComchHostileClient, FloodsOfChannels)
{
    on_stage([] {
        HostileComchScene scene;
        {
            raw::Client client(raw::ServiceRecord::find(), {1, 1, 64});
            ASSERT_TRUE(client.introduce());
            scene.victim.line.send("nap 300");
            std::uint64_t num_asked = 0;
            bool is_ended = false;
            while (!scene.victim.line.is_ready() && !is_ended) {
                client.number = ++num_asked;
                client.send(raw::kOpenChannel, client.open_channel());
                is_ended = !client.await(raw::kChannelOpened).has_value();
            }
            EXPECT_EQ(scene.victim.line.receive(), "awake");
            scene.expect_served();
        }
        scene.expect_served();
    });
}

TEST(ComchHostileClient, FloodsOfChannelsWhoseAnswersItDoesNotRead)
{
    on_stage([] {
        HostileComchScene scene;
        {
            raw::Client client(raw::ServiceRecord::find(), {1, 1, 64});
            ASSERT_TRUE(client.introduce());
            const auto end = std::chrono::steady_clock::now() + Milliseconds(300);
            while (std::chrono::steady_clock::now() < end) {
                client.send(raw::kOpenChannel, client.open_channel());
                ++client.number;
            }
            scene.expect_served();
        }
        scene.expect_unharmed();
    });
}

/// Each costs the server a descriptor, and the last ones are needed for others.
TEST(ComchHostileClient, FloodsOfBells)
{
    on_stage([] {
        HostileComchScene scene;
        ASSERT_EQ(scene.victim.ask("poor"), "yes"); // 256 of them
        {
            raw::Client client(raw::ServiceRecord::find());
            ASSERT_TRUE(client.greet());
            const raw::Bell bell;
            bool is_heard = true;
            for (std::uint64_t id = 1; is_heard && num_descriptors(scene.victim) < 253; ++id) {
                (void)client.announce(id, bell);
                client.send(raw::kOpenChannel, raw::Bytes()
                                                   .raw(raw::random_bytes(16))
                                                   .u64(1)
                                                   .u64(id)
                                                   .u64(0)
                                                   .raw(client.config.bytes().str()));
                is_heard = client.await(raw::kChannelOpened).has_value();
            }
            expect_newcomer_served();
            scene.expect_served();
        }
        scene.expect_unharmed();
    });
}

/// As many consumers as it gets, each with more memory than there is.
TEST(ComchHostileClient, FloodsOfConsumers)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            constexpr std::uint32_t kNumSlots = 1 << 16;
            const raw::Fd memory =
                raw::memory_file(raw::QueueMemory::size(kNumSlots), raw::kSealSize);
            raw::QueueOffer offer;
            offer.channel = client->server_number;
            offer.num_slots = kNumSlots;
            const auto end = std::chrono::steady_clock::now() + Milliseconds(300);
            while (std::chrono::steady_clock::now() < end) {
                client->send(raw::kAttachQueue, raw::Bytes().raw(offer.bytes()), {memory.get()});
                ++offer.id;
            }
            scene.expect_served();
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// Other clients are served after hundreds of processes have come and gone.
TEST(ComchHostileClient, CrowdsOneAfterTheOther)
{
    on_stage([] {
        HostileComchScene scene;
        ASSERT_EQ(scene.victim.ask("poor"), "yes");
        constexpr std::size_t kNum = 300;
        for (std::size_t i = 0; i < kNum; ++i)
            raw::Client::connected(raw::ServiceRecord::find())
                ->say(raw::RawMessage::notice(raw::kGoodbye, 0));
        scene.expect_losses(kNum);
        scene.expect_unharmed();
    });
}

/// It would get that process's bell, and its messages.
TEST(ComchHostileClient, SaysThatItIsAnotherProcess)
{
    on_stage([] {
        HostileComchScene scene;
        const auto service = raw::ServiceRecord::find();
        const std::vector<std::string> others = processes_but(service.process);
        ASSERT_EQ(others.size(), 1u); // the bystander
        {
            raw::Client other(service, {}, others.front()), server(service, {}, service.process);
            EXPECT_FALSE(other.greet());
            EXPECT_FALSE(server.greet());
        }
        scene.expect_unharmed();
    });
}

/// Whoever rings this bell would wait until somebody reads it.
TEST(ComchHostileClient, ABellThatBlocksWhoeverRingsIt)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            client->bell.jam();
            const raw::Meanwhile arm([&] { client->bell.block().put32(raw::Bell::kIsArmed, 1); });
            bool is_served = true;
            for (int i = 0; i < 10 && is_served; ++i) {
                client->say("ping");
                is_served = client->hear(patience(kSoon)).has_value();
            }
            EXPECT_TRUE(is_served);
            if (!is_served)
                client->bell.set_right();
            scene.expect_served();
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// The server's own, which the client has too.
TEST(ComchHostileClient, TheServersBellBlocksTheServer)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            const raw::Bell &bell = *client->bells.at(client->server_bell);
            bell.let_reads_wait();
            const raw::Meanwhile disarm([&] { (void)bell.take_order(); });
            scene.victim.line.send("doze 200");
            const bool is_awake =
                comes_true([&] { return scene.victim.line.is_ready(); }, patience(kSoon));
            EXPECT_TRUE(is_awake);
            if (!is_awake)
                bell.set_right();
            EXPECT_EQ(scene.victim.line.receive(), "awake");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, RingsAllBellsAllTheTime)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            const raw::Bell &bell = *client->bells.at(client->server_bell);
            const raw::Meanwhile ring([&] {
                for (std::uint32_t bit = 0; bit < raw::kBitsPerBell; ++bit)
                    bell.ring(bit);
            });
            const std::uint64_t before = scene.bystander.num_rounds();
            EXPECT_EQ(scene.victim.ask("nap 100"), "awake");
            EXPECT_EQ(scene.victim.ask("doze 100"), "awake");
            EXPECT_TRUE(comes_true([&] { return scene.bystander.num_rounds() > before + 100; }));
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// A peer that was interrupted between taking the order to wake and waking.
TEST(ComchHostileClient, WakesTooLate)
{
    on_stage([] {
        const ComchVictim victim;
        const auto client = raw::Client::connected(raw::ServiceRecord::find());
        const raw::Bell &bell = *client->bells.at(client->server_bell);
        std::atomic<int> num_orders{0};
        {
            const raw::Meanwhile take([&] { num_orders += bell.take_order() ? 1 : 0; });
            EXPECT_TRUE(
                comes_true([&] { return victim.ask("doze 20") == "awake" && num_orders != 0; }));
        }
        EXPECT_EQ(victim.ask("doze 2"), "awake");
        for (int i = 0; i < num_orders; ++i)
            bell.wake();
        EXPECT_LT(std::stoul(victim.ask("sleep 100")), 5u);
    });
}

/// It has the descriptor for as long as it likes.
TEST(ComchHostileClient, WakesAfterItsEnd)
{
    on_stage([] {
        const ComchVictim victim;
        const auto client = raw::Client::connected(raw::ServiceRecord::find());
        EXPECT_EQ(victim.ask("doze 2"), "awake");
        client->socket = raw::Socket(raw::Fd());
        EXPECT_TRUE(comes_true([&] { return victim.ask("clients") == "0 1 1"; }));
        const raw::Meanwhile wake([&] { client->bells.at(client->server_bell)->wake(); });
        EXPECT_LT(std::stoul(victim.ask("sleep 100")), 5u);
    });
}
