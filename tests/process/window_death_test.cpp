// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Exporters that go, in every way and at every moment. Never old data, never a hang; each task ends
// once; the importer goes on with another peer.

#include "support/rounds.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 1 << 20;
constexpr std::size_t kPiece = 16 * 1024;
constexpr std::size_t kNum = 64;
constexpr Milliseconds kSoon = std::chrono::seconds(1);

class WindowDeath : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowDeath, testing::ValuesIn(kEachRoute), name_of_route);

/// A copy fails and moves nothing, and the context can be used again.
void expect_gone(Importer &importer, const Import &import)
{
    std::memset(importer.area.data(), 0, importer.area.size());
    const std::vector<std::byte> nothing(importer.area.size());
    EXPECT_EQ(importer.read(import, 0, 4096), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(first_difference(importer.area.data(), nothing.data(), nothing.size()),
              nothing.size());
    EXPECT_TRUE(importer.recover());
    EXPECT_EQ(importer.write(import, 0, 4096), DOCA_ERROR_IO_FAILED);
    EXPECT_TRUE(importer.recover());
}

void expect_works(Importer &importer, const Import &import)
{
    EXPECT_EQ(importer.read(import, 0, kPiece), DOCA_SUCCESS);
    EXPECT_EQ(first_difference(importer.area.data(), pattern(import.size(), 1).data(), kPiece),
              kPiece);
}

/// Each task ended once: some succeeded (with the right bytes), then one failed, then the rest was
/// flushed; or all succeeded.
void expect_orderly_ends(const Importer &importer, const std::vector<std::byte> &bytes)
{
    ASSERT_EQ(importer.ends.size(), kNum);
    std::size_t num_good = 0;
    while (num_good < kNum && importer.ends[num_good].status == DOCA_SUCCESS)
        ++num_good;
    for (std::size_t i = 0; i < kNum; ++i)
        EXPECT_EQ(importer.ends[i], (Importer::End{i, i < num_good    ? DOCA_SUCCESS
                                                      : i == num_good ? DOCA_ERROR_IO_FAILED
                                                                      : DOCA_ERROR_SHUTDOWN}));
    EXPECT_EQ(first_difference(importer.area.data(), bytes.data(), num_good * kPiece),
              num_good * kPiece);
}

void submit_all(Importer &importer, const Import &import)
{
    importer.ends.clear();
    std::memset(importer.area.data(), 0, importer.area.size());
    for (std::size_t i = 0; i < kNum; ++i)
        importer.submit(importer.data(import, i * kPiece, kPiece),
                        importer.room(i * kPiece, kPiece), i);
}

/// The context stops by itself if a task failed.
void go_on(Importer &importer)
{
    if (importer.ends.back().status != DOCA_SUCCESS) {
        EXPECT_TRUE(importer.recover());
    }
    importer.reclaim();
}

} // namespace

TEST_P(WindowDeath, TheExporterStopsTheMmap)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &own, Line &line) {
            (void)line.wait();
            EXPECT_EQ(doca_mmap_stop(own.mmap), DOCA_SUCCESS);
            line.send("stopped");
            (void)line.wait();
            EXPECT_EQ(doca_mmap_start(own.mmap), DOCA_SUCCESS);
            line.send(own.descriptor());
            (void)line.wait();
        });
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);
        peer.line.send("stop");
        EXPECT_EQ(peer.line.receive(), "stopped");

        expect_gone(importer, import);

        peer.line.send("start");
        Import &again = importer.import(peer.line.receive());
        expect_works(importer, again);
        expect_gone(importer, import); // the restart does not revive it
        EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
        expect_works(importer, again);
    });
}

TEST_P(WindowDeath, TheExporterDestroysTheMmapAndUsesTheMemory)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &own, Line &line) {
            (void)line.wait();
            EXPECT_EQ(own.mmap.destroy(), DOCA_SUCCESS);
            own.region.fill(2);
            line.send("destroyed");
            (void)line.wait();
            own.region.expect_pattern(2);
        });
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);
        peer.line.send("destroy");
        EXPECT_EQ(peer.line.receive(), "destroyed");

        expect_gone(importer, import);

        peer.line.send("compare");
    });
}

TEST_P(WindowDeath, TheExporterExits)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);

        peer.end();

        expect_gone(importer, import);
    });
}

/// An exit with everything alive: no destructor runs.
TEST_P(WindowDeath, TheExporterExitsInTheMiddle)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &, Line &line) {
            (void)line.wait();
            std::exit(0);
        });
        Importer importer(kNum, kSize);
        Import &import = importer.import(peer.line.receive());
        submit_all(importer, import);
        ASSERT_TRUE(importer.wait_for_ends(3));

        peer.end();

        ASSERT_TRUE(importer.wait_for_ends(kNum, patience(kSoon)));
        expect_orderly_ends(importer, pattern(kSize, 1));
        go_on(importer);
        expect_gone(importer, import);
    });
}

