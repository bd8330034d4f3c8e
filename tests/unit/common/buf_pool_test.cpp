// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/wait_until.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

using namespace softdoca::test;

namespace {

using Pool = Handle<doca_buf_pool, doca_buf_pool_destroy>;

std::byte *data_of(const doca_buf *buf)
{
    void *data = nullptr;
    EXPECT_EQ(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
    return static_cast<std::byte *>(data);
}

std::uint32_t num_free(const doca_buf_pool *pool)
{
    std::uint32_t num = 7;
    EXPECT_EQ(doca_buf_pool_get_num_free_elements(pool, &num), DOCA_SUCCESS);
    return num;
}

class DocaBufPool : public testing::Test {
protected:
    void create(std::size_t num_elements, std::size_t element_size)
    {
        must(doca_buf_pool_create(num_elements, element_size, mmap_, pool_.out()));
    }
    std::vector<doca_buf *> alloc(std::size_t num)
    {
        std::vector<doca_buf *> bufs(num);
        for (doca_buf *&buf : bufs)
            must(doca_buf_pool_buf_alloc(pool_, &buf));
        return bufs;
    }
    static void give_back(const std::vector<doca_buf *> &bufs)
    {
        for (doca_buf *buf : bufs)
            EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
    }

    Device device_;
    Memory memory_{4096};
    Mmap mmap_{device_, memory_};
    Pool pool_;
};

} // namespace

TEST_F(DocaBufPool, CreateRefusesBadNumbersAndAnMmapWithoutRange)
{
    using NoPool = Untouched<doca_buf_pool *>;
    const Mmap empty;

    EXPECT_EQ(doca_buf_pool_create(0, 64, mmap_, NoPool()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_create(4, 0, mmap_, NoPool()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_create(std::size_t{1} << 32, 1, mmap_, NoPool()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_create(4, 64, empty, NoPool()), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaBufPool, ANewOneIsFullAndUnaligned)
{
    create(4, 64);
    std::uint32_t num = 0;
    std::size_t alignment = 0;
    doca_data data{.u64 = 7};

    EXPECT_EQ(doca_buf_pool_get_num_elements(pool_, &num), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_get_element_alignment(pool_, &alignment), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_get_user_data(pool_, &data), DOCA_SUCCESS);

    EXPECT_EQ(num, 4u);
    EXPECT_EQ(num_free(pool_), 4u);
    EXPECT_EQ(alignment, 1u);
    EXPECT_EQ(data.u64, 0u);
}

TEST_F(DocaBufPool, GivesEmptyElementsThatDoNotOverlap)
{
    create(4, 1024);
    must(doca_buf_pool_start(pool_));

    const auto bufs = alloc(4);

    std::set<std::byte *> places;
    for (const doca_buf *buf : bufs) {
        std::size_t len = 0, data_len = 7;
        std::uint16_t refcount = 0;
        must(doca_buf_get_len(buf, &len));
        must(doca_buf_get_data_len(buf, &data_len));
        must(doca_buf_get_refcount(buf, &refcount));
        EXPECT_EQ(len, 1024u);
        EXPECT_EQ(data_len, 0u);
        EXPECT_EQ(refcount, 1);
        places.insert(data_of(buf));
    }
    EXPECT_EQ(places, (std::set<std::byte *>{memory_.at(0), memory_.at(1024), memory_.at(2048),
                                             memory_.at(3072)}));
    give_back(bufs);
    EXPECT_EQ(num_free(pool_), 4u);
}

TEST_F(DocaBufPool, IsEmptyAfterExactlyItsNumber)
{
    create(2, 64);
    must(doca_buf_pool_start(pool_));
    auto bufs = alloc(2);

    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, Untouched<doca_buf *>()), DOCA_ERROR_EMPTY);
    EXPECT_EQ(num_free(pool_), 0u);

    give_back({bufs.back()});
    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, &bufs.back()), DOCA_SUCCESS);
    give_back(bufs);
}

TEST_F(DocaBufPool, AReturnedElementComesBackEmpty)
{
    create(1, 64);
    must(doca_buf_pool_start(pool_));
    auto bufs = alloc(1);
    must(doca_buf_set_data(bufs[0], memory_.at(8), 8));
    give_back(bufs);

    bufs = alloc(1);

    std::size_t data_len = 7;
    must(doca_buf_get_data_len(bufs[0], &data_len));
    EXPECT_EQ(data_of(bufs[0]), memory_.at(0));
    EXPECT_EQ(data_len, 0u);
    give_back(bufs);
}

TEST_F(DocaBufPool, NothingIsGivenUntilStarted)
{
    create(2, 64);

    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, Untouched<doca_buf *>()), DOCA_ERROR_BAD_STATE);
    must(doca_buf_pool_start(pool_));
    must(doca_buf_pool_stop(pool_));
    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, Untouched<doca_buf *>()), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(num_free(pool_), 2u);
}

