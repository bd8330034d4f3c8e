// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Which task ends how: tasks of one peer may be carried out together, and yet each of them ends for
// itself, once, in the order of submission.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kNum = 64;
constexpr std::size_t kBadPage = kNum; // behind the pages that the good tasks use

class WindowTask : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};
class WindowBadAddress : public WindowTask {};

INSTANTIATE_TEST_SUITE_P(Routes, WindowTask, testing::ValuesIn(kEachRoute), name_of_route);
INSTANTIATE_TEST_SUITE_P(Routes, WindowBadAddress, testing::ValuesIn(kUnmappedRoutes),
                         name_of_route);

/// The exporter's memory is missing, one page of it. Its place stays taken, by a file that ends
/// before it. (A page without access rights would not do: a device, and the cross route, may read
/// that.)
void lose_a_page(Exported &own, Line &line)
{
    std::byte *const page = own.region.at(kBadPage * kPage);
    const int empty = ::memfd_create("empty", MFD_CLOEXEC);
    constexpr int kRights = PROT_READ | PROT_WRITE;
    EXPECT_EQ(::mmap(page, kPage, kRights, MAP_SHARED | MAP_FIXED, empty, 0), page);
    ::close(empty);
    line.send("lost");
    (void)line.wait();
    EXPECT_EQ(::mmap(page, kPage, kRights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), page);
}

/// Those before the bad one succeed, it fails, those behind it are flushed.
std::vector<Importer::End> ends_around(std::size_t bad)
{
    std::vector<Importer::End> ends;
    for (std::size_t i = 0; i < kNum; ++i)
        ends.push_back({i, i < bad    ? DOCA_SUCCESS
                           : i == bad ? DOCA_ERROR_IO_FAILED
                                      : DOCA_ERROR_SHUTDOWN});
    return ends;
}

constexpr std::size_t kBadPlaces[] = {0, 1, 31, 62, 63};

} // namespace

