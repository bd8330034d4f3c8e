// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What doca_mmap_stop promises to the exporter, and importers that go. The stage exports here.

#include "support/rounds.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 1 << 20;
constexpr std::size_t kPiece = 128 * 1024;
constexpr std::size_t kDepth = 4;

class WindowStop : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowStop, testing::ValuesIn(kEachRoute), name_of_route);

/// Writes into an import without pause, until a task fails. Says when the first has succeeded.
void write_until_failure(Importer &importer, const Import &import, const Line &line)
{
    std::uint64_t num = 0;
    bool has_failed = false;
    const auto submit = [&] {
        const std::size_t offset = num++ % (kSize / kPiece) * kPiece;
        doca_buf *const from = importer.data(offset, kPiece);
        doca_buf *const to = importer.room(import, offset, kPiece);
        importer.submit(from, to, num);
    };
    for (std::size_t i = 0; i < kDepth; ++i)
        submit();
    bool is_first = true;
    while (!has_failed) {
        const std::size_t num_before = importer.ends.size();
        if (!importer.wait_for_ends(num_before + 1))
            throw std::runtime_error("a write does not end");
        has_failed = importer.ends.back().status != DOCA_SUCCESS;
        if (!has_failed && is_first)
            line.send("writing");
        is_first = false;
        if (importer.ends.size() % 100 == 0 && !has_failed) { // the inventory is not endless
            if (!wait_until(
                    importer.pe, [&] { return importer.context.num_inflight() == 0; }, patience()))
                throw std::runtime_error("the writes do not end");
            has_failed = importer.ends.back().status != DOCA_SUCCESS;
            if (!has_failed) {
                importer.reclaim();
                for (std::size_t i = 0; i < kDepth; ++i)
                    submit();
            }
        } else if (!has_failed) {
            submit();
        }
    }
    EXPECT_TRUE(importer.recover());
}

/// The importer of these tests: for each descriptor it gets, writes until that fails.
void writer(Line &line)
{
    Importer importer(2 * kDepth, kSize);
    std::memset(importer.area.data(), 0xee, kSize);
    std::string descriptor;
    while (line.wait(&descriptor)) {
        Import &import = importer.import(descriptor);
        write_until_failure(importer, import, line);
        EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
        importer.imports.clear();
        line.send("failed");
    }
}

Milliseconds time_of_stop(doca_mmap *mmap)
{
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
    return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begin);
}

} // namespace

TEST_P(WindowStop, WhenItReturnsNobodyWritesAnyMore)
{
    on_stage(via_, [this] {
        Process peer(other_role(), writer);
        Exported own(via_, kSize);
        std::mt19937 random(3);
        const std::vector<std::byte> bytes = pattern(kSize, 4);

        for (int round = 0; round < 200; ++round) {
            peer.line.send(own.descriptor());
            ASSERT_EQ(peer.line.receive(), "writing");
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 200)); // any moment

            EXPECT_EQ(doca_mmap_stop(own.mmap), DOCA_SUCCESS);

            std::memcpy(own.region.data(), bytes.data(), kSize);
            ASSERT_EQ(peer.line.receive(), "failed"); // its last copy is over
            ASSERT_EQ(first_difference(own.region.data(), bytes.data(), kSize), kSize)
                << "round " << round;
            must(doca_mmap_start(own.mmap));
        }
    });
}

TEST_P(WindowStop, DestroyPromisesTheSame)
{
    on_stage(via_, [this] {
        Process peer(other_role(), writer);
        const std::vector<std::byte> bytes = pattern(kSize, 4);
        for (int round = 0; round < 30; ++round) {
            Exported own(via_, kSize);
            peer.line.send(own.descriptor());
            ASSERT_EQ(peer.line.receive(), "writing");

            EXPECT_EQ(own.mmap.destroy(), DOCA_SUCCESS);

            std::memcpy(own.region.data(), bytes.data(), kSize);
            ASSERT_EQ(peer.line.receive(), "failed");
            ASSERT_EQ(first_difference(own.region.data(), bytes.data(), kSize), kSize)
                << "round " << round;
        }
    });
}

TEST_P(WindowStop, SeveralImportersAreWaitedFor)
{
    on_stage(via_, [this] {
        std::deque<Process> peers;
        for (int i = 0; i < 3; ++i)
            peers.emplace_back(other_role(), writer);
        Exported own(via_, kSize);
        const std::vector<std::byte> bytes = pattern(kSize, 4);
        for (int round = 0; round < 20; ++round) {
            const std::string descriptor = own.descriptor();
            for (const Process &peer : peers)
                peer.line.send(descriptor);
            for (const Process &peer : peers)
                ASSERT_EQ(peer.line.receive(), "writing");

            EXPECT_EQ(doca_mmap_stop(own.mmap), DOCA_SUCCESS);

            std::memcpy(own.region.data(), bytes.data(), kSize);
            for (const Process &peer : peers)
                ASSERT_EQ(peer.line.receive(), "failed");
            ASSERT_EQ(first_difference(own.region.data(), bytes.data(), kSize), kSize)
                << "round " << round;
            must(doca_mmap_start(own.mmap));
        }
    });
}

