// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Producers that write what they like to the memory of posted receives. Each receive ends, once.

#include "support/comch_victim.hpp"
#include "support/raw_channel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::uint64_t kStaging = raw::QueueMemory::kStagingSize;
constexpr std::uint32_t kNumReceives = 4;
constexpr std::uint32_t kRoom = 4096; // of each
using Fill = raw::QueueMemory::Fill;

/// A client that produces for a consumer of the server, by the bytes.
class RawProducer {
public:
    /// kind: of the consumer's memory.
    RawProducer(const HostileComchScene &scene, const std::string &kind)
        : victim_(scene.victim), client_(raw::Client::connected(raw::ServiceRecord::find()))
    {
        victim_.line.send("consume " + kind + " " + std::to_string(kNumReceives) + " " +
                          std::to_string(kRoom));
        queue_ = client_->await_queue();
        if (queue_ != nullptr) {
            memory().set_is_known(1);
            ring();
        }
        const std::string id = victim_.line.receive();
        EXPECT_TRUE(queue_ != nullptr && id == std::to_string(queue_->id)) << id;
    }

    const raw::QueueMemory &memory() const { return queue_->memory; }
    raw::Client &client() { return *client_; }
    void ring() { client_->ring(queue_->bell_id, queue_->bit); }
    void fill(std::uint64_t count, const Fill &fill)
    {
        memory().fill(count, fill);
        ring();
    }
    void set(std::uint64_t count, std::uint64_t number)
    {
        memory().set_number(count, number);
        ring();
    }
    /// Of a message that arrives piece by piece, as far as it has come.
    void begin_staged(std::uint64_t count, std::uint32_t len, std::uint64_t num_there)
    {
        memory().set_num_staged(num_there);
        fill(count, {raw::kStaged, len, 0, 0, {}});
    }
    void hang_up() { client_->socket = raw::Socket(raw::Fd()); }

    /// Successes, failures, receives under way.
    std::string receives() const { return victim_.ask("receives"); }
    [[nodiscard]] bool comes_to(const std::string &receives) const
    {
        return comes_true([&] { return this->receives() == receives; });
    }
    /// All that was posted and not filled ends badly, and the consumer with it.
    void expect_flushed(std::size_t num_good = 0) const
    {
        EXPECT_TRUE(comes_to(std::to_string(num_good) + " " + std::to_string(kNumReceives) + " 0"))
            << receives();
        EXPECT_EQ(victim_.ask("end consumer"), "DOCA_SUCCESS");
    }

private:
    const ComchVictim &victim_;
    const std::unique_ptr<raw::Client> client_;
    raw::AttachedQueue *queue_ = nullptr;
};

struct Attack {
    const char *name;
    std::function<void(RawProducer &producer)> make;
};

Attack fills(const char *name, const Fill &fill)
{
    return {name, [fill](RawProducer &producer) { producer.fill(0, fill); }};
}

Attack numbers(const char *name, std::uint64_t number)
{
    return {name, [number](RawProducer &producer) { producer.set(0, number); }};
}

/// Each costs the connection.
void expect_lost(const std::string &kind, const std::vector<Attack> &attacks)
{
    on_stage([&] {
        HostileComchScene scene;
        for (const Attack &attack : attacks) {
            SCOPED_TRACE(attack.name);
            RawProducer producer(scene, kind);
            attack.make(producer);
            producer.expect_flushed();
            scene.expect_losses(1);
            scene.expect_served();
        }
        scene.expect_unharmed();
    });
}

} // namespace

TEST(ComchHostileProducer, ARawProducerThatBehavesIsServed)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawProducer producer(scene, "plain");
            producer.fill(0, {raw::kEager, 5, 0, 3, "hello"});
            producer.fill(1, {raw::kEager, 0, 0, 1, {}});
            producer.begin_staged(2, 1000, 1000);
            producer.memory().set(3, raw::kEmpty); // taken back
            producer.ring();
            EXPECT_TRUE(producer.comes_to("3 0 4")) << producer.receives();
            for (std::uint64_t count = 4; count < 1000; ++count) { // as they are posted again
                EXPECT_TRUE(comes_true([&] { return producer.memory().is(count, raw::kPosted); }));
                producer.fill(count, {raw::kEager, 1, 0, 0, "x"});
            }
            EXPECT_TRUE(producer.comes_to("999 0 4")) << producer.receives();
            producer.hang_up();
            producer.expect_flushed(999);
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

TEST(ComchHostileProducer, SlotsThatMakeNoSense)
{
    expect_lost("plain", {
                             numbers("the greatest", kMax),
                             numbers("of the next round", 8),
                             numbers("of the next round, filled", 9),
                             numbers("withdrawn, which is the consumer's", 4 + raw::kWithdrawn),
                         });
}

TEST(ComchHostileProducer, MessagesThatDoNotFit)
{
    expect_lost("plain", {
                             fills("257 at once", {raw::kEager, 257, 0, 0, {}}),
                             fills("4097 at once", {raw::kEager, kRoom + 1, 0, 0, {}}),
                             fills("4 GiB at once", {raw::kEager, 0xffffffff, 0, 0, {}}),
                             fills("4097 in pieces", {raw::kStaged, kRoom + 1, 0, 0, {}}),
                             fills("4 GiB in pieces", {raw::kStaged, 0xffffffff, 0, 0, {}}),
                             fills("too much immediate data", {raw::kEager, 1, 0, 17, "x"}),
                             fills("65535 of immediate data", {raw::kEager, 1, 0, 65535, "x"}),
                         });
}

