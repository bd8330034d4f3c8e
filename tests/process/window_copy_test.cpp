// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Bytes between two processes, by each route. The stage imports; its role, and so the direction, is
// that of SOFTDOCA_ROLE: the build runs this program once as the DPU and once as the host.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kMaxTask = std::size_t{2} << 20; // of the default topology
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kLarge = std::size_t{8} << 20;
#else
constexpr std::size_t kLarge = std::size_t{64} << 20;
#endif

class WindowCopy : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

/// All of an import, in tasks as large as they may be.
void copy_whole(Importer &importer, const Import &import, bool is_read)
{
    importer.ends.clear();
    std::size_t num_tasks = 0;
    for (std::size_t offset = 0; offset < import.size(); offset += kMaxTask, ++num_tasks) {
        const std::size_t len = std::min(kMaxTask, import.size() - offset);
        if (is_read)
            importer.submit(importer.data(import, offset, len), importer.room(offset, len));
        else
            importer.submit(importer.data(offset, len), importer.room(import, offset, len));
    }
    EXPECT_TRUE(importer.wait_for_ends(num_tasks));
    for (const Importer::End &end : importer.ends)
        EXPECT_EQ(end.status, DOCA_SUCCESS);
    importer.reclaim();
}

/// The head of a list of buffers that cover a range in pieces of odd lengths.
template <typename Make>
doca_buf *list_of(std::size_t begin, std::size_t end, std::size_t longest, const Make &make)
{
    doca_buf *head = nullptr;
    for (std::size_t len = 1; begin < end; begin += len, len = len * 7 % longest + 1) {
        len = std::min(len, end - begin);
        doca_buf *const buf = make(begin, len);
        if (head == nullptr)
            head = buf;
        else
            must(doca_buf_chain_list(head, buf));
    }
    return head;
}

INSTANTIATE_TEST_SUITE_P(Routes, WindowCopy, testing::ValuesIn(kAllRoutes), name_of_route);

} // namespace

TEST_P(WindowCopy, ReadsAText)
{
    static constexpr std::string_view kText = "This is a sample piece of text";
    on_stage(via_, [this] {
        Exporter peer(via_, 4096, DOCA_ACCESS_FLAG_PCI_READ_ONLY, [](Exported &own, Line &line) {
            std::memcpy(own.region.data(), kText.data(), kText.size());
            (void)line.wait();
            line.send("written");
            (void)line.wait();
        });
        Importer importer;
        Import &import = importer.import(peer.line.receive());
        peer.line.send("write"); // after the import: nothing is copied ahead
        EXPECT_EQ(peer.line.receive(), "written");

        EXPECT_EQ(importer.read(import, 0, kText.size()), DOCA_SUCCESS);

        EXPECT_EQ(std::memcmp(importer.area.data(), kText.data(), kText.size()), 0);
    });
}

TEST_P(WindowCopy, CopiesALargeRegionBothWays)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kLarge, [](Exported &own, Line &line) {
            (void)line.wait();
            own.region.expect_pattern(2);
        });
        Importer importer(64, kLarge);
        Import &import = importer.import(peer.line.receive());
        ASSERT_EQ(import.size(), kLarge);

        copy_whole(importer, import, true);

        EXPECT_EQ(first_difference(importer.area.data(), pattern(kLarge, 1).data(), kLarge),
                  kLarge);
        std::memcpy(importer.area.data(), pattern(kLarge, 2).data(), kLarge);

        copy_whole(importer, import, false);

        peer.line.send("compare");
    });
}