/// An importer that stands still in the middle of a copy delays the stop, by a second at most.
TEST_P(WindowStop, AnImporterThatStandsStillDelaysItABit)
{
    on_stage(via_, [this] {
        Process peer(other_role(), writer);
        Exported own(via_, kSize);
        std::mt19937 random(5);

        for (int round = 0; round < 2; ++round) {
            peer.line.send(own.descriptor());
            ASSERT_EQ(peer.line.receive(), "writing");
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
            peer.pause();

            EXPECT_LT(time_of_stop(own.mmap), patience(std::chrono::seconds(2)));

            peer.resume();
            ASSERT_EQ(peer.line.receive(), "failed");
            must(doca_mmap_start(own.mmap));
        }
    });
}

TEST_P(WindowStop, AnImporterThatIsKilledDoesNotDelayIt)
{
    on_stage(via_, [this] {
        std::deque<Process> peers;
        const int num_rounds = std::min(softdoca::test::num_rounds(5), 250);
        for (int round = 0; round < num_rounds; ++round)
            peers.emplace_back(other_role(), writer);
        Exported own(via_, kSize);
        std::mt19937 random(9);
        (void)own.descriptor(); // from here on there is an agent
        const Census before = Census::now();

        for (Process &peer : peers) {
            peer.line.send(own.descriptor());
            ASSERT_EQ(peer.line.receive(), "writing");
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
            peer.kill();

            EXPECT_LT(time_of_stop(own.mmap), patience(std::chrono::seconds(1)));

            must(doca_mmap_start(own.mmap));
        }
        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
            << Census::now() << " after " << num_rounds << " deaths, before " << before;
    });
}

TEST_P(WindowStop, ADeadImporterDoesNotHurtAnother)
{
    on_stage(via_, [this] {
        Process victim(other_role(), writer), survivor(other_role(), [](Line &line) {
            Importer importer(1, kSize);
            Import &import = importer.import(line.receive());
            EXPECT_EQ(importer.write(import, 0, kSize), DOCA_SUCCESS);
            line.send("written");
            (void)line.wait();
            for (int round = 0; round < 50; ++round)
                EXPECT_EQ(importer.write(import, 0, kSize), DOCA_SUCCESS);
            line.send("written");
            (void)line.wait();
        });
        Exported own(via_, kSize);
        const std::string descriptor = own.descriptor();
        victim.line.send(descriptor);
        survivor.line.send(descriptor);
        ASSERT_EQ(victim.line.receive(), "writing");
        ASSERT_EQ(survivor.line.receive(), "written");

        victim.kill();

        survivor.line.send("again");
        EXPECT_EQ(survivor.line.receive(), "written");
    });
}

/// Exporting and importing again and again keeps nothing.
TEST_P(WindowStop, NothingIsLeftOfManyExportsAndImports)
{
    on_stage(via_, [this] {
        Process peer(other_role(), [](Line &line) {
            const Device device;
            std::string descriptor;
            ASSERT_TRUE(line.wait(&descriptor));
            EXPECT_EQ(import_code(device, descriptor), DOCA_SUCCESS);
            const Census before = Census::now();
            line.send("done");
            while (line.wait(&descriptor)) {
                EXPECT_EQ(import_code(device, descriptor), DOCA_SUCCESS);
                line.send("done");
            }
            EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
                << Census::now() << ", before " << before;
        });
        Exported own(via_, 4096);
        const auto cycle = [&] {
            peer.line.send(own.descriptor());
            ASSERT_EQ(peer.line.receive(), "done");
            must(doca_mmap_stop(own.mmap));
            must(doca_mmap_start(own.mmap));
        };
        cycle();
        const Census before = Census::now();

        for (int round = 0; round < 200; ++round)
            cycle();

        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
            << Census::now() << ", before " << before;
    });
}

/// The same for imports that were copied from: the connection goes with the import.
TEST_P(WindowStop, NothingIsLeftOfManyCopiedImports)
{
    on_stage(via_, [this] {
        Process peer(other_role(), [](Line &line) {
            Importer importer(1, 4096);
            const std::string descriptor = line.receive();
            const auto cycle = [&] {
                Import &import = importer.import(descriptor);
                EXPECT_EQ(importer.read(import, 0, 4096), DOCA_SUCCESS);
                EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
                importer.imports.clear();
            };
            cycle();
            cycle();
            const Census before = Census::now();
            line.send("two");
            (void)line.wait();
            for (int round = 0; round < 50; ++round)
                cycle();
            EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
                << Census::now() << ", before " << before;
            line.send("many");
            (void)line.wait();
        });
        Exported own(via_, 4096);
        peer.line.send(own.descriptor());
        EXPECT_EQ(peer.line.receive(), "two");
        const Census before = Census::now();
        peer.line.send("go on");
        EXPECT_EQ(peer.line.receive(), "many");

        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
            << Census::now() << ", before " << before;
    });
}