TEST(ComchHostileProducer, KindsOfMessagesThatAreNone)
{
    expect_lost("plain", {
                             fills("0", {0, 1, 0, 0, "x"}),
                             fills("4", {4, 1, 0, 0, "x"}),
                             fills("65535", {65535, 1, 0, 0, "x"}),
                             fills("direct", {raw::kDirect, 1, 0, 0, "x"}),
                         });
}

TEST(ComchHostileProducer, DirectMessagesThatDoNotFit)
{
    expect_lost("shared", {
                              fills("4097", {raw::kDirect, kRoom + 1, 0, 0, {}}),
                              fills("4 GiB", {raw::kDirect, 0xffffffff, 0, 0, {}}),
                              fills("257 at once", {raw::kEager, 257, 0, 0, {}}),
                          });
}

TEST(ComchHostileProducer, PlacesInStagingThatAreNotNext)
{
    std::vector<Attack> attacks;
    for (const std::uint64_t place : {std::uint64_t{1}, std::uint64_t{64}, kStaging, kMax})
        attacks.push_back(fills("place", {raw::kStaged, 300, place, 0, {}}));
    attacks.push_back(fills("no length", {raw::kStaged, 0, 0, 0, {}}));
    for (const std::uint64_t num : {kMax, kStaging + 1, kMax / 2})
        attacks.push_back(
            {"num_staged", [num](RawProducer &producer) { producer.begin_staged(0, 300, num); }});
    expect_lost("plain", attacks);
}

/// The rest of a long message must not go where another one is expected.
TEST(ComchHostileProducer, LongMessagesThatAreLeftInTheMiddle)
{
    std::vector<Attack> attacks;
    for (const raw::Use use : {raw::kWithdrawn, raw::kEmpty, raw::kPosted})
        attacks.push_back({"in place of filled", [use](RawProducer &producer) {
                               producer.begin_staged(0, 4000, 100);
                               while (producer.memory().memory.get64(136) != 100) // num_unstaged
                                   std::this_thread::yield();
                               producer.memory().set(0, use);
                               producer.fill(1, {raw::kStaged, 10, 64, 0, {}});
                           }});
    attacks.push_back({"another kind", [](RawProducer &producer) {
                           producer.begin_staged(0, 4000, 100);
                           while (producer.memory().memory.get64(136) != 100)
                               std::this_thread::yield();
                           producer.fill(0, {raw::kEager, 10, 0, 0, "0123456789"});
                       }});
    expect_lost("plain", attacks);
}

/// It stands still there, and its consumer waits, until it hangs up.
TEST(ComchHostileProducer, StandsStillInTheMiddleOfALongMessage)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawProducer producer(scene, "plain");
            producer.begin_staged(0, 4000, 100);
            scene.expect_served();
            EXPECT_EQ(producer.receives(), "0 0 4");
            producer.hang_up();
            producer.expect_flushed();
        }
        scene.expect_losses(1);
        scene.expect_unharmed();
    });
}

/// Each of them is posted again, so a turn could go on for ever.
TEST(ComchHostileProducer, TakesBackWithoutEnd)
{
    on_stage([] {
        HostileComchScene scene;
        {
            RawProducer producer(scene, "plain");
            const raw::QueueMemory &memory = producer.memory();
            std::uint64_t next = 0;
            const raw::Meanwhile take_back([&] {
                if (memory.is(next, raw::kPosted))
                    memory.set(next++, raw::kEmpty);
            });
            const std::uint64_t before = scene.bystander.num_rounds();
            producer.ring();
            EXPECT_TRUE(comes_true([&] { return scene.bystander.num_rounds() > before + 100; }));
        }
        scene.expect_losses(1);
        EXPECT_EQ(scene.victim.ask("end consumer"), "DOCA_SUCCESS");
        scene.expect_unharmed();
    });
}

TEST(ComchHostileProducer, ChangesAllOfTheMemoryAllTheTime)
{
    on_stage([] {
        HostileComchScene scene;
        for (const std::string kind : {"plain", "shared"})
            for (unsigned seed = 1; seed <= 10; ++seed) {
                SCOPED_TRACE(kind + ", seed " + std::to_string(seed));
                RawProducer producer(scene, kind);
                std::mt19937_64 random(seed);
                const raw::QueueMemory &memory = producer.memory();
                std::uint64_t count = 0;
                {
                    const raw::Meanwhile scribble([&] {
                        const std::uint64_t value = random();
                        const std::size_t most =
                            raw::QueueMemory::kSlots + kNumReceives * raw::QueueMemory::kSlotSize;
                        if (value % 8 == 0)
                            memory.fill(count, {static_cast<std::uint16_t>(value >> 8 & 3),
                                                static_cast<std::uint32_t>(value >> 16 & 8191),
                                                memory.num_staged(),
                                                0,
                                                {}});
                        else if (value % 8 == 1)
                            memory.set_num_staged(memory.num_staged() + (value >> 8 & 4095));
                        else
                            memory.memory.put32(128 + (value >> 8) % (most - 128) / 4 * 4,
                                                value >> 40 & 15);
                        count += value >> 60 & 1;
                        producer.ring();
                    });
                    scene.expect_served();
                }
                producer.hang_up();
                EXPECT_EQ(scene.victim.ask("end consumer"), "DOCA_SUCCESS");
                scene.expect_losses(1);
            }
        scene.expect_unharmed();
    });
}
