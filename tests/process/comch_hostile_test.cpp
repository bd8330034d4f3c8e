// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Clients that say what they like to a server's agent. Whatever that is, it costs them their
// connection at worst: other clients go on.

#include "support/comch_victim.hpp"
#include "support/odd_files.hpp"
#include "support/raw_channel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

/// Types of messages, and the sizes of their contents.
constexpr std::pair<std::uint16_t, std::size_t> kContents[] = {
    {raw::kAnnounceBell, 8},   {raw::kRetireBell, 8},   {raw::kOpenChannel, 56},
    {raw::kChannelOpened, 40}, {raw::kChannelBell, 24}, {raw::kAttachQueue, 48},
    {raw::kCloseChannel, 8},
};

/// A client with a bell, and no channel yet.
class Introduced : public raw::Client {
public:
    Introduced() : Client(raw::ServiceRecord::find()) { EXPECT_TRUE(introduce()); }
};

void expect_refused(const raw::Client &client, const std::string &what)
{
    EXPECT_TRUE(client.socket.is_ended()) << what;
}

/// Did the server hear what was said before, and stay?
bool is_heard(raw::Client &client)
{
    client.send(raw::kOpenChannel, raw::Bytes()
                                       .raw(raw::random_bytes(16))
                                       .u64(99)
                                       .u64(1)
                                       .u64(0)
                                       .raw(client.config.bytes().str()));
    return client.await(raw::kChannelOpened).has_value();
}

} // namespace

/// The same steps as the library's client, with the numbers of the format written down here.
TEST(ComchHostileClient, ARawClientThatBehavesIsServed)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            EXPECT_EQ(client->server_config.max_msg_size, 4080u);
            for (int i = 0; i < 1000; ++i) {
                client->say("ping");
                const auto answer = client->hear();
                ASSERT_TRUE(answer.has_value());
                EXPECT_EQ(answer->kind, raw::kData);
                EXPECT_EQ(answer->payload, "pong");
            }
            client->say(raw::RawMessage::notice(raw::kGoodbye, 0));
            scene.expect_losses(1);
        }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, MessagesOfAnotherSize)
{
    on_stage([] {
        HostileComchScene scene;
        for (const auto &[type, size] : kContents)
            for (const std::size_t wrong : {std::size_t{0}, size - 1, size + 1, size + 900}) {
                Introduced client;
                client.send(type, raw::Bytes().text("", wrong), {client.bell.memory_fd()});
                expect_refused(client, std::to_string(type) + ", " + std::to_string(wrong));
            }
        scene.expect_unharmed();
    });
}