TEST_P(WindowBadAddress, OneReadAmongManyFailsForItself)
{
    on_stage(via_, [this] {
        Exporter peer(via_, (kNum + 2) * kPage, lose_a_page);
        Importer importer(kNum, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(peer.line.receive(), "lost");
        const std::vector<std::byte> bytes = pattern(kNum * kPage, 1);

        for (const std::size_t bad : kBadPlaces) {
            std::memset(importer.area.data(), 0, importer.area.size());
            std::vector<doca_buf *> rooms;
            for (std::size_t i = 0; i < kNum; ++i) {
                rooms.push_back(importer.room(i * kPage, kPage));
                importer.submit(importer.data(import, (i == bad ? kBadPage : i) * kPage, kPage),
                                rooms.back(), i);
            }
            ASSERT_TRUE(importer.wait_for_ends(kNum));

            EXPECT_EQ(importer.ends, ends_around(bad));
            EXPECT_EQ(first_difference(importer.area.data(), bytes.data(), bad * kPage),
                      bad * kPage);
            const std::vector<std::byte> nothing((kNum - bad) * kPage);
            EXPECT_EQ(
                first_difference(importer.area.at(bad * kPage), nothing.data(), nothing.size()),
                nothing.size());
            for (std::size_t i = 0; i < kNum; ++i) {
                std::size_t len = 0;
                must(doca_buf_get_data_len(rooms[i], &len));
                EXPECT_EQ(len, i < bad ? kPage : 0) << "task " << i;
            }
            EXPECT_TRUE(importer.recover());
        }
    });
}

TEST_P(WindowBadAddress, OneWriteAmongManyFailsForItself)
{
    on_stage(via_, [this] {
        Exporter peer(via_, (kNum + 2) * kPage, lose_a_page);
        Importer importer(kNum, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(peer.line.receive(), "lost");
        std::vector<std::byte> expected = pattern(kNum * kPage, 1);
        unsigned seed = 2;

        for (const std::size_t bad : kBadPlaces) {
            const std::vector<std::byte> news = pattern(kNum * kPage, seed++);
            std::memcpy(importer.area.data(), news.data(), news.size());
            std::copy_n(news.begin(), bad * kPage, expected.begin());
            importer.ends.clear();
            for (std::size_t i = 0; i < kNum; ++i)
                importer.submit(importer.data(i * kPage, kPage),
                                importer.room(import, (i == bad ? kBadPage : i) * kPage, kPage), i);
            ASSERT_TRUE(importer.wait_for_ends(kNum));
            EXPECT_EQ(importer.ends, ends_around(bad));
            EXPECT_TRUE(importer.recover());

            EXPECT_EQ(importer.read(import, 0, kNum * kPage), DOCA_SUCCESS);
            EXPECT_EQ(first_difference(importer.area.data(), expected.data(), expected.size()),
                      expected.size());
        }
    });
}

TEST_P(WindowBadAddress, TheStatesAreThoseOfABadTask)
{
    on_stage(via_, [this] {
        Exporter peer(via_, (kNum + 2) * kPage, lose_a_page);
        Importer importer(4, kPage);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(peer.line.receive(), "lost");
        (void)importer.context.take();
        importer.submit(importer.data(import, 0, 64), importer.room(0, 64), 0);
        importer.submit(importer.data(import, kBadPage * kPage, 64), importer.room(64, 64), 1);
        importer.submit(importer.data(import, 64, 64), importer.room(128, 64), 2);

        EXPECT_TRUE(wait_until(
            importer.pe, [&] { return importer.context.state() == DOCA_CTX_STATE_IDLE; },
            patience()));

        EXPECT_EQ(importer.context.record(),
                  (Record{"success", "error IO_FAILED", "RUNNING->STOPPING", "error SHUTDOWN",
                          "STOPPING->IDLE"}));
        EXPECT_TRUE(importer.recover());
        EXPECT_EQ(importer.read(import, 0, kPage), DOCA_SUCCESS);
    });
}

TEST_P(WindowBadAddress, AListWithABadElementFailsAsAWhole)
{
    on_stage(via_, [this] {
        Exporter peer(via_, (kNum + 2) * kPage, lose_a_page);
        Importer importer(4, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(peer.line.receive(), "lost");
        doca_buf *const list = importer.data(import, 0, kPage);
        must(doca_buf_chain_list(list, importer.data(import, kBadPage * kPage, kPage)));
        must(doca_buf_chain_list(list, importer.data(import, 2 * kPage, kPage)));
        importer.submit(importer.data(import, 5 * kPage, kPage), importer.room(10 * kPage, kPage),
                        0);
        importer.submit(list, importer.room(0, 3 * kPage), 1);
        importer.submit(importer.data(import, 6 * kPage, kPage), importer.room(11 * kPage, kPage),
                        2);

        ASSERT_TRUE(importer.wait_for_ends(3));

        EXPECT_EQ(importer.ends,
                  (std::vector<Importer::End>{
                      {0, DOCA_SUCCESS}, {1, DOCA_ERROR_IO_FAILED}, {2, DOCA_ERROR_SHUTDOWN}}));
        EXPECT_EQ(first_difference(importer.area.at(10 * kPage),
                                   pattern(kNum * kPage, 1).data() + 5 * kPage, kPage),
                  kPage);
        EXPECT_TRUE(importer.recover());
    });
}

TEST_P(WindowBadAddress, MemoryThatTheExporterUnmappedIsAFailureNotACrash)
{
    on_stage(via_, [this] {
        Exporter peer(via_, 16 * kPage, [](Exported &own, Line &line) {
            (void)line.wait();
            ::munmap(own.region.data(), own.region.size());
            line.send("unmapped");
            (void)line.wait();
        });
        Importer importer(4, 16 * kPage);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, 16 * kPage), DOCA_SUCCESS);
        peer.line.send("unmap");
        EXPECT_EQ(peer.line.receive(), "unmapped");

        EXPECT_EQ(importer.read(import, 0, 16 * kPage), DOCA_ERROR_IO_FAILED);

        EXPECT_TRUE(importer.recover());
    });
}

TEST_P(WindowTask, StopEndsEachTaskOnce)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kNum * kPage);
        Importer importer(kNum, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        const std::vector<std::byte> bytes = pattern(kNum * kPage, 1);

        for (std::size_t num_before : {std::size_t{0}, std::size_t{1}, std::size_t{17}, kNum - 1}) {
            std::memset(importer.area.data(), 0, importer.area.size());
            importer.ends.clear();
            for (std::size_t i = 0; i < kNum; ++i)
                importer.submit(importer.data(import, i * kPage, kPage),
                                importer.room(i * kPage, kPage), i);
            ASSERT_TRUE(importer.wait_for_ends(num_before));

            EXPECT_EQ(importer.context.stop(), DOCA_ERROR_IN_PROGRESS);
            ASSERT_TRUE(importer.wait_for_ends(kNum));

            bool is_flushing = false;
            for (std::size_t i = 0; i < kNum; ++i) {
                const Importer::End &end = importer.ends[i];
                is_flushing = is_flushing || end.status != DOCA_SUCCESS;
                EXPECT_EQ(end,
                          (Importer::End{i, is_flushing ? DOCA_ERROR_SHUTDOWN : DOCA_SUCCESS}));
                if (end.status == DOCA_SUCCESS) {
                    EXPECT_EQ(first_difference(importer.area.at(i * kPage),
                                               bytes.data() + i * kPage, kPage),
                              kPage);
                }
            }
            EXPECT_TRUE(importer.recover());
        }
        EXPECT_EQ(importer.read(import, 0, kNum * kPage), DOCA_SUCCESS);
    });
}

