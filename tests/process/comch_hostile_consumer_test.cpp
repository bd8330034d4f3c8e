// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Consumers that write what they like to the memory of their receives. Each send to them ends,
// once.

#include "support/comch_victim.hpp"
#include "support/raw_channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

/// A client with a consumer, for a producer of the server.
class RawConsumer {
public:
    explicit RawConsumer(const HostileComchScene &scene, std::size_t num_slots = 4,
                         std::size_t window_len = 0, const std::string &put_len = "65536")
        : victim_(scene.victim), client_(raw::Client::connected(raw::ServiceRecord::find())),
          memory_(num_slots, &fd_)
    {
        raw::QueueOffer offer;
        offer.channel = client_->server_number;
        offer.num_slots = static_cast<std::uint32_t>(num_slots);
        offer.window_len = window_len;
        std::vector<int> fds{fd_.get()};
        if (window_len != 0) {
            window_ = raw::shared_memory(window_len, &window_fd_);
            fds.push_back(window_fd_.get());
        }
        client_->attach(offer, fds);
        EXPECT_TRUE(comes_true([this] { return memory_.is_known(); }));
        EXPECT_EQ(victim_.ask("produce plain " + put_len), "DOCA_SUCCESS");
    }

    const raw::QueueMemory &memory() const { return memory_; }
    const raw::Mapping &window() const { return window_; }
    raw::Client &client() { return *client_; }
    /// What the submit says.
    std::string put(std::size_t len) const { return victim_.ask("put 1 " + std::to_string(len)); }
    std::string puts() const { return victim_.ask("puts"); }
    [[nodiscard]] bool comes_to(const std::string &puts) const
    {
        return comes_true([&] { return this->puts() == puts; });
    }
    void end(const std::string &puts)
    {
        client_->socket = raw::Socket(raw::Fd());
        EXPECT_TRUE(comes_to(puts)) << this->puts();
        EXPECT_EQ(victim_.ask("end producer"), "DOCA_SUCCESS");
    }

private:
    const ComchVictim &victim_;
    const std::unique_ptr<raw::Client> client_;
    raw::Fd fd_, window_fd_;
    raw::QueueMemory memory_;
    raw::Mapping window_;
};

} // namespace

