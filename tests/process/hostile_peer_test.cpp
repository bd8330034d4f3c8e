// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Importers that know a descriptor and say what they like. Whatever that is, it costs the exporter
// nothing but their connection: its other importers go on.

#include "support/hostile_scene.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>

using namespace softdoca::test;

namespace {

std::vector<std::string> garbage()
{
    using raw::lying_message;
    constexpr std::uint32_t kMagic = 0x4f444653;
    const raw::Bytes list = raw::Bytes().u32(0).u32(0);
    std::vector<std::string> messages{
        "",
        "x",
        std::string(15, '\0'),
        std::string(16, '\0'),
        std::string(16, '\xff'),
        raw::random_bytes(40),
        raw::random_bytes(1072),
        raw::random_bytes(60'000),
        lying_message(kMagic + 1, 1, raw::kList, 24, list),
        lying_message(kMagic, 0, raw::kList, 24, list),
        lying_message(kMagic, 2, raw::kList, 24, list),
        lying_message(kMagic, 1, raw::kList, 23, list),
        lying_message(kMagic, 1, raw::kList, 25, list),
        lying_message(kMagic, 1, raw::kList, 0, list),
        lying_message(kMagic, 1, raw::kList, 0xffffffff, list),
    };
    for (const std::uint16_t type : std::initializer_list<std::uint16_t>{0, 12, 255, 65535})
        messages.push_back(raw::message(type, list));
    // What only an exporter says.
    messages.push_back(raw::message(raw::kHelloReply, zeros(raw::kHelloReplySize)));
    messages.push_back(raw::message(raw::kWindowReply, zeros(raw::kWindowReplySize)));
    messages.push_back(raw::message(raw::kReply, zeros(24)));
    messages.push_back(raw::message(raw::kCopyReply, zeros(24)));
    messages.push_back(raw::message(raw::kListReply, zeros(raw::kListReplySize)));
    return messages;
}

} // namespace

/// The same steps as the library's importer, with the numbers of the format written down here.
TEST(HostilePeer, ARawImporterThatBehavesIsServed)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            EXPECT_EQ(raw.copy(false, {{scene.descriptor.addr, 100},
                                       {scene.descriptor.addr + kPage - 100, 100}}),
                      raw::kOk);
            const std::vector<std::byte> expected = pattern(3 * kPage, 1);
            EXPECT_EQ(first_difference(raw.staging, expected.data() + kPage, 100), 100u);
            EXPECT_EQ(first_difference(raw.staging + 100, expected.data() + 2 * kPage - 100, 100),
                      100u);
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, Garbage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        for (const std::string &bytes : garbage()) {
            const raw::Importer stranger(scene.descriptor), known(scene.descriptor);
            stranger.socket.send(bytes);
            EXPECT_TRUE(stranger.socket.is_ended()) << testing::PrintToString(bytes.substr(0, 24));
            ASSERT_EQ(known.greet(), raw::kOk);
            known.socket.send(bytes);
            EXPECT_TRUE(known.socket.is_ended()) << testing::PrintToString(bytes.substr(0, 24));
        }
        scene.expect_unharmed();
    });
}