TEST_F(DocaBufPool, WhileStartedNothingIsConfigured)
{
    create(2, 64);
    EXPECT_EQ(doca_buf_pool_set_user_data(pool_, {.u64 = 1}), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_set_element_alignment(pool_, 64), DOCA_SUCCESS);
    must(doca_buf_pool_start(pool_));

    EXPECT_EQ(doca_buf_pool_set_user_data(pool_, {.u64 = 2}), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_pool_set_element_alignment(pool_, 128), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_BAD_STATE);

    doca_data data{};
    std::size_t alignment = 0;
    must(doca_buf_pool_get_user_data(pool_, &data));
    must(doca_buf_pool_get_element_alignment(pool_, &alignment));
    EXPECT_EQ(data.u64, 1u);
    EXPECT_EQ(alignment, 64u);
    must(doca_buf_pool_stop(pool_));
    EXPECT_EQ(doca_buf_pool_set_user_data(pool_, {.u64 = 3}), DOCA_SUCCESS);
}

TEST_F(DocaBufPool, AlignmentIsAPowerOfTwo)
{
    create(2, 64);

    for (const std::size_t alignment : {std::size_t{0}, std::size_t{3}, std::size_t{96}, SIZE_MAX})
        EXPECT_EQ(doca_buf_pool_set_element_alignment(pool_, alignment), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_set_element_alignment(pool_, 1), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_set_element_alignment(pool_, 4096), DOCA_SUCCESS);
}

TEST_F(DocaBufPool, ElementsAreAlignedEvenIfTheRangeIsNot)
{
    const Mmap odd(device_, memory_.at(8), 1000);
    must(doca_buf_pool_create(7, 65, odd, pool_.out()));
    must(doca_buf_pool_set_element_alignment(pool_, 128));
    must(doca_buf_pool_start(pool_));

    const auto bufs = alloc(7);

    for (const doca_buf *buf : bufs) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data_of(buf)) % 128, 0u);
        EXPECT_GE(data_of(buf), memory_.at(8));
        EXPECT_LE(data_of(buf) + 65, memory_.at(1008));
    }
    give_back(bufs);
    must(pool_.destroy());
}

TEST_F(DocaBufPool, StartNeedsRoomForAllElements)
{
    create(4, 1025);
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_INITIALIZATION);
    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, Untouched<doca_buf *>()), DOCA_ERROR_BAD_STATE);
    must(pool_.destroy());

    create(4, 1000);
    must(doca_buf_pool_set_element_alignment(pool_, 2048));
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_INITIALIZATION);
    must(doca_buf_pool_set_element_alignment(pool_, 64));
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_SUCCESS);
    must(pool_.destroy());

    create(1, SIZE_MAX - 62);
    must(doca_buf_pool_set_element_alignment(pool_, 64));
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_INITIALIZATION);
    must(pool_.destroy());

    create(1000, SIZE_MAX / 2);
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_INITIALIZATION);
}

TEST_F(DocaBufPool, StartNeedsAStartedMmap)
{
    Mmap mmap;
    must(doca_mmap_set_memrange(mmap, memory_.data(), 4096));
    must(doca_buf_pool_create(4, 1024, mmap, pool_.out()));

    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_ERROR_BAD_STATE);
    must(doca_mmap_start(mmap));
    EXPECT_EQ(doca_buf_pool_start(pool_), DOCA_SUCCESS);
    must(pool_.destroy());
}

TEST_F(DocaBufPool, StopAndDestroyAreRefusedWhileBuffersAreOut)
{
    create(2, 64);
    must(doca_buf_pool_start(pool_));
    const auto bufs = alloc(1);

    EXPECT_EQ(doca_buf_pool_stop(pool_), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_buf_pool_destroy(pool_), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_ERROR_NOT_PERMITTED);

    give_back(alloc(1)); // it still gives
    give_back(bufs);
    EXPECT_EQ(doca_buf_pool_stop(pool_), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_stop(pool_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaBufPool, DestroyImpliesStop)
{
    create(2, 64);
    must(doca_buf_pool_start(pool_));

    EXPECT_EQ(pool_.destroy(), DOCA_SUCCESS);
}

TEST_F(DocaBufPool, ItsBuffersAreCopied)
{
    create(2, 64);
    must(doca_buf_pool_start(pool_));
    const Pe pe;
    DmaContext context(device_, pe, 1);
    must(context.start());
    const auto bufs = alloc(2);
    std::memset(data_of(bufs[0]), 'x', 64);
    must(doca_buf_set_data_len(bufs[0], 64));

    must(doca_task_submit(context.alloc(bufs[0], bufs[1])));
    EXPECT_TRUE(wait_until(pe, [&] { return context.num_inflight() == 0; }));

    EXPECT_EQ(std::memcmp(data_of(bufs[0]), data_of(bufs[1]), 64), 0);
    give_back(bufs);
}

TEST_F(DocaBufPool, AStoppedMmapGivesNoMoreBuffers)
{
    create(4, 64);
    must(doca_buf_pool_start(pool_));
    must(doca_mmap_stop(mmap_));

    EXPECT_EQ(doca_buf_pool_buf_alloc(pool_, Untouched<doca_buf *>()), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(num_free(pool_), 4u);
    must(doca_mmap_start(mmap_));
    give_back(alloc(4));
}
