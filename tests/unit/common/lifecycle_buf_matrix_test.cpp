// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every call on an inventory and on a buffer pool, in every state.

#include "support/handles.hpp"
#include "support/lifecycle_matrix.hpp"

#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace {

using softdoca::test::Cell;
using softdoca::test::cells_of;
using softdoca::test::check_cell;
using softdoca::test::Device;
using softdoca::test::Handle;
using softdoca::test::Inventory;
using softdoca::test::Memory;
using softdoca::test::Mmap;
using softdoca::test::must;
using softdoca::test::name_of_cell;
using softdoca::test::Row;

constexpr doca_error_t kOk = DOCA_SUCCESS;
constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
constexpr doca_error_t kBadState = DOCA_ERROR_BAD_STATE;
constexpr doca_error_t kInUse = DOCA_ERROR_IN_USE;
constexpr doca_error_t kNoMemory = DOCA_ERROR_NO_MEMORY;

// ---- inventory ----

/// An inventory for two elements; one is out where the state says so.
struct InventoryScene {
    enum State { created, started, started_and_out, stopped, stopped_and_out, kNumStates };
    static constexpr std::array kStateNames = {"Created", "Started", "StartedWithBuf", "Stopped",
                                               "StoppedWithBuf"};

    explicit InventoryScene(State state)
    {
        must(doca_buf_inventory_create(2, inventory.out()));
        if (state == created)
            return;
        must(doca_buf_inventory_start(inventory));
        if (state == started_and_out || state == stopped_and_out)
            must(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory.data(), 64, &buf));
        if (state == stopped || state == stopped_and_out)
            must(doca_buf_inventory_stop(inventory));
    }
    ~InventoryScene()
    {
        if (buf != nullptr) {
            EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
        }
    }

    std::string picture() const
    {
        std::uint32_t num = 0, num_free = 0;
        doca_data user_data{};
        must(doca_buf_inventory_get_num_elements(inventory, &num));
        must(doca_buf_inventory_get_num_free_elements(inventory, &num_free));
        must(doca_buf_inventory_get_user_data(inventory, &user_data));
        std::ostringstream out;
        out << num_free << " of " << num << ", user data " << user_data.u64 << ", started "
            << (doca_buf_inventory_expand(inventory, 0) == kInvalid);
        return out.str();
    }
    /// Gets as many as asked for and returns them.
    doca_error_t get(std::size_t num)
    {
        std::vector<doca_buf *> bufs;
        doca_error_t result = DOCA_SUCCESS;
        while (result == DOCA_SUCCESS && bufs.size() < num) {
            doca_buf *got = nullptr;
            result = doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory.data(), 64, &got);
            if (result == DOCA_SUCCESS)
                bufs.push_back(got);
        }
        for (doca_buf *got : bufs)
            must(doca_buf_dec_refcount(got, nullptr));
        return result;
    }
    doca_error_t dup(const doca_buf *src)
    {
        doca_buf *copy = nullptr;
        const doca_error_t result = doca_buf_inventory_buf_dup(inventory, src, &copy);
        return result == DOCA_SUCCESS ? doca_buf_dec_refcount(copy, nullptr) : result;
    }

    Device device;
    Memory memory{4096};
    Mmap mmap{device, memory};
    Inventory others{1};
    doca_buf *foreign = others.by_data(mmap, memory.data(), 64);
    Handle<doca_buf_inventory, doca_buf_inventory_destroy> inventory;
    doca_buf *buf = nullptr;
};

/// Created, started, started with a buffer out, stopped, stopped with a buffer out.
const Row<InventoryScene> kInventoryRows[] = {
    {"Start",
     [](InventoryScene &s) { return doca_buf_inventory_start(s.inventory); },
     {kOk, kOk, kOk, kOk, kOk}},
    {"Stop",
     [](InventoryScene &s) { return doca_buf_inventory_stop(s.inventory); },
     {kOk, kOk, kOk, kOk, kOk}},
    {"Destroy",
     [](InventoryScene &s) { return s.inventory.destroy(); },
     {kOk, kOk, kInUse, kOk, kInUse}},
    {"Expand",
     [](InventoryScene &s) { return doca_buf_inventory_expand(s.inventory, 3); },
     {kBadState, kOk, kOk, kBadState, kBadState}},
    {"Get",
     [](InventoryScene &s) { return s.get(1); },
     {kBadState, kOk, kOk, kBadState, kBadState}},
    {"GetMoreThanThereAre",
     [](InventoryScene &s) { return s.get(3); },
     {kBadState, kNoMemory, kNoMemory, kBadState, kBadState}},
    {"Dup",
     [](InventoryScene &s) { return s.dup(s.foreign); },
     {kBadState, kOk, kOk, kBadState, kBadState}},
    {"SetUserData",
     [](InventoryScene &s) { return doca_buf_inventory_set_user_data(s.inventory, {.u64 = 9}); },
     {kOk, kOk, kOk, kOk, kOk}},
    {"GetUserData",
     [](InventoryScene &s) {
         doca_data user_data{};
         return doca_buf_inventory_get_user_data(s.inventory, &user_data);
     },
     {kOk, kOk, kOk, kOk, kOk}},
    {"GetNumElements",
     [](InventoryScene &s) {
         std::uint32_t num = 0;
         return doca_buf_inventory_get_num_elements(s.inventory, &num);
     },
     {kOk, kOk, kOk, kOk, kOk}},
    {"GetNumFreeElements",
     [](InventoryScene &s) {
         std::uint32_t num = 0;
         return doca_buf_inventory_get_num_free_elements(s.inventory, &num);
     },
     {kOk, kOk, kOk, kOk, kOk}},
};