/// A message is whole or it is none: nobody waits for the rest.
TEST(HostilePeer, PartsOfMessages)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::pair<std::uint16_t, std::size_t> kSizes[] = {
            {raw::kHello, 48},         {raw::kOpenWindow, 40}, {raw::kCloseWindow, 32},
            {raw::kAttachStaging, 24}, {raw::kCopy, 1072},     {raw::kList, 24},
        };
        for (const auto &[type, size] : kSizes)
            for (const std::size_t wrong : {std::size_t{16}, size - 1, size + 1, size + 100}) {
                const raw::Importer raw(scene.descriptor);
                if (type != raw::kHello) {
                    ASSERT_EQ(raw.greet(), raw::kOk);
                }
                raw.socket.send(raw::message(type, zeros(wrong)));
                EXPECT_TRUE(raw.socket.is_ended()) << "type " << type << ", " << wrong << " bytes";
            }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, BeforeAGreetingNothingElseIsHeard)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer first(scene.descriptor), second(scene.descriptor),
            third(scene.descriptor), twice(scene.descriptor);
        EXPECT_FALSE(first.open(scene.descriptor.key, false).has_value());
        second.socket.send(second.copy_message(false, {{scene.descriptor.addr, 1}}));
        EXPECT_TRUE(second.socket.is_ended());
        third.socket.send(raw::message(raw::kList, zeros(24)));
        EXPECT_TRUE(third.socket.is_ended());
        ASSERT_EQ(twice.greet(), raw::kOk);
        EXPECT_EQ(twice.greet(), std::nullopt);
        EXPECT_TRUE(twice.socket.is_ended());
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, Silence)
{
    on_stage(Via::agent, [] {
        Scene scene;
        std::deque<raw::Importer> silent;
        for (int i = 0; i < 100; ++i)
            silent.emplace_back(scene.descriptor);

        scene.expect_served();
        const raw::Importer newcomer(scene.descriptor);
        EXPECT_EQ(newcomer.greet(), raw::kOk);
        EXPECT_TRUE(silent.front().socket.is_ended()); // no more than 64 are borne with
        for (const raw::Importer &each : silent)
            EXPECT_TRUE(each.socket.is_ended(patience(std::chrono::seconds(2))));

        scene.expect_served();
        const auto window = newcomer.open(scene.descriptor.key, false); // it has said who it is
        ASSERT_TRUE(window.has_value());
        EXPECT_EQ(window->status(), raw::kOk);
        silent.clear();
    });
}

/// Each round is one more connection that asks as fast as it can and reads nothing.
void flood(Line &line, const std::function<std::string(const raw::Importer &)> &request)
{
    const auto descriptor = raw::Descriptor::parse(line.receive());
    while (!line.is_ready()) {
        raw::Importer raw(descriptor);
        if (!raw.begin_copies())
            continue;
        const std::string bytes = request(raw);
        while (!line.is_ready() && raw.socket.send(bytes))
            continue;
    }
}

TEST(HostilePeer, Floods)
{
    on_stage(Via::agent, [] {
        Process lists(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &) { return raw::message(raw::kList, zeros(24)); });
        });
        Process copies(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &raw) {
                return raw.copy_message(false, {{raw.descriptor.addr, kPage}});
            });
        });
        Process nonsense(own_role(), [](Line &line) {
            flood(line, [](const raw::Importer &) { return std::string(1000, 'x'); });
        });
        Scene scene;
        const raw::Descriptor &known = scene.descriptor;
        for (const Process *const each : {&lists, &copies, &nonsense})
            each->line.send(known.bytes());

        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
        int num_copies = 0;
        for (; std::chrono::steady_clock::now() < end; ++num_copies)
            scene.expect_served();
        EXPECT_GT(num_copies, 5);

        for (Process *const each : {&lists, &copies, &nonsense})
            each->end();
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, NeverReadsItsAnswers)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        const std::string request = raw::message(raw::kList, zeros(24));
        EXPECT_TRUE(comes_true([&] {
            raw.socket.send(request);
            char byte;
            return ::send(raw.socket.fd(), request.data(), request.size(),
                          MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
                   errno == EPIPE && ::recv(raw.socket.fd(), &byte, 1, MSG_PEEK) >= 0;
        }));
        scene.expect_served();
        EXPECT_EQ(scene.victim.ask("rest"), "idle");
    });
}

TEST(HostilePeer, WrongKeys)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        const auto expect_no_such_key = [&](const std::string &key) {
            const auto window = raw.open(key, false);
            ASSERT_TRUE(window.has_value());
            EXPECT_EQ(window->status(), raw::kNoSuchKey);
            EXPECT_TRUE(window->fds.empty());
            for (std::size_t i = 20; i < window->bytes.size(); ++i) // nothing is given away
                EXPECT_EQ(window->bytes[i], 0);
        };
        expect_no_such_key(std::string(16, '\0'));
        for (std::size_t i = 0; i < 16; ++i) {
            std::string key = scene.descriptor.key;
            key[i] = static_cast<char>(key[i] ^ 1);
            expect_no_such_key(key);
        }
        for (int i = 0; i < 1000; ++i)
            expect_no_such_key(raw::random_bytes(16));
        EXPECT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);

        scene.expect_served();
        EXPECT_EQ(scene.victim.ask("stop"), "stopped");
        expect_no_such_key(scene.descriptor.key); // an old one
    });
}