TEST_P(WindowDeath, TheExporterIsKilledAndAnotherTakesOver)
{
    on_stage(via_, [this] {
        Exporter victim(via_, kSize), heir(via_, kSize);
        Importer importer;
        Import &lost = importer.import(victim.line.receive());
        expect_works(importer, lost);

        victim.kill();

        expect_gone(importer, lost);
        Import &import = importer.import(heir.line.receive());
        expect_works(importer, import);
        EXPECT_EQ(lost.destroy(), DOCA_SUCCESS);
        expect_works(importer, import);
    });
}

TEST_P(WindowDeath, KilledWithTasksInFlight)
{
    on_stage(via_, [this] {
        std::deque<Exporter> victims;
        const int num_rounds = std::min(softdoca::test::num_rounds(5), 250);
        for (int round = 0; round < num_rounds; ++round)
            victims.emplace_back(via_, kSize);
        const std::vector<std::byte> bytes = pattern(kSize, 1);
        std::mt19937 random(7);
        Importer importer(kNum, kSize);
        std::vector<Census> censuses;

        for (Exporter &victim : victims) {
            Import &import = importer.import(victim.line.receive());
            submit_all(importer, import);
            ASSERT_TRUE(importer.wait_for_ends(random() % kNum));

            victim.kill();

            ASSERT_TRUE(importer.wait_for_ends(kNum, patience(kSoon)));
            expect_orderly_ends(importer, bytes);
            go_on(importer);
            expect_gone(importer, import);
            EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
            importer.imports.clear();
            censuses.push_back(Census::now());
        }

        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(censuses.front()); }))
            << Census::now() << " after " << num_rounds << " deaths, " << censuses.front()
            << " after the first";
    });
}

TEST_P(WindowDeath, KilledInMidCopy)
{
    on_stage(via_, [this] {
        std::deque<Exporter> victims;
        const int num_rounds = std::min(softdoca::test::num_rounds(5), 250);
        for (int round = 0; round < num_rounds; ++round)
            victims.emplace_back(via_, kSize);
        const std::vector<std::byte> bytes = pattern(kSize, 1);
        std::mt19937 random(11);
        Importer importer(kNum, kSize);

        for (Exporter &victim : victims) {
            Import &import = importer.import(victim.line.receive());
            submit_all(importer, import);
            const auto delay = std::chrono::microseconds(random() % 300);
            std::thread killer([&] {
                std::this_thread::sleep_for(delay);
                ::kill(victim.pid(), SIGKILL);
            });
            EXPECT_TRUE(importer.wait_for_ends(kNum, patience(kSoon)));
            killer.join();
            victim.kill(); // gone for certain

            expect_orderly_ends(importer, bytes);
            go_on(importer);
            expect_gone(importer, import);
            EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
        }
    });
}

TEST_P(WindowDeath, KilledWhileItIsImported)
{
    on_stage(via_, [this] {
        std::deque<Exporter> victims;
        const int num_rounds = std::min(softdoca::test::num_rounds(5), 250);
        for (int round = 0; round < num_rounds; ++round)
            victims.emplace_back(via_, kSize);
        const Device device;
        std::mt19937 random(13);

        for (Exporter &victim : victims) {
            const std::string descriptor = victim.line.receive();
            const auto delay = std::chrono::microseconds(random() % 2000);
            std::thread killer([&] {
                std::this_thread::sleep_for(delay);
                ::kill(victim.pid(), SIGKILL);
            });
            doca_error_t code = DOCA_SUCCESS;
            EXPECT_TRUE(comes_true([&] {
                code = import_code(device, descriptor);
                return code != DOCA_SUCCESS;
            }));
            killer.join();
            victim.kill();

            EXPECT_EQ(code, DOCA_ERROR_DRIVER);
            EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_DRIVER);
        }
    });
}

/// The child has the exporter's memory; it is not the exporter.
void expect_gone_though_child_lives(Via via, pid_t (*make_child)(), bool is_refused_at_once)
{
    on_stage(via, [=] {
        Exporter peer(via, kSize, [=](Exported &, Line &line) {
            (void)line.wait();
            const pid_t child = make_child(); // with the connection to the importer
            if (child == 0)
                while (true)
                    ::pause();
            line.send_number(static_cast<std::uint64_t>(child));
            (void)line.wait();
        });
        const std::string descriptor = peer.line.receive();
        Importer importer;
        Import &import = importer.import(descriptor);
        expect_works(importer, import);
        peer.line.send("fork");
        const auto child = static_cast<pid_t>(peer.line.receive_number());

        peer.kill();

        expect_gone(importer, import);
        if (is_refused_at_once) {
            EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_DRIVER);
        }
        EXPECT_EQ(::kill(child, 0), 0); // it was there all the time
        ::kill(child, SIGKILL);
    });
}