TEST_P(WindowCopy, UnalignedAddressesAndLengths)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 4 * 4096;
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        const std::vector<std::byte> bytes = pattern(kSize, 1);
        std::vector<std::byte> expected(kSize);

        for (std::size_t len :
             {1u, 2u, 3u, 7u, 15u, 31u, 63u, 65u, 255u, 1001u, 4095u, 4097u, 9001u})
            for (std::size_t offset : {1u, 2u, 5u, 63u, 4095u, 4097u, 7001u}) {
                std::memset(importer.area.data(), 0, kSize);
                std::fill(expected.begin(), expected.end(), std::byte{0});
                std::memcpy(expected.data() + offset + 3, bytes.data() + offset, len);

                EXPECT_EQ(importer.copy(importer.data(import, offset, len),
                                        importer.room(offset + 3, len)),
                          DOCA_SUCCESS);

                EXPECT_EQ(first_difference(importer.area.data(), expected.data(), kSize), kSize)
                    << len << " bytes from " << offset;
            }
    });
}

TEST_P(WindowCopy, UnalignedWritesTouchNothingElse)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 4 * 4096;
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        std::vector<std::byte> expected = pattern(kSize, 1);
        const std::vector<std::byte> news = pattern(kSize, 3);

        for (std::size_t len : {1u, 3u, 64u, 4097u})
            for (std::size_t offset : {0u, 1u, 4095u, 7001u}) {
                std::memcpy(importer.area.data(), news.data(), kSize);
                std::memcpy(expected.data() + offset, news.data() + offset, len);
                EXPECT_EQ(importer.write(import, offset, len), DOCA_SUCCESS);
            }

        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), expected.data(), kSize), kSize);
    });
}

TEST_P(WindowCopy, ListsOfRemoteElementsAreOneStream)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 8192, kNum = 1500;
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        doca_buf *const from = list_of(5, 5 + kNum, 61, [&](std::size_t offset, std::size_t len) {
            return importer.data(import, offset, len);
        });
        doca_buf *const to =
            list_of(3000, 3000 + kNum, 53, [&](std::size_t offset, std::size_t len) {
                return importer.room(offset, len);
            });
        std::uint32_t num_from = 0;
        must(doca_buf_get_list_len(from, &num_from));
        ASSERT_GT(num_from, 30u);
        ASSERT_LE(num_from, 64u);

        EXPECT_EQ(importer.copy(from, to), DOCA_SUCCESS);

        EXPECT_EQ(first_difference(importer.area.at(3000), pattern(kSize, 1).data() + 5, kNum),
                  kNum);
        EXPECT_EQ(*importer.area.at(2999), std::byte{0});
        EXPECT_EQ(*importer.area.at(3000 + kNum), std::byte{0});
    });
}

TEST_P(WindowCopy, ListsMayMixBothSides)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 8192;
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        const std::vector<std::byte> own = pattern(kSize, 7), theirs = pattern(kSize, 1);
        std::memcpy(importer.area.data(), own.data(), kSize);
        doca_buf *const from = importer.data(import, 10, 100);
        must(doca_buf_chain_list(from, importer.data(20, 200)));
        must(doca_buf_chain_list(from, importer.data(import, 1000, 300)));
        doca_buf *const to = importer.room(5000, 250);
        must(doca_buf_chain_list(to, importer.room(import, 4000, 100)));
        must(doca_buf_chain_list(to, importer.room(6000, 300)));
        std::vector<std::byte> stream(theirs.begin() + 10, theirs.begin() + 110);
        stream.insert(stream.end(), own.begin() + 20, own.begin() + 220);
        stream.insert(stream.end(), theirs.begin() + 1000, theirs.begin() + 1300);

        EXPECT_EQ(importer.copy(from, to), DOCA_SUCCESS);

        EXPECT_EQ(first_difference(importer.area.at(5000), stream.data(), 250), 250u);
        EXPECT_EQ(first_difference(importer.area.at(6000), stream.data() + 350, 250), 250u);
        EXPECT_EQ(importer.read(import, 4000, 100), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.at(4000), stream.data() + 250, 100), 100u);
    });
}