TEST(HostilePeer, ThousandsOfWindows)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (int i = 0; i < 4096; ++i) {
                const auto window = raw.open(scene.descriptor.key, i % 2 != 0);
                ASSERT_TRUE(window.has_value()) << i;
                ASSERT_EQ(window->status(), raw::kOk) << i;
            }
            scene.expect_served();
            EXPECT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kBusy);
            EXPECT_FALSE(
                raw.socket.is_ended(std::chrono::milliseconds(50))); // it keeps what it has
        }
        scene.expect_unharmed();

        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        for (int i = 0; i < 2000; ++i)
            ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        EXPECT_EQ(scene.victim.ask("stop"), "stopped");
    });
}

TEST(HostilePeer, HundredsOfConnections)
{
    on_stage(Via::agent, [] {
        Process crowd(own_role(), [](Line &line) {
            const auto descriptor = raw::Descriptor::parse(line.receive());
            std::deque<raw::Importer> all;
            std::uint64_t num_served = 0;
            for (int i = 0; i < 200; ++i)
                num_served += all.emplace_back(descriptor).greet() == raw::kOk ? 1 : 0;
            line.send_number(num_served);
            (void)line.wait();
        });
        Scene scene;
        EXPECT_EQ(scene.victim.ask("poor"), "yes");
        const raw::Descriptor &known = scene.descriptor;
        crowd.line.send(known.bytes());

        EXPECT_EQ(crowd.line.receive_number(), 16u);
        EXPECT_EQ(scene.victim.ask("can you open files"), "yes");
        scene.expect_served();
        EXPECT_EQ(raw::Importer(scene.descriptor).greet(), raw::kOk); // of another process
        crowd.end();
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, AddressesOutsideOfTheWindow)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::uint64_t begin = scene.descriptor.addr;
        constexpr std::uint64_t kMax = ~std::uint64_t{0};
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const std::vector<raw::Importer::Piece> kOutside{{begin - 1, 1},
                                                             {begin - 1, 2},
                                                             {begin + kPage, 1},
                                                             {begin + kPage - 1, 2},
                                                             {begin, kPage + 1},
                                                             {0, 1},
                                                             {0, 0},
                                                             {kMax, 1},
                                                             {kMax - 10, 20},
                                                             {begin + kPage + 1, 0},
                                                             {begin - kPage, 3 * kPage}};
            for (const auto &piece : kOutside)
                for (const bool is_write : {false, true})
                    EXPECT_EQ(raw.copy(is_write, {{begin, 1}, piece}), raw::kNotPermitted)
                        << piece.addr << ", " << piece.len;
            EXPECT_EQ(raw.copy(true, {{begin, 0}, {begin + kPage, 0}}), raw::kOk);
        }
        // What is no mistake of an importer ends the connection.
        const auto expect_end = [&](const std::vector<raw::Importer::Piece> &pieces,
                                    std::uint64_t staging_offset) {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            EXPECT_EQ(raw.copy(true, pieces, staging_offset), std::nullopt);
            EXPECT_TRUE(raw.socket.is_ended());
        };
        constexpr std::uint64_t kStaging = raw::Importer::kStaging;
        expect_end({{begin, kMax}}, 0);
        expect_end({{begin, kMax - begin}}, 0);
        expect_end({{begin, kStaging + 1}}, 0);
        expect_end({{begin, 1}}, kStaging);
        expect_end({{begin, 1}}, kStaging + 1);
        expect_end({{begin, 1}}, kMax);
        expect_end({{begin, kPage}, {begin, kPage}}, kStaging - kPage);
        expect_end(std::vector<raw::Importer::Piece>(65, {begin, 1}), 0);
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WindowsThatItWasNotGranted)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const std::vector<raw::Importer::Piece> pieces{{scene.descriptor.addr, 1}};
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const std::uint64_t generation = raw.generation;
            raw.generation = generation + 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.generation = generation - 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.generation = generation;
            raw.slot += 1;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.slot = 4095;
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted);
            raw.slot = 4096;
            EXPECT_EQ(raw.copy(false, pieces), std::nullopt);
        }
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            raw::Bytes close;
            close.u32(raw.slot).u32(0).u64(raw.generation);
            raw.socket.send(raw::message(raw::kCloseWindow, close));
            EXPECT_EQ(raw.copy(false, pieces), raw::kNotPermitted); // closed
            raw.socket.send(raw::message(raw::kCloseWindow, close));
            EXPECT_TRUE(raw.socket.is_ended()); // what it does not have
        }
        scene.expect_unharmed();
    });
}