TEST_P(WindowDeath, AForkedChildOfTheExporterLivesOn)
{
    expect_gone_though_child_lives(
        via_, [] { return ::fork(); }, true);
}

/// Made without libc, as some runtimes do: it keeps all descriptors, so no connection breaks, and a
/// new import finds that out only by waiting.
TEST_P(WindowDeath, AChildWithAllDescriptorsLivesOn)
{
    expect_gone_though_child_lives(
        via_, [] { return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }, false);
}

TEST_P(WindowDeath, TheExporterRunsAnotherProgram)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &, Line &line) {
            (void)line.wait();
            ::execl("/bin/sleep", "sleep", "60", nullptr);
            line.send("cannot run it");
        });
        const std::string descriptor = peer.line.receive();
        Importer importer;
        Import &import = importer.import(descriptor);
        expect_works(importer, import);
        peer.line.send("run it");
        EXPECT_FALSE(peer.line.wait()); // its end of the line is closed

        expect_gone(importer, import);

        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_DRIVER);
        peer.kill();
    });
}

/// What a stopped exporter has to do with a copy depends on the route; nobody hangs.
TEST_P(WindowDeath, AStoppedExporterHangsNobody)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(kNum, kSize);
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);
        peer.pause();
        submit_all(importer, import);
        (void)importer.wait_for_ends(kNum, Milliseconds(200)); // some routes can do it, others wait

        const doca_error_t stopped = importer.context.stop();

        EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
        ASSERT_TRUE(importer.wait_for_ends(kNum, patience(kSoon)));
        bool is_flushing = false;
        for (std::size_t i = 0; i < kNum; ++i) {
            is_flushing = is_flushing || importer.ends[i].status != DOCA_SUCCESS;
            EXPECT_EQ(importer.ends[i],
                      (Importer::End{i, is_flushing ? DOCA_ERROR_SHUTDOWN : DOCA_SUCCESS}));
        }
        EXPECT_TRUE(importer.recover());

        peer.resume();
        expect_works(importer, import);
    });
}

/// Connections that were made and given up while the agent could not answer are forgotten by it: it
/// serves whoever comes next.
TEST(WindowDeathOnce, GivenUpConnectionsAreForgotten)
{
    on_stage(Via::agent, [] {
        Exporter peer(Via::agent, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);
        Import &import = importer.import(descriptor);

        for (int round = 0; round < 20; ++round) {
            peer.pause();
            for (int i = 0; i < 8; ++i) {
                importer.submit(importer.data(import, 0, 64), importer.room(0, 64));
                for (int turn = 0; turn < 3; ++turn)
                    (void)doca_pe_progress(importer.pe);
                (void)importer.context.stop();
                ASSERT_TRUE(importer.recover());
            }
            peer.resume();
            ASSERT_EQ(import_code(importer.device, descriptor), DOCA_SUCCESS) << "round " << round;
            expect_works(importer, import);
        }
    });
}

TEST_P(WindowDeath, AStoppedExporterIsKilled)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(kNum, kSize);
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);
        peer.pause();
        submit_all(importer, import);
        for (int turn = 0; turn < 10; ++turn)
            (void)doca_pe_progress(importer.pe);

        peer.kill();

        ASSERT_TRUE(importer.wait_for_ends(kNum, patience(kSoon)));
        expect_orderly_ends(importer, pattern(kSize, 1));
        go_on(importer);
        expect_gone(importer, import);
    });
}

/// An import can go while its exporter does not answer.
TEST_P(WindowDeath, TheImportOfAStoppedExporterIsDestroyed)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        expect_works(importer, import);
        peer.pause();

        EXPECT_EQ(import.destroy(), DOCA_SUCCESS);

        peer.resume();
    });
}

TEST_P(WindowDeath, EveryoneIsKilledAndTheNextRunStartsClean)
{
    on_stage(via_, [this] {
        for (int round = 0; round < 3; ++round) {
            Exporter exporter(via_, kSize);
            Process importer(own_role(), [](Line &line) {
                Importer own;
                Import &import = own.import(line.receive());
                expect_works(own, import);
                line.send("done");
                while (true)
                    (void)own.read(import, 0, kPiece);
            });
            importer.line.send(exporter.line.receive());
            EXPECT_EQ(importer.line.receive(), "done");
            exporter.kill();
            importer.kill();
        }
        Exporter exporter(via_, kSize);
        Importer importer;
        Import &import = importer.import(exporter.line.receive());
        expect_works(importer, import);
    });
}