/// Random content of the right size: refused or without effect.
TEST(ComchHostileClient, MessagesOfGarbage)
{
    on_stage([] {
        HostileComchScene scene;
        for (int i = 0; i < 50; ++i)
            for (const auto &[type, size] : kContents) {
                Introduced client;
                const raw::Fd memory = raw::memory_file(1 << 20, raw::kSealSize);
                client.send(type, raw::Bytes().raw(raw::random_bytes(size)),
                            {memory.get(), client.bell.event_fd()});
            }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, BeforeAGreetingNothingElseIsHeard)
{
    on_stage([] {
        HostileComchScene scene;
        for (const auto &[type, size] : kContents) {
            const raw::Client client(raw::ServiceRecord::find());
            client.send(type, raw::Bytes().text("", size));
            expect_refused(client, std::to_string(type));
        }
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, WrongDescriptorsAsBells)
{
    on_stage([] {
        HostileComchScene scene;
        const raw::OddFiles odd(raw::kBellSize);
        const raw::Fd memory = raw::memory_file(raw::kBellSize, raw::kSealSize);
        const raw::Bell good;
        const auto offer = [](std::uint64_t id, const std::vector<int> &fds) {
            raw::Client client(raw::ServiceRecord::find());
            EXPECT_TRUE(client.greet());
            client.send(raw::kAnnounceBell, raw::Bytes().u64(id), fds);
            return client.socket.is_ended(Milliseconds(100));
        };
        EXPECT_FALSE(offer(7, {memory.get(), good.event_fd()})); // nothing is wrong with this one
        EXPECT_TRUE(offer(7, {}));
        EXPECT_TRUE(offer(7, {memory.get()}));
        EXPECT_TRUE(offer(7, {good.event_fd(), memory.get()}));
        EXPECT_TRUE(offer(7, {memory.get(), memory.get()}));
        for (const raw::OddFiles::Odd &each : odd.all()) {
            EXPECT_TRUE(offer(7, {memory.get(), each.fd.get()})) << each.name;
            if (each.name != "memory full of zeros") {
                EXPECT_TRUE(offer(7, {each.fd.get(), good.event_fd()})) << each.name;
            }
        }
        Introduced twice;
        EXPECT_TRUE(twice.announce(1, twice.bell)); // a second bell of this number
        expect_refused(twice, "two bells of a number");
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, ChannelsThatMakeNoSense)
{
    on_stage([] {
        HostileComchScene scene;
        struct Ask {
            std::uint64_t bell_id;
            std::uint64_t message_bit, room_bit;
            raw::ChannelConfig config;
        };
        constexpr std::uint32_t kMany = (1u << 20) + 1;
        const Ask kAsks[] = {
            {2, 0, 1, {}},                          // it has no such bell
            {kMax, 0, 1, {}},                       //
            {1, 4096, 1, {}},                       // nor such bits
            {1, 0, 4096, {}},                       //
            {1, 0xffffffff, 0xffffffff, {}},        //
            {1, 0, 1, {kMany, 64, 4080}},           // numbers that nobody has
            {1, 0, 1, {0xffffffff, 64, 4080}},      //
            {1, 0, 1, {64, 0, 4080}},               //
            {1, 0, 1, {64, kMany, 4080}},           //
            {1, 0, 1, {64, 0xffffff00, 4080}},      //
            {1, 0, 1, {64, 64, 0}},                 //
            {1, 0, 1, {64, 64, kMany}},             //
            {1, 0, 1, {0xffffffff, 0xffffffff, 1}}, //
        };
        for (const Ask &ask : kAsks) {
            Introduced client;
            client.send(raw::kOpenChannel, raw::Bytes()
                                               .raw(client.service.key)
                                               .u64(1)
                                               .u64(ask.bell_id)
                                               .u32(ask.message_bit)
                                               .u32(ask.room_bit)
                                               .raw(ask.config.bytes().str()));
            expect_refused(client, std::to_string(&ask - kAsks));
        }
        scene.expect_unharmed();
    });
}

/// The largest and the smallest channels that anybody may ask for.
TEST(ComchHostileClient, ChannelsOfEverySize)
{
    on_stage([] {
        HostileComchScene scene;
        const raw::ChannelConfig kConfigs[] = {
            {0, 1, 1}, {1, 1, 1}, {0, 1 << 20, 1}, {1 << 20, 1, 1 << 20}, {1 << 20, 1 << 20, 4080},
        };
        for (const raw::ChannelConfig &config : kConfigs) {
            const auto client = raw::Client::connected(raw::ServiceRecord::find(), config);
            if (config.max_msg_size >= 4 && config.num_sends != 0) {
                client->say("ping");
                EXPECT_TRUE(client->hear().has_value());
            }
            client->socket = raw::Socket(raw::Fd()); // hangs up
        }
        scene.expect_losses(std::size(kConfigs));
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, ServicesThatAreNotThere)
{
    on_stage([] {
        HostileComchScene scene;
        Introduced client;
        for (int i = 0; i < 500; ++i) {
            client.send(raw::kOpenChannel, raw::Bytes()
                                               .raw(raw::random_bytes(16))
                                               .u64(1)
                                               .u64(1)
                                               .u64(0)
                                               .raw(client.config.bytes().str()));
            const auto answer = client.await(raw::kChannelOpened);
            ASSERT_TRUE(answer.has_value());
            EXPECT_EQ(raw::number_at(answer->bytes, 32, 4), raw::kNoSuchKey);
            EXPECT_TRUE(answer->fds.empty());
        }
        client.socket = raw::Socket(raw::Fd());
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, ConsumersWithoutTheMemoryThatTheyClaim)
{
    on_stage([] {
        HostileComchScene scene;
        constexpr std::size_t kWindow = 65536;
        const raw::Fd memory = raw::memory_file(raw::QueueMemory::size(4), raw::kSealSize);
        const raw::Fd window = raw::memory_file(kWindow, raw::kSealSize);
        const raw::Fd truncatable = raw::memory_file(kWindow, 0);
        const raw::OddFiles odd(raw::QueueMemory::size(4));
        const auto offer = [&](const std::function<void(raw::QueueOffer &)> &lie,
                               const std::vector<int> &fds) {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            raw::QueueOffer offered;
            offered.channel = client->server_number;
            lie(offered);
            client->attach(offered, fds);
            const bool is_ended = client->socket.is_ended(Milliseconds(100));
            client->socket = raw::Socket(raw::Fd());
            scene.expect_losses(1);
            return is_ended;
        };
        const auto truth = [](raw::QueueOffer &) {};
        EXPECT_FALSE(offer(truth, {memory.get()})); // nothing is wrong with this one
        EXPECT_TRUE(offer(truth, {}));
        for (const raw::OddFiles::Odd &each : odd.all())
            if (each.name != "memory full of zeros") {
                EXPECT_TRUE(offer(truth, {each.fd.get()})) << each.name;
            }
        for (const std::uint64_t num : {0u, 3u, 8u, 1u << 21, 0xffffffffu, 1u << 31})
            EXPECT_TRUE(offer([num](auto &o) { o.num_slots = static_cast<std::uint32_t>(num); },
                              {memory.get()}))
                << num;
        EXPECT_TRUE(offer([](auto &o) { o.bit = 4096; }, {memory.get()}));
        EXPECT_TRUE(offer([](auto &o) { o.bell_id = 2; }, {memory.get()}));
        EXPECT_TRUE(offer([](auto &o) { o.id = 0; }, {memory.get()}));
        const std::pair<std::uint64_t, std::uint64_t> kWindows[] = {
            {0, kWindow + 1}, {1, kWindow}, {kWindow, 1}, {0, 0},
            {kMax, 1},        {1, kMax},    {kMax, kMax}, {kMax - kWindow + 1, kWindow},
        };
        for (const auto &[offset, len] : kWindows)
            EXPECT_TRUE(offer(
                [offset = offset, len = len](auto &o) {
                    o.window_offset = offset;
                    o.window_len = len;
                },
                {memory.get(), window.get()}))
                << offset << ", " << len;
        EXPECT_TRUE(
            offer([](auto &o) { o.window_len = kWindow; }, {memory.get(), truncatable.get()}));
        scene.expect_unharmed();
    });
}

TEST(ComchHostileClient, TwoConsumersOfOneNumber)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const raw::Fd memory = raw::memory_file(raw::QueueMemory::size(4), raw::kSealSize);
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            raw::QueueOffer offer;
            offer.channel = client->server_number;
            client->attach(offer, {memory.get()});
            client->attach(offer, {memory.get()});
            expect_refused(*client, "two consumers");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// Numbers of channels that are another process's are those of none.
TEST(ComchHostileClient, ChannelsOfOthers)
{
    on_stage([] {
        HostileComchScene scene;
        {
            Introduced client;
            const raw::Fd memory = raw::memory_file(raw::QueueMemory::size(4), raw::kSealSize);
            for (std::uint64_t number = 0; number < 100; ++number) {
                raw::QueueOffer offer;
                offer.channel = number;
                client.send(raw::kAttachQueue, raw::Bytes().raw(offer.bytes()), {memory.get()});
                client.send(raw::kCloseChannel, raw::Bytes().u64(number));
                client.send(raw::kChannelBell, raw::Bytes().u64(number).u64(1).u32(0).u32(1));
                client.send(raw::kChannelOpened, raw::Bytes()
                                                     .u64(number)
                                                     .u64(1)
                                                     .u32(raw::kNoSuchKey)
                                                     .u32(0)
                                                     .raw(client.config.bytes().str()));
                ASSERT_TRUE(is_heard(client));
            }
        }
        scene.expect_unharmed();
    });
}

/// What only a server says to a client, about a channel of this server.
TEST(ComchHostileClient, AnswersInPlaceOfQuestions)
{
    on_stage([] {
        HostileComchScene scene;
        for (const bool is_bell : {true, false}) {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            const raw::Fd memory = raw::memory_file(1 << 24, raw::kSealSize);
            if (is_bell)
                client->send(raw::kChannelBell,
                             raw::Bytes().u64(client->server_number).u64(1).u32(0).u32(1));
            else
                client->send(raw::kChannelOpened,
                             raw::Bytes()
                                 .u64(client->server_number)
                                 .u64(1)
                                 .u64(raw::kOk)
                                 .raw(client->config.bytes().str()),
                             {memory.get()});
            expect_refused(*client, is_bell ? "bell" : "opened");
        }
        scene.expect_losses(2);
        scene.expect_unharmed();
    });
}

/// A bell that was taken back may still be rung.
TEST(ComchHostileClient, BellsThatAreTakenBack)
{
    on_stage([] {
        HostileComchScene scene;
        {
            const auto client = raw::Client::connected(raw::ServiceRecord::find());
            for (const std::uint64_t id : {std::uint64_t{1}, std::uint64_t{1}, kMax})
                client->send(raw::kRetireBell, raw::Bytes().u64(id));
            client->say("ping");
            EXPECT_TRUE(client->hear().has_value());
            client->send(raw::kOpenChannel, client->open_channel());
            expect_refused(*client, "a channel with a bell that is not there");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}
