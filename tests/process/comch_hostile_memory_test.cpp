// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Clients that write what they like to the memory of their channel.

#include "support/comch_victim.hpp"
#include "support/raw_channel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

/// What a client does that has to cost it its connection.
struct Attack {
    const char *name;
    std::function<void(raw::Client &client)> make;
};

void expect_each_costs_a_connection(const std::vector<Attack> &attacks,
                                    const ComchSettings &settings = {})
{
    on_stage([&] {
        HostileComchScene scene(settings);
        for (const Attack &attack : attacks) {
            SCOPED_TRACE(attack.name);
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            client->say("ping");
            EXPECT_TRUE(client->hear().has_value());
            attack.make(*client);
            scene.expect_losses(1);
            scene.expect_served();
        }
        scene.expect_unharmed();
    });
}

Attack says(const char *name, const raw::RawMessage &message)
{
    return {name, [message](raw::Client &client) { client.say(message); }};
}

raw::RawMessage numbered(std::uint64_t number)
{
    raw::RawMessage message = raw::RawMessage::of("ping");
    message.number = number;
    return message;
}

raw::RawMessage of_len(std::uint32_t len)
{
    return {raw::kData, 0, len, std::string(std::min(len, 4136u), 'x'), {}};
}

raw::RawMessage of_kind(std::uint16_t kind, std::uint32_t len)
{
    return {kind, 1, len, "text", {}};
}

struct Counts {
    std::size_t num_good = 0, num_bad = 0, num_inflight = 0;
    std::size_t num() const { return num_good + num_bad + num_inflight; }
};

Counts counts_of(const std::string &text)
{
    Counts counts;
    std::istringstream(text) >> counts.num_good >> counts.num_bad >> counts.num_inflight;
    return counts;
}

} // namespace

/// A slot has room for a little more than the longest message; what takes messages need not.
TEST(ComchHostileClient, MessagesThatAreTooLong)
{
    expect_each_costs_a_connection({
        says("4081", of_len(4081)),
        says("4096", of_len(4096)),
        says("4135", of_len(4135)),
        says("4136", of_len(4136)),
        says("a slot more", of_len(4136 + 4160)),
        says("2 GiB", of_len(0x80000000)),
        says("4 GiB", of_len(0xffffffff)),
    });
}

/// The channel is as the smaller limit wants it.
TEST(ComchHostileClient, MessagesThatAreTooLongForASmallServer)
{
    ComchSettings settings;
    settings.max_msg_size = 8;
    expect_each_costs_a_connection(
        {
            says("9", of_len(9)),
            says("17", of_len(17)),
            says("39", of_len(39)),
            says("40", of_len(40)),
            says("4080", of_len(4080)),
        },
        settings);
}

TEST(ComchHostileClient, MessagesThatAreNone)
{
    expect_each_costs_a_connection({
        says("no text", of_len(0)),
        says("kind 0", of_kind(0, 4)),
        says("kind 5", of_kind(5, 4)),
        says("kind 65535", of_kind(65535, 4)),
        says("kind 5 without a text", of_kind(5, 0)),
        says("a goodbye with a text", of_kind(raw::kGoodbye, 4)),
        says("a new consumer with a text", of_kind(raw::kNewConsumer, 4)),
        says("an expired consumer with a text", of_kind(raw::kExpiredConsumer, 4)),
    });
}

TEST(ComchHostileClient, SlotsWithNumbersThatNobodyWrites)
{
    expect_each_costs_a_connection({
        says("withdrawn", numbered(raw::kWithdrawn)),
        says("empty", numbered(raw::kEmpty)),
        says("of the next round, posted", numbered(4)),
        says("of the next round, filled", numbered(5)),
        says("the greatest", numbered(kMax)),
        says("half of the greatest", numbered(kMax / 2 + 1)),
    });
}

