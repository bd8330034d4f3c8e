// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

using Buf = Untouched<doca_buf *>;

/// What a buffer describes.
struct Shape {
    void *head = nullptr;
    std::size_t len = 0;
    void *data = nullptr;
    std::size_t data_len = 0;
    bool operator==(const Shape &) const = default;
};

Shape shape_of(const doca_buf *buf)
{
    Shape shape;
    EXPECT_EQ(doca_buf_get_head(buf, &shape.head), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_get_len(buf, &shape.len), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_get_data(buf, &shape.data), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_get_data_len(buf, &shape.data_len), DOCA_SUCCESS);
    return shape;
}

std::vector<Shape> shapes_of(doca_buf *list)
{
    std::vector<Shape> shapes;
    while (list != nullptr) {
        shapes.push_back(shape_of(list));
        EXPECT_EQ(doca_buf_get_next_in_list(list, &list), DOCA_SUCCESS);
    }
    return shapes;
}

std::uint32_t num_elements(const doca_buf_inventory *inventory)
{
    std::uint32_t num = 0;
    EXPECT_EQ(doca_buf_inventory_get_num_elements(inventory, &num), DOCA_SUCCESS);
    return num;
}

class DocaBufInventory : public testing::Test {
protected:
    Device device_;
    Memory memory_{4096};
    Mmap mmap_{device_, memory_};
    Inventory inventory_{4};
};

/// One that is not started.
class DocaBufInventoryRaw : public DocaBufInventory {
protected:
    DocaBufInventoryRaw() { must(doca_buf_inventory_create(4, raw_.out())); }

    Handle<doca_buf_inventory, doca_buf_inventory_destroy> raw_;
};

} // namespace

