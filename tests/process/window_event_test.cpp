// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Event mode: a thread that sleeps on its engine's handle is woken by what ends, by each route.

#include "support/window_pair.hpp"

#include <doca_pe.h>

#include <gtest/gtest.h>

#include <poll.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 64 * 1024;

class WindowEvent : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};
class WindowAgentEvent : public WindowEvent {};

INSTANTIATE_TEST_SUITE_P(Routes, WindowEvent, testing::ValuesIn(kEachRoute), name_of_route);
INSTANTIATE_TEST_SUITE_P(Routes, WindowAgentEvent, testing::Values(Via::agent), name_of_route);

doca_notification_handle_t handle_of(doca_pe *pe)
{
    doca_notification_handle_t handle{};
    must(doca_pe_get_notification_handle(pe, &handle));
    return handle;
}

/// Is the armed engine woken?
bool sleep_on(doca_pe *pe, Milliseconds limit = patience())
{
    const doca_notification_handle_t handle = handle_of(pe);
    pollfd ready{handle, POLLIN, 0};
    const bool is_woken = ::poll(&ready, 1, static_cast<int>(limit.count())) > 0;
    if (is_woken)
        must(doca_pe_clear_notification(pe, handle));
    return is_woken;
}

/// Drain, arm, sleep, as programs do, until so many tasks have ended.
void sleep_until_ends(Importer &importer, std::size_t num)
{
    while (importer.ends.size() < num) {
        while (doca_pe_progress(importer.pe) != 0)
            continue;
        if (importer.ends.size() >= num)
            return;
        must(doca_pe_request_notification(importer.pe));
        ASSERT_TRUE(sleep_on(importer.pe))
            << importer.ends.size() << " of " << num << " have ended";
    }
}

} // namespace

TEST_P(WindowEvent, EachCompletionWakesTheSleeper)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(8, kSize);
        Import &import = importer.import(peer.line.receive());

        for (std::size_t round = 0; round < 300; ++round) {
            const std::size_t num = round % 8 + 1, len = round * 37 % 8000 + 1;
            importer.ends.clear();
            for (std::size_t i = 0; i < num; ++i)
                importer.submit(importer.data(import, i * 8000, len), importer.room(i * 8000, len),
                                i);
            sleep_until_ends(importer, num);
            ASSERT_EQ(importer.ends.size(), num);
            for (std::size_t i = 0; i < num; ++i)
                ASSERT_EQ(importer.ends[i], (Importer::End{i, DOCA_SUCCESS})) << "round " << round;
            importer.reclaim();
        }
    });
}

TEST_P(WindowEvent, WhatIsPendingWakesAtOnce)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        importer.submit(importer.data(import, 0, kSize), importer.room(0, kSize));

        must(doca_pe_request_notification(importer.pe)); // no progress yet

        EXPECT_TRUE(sleep_on(importer.pe));
        sleep_until_ends(importer, 1);
        EXPECT_EQ(importer.ends.front().status, DOCA_SUCCESS);
    });
}

TEST_P(WindowEvent, ADeadPeerWakesTheSleeper)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(4, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, 64), DOCA_SUCCESS);
        peer.pause();
        importer.ends.clear();
        for (std::size_t i = 0; i < 4; ++i)
            importer.submit(importer.data(import, 0, 64), importer.room(0, 64), i);
        peer.kill();

        sleep_until_ends(importer, 4);

        ASSERT_EQ(importer.ends.size(), 4u);
        EXPECT_EQ(importer.ends[0].status, DOCA_ERROR_IO_FAILED);
        EXPECT_TRUE(importer.recover());
    });
}

/// What is left of a dead peer does not keep the engine awake.
TEST_P(WindowEvent, AnEngineWhosePeerHasGoneSleeps)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, 64), DOCA_SUCCESS);
        peer.kill();

        // It may be woken to look after that, but not for ever.
        const auto sleeps = [&] {
            while (doca_pe_progress(importer.pe) != 0)
                continue;
            must(doca_pe_request_notification(importer.pe));
            return !sleep_on(importer.pe, Milliseconds(50));
        };
        EXPECT_TRUE(comes_true(sleeps, patience(std::chrono::seconds(1))));

        EXPECT_EQ(importer.read(import, 0, 64), DOCA_ERROR_IO_FAILED);
        EXPECT_TRUE(importer.recover());
        EXPECT_TRUE(comes_true(sleeps, patience(std::chrono::seconds(1))));
    });
}

TEST_P(WindowAgentEvent, ADeathDuringTheSleepWakes)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Process killer(own_role(), [](Line &line) {
            const auto victim = static_cast<pid_t>(line.receive_number());
            ::poll(nullptr, 0,
                   50); // the stage has begun to sleep by then, or it has not: both count
            ::kill(victim, SIGKILL);
        });
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, 64), DOCA_SUCCESS);
        peer.pause(); // its agent answers nobody
        importer.ends.clear();
        importer.submit(importer.data(import, 0, 64), importer.room(0, 64));
        killer.line.send_number(static_cast<std::uint64_t>(peer.pid()));

        sleep_until_ends(importer, 1);

        ASSERT_EQ(importer.ends.size(), 1u);
        EXPECT_EQ(importer.ends[0].status, DOCA_ERROR_IO_FAILED);
        peer.kill();
    });
}

TEST_P(WindowAgentEvent, APeerThatGoesOnWakesTheSleeper)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, 64), DOCA_SUCCESS);
        importer.ends.clear();
        peer.pause();
        importer.submit(importer.data(import, 0, kSize), importer.room(0, kSize));
        for (int i = 0; i < 100; ++i)
            EXPECT_EQ(doca_pe_progress(importer.pe), 0); // nothing that the program can see
        EXPECT_TRUE(importer.ends.empty());

        peer.resume();

        sleep_until_ends(importer, 1);
        ASSERT_EQ(importer.ends.size(), 1u);
        EXPECT_EQ(importer.ends[0].status, DOCA_SUCCESS);
    });
}