/// A message that changes while it is read has one of its lengths.
TEST(ComchHostileClient, MessagesThatChange)
{
    on_stage([] {
        HostileComchScene scene;
        std::size_t num_losses = 0;
        for (int i = 0; i < 20; ++i) {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            const raw::Ring &ring = client->channel->to_server;
            const std::size_t len = ring.slot(0) + 8;
            const raw::Meanwhile change([&] {
                client->channel->memory.put32(len, 4);
                client->channel->memory.put32(len, 0xffffffff);
            });
            for (int round = 0; round < 100; ++round)
                ring.fill(0, raw::RawMessage::of("text"));
            client->ring_server();
            scene.expect_served();
            ++num_losses;
        }
        scene.expect_losses(num_losses);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, ConsumersThatDoNotExist)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            for (const std::uint32_t id : {0u, 1u, 77u, 0xffffffffu})
                client->say(raw::RawMessage::notice(raw::kExpiredConsumer, id));
            client->say("ping");
            EXPECT_TRUE(client->hear().has_value()); // it has passed over them
            client->say(raw::RawMessage::notice(raw::kNewConsumer, 1));
            client->say("ping");
            EXPECT_FALSE(client->hear(Milliseconds(50)).has_value()); // waits for the memory
            scene.expect_served();
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// Each is nothing to the program, so a turn could go on for ever.
TEST(ComchHostileClient, NoticesWithoutEnd)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client =
                raw::Client::connected(raw::ServiceRecord::find(), {1 << 14, 64, 64});
            const auto notice = raw::RawMessage::notice(raw::kExpiredConsumer, 3);
            const raw::Ring &ring = client->channel->to_server;
            for (std::size_t i = 0; i < ring.num_slots(); ++i)
                ring.fill(client->num_said++, notice);
            const raw::Meanwhile refill([&] {
                while (ring.is_free(client->num_said))
                    ring.fill(client->num_said++, notice);
            });
            const std::uint64_t before = scene.bystander.num_rounds();
            client->ring_server();
            EXPECT_TRUE(comes_true([&] { return scene.bystander.num_rounds() > before + 100; },
                                   patience(kSoon)));
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// The same for what comes after the server has ended the connection.
TEST(ComchHostileClient, MessagesWithoutEndAfterADisconnect)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client =
                raw::Client::connected(raw::ServiceRecord::find(), {1 << 14, 4, 64});
            const raw::Ring &ring = client->channel->to_server;
            EXPECT_EQ(scene.victim.ask("send 16"), "16"); // so that it cannot leave at once
            EXPECT_EQ(scene.victim.ask("disconnect"), "DOCA_SUCCESS");
            const raw::Meanwhile refill([&] {
                while (ring.is_free(client->num_said))
                    client->say("text");
            });
            scene.expect_served();
        }
        scene.expect_served();
    });
}

TEST(ComchHostileClient, TakesMoreMessagesThanThereAre)
{
    on_stage([] {
        HostileComchScene scene;
        for (const std::uint64_t num : {kMax, kMax - 63, kMax / 2, std::uint64_t{1000}}) {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            const Counts before = counts_of(scene.victim.ask("sends"));
            client->channel->to_client.set_num_taken(num);
            std::size_t num_sent = before.num();
            for (int i = 0; i < 20; ++i) // the ring is full after some of these
                num_sent += std::stoul(scene.victim.ask("send 16"));
            client->socket = raw::Socket(raw::Fd());
            scene.expect_losses(1);
            EXPECT_GT(num_sent, before.num());
            const auto have_ended = [&] {
                const Counts now = counts_of(scene.victim.ask("sends"));
                return now.num_good + now.num_bad == num_sent && now.num_inflight == 0;
            };
            EXPECT_TRUE(comes_true(have_ended)) << num;
        }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, TakesItsMessagesBackwards)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find(), {64, 4, 64});
            EXPECT_EQ(scene.victim.ask("send 16"), "16");
            const raw::Ring &ring = client->channel->to_client;
            for (const std::uint64_t num : {4u, 0u, 8u, 3u}) {
                ring.set_num_taken(num);
                scene.expect_served();
            }
            const auto is_lost = [&] {
                client->socket = raw::Socket(raw::Fd());
                return counts_of(scene.victim.ask("sends")).num_inflight == 0;
            };
            EXPECT_TRUE(comes_true(is_lost));
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// What the server writes and reads, but for its own messages.
TEST(ComchHostileClient, ChangesAllOfTheMemoryAllTheTime)
{
    on_stage([] {
        HostileComchScene scene;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            SCOPED_TRACE(seed);
            const auto client = raw::Client::connected(raw::ServiceRecord::find(), {4, 4, 64});
            std::mt19937_64 random(seed);
            const raw::Mapping &memory = client->channel->memory;
            const raw::Meanwhile scribble([&] {
                const std::uint64_t value = random();
                memory.put64(value % memory.size() / 8 * 8, value % 3 == 0 ? value % 16 : value);
            });
            for (int i = 0; i < 10; ++i) {
                (void)scene.victim.ask("send 1");
                client->ring_server();
            }
            scene.expect_served();
        }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, AdmitsItself)
{
    on_stage([] {
        HostileComchScene scene;
        {
            raw::Client client(raw::ServiceRecord::find());
            scene.victim.line.send("nap 500"); // all below is done before it wakes
            ASSERT_TRUE(client.open());
            for (const std::uint32_t value : {raw::kAccepted + 0u, 2u, 3u, 0xffffffffu}) {
                client.channel->set_admission(value);
                client.say("ping");
            }
            EXPECT_EQ(scene.victim.line.receive(), "awake");
            EXPECT_TRUE(client.is_accepted());
            client.ring_server();
            EXPECT_TRUE(client.hear().has_value());
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}