class DocaBufInventoryMatrix : public testing::TestWithParam<Cell<InventoryScene>> {};

TEST_P(DocaBufInventoryMatrix, AnswersAsTheTableSays)
{
    check_cell(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cells, DocaBufInventoryMatrix, testing::ValuesIn(cells_of(kInventoryRows)),
                         name_of_cell<InventoryScene>);

TEST(DocaBufInventoryStates, BufferOutlivesTheStop)
{
    InventoryScene scene(InventoryScene::stopped_and_out);
    std::size_t len = 0;

    const doca_error_t result = doca_buf_get_len(scene.buf, &len);

    EXPECT_EQ(result, DOCA_SUCCESS);
    EXPECT_EQ(len, 64u);
}

// ---- buffer pool ----

/// A pool of two elements; one is out where the state says so.
struct PoolScene {
    enum State { created, started, started_and_out, stopped, kNumStates };
    static constexpr std::array kStateNames = {"Created", "Started", "StartedWithBuf", "Stopped"};

    explicit PoolScene(State state)
    {
        must(doca_buf_pool_create(2, 64, mmap, pool.out()));
        if (state == created)
            return;
        must(doca_buf_pool_start(pool));
        if (state == started_and_out)
            must(doca_buf_pool_buf_alloc(pool, &buf));
        if (state == stopped)
            must(doca_buf_pool_stop(pool));
    }
    ~PoolScene()
    {
        if (buf != nullptr) {
            EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
        }
    }

    std::string picture() const
    {
        std::uint32_t num_free = 0;
        std::size_t alignment = 0;
        doca_data user_data{};
        must(doca_buf_pool_get_num_free_elements(pool, &num_free));
        must(doca_buf_pool_get_element_alignment(pool, &alignment));
        must(doca_buf_pool_get_user_data(pool, &user_data));
        std::ostringstream out;
        out << "free " << num_free << ", alignment " << alignment << ", user data "
            << user_data.u64;
        return out.str();
    }
    doca_error_t alloc(std::size_t num)
    {
        std::vector<doca_buf *> bufs;
        doca_error_t result = DOCA_SUCCESS;
        while (result == DOCA_SUCCESS && bufs.size() < num) {
            doca_buf *got = nullptr;
            result = doca_buf_pool_buf_alloc(pool, &got);
            if (result == DOCA_SUCCESS)
                bufs.push_back(got);
        }
        for (doca_buf *got : bufs)
            must(doca_buf_dec_refcount(got, nullptr));
        return result;
    }

    Device device;
    Memory memory{4096};
    Mmap mmap{device, memory};
    Handle<doca_buf_pool, doca_buf_pool_destroy> pool;
    doca_buf *buf = nullptr;
};

/// Created, started, started with a buffer out, stopped.
const Row<PoolScene> kPoolRows[] = {
    {"Start",
     [](PoolScene &s) { return doca_buf_pool_start(s.pool); },
     {kOk, kBadState, kBadState, kOk}},
    {"Stop", [](PoolScene &s) { return doca_buf_pool_stop(s.pool); }, {kOk, kOk, kInUse, kOk}},
    {"Destroy", [](PoolScene &s) { return s.pool.destroy(); }, {kOk, kOk, kInUse, kOk}},
    {"Alloc", [](PoolScene &s) { return s.alloc(1); }, {kBadState, kOk, kOk, kBadState}},
    {"AllocMoreThanThereAre",
     [](PoolScene &s) { return s.alloc(3); },
     {kBadState, DOCA_ERROR_EMPTY, DOCA_ERROR_EMPTY, kBadState}},
    {"SetUserData",
     [](PoolScene &s) { return doca_buf_pool_set_user_data(s.pool, {.u64 = 9}); },
     {kOk, kBadState, kBadState, kOk}},
    {"SetElementAlignment",
     [](PoolScene &s) { return doca_buf_pool_set_element_alignment(s.pool, 64); },
     {kOk, kBadState, kBadState, kOk}},
    {"SetElementAlignmentOfThree",
     [](PoolScene &s) { return doca_buf_pool_set_element_alignment(s.pool, 3); },
     {kInvalid, kInvalid, kInvalid, kInvalid}},
    {"GetNumElements",
     [](PoolScene &s) {
         std::uint32_t num = 0;
         return doca_buf_pool_get_num_elements(s.pool, &num);
     },
     {kOk, kOk, kOk, kOk}},
    {"GetNumFreeElements",
     [](PoolScene &s) {
         std::uint32_t num = 0;
         return doca_buf_pool_get_num_free_elements(s.pool, &num);
     },
     {kOk, kOk, kOk, kOk}},
};

class DocaBufPoolMatrix : public testing::TestWithParam<Cell<PoolScene>> {};

TEST_P(DocaBufPoolMatrix, AnswersAsTheTableSays)
{
    check_cell(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cells, DocaBufPoolMatrix, testing::ValuesIn(cells_of(kPoolRows)),
                         name_of_cell<PoolScene>);

TEST(DocaBufPoolStates, StartNeedsAStartedMmap)
{
    PoolScene scene(PoolScene::created);
    must(doca_mmap_stop(scene.mmap));

    const doca_error_t result = doca_buf_pool_start(scene.pool);

    EXPECT_EQ(result, DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_start(scene.mmap), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_pool_start(scene.pool), DOCA_SUCCESS);
}

} // namespace