TEST_P(WindowCopy, DataLengthsGrowByWhatWasWritten)
{
    on_stage(via_, [this] {
        Exporter peer(via_, 8192);
        Importer importer(1, 8192);
        Import &import = importer.import(peer.line.receive());
        doca_buf *const to = importer.room(import, 0, 128);
        must(doca_buf_chain_list(to, importer.room(import, 4096, 128)));
        doca_buf *second = nullptr;
        must(doca_buf_get_next_in_list(to, &second));
        std::size_t num_first = 0, num_second = 0;
        importer.submit(importer.data(0, 100), to);
        ASSERT_TRUE(importer.wait_for_ends(1));
        importer.submit(importer.data(0, 20), to); // behind the data that is there

        ASSERT_TRUE(importer.wait_for_ends(2));

        EXPECT_EQ(importer.ends.back().status, DOCA_SUCCESS);
        must(doca_buf_get_data_len(to, &num_first));
        must(doca_buf_get_data_len(second, &num_second));
        EXPECT_EQ(num_first, 120u);
        EXPECT_EQ(num_second, 0u);
    });
}

TEST_P(WindowCopy, FromOneImportToAnother)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 300'000 / 4096 * 4096;
        const auto check = [](Exported &own, Line &line) {
            (void)line.wait();
            own.region.expect_pattern(1);
        };
        Exporter source(via_, kSize);
        Exporter target(via_, kSize, [&](Exported &own, Line &line) {
            std::memset(own.region.data(), 0, kSize);
            line.send("empty");
            check(own, line);
        });
        Importer importer(4);
        Import &from = importer.import(source.line.receive());
        Import &to = importer.import(target.line.receive());
        EXPECT_EQ(target.line.receive(), "empty");

        EXPECT_EQ(importer.copy(importer.data(from, 0, kSize), importer.room(to, 0, kSize)),
                  DOCA_SUCCESS);

        target.line.send("compare");
    });
}

TEST_P(WindowCopy, ManyTasksInARow)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kNum = 64, kPiece = 4096;
        Exporter peer(via_, kNum * kPiece);
        Importer importer(kNum, kNum * kPiece);
        Import &import = importer.import(peer.line.receive());

        for (std::size_t i = 0; i < kNum; ++i)
            importer.submit(importer.data(import, (kNum - 1 - i) * kPiece, kPiece),
                            importer.room((kNum - 1 - i) * kPiece, kPiece), i);
        ASSERT_TRUE(importer.wait_for_ends(kNum));

        for (std::size_t i = 0; i < kNum; ++i)
            EXPECT_EQ(importer.ends[i], (Importer::End{i, DOCA_SUCCESS}));
        EXPECT_EQ(
            first_difference(importer.area.data(), pattern(kNum * kPiece, 1).data(), kNum * kPiece),
            kNum * kPiece);
    });
}

TEST_P(WindowCopy, TasksOfSeveralPeersAndNoneKeepTheirOrder)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kPiece = 1000, kNum = 60;
        Exporter one(via_, 64 * 1024), two(via_, 64 * 1024);
        Importer importer(kNum, 64 * 1024);
        Import &first = importer.import(one.line.receive());
        Import &second = importer.import(two.line.receive());

        for (std::size_t i = 0; i < kNum; ++i) {
            doca_buf *const from = i % 3 == 0   ? importer.data(first, i * kPiece, kPiece)
                                   : i % 3 == 1 ? importer.data(second, i * kPiece, kPiece)
                                                : importer.data((i - 1) * kPiece, kPiece);
            importer.submit(from, importer.room(i * kPiece, kPiece), i);
        }
        ASSERT_TRUE(importer.wait_for_ends(kNum));

        const std::vector<std::byte> bytes = pattern(64 * 1024, 1);
        for (std::size_t i = 0; i < kNum; ++i) {
            EXPECT_EQ(importer.ends[i], (Importer::End{i, DOCA_SUCCESS}));
            const std::size_t origin = i % 3 == 2 ? i - 1 : i;
            EXPECT_EQ(first_difference(importer.area.at(i * kPiece), bytes.data() + origin * kPiece,
                                       kPiece),
                      kPiece)
                << "task " << i;
        }
    });
}