TEST_P(WindowTask, StopInACallbackEndsEachTaskOnce)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kNum * kPage);
        Importer importer(kNum, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        const auto end = importer.context.on_success;
        importer.context.on_success = [&](doca_task *task) {
            end(task);
            if (importer.ends.size() == 8) {
                EXPECT_EQ(importer.context.stop(), DOCA_ERROR_IN_PROGRESS);
            }
        };

        for (std::size_t i = 0; i < kNum; ++i)
            importer.submit(importer.data(import, i * kPage, kPage),
                            importer.room(i * kPage, kPage), i);

        ASSERT_TRUE(importer.wait_for_ends(kNum));
        for (std::size_t i = 0; i < kNum; ++i)
            EXPECT_EQ(importer.ends[i].number, i);
        EXPECT_TRUE(importer.recover());
    });
}

TEST_P(WindowTask, ATaskFreedInFlightIsWithdrawn)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kNum * kPage);
        Importer importer(4, kNum * kPage);
        Import &import = importer.import(peer.line.receive());
        doca_task *const first =
            importer.context.alloc(importer.data(import, 0, kPage), importer.room(0, kPage));
        must(doca_task_submit(first));
        importer.submit(importer.data(import, kPage, kPage), importer.room(kPage, kPage), 2);

        importer.context.free(first);

        ASSERT_TRUE(importer.wait_for_ends(1));
        EXPECT_EQ(importer.ends, (std::vector<Importer::End>{{2, DOCA_SUCCESS}}));
        EXPECT_TRUE(wait_until(
            importer.pe, [&] { return importer.context.num_inflight() == 0; }, patience()));
        EXPECT_EQ(importer.read(import, 0, kNum * kPage), DOCA_SUCCESS);
    });
}

TEST_P(WindowTask, AnImportWithBuffersCannotBeDestroyed)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kPage);
        Importer importer(1, kPage);
        Import &import = importer.import(peer.line.receive());
        (void)importer.data(import, 0, 64);
        std::uint32_t num_bufs = 0;
        must(doca_mmap_get_num_bufs(import, &num_bufs));
        EXPECT_EQ(num_bufs, 1u);

        EXPECT_EQ(import.destroy(), DOCA_ERROR_NOT_PERMITTED);

        importer.reclaim();
        EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
    });
}
