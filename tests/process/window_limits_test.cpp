// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Many at once, and what a peer can do about somebody who has given up.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <deque>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 64 * 1024;
constexpr std::size_t kPiece = 4096;

} // namespace

TEST(WindowLimits, ImportsBeyondTheLimitAreRefusedAndTheOthersGoOn)
{
    on_stage(Via::cross, [] {
        constexpr int kMaxImports = 4096;
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer;
        Import &first = importer.import(descriptor);
        for (int i = 1; i < kMaxImports; ++i)
            importer.import(descriptor);

        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_NO_MEMORY);

        EXPECT_EQ(importer.read(first, 0, kPiece), DOCA_SUCCESS);
        importer.imports.pop_back();
        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_SUCCESS);
    });
}

TEST(WindowLimits, ManyContextsBeginAtOnce)
{
    on_stage(Via::agent, [] {
        constexpr std::size_t kNumContexts = 100; // more than connections wait at a time
        Exporter peer(Via::agent, kSize);
        const std::string descriptor = peer.line.receive();
        std::deque<Importer> importers;
        for (std::size_t i = 0; i < kNumContexts; ++i) {
            Importer &importer = importers.emplace_back(1, kPiece);
            const Import &import = importer.import(descriptor);
            importer.submit(importer.data(import, 0, kPiece), importer.room(0, kPiece));
        }

        for (const Importer &importer : importers)
            (void)doca_pe_progress(importer.pe); // each connects before any is served
        for (Importer &importer : importers) {
            ASSERT_TRUE(importer.wait_for_ends(1));
            EXPECT_EQ(importer.ends.front().status, DOCA_SUCCESS);
            importer.reclaim();
        }
    });
}

/// The exporter's agent finds the request and the hang-up together.
TEST(WindowLimits, AWriteThatWasGivenUpIsNotMade)
{
    on_stage(Via::agent, [] {
        Exporter peer(Via::agent, kSize, [](Exported &own, Line &line) {
            (void)line.wait();
            own.region.expect_pattern(1);
            line.send("looked");
        });
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        ASSERT_EQ(importer.read(import, 0, kPiece), DOCA_SUCCESS);
        peer.pause();
        importer.ends.clear();
        importer.submit(importer.data(0, kPiece), importer.room(import, kPiece, kPiece));
        for (int i = 0; i < 10; ++i)
            (void)doca_pe_progress(importer.pe);
        EXPECT_EQ(importer.context.stop(), DOCA_ERROR_IN_PROGRESS);
        ASSERT_TRUE(importer.wait_for_ends(1));
        EXPECT_EQ(importer.ends.front().status, DOCA_ERROR_SHUTDOWN);
        importer.reclaim();

        peer.resume();

        peer.line.send("look");
        EXPECT_EQ(peer.line.receive(), "looked");
    });
}

/// The memory of a process is that of its threads, whichever of them still run.
TEST(WindowLimits, TheExportersMainThreadHasEnded)
{
    for (const Via via : kEachRoute)
        on_stage(via, [via] {
            Exporter peer(via, kSize, [](Exported &, Line &line) {
                pthread_t rest;
                ASSERT_EQ(pthread_create(
                              &rest, nullptr,
                              [](void *to) -> void * {
                                  (void)static_cast<Line *>(to)->wait();
                                  ::_exit(0);
                              },
                              &line),
                          0);
                ::syscall(SYS_exit, 0); // as pthread_exit(), without unwinding the test
            });
            Importer importer;
            Import &import = importer.import(peer.line.receive());

            EXPECT_EQ(importer.read(import, 0, kPiece), DOCA_SUCCESS);
            EXPECT_EQ(importer.write(import, 0, kPiece), DOCA_SUCCESS);
        });
}