TEST(ComchHostileConsumer, ARawConsumerThatBehavesIsServed)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawConsumer consumer(scene);
            EXPECT_EQ(consumer.put(100), "AGAIN");
            consumer.memory().post(0, 100);
            consumer.memory().post(1, 65536);
            EXPECT_EQ(consumer.put(101), "DOCA_SUCCESS"); // to end badly
            EXPECT_EQ(consumer.put(100), "DOCA_SUCCESS");
            EXPECT_EQ(consumer.put(65536), "DOCA_SUCCESS");
            EXPECT_TRUE(comes_true([&] { return consumer.memory().is(1, raw::kFilled); }));
            EXPECT_EQ(consumer.memory().len(0), 100u);
            EXPECT_EQ(consumer.memory().len(1), 65536u);
            EXPECT_EQ(consumer.memory().num_staged(), 65536u);
            consumer.end("2 1 0");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileConsumer, RoomThatIsNotThere)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawConsumer consumer(scene);
            for (std::uint64_t i = 0; i < 4; ++i)
                consumer.memory().post(i, 0xffffffff, kMax); // no place: there is no window
            for (const std::size_t len : {1u, 256u, 257u, 65536u})
                EXPECT_EQ(consumer.put(len), "DOCA_SUCCESS");
            consumer.end("4 0 0");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileConsumer, BuffersOutsideOfTheWindow)
{
    on_stage([] {
        HostileComchScene scene;
        {
            constexpr std::size_t kWindow = 8192;
            RawConsumer consumer(scene, 16, kWindow);
            const std::pair<std::uint64_t, std::size_t> kPlaces[] = {
                {kWindow, 1},        {kWindow - 1, 2},
                {0, kWindow + 1},    {1, kWindow},
                {kMax, 1},           {kMax - 99, 100},
                {kMax / 2, 1},       {kMax - 4095, 5000},
                {kWindow + 4096, 1}, {std::uint64_t{1} << 32, 1},
            };
            std::uint64_t count = 0;
            for (const auto &[place, len] : kPlaces) {
                consumer.memory().post(count, 0xffffffff, place);
                EXPECT_EQ(consumer.put(len), "DOCA_SUCCESS");
                EXPECT_TRUE(consumer.memory().is(count, raw::kEmpty)); // nothing was sent
                ++count;
            }
            consumer.memory().post(count, 0xffffffff, kWindow - 10);
            EXPECT_EQ(consumer.put(10), "DOCA_SUCCESS");
            EXPECT_EQ(*consumer.window().at(kWindow - 1), 'p');
            consumer.end("1 " + std::to_string(count) + " 0");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileConsumer, SlotsThatMakeNoSense)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawConsumer consumer(scene);
            for (const std::uint64_t number : {kMax, kMax / 2, std::uint64_t{1}, std::uint64_t{5},
                                               std::uint64_t{7}, std::uint64_t{8}}) {
                consumer.memory().set_number(0, number);
                EXPECT_EQ(consumer.put(10), "AGAIN") << number;
            }
            scene.expect_served();
            consumer.end("0 0 0");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// A submit passes over them, and must come back.
TEST(ComchHostileConsumer, WithdrawsWithoutEnd)
{
    on_stage([] {
        HostileComchScene scene;
        {
            constexpr std::size_t kNum = 1 << 16;
            RawConsumer consumer(scene, kNum);
            for (std::size_t i = 0; i < kNum; ++i)
                consumer.memory().set(i, raw::kWithdrawn);
            EXPECT_EQ(consumer.put(10), "AGAIN");
            std::uint64_t round = 1;
            const raw::Meanwhile withdraw([&] {
                for (std::uint64_t i = 0; i < kNum; ++i)
                    consumer.memory().set(round * kNum + i, raw::kWithdrawn);
                ++round;
            });
            for (int i = 0; i < 20; ++i)
                EXPECT_EQ(consumer.put(10), "AGAIN");
            scene.expect_served();
        }
        scene.expect_losses(1);
        EXPECT_EQ(scene.victim.ask("end producer"), "DOCA_SUCCESS");
        scene.expect_unharmed();
    });
}

TEST(ComchHostileConsumer, SaysWhatItLikesAboutStaging)
{
    on_stage([] {
        HostileComchScene scene;
        for (const std::uint64_t lie :
             {kMax, kMax / 2, raw::QueueMemory::kStagingSize, std::uint64_t{1} << 40}) {
            SCOPED_TRACE(lie);
            RawConsumer consumer(scene, 4, 0, "4000000");
            consumer.memory().post(0, 4000000);
            consumer.memory().set_num_unstaged(lie);
            EXPECT_EQ(consumer.put(4000000), "DOCA_SUCCESS");
            scene.expect_served();
            consumer.end("0 1 0");
            scene.expect_losses(1);
        }
        {
            RawConsumer consumer(scene, 4, 0, "4000000");
            consumer.memory().post(0, 4000000);
            {
                const raw::Meanwhile free( // as if it had taken all of it at once
                    [&] { consumer.memory().set_num_unstaged(consumer.memory().num_staged()); });
                EXPECT_EQ(consumer.put(4000000), "DOCA_SUCCESS");
                EXPECT_TRUE(consumer.comes_to("1 0 0")) << consumer.puts();
            }
            consumer.end("1 0 0");
            scene.expect_losses(1);
        }
        scene.expect_unharmed();
    });
}

/// What it does not take ends with it.
TEST(ComchHostileConsumer, ExpiresInTheMiddleOfALongMessage)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawConsumer consumer(scene, 4, 0, "4000000");
            consumer.memory().post(0, 4000000);
            consumer.memory().post(1, 4000000);
            EXPECT_EQ(consumer.put(4000000), "DOCA_SUCCESS");
            EXPECT_EQ(consumer.put(4000000), "DOCA_SUCCESS");
            consumer.memory().set_is_stopping(1);
            consumer.client().say(raw::RawMessage::notice(raw::kExpiredConsumer, 1));
            EXPECT_TRUE(consumer.comes_to("0 2 0")) << consumer.puts();
            EXPECT_EQ(consumer.put(10), "NOT_CONNECTED");
            scene.expect_served();
            consumer.end("0 2 0");
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileConsumer, ChangesAllOfTheMemoryAllTheTime)
{
    on_stage([] {
        HostileComchScene scene;
        for (const std::size_t window : {std::size_t{0}, std::size_t{65536}})
            for (unsigned seed = 1; seed <= 10; ++seed) {
                SCOPED_TRACE(std::to_string(window) + ", seed " + std::to_string(seed));
                RawConsumer consumer(scene, 4, window);
                std::mt19937_64 random(seed);
                const raw::Meanwhile scribble([&] {
                    const std::uint64_t value = random();
                    const std::size_t offset = 128 + (value >> 8) % (384 + 4 * 320) / 8 * 8;
                    if (value % 4 == 0)
                        consumer.memory().post(value >> 40 & 63, 65536, value >> 20 & 0x1ffff);
                    else
                        consumer.memory().memory.put64(offset, value >> 40 & 255);
                });
                for (int i = 0; i < 50; ++i)
                    (void)consumer.put(i % 2 == 0 ? 100 : 10000);
                scene.expect_served();
                consumer.client().socket = raw::Socket(raw::Fd());
                scene.expect_losses(1);
                EXPECT_EQ(scene.victim.ask("end producer"), "DOCA_SUCCESS");
            }
        scene.expect_unharmed();
    });
}