TEST(DocaBufInventoryCreate, RefusesNoneAndTooMany)
{
    using Inventory = Untouched<doca_buf_inventory *>;

    EXPECT_EQ(doca_buf_inventory_create(0, Inventory()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_create(std::size_t{1} << 32, Inventory()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_create(SIZE_MAX, Inventory()), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaBufInventoryRaw, GivesNothingUntilStarted)
{
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(raw_, mmap_, memory_.data(), 8, memory_.data(), 0,
                                                 Buf()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(raw_, mmap_, memory_.data(), 8, Buf()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_data(raw_, mmap_, memory_.data(), 8, Buf()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_buf_dup(raw_, inventory_.by_addr(mmap_, memory_.data(), 8), Buf()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_expand(raw_, 1), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(num_elements(raw_), 4u);
}

TEST_F(DocaBufInventoryRaw, KeepsUserDataInEveryState)
{
    int object = 0;
    doca_data data{};
    EXPECT_EQ(doca_buf_inventory_get_user_data(raw_, &data), DOCA_SUCCESS);
    EXPECT_EQ(data.u64, 0u);

    EXPECT_EQ(doca_buf_inventory_set_user_data(raw_, {.u64 = 42}), DOCA_SUCCESS);
    must(doca_buf_inventory_start(raw_));
    EXPECT_EQ(doca_buf_inventory_get_user_data(raw_, &data), DOCA_SUCCESS);
    EXPECT_EQ(data.u64, 42u);
    EXPECT_EQ(doca_buf_inventory_set_user_data(raw_, {.ptr = &object}), DOCA_SUCCESS);
    must(doca_buf_inventory_stop(raw_));
    EXPECT_EQ(doca_buf_inventory_get_user_data(raw_, &data), DOCA_SUCCESS);
    EXPECT_EQ(data.ptr, &object);
}

TEST_F(DocaBufInventoryRaw, StartAndStopMayBeRepeated)
{
    EXPECT_EQ(doca_buf_inventory_stop(raw_), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_start(raw_), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_start(raw_), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_stop(raw_), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_start(raw_), DOCA_SUCCESS);
}

TEST_F(DocaBufInventory, AStoppedOneTakesBackWhatIsOut)
{
    doca_buf *const buf = inventory_.by_addr(mmap_, memory_.data(), 8);
    EXPECT_EQ(doca_buf_inventory_stop(inventory_), DOCA_SUCCESS);

    EXPECT_EQ(shape_of(buf), (Shape{memory_.data(), 8, memory_.data(), 0}));
    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, memory_.data(), 8, Buf()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 4u);
}

TEST_F(DocaBufInventory, DestroyIsRefusedWhileBuffersAreOut)
{
    doca_buf *const buf = inventory_.by_addr(mmap_, memory_.data(), 8);

    EXPECT_EQ(doca_buf_inventory_destroy(inventory_), DOCA_ERROR_IN_USE);

    EXPECT_NE(inventory_.by_addr(mmap_, memory_.data(), 8), nullptr) << "it is still started";
    must(doca_buf_inventory_stop(inventory_));
    EXPECT_EQ(doca_buf_inventory_destroy(inventory_), DOCA_ERROR_IN_USE);
    inventory_.take_back_all();
    EXPECT_EQ(inventory_.destroy(), DOCA_SUCCESS);
    (void)buf;
}

TEST_F(DocaBufInventory, ThreeWaysToGetABuffer)
{
    doca_buf *by_addr = nullptr;
    doca_buf *by_data = nullptr;
    doca_buf *by_args = nullptr;

    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, memory_.at(8), 100, &by_addr),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_data(inventory_, mmap_, memory_.at(8), 100, &by_data),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, memory_.at(8), 100,
                                                 memory_.at(20), 30, &by_args),
              DOCA_SUCCESS);

    EXPECT_EQ(shape_of(by_addr), (Shape{memory_.at(8), 100, memory_.at(8), 0}));
    EXPECT_EQ(shape_of(by_data), (Shape{memory_.at(8), 100, memory_.at(8), 100}));
    EXPECT_EQ(shape_of(by_args), (Shape{memory_.at(8), 100, memory_.at(20), 30}));
    for (doca_buf *buf : {by_addr, by_data, by_args})
        EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
}

TEST_F(DocaBufInventory, TheRangeMustBeInsideTheMmap)
{
    std::byte *const base = memory_.data();
    const std::size_t size = memory_.size();
    const auto get = [&](void *addr, std::size_t len) {
        doca_buf *buf = nullptr;
        const doca_error_t result =
            doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, addr, len, &buf);
        EXPECT_EQ(buf == nullptr, result != DOCA_SUCCESS);
        if (buf != nullptr)
            must(doca_buf_dec_refcount(buf, nullptr));
        return result;
    };

    EXPECT_EQ(get(base, size), DOCA_SUCCESS);
    EXPECT_EQ(get(base + size - 1, 1), DOCA_SUCCESS);
    EXPECT_EQ(get(base, 0), DOCA_SUCCESS);
    EXPECT_EQ(get(base, size + 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(base - 1, 2), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(base + size - 10, 11), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(base + size + 1, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(base + 64, SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(base + 64, SIZE_MAX - 63), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(reinterpret_cast<void *>(64), 64), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaBufInventory, ByArgsRefusesWhatIsOutside)
{
    std::byte *const base = memory_.data();

    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, base, 4097, base, 0, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, base + 64, 64, base, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, base, 64, base + 60, 5, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_data(inventory_, mmap_, base, 4097, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(inventory_.num_free(), 4u);
}

TEST_F(DocaBufInventory, TheMmapMustBeStarted)
{
    Mmap mmap;
    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory_, mmap, memory_.data(), 8, Buf()),
              DOCA_ERROR_BAD_STATE);
    must(doca_mmap_set_memrange(mmap, memory_.data(), 64));
    must(doca_mmap_start(mmap));
    must(doca_mmap_stop(mmap));

    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap, memory_.data(), 8,
                                                 memory_.data(), 8, Buf()),
              DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaBufInventory, IsEmptyAfterExactlyItsNumber)
{
    for (int i = 0; i < 4; ++i)
        (void)inventory_.by_addr(mmap_, memory_.data(), 8);

    EXPECT_EQ(inventory_.num_free(), 0u);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, memory_.data(), 8,
                                                 memory_.data(), 0, Buf()),
              DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, memory_.data(), 8, Buf()),
              DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_data(inventory_, mmap_, memory_.data(), 8, Buf()),
              DOCA_ERROR_NO_MEMORY);
    inventory_.take_back_all();
    EXPECT_NE(inventory_.by_addr(mmap_, memory_.data(), 8), nullptr);
}

TEST_F(DocaBufInventory, ServesSeveralMmaps)
{
    const Memory other_memory(64);
    const Mmap other(device_, other_memory);

    doca_buf *const one = inventory_.by_addr(mmap_, memory_.data(), 8);
    doca_buf *const two = inventory_.by_addr(other, other_memory.data(), 8);
    EXPECT_EQ(doca_buf_chain_list(one, two), DOCA_SUCCESS);

    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory_, other, memory_.data(), 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    inventory_.take_back_all();
}

TEST_F(DocaBufInventory, ExpandAddsFreeOnes)
{
    for (int i = 0; i < 4; ++i)
        (void)inventory_.by_addr(mmap_, memory_.data(), 8);

    EXPECT_EQ(doca_buf_inventory_expand(inventory_, 3), DOCA_SUCCESS);

    EXPECT_EQ(num_elements(inventory_), 7u);
    EXPECT_EQ(inventory_.num_free(), 3u);
    std::set<doca_buf *> taken;
    for (int i = 0; i < 3; ++i)
        taken.insert(inventory_.by_addr(mmap_, memory_.data(), 8));
    EXPECT_EQ(taken.size(), 3u);
    EXPECT_EQ(inventory_.num_free(), 0u);
}

TEST_F(DocaBufInventory, ExpandRefusesNoneAndTooMany)
{
    EXPECT_EQ(doca_buf_inventory_expand(inventory_, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_expand(inventory_, UINT32_MAX - 3), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(num_elements(inventory_), 4u);
}

TEST_F(DocaBufInventory, DupCopiesAWholeList)
{
    doca_buf *const head = inventory_.by_addr(mmap_, memory_.at(0), 64);
    must(doca_buf_set_data(head, memory_.at(8), 16));
    must(doca_buf_chain_list(head, inventory_.by_data(mmap_, memory_.at(64), 32)));
    must(doca_buf_inc_refcount(head, nullptr));
    doca_buf *copy = nullptr;

    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, head, &copy), DOCA_SUCCESS);

    EXPECT_EQ(shapes_of(copy), shapes_of(head));
    std::uint16_t refcount = 0;
    must(doca_buf_get_refcount(copy, &refcount));
    EXPECT_EQ(refcount, 1);
    EXPECT_EQ(inventory_.num_free(), 0u);
    must(doca_buf_set_data_len(copy, 1));
    EXPECT_EQ(shape_of(head).data_len, 16u) << "the copies are their own";
    EXPECT_EQ(doca_buf_dec_refcount(copy, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 2u);
    std::uint32_t num_bufs = 0;
    must(doca_mmap_get_num_bufs(mmap_, &num_bufs));
    EXPECT_EQ(num_bufs, 2u);
}

TEST_F(DocaBufInventory, DupTakesAllOrNothing)
{
    doca_buf *const head = inventory_.by_addr(mmap_, memory_.at(0), 64);
    must(doca_buf_chain_list(head, inventory_.by_addr(mmap_, memory_.at(64), 64)));
    must(doca_buf_chain_list(head, inventory_.by_addr(mmap_, memory_.at(128), 64)));

    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, head, Buf()), DOCA_ERROR_NO_MEMORY);

    EXPECT_EQ(inventory_.num_free(), 1u);
}

TEST_F(DocaBufInventory, DupNeedsTheHeadAndAStartedMmap)
{
    Mmap safe;
    must(doca_mmap_enable_thread_safety(safe)); // so that it can be stopped with buffers out
    must(doca_mmap_set_memrange(safe, memory_.data(), 64));
    must(doca_mmap_start(safe));
    doca_buf *const head = inventory_.by_addr(mmap_, memory_.at(0), 64);
    doca_buf *const tail = inventory_.by_addr(safe, memory_.data(), 64);
    must(doca_buf_chain_list(head, tail));

    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, tail, Buf()), DOCA_ERROR_NOT_PERMITTED);
    must(doca_mmap_stop(safe));
    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, head, Buf()), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(inventory_.num_free(), 2u);
    inventory_.take_back_all();
}

TEST_F(DocaBufInventory, ReuseGivesTheHandleAnotherRange)
{
    doca_buf *const buf = inventory_.by_addr(mmap_, memory_.at(0), 64);

    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(buf, memory_.at(128), 32), DOCA_SUCCESS);
    EXPECT_EQ(shape_of(buf), (Shape{memory_.at(128), 32, memory_.at(128), 32}));

    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(buf, memory_.at(64), 4032), DOCA_SUCCESS);
    EXPECT_EQ(shape_of(buf), (Shape{memory_.at(64), 4032, memory_.at(64), 0}));
    EXPECT_EQ(inventory_.num_free(), 3u);
}

TEST_F(DocaBufInventory, ReuseStaysInsideTheMmap)
{
    doca_buf *const buf = inventory_.by_data(mmap_, memory_.at(0), 64);

    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(buf, memory_.at(64), 4033),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(buf, memory_.data() - 1, 2),
              DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(shape_of(buf), (Shape{memory_.at(0), 64, memory_.at(0), 64}));
}

TEST_F(DocaBufInventory, ThreadsMayShareIt)
{
    constexpr int kNumThreads = 8;
    constexpr std::size_t kNumBufs = 64; // for all of them: they compete
    Mmap mmap;
    must(doca_mmap_set_memrange(mmap, memory_.data(), memory_.size()));
    must(doca_mmap_enable_thread_safety(mmap));
    must(doca_mmap_start(mmap));
    Inventory inventory(kNumBufs);

    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < kNumThreads; ++seed)
        threads.emplace_back([&, seed] {
            std::mt19937 random(seed);
            std::vector<doca_buf *> mine;
            for (int round = 0; round < 2000; ++round) {
                std::byte *const place = memory_.at(seed * 64 + random() % 64);
                doca_buf *buf = nullptr;
                const doca_error_t result =
                    doca_buf_inventory_buf_get_by_addr(inventory, mmap, place, 1, &buf);
                if (result == DOCA_SUCCESS) {
                    EXPECT_EQ(shape_of(buf), (Shape{place, 1, place, 0}));
                    mine.push_back(buf);
                } else {
                    EXPECT_EQ(result, DOCA_ERROR_NO_MEMORY);
                }
                if (!mine.empty() && (result != DOCA_SUCCESS || random() % 2 == 0)) {
                    std::swap(mine[random() % mine.size()], mine.back());
                    EXPECT_EQ(doca_buf_dec_refcount(mine.back(), nullptr), DOCA_SUCCESS);
                    mine.pop_back();
                }
            }
            for (doca_buf *buf : mine)
                EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
        });
    for (std::thread &thread : threads)
        thread.join();

    EXPECT_EQ(inventory.num_free(), kNumBufs);
}
