// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Objects belong to the process that made them: in a forked child every call on them is refused,
// and the parent goes on as if nothing had been.

#include "support/dma_setup.hpp"
#include "support/wait_until.hpp"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::Handle;
using softdoca::test::must;
using softdoca::test::Record;
using softdoca::test::Start;

/// Runs the body in a forked child, whose failures become this test's.
template <typename Body>
void in_child(Body body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0); // no destructors: the objects are not ours
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
}

#define EXPECT_REFUSED(call) EXPECT_EQ(call, DOCA_ERROR_BAD_STATE)

/// Everything a program can have while it forks, with one task in flight and one held.
class DocaFork : public testing::Test {
protected:
    DocaFork()
    {
        must(doca_buf_pool_create(2, 64, setup.src_mmap, pool.out()));
        must(doca_buf_pool_start(pool));
        must(doca_task_submit(in_flight));
        (void)setup.context.take();
    }

    void expect_parent_goes_on()
    {
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);
        must(doca_task_submit(held));
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);
        EXPECT_EQ(setup.context.take(), Record(2, "success"));
        EXPECT_TRUE(setup.is_copied(0, 128));
    }

    DmaSetup setup{2, 4096};
    Handle<doca_buf_pool, doca_buf_pool_destroy> pool;
    doca_buf *const buf = setup.source(128, 64);
    doca_buf *const another_buf = setup.source(192, 64);
    doca_task *const in_flight = setup.task(0);
    doca_task *const held = setup.task(1);
};

TEST_F(DocaFork, ContextIsRefusedInTheChild)
{
    in_child([this] {
        doca_ctx *const ctx = setup.ctx();
        doca_ctx_states state{};
        std::size_t num = 0;
        doca_data user_data{};
        EXPECT_REFUSED(doca_ctx_start(ctx));
        EXPECT_REFUSED(doca_ctx_stop(ctx));
        EXPECT_REFUSED(doca_ctx_get_state(ctx, &state));
        EXPECT_REFUSED(doca_ctx_get_num_inflight_tasks(ctx, &num));
        EXPECT_REFUSED(doca_ctx_set_user_data(ctx, user_data));
        EXPECT_REFUSED(doca_ctx_get_user_data(ctx, &user_data));
        EXPECT_REFUSED(doca_ctx_set_completion_vector(ctx, 0));
        doca_ctx_flush_tasks(ctx);
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, DmaIsRefusedInTheChild)
{
    in_child([this] {
        std::uint32_t num = 0;
        doca_dma_task_memcpy *task = nullptr;
        EXPECT_REFUSED(doca_dma_cap_get_max_num_tasks(setup.context.dma(), &num));
        EXPECT_REFUSED(doca_dma_task_memcpy_alloc_init(setup.context.dma(), buf, buf, {}, &task));
        EXPECT_REFUSED(doca_dma_destroy(setup.context.dma()));
        EXPECT_REFUSED(setup.context.configure(3));
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, EngineIsRefusedInTheChildAndProgressesNothing)
{
    in_child([this] {
        doca_notification_handle_t handle = -1;
        std::size_t num = 0;
        EXPECT_EQ(doca_pe_progress(setup.pe), 0);
        EXPECT_REFUSED(doca_pe_get_num_inflight_tasks(setup.pe, &num));
        EXPECT_REFUSED(doca_pe_get_notification_handle(setup.pe, &handle));
        EXPECT_REFUSED(doca_pe_request_notification(setup.pe));
        EXPECT_REFUSED(doca_pe_clear_notification(setup.pe, 0));
        EXPECT_REFUSED(doca_pe_set_event_mode(setup.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
        EXPECT_REFUSED(doca_pe_connect_ctx(setup.pe, setup.ctx()));
        EXPECT_REFUSED(doca_pe_destroy(setup.pe));
        EXPECT_TRUE(setup.context.record().empty());
        EXPECT_EQ(setup.dst.at(0)[0], std::byte{0});
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, TasksAreRefusedInTheChild)
{
    in_child([this] {
        EXPECT_REFUSED(doca_task_submit(held));
        EXPECT_REFUSED(doca_task_try_submit(held));
        EXPECT_REFUSED(doca_task_submit_ex(held, DOCA_TASK_SUBMIT_FLAG_FLUSH));
        doca_task_free(held);
        doca_task_free(in_flight);
        EXPECT_REFUSED(doca_task_submit(in_flight));
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, MmapIsRefusedInTheChild)
{
    in_child([this] {
        doca_mmap *const mmap = setup.src_mmap;
        void *addr = nullptr;
        std::size_t len = 0;
        doca_data user_data{};
        std::uint32_t num = 0;
        std::uint8_t answer = 0;
        EXPECT_REFUSED(doca_mmap_start(mmap));
        EXPECT_REFUSED(doca_mmap_stop(mmap));
        EXPECT_REFUSED(doca_mmap_set_memrange(mmap, setup.src.data(), 64));
        EXPECT_REFUSED(doca_mmap_get_memrange(mmap, &addr, &len));
        EXPECT_REFUSED(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
        EXPECT_REFUSED(doca_mmap_set_user_data(mmap, user_data));
        EXPECT_REFUSED(doca_mmap_get_user_data(mmap, &user_data));
        EXPECT_REFUSED(doca_mmap_set_max_num_devices(mmap, 2));
        EXPECT_REFUSED(doca_mmap_get_max_num_devices(mmap, &num));
        EXPECT_REFUSED(doca_mmap_get_num_bufs(mmap, &num));
        EXPECT_REFUSED(doca_mmap_get_exported(mmap, &answer));
        EXPECT_REFUSED(doca_mmap_enable_thread_safety(mmap));
        EXPECT_REFUSED(doca_mmap_destroy(mmap));
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, InventoryIsRefusedInTheChild)
{
    in_child([this] {
        doca_buf_inventory *const inventory = setup.inventory;
        doca_buf *out = nullptr;
        doca_data user_data{};
        std::uint32_t num = 0;
        EXPECT_REFUSED(doca_buf_inventory_start(inventory));
        EXPECT_REFUSED(doca_buf_inventory_stop(inventory));
        EXPECT_REFUSED(doca_buf_inventory_expand(inventory, 1));
        EXPECT_REFUSED(doca_buf_inventory_buf_get_by_addr(inventory, setup.src_mmap,
                                                          setup.src.data(), 64, &out));
        EXPECT_REFUSED(doca_buf_inventory_buf_dup(inventory, buf, &out));
        EXPECT_REFUSED(doca_buf_inventory_get_num_elements(inventory, &num));
        EXPECT_REFUSED(doca_buf_inventory_get_num_free_elements(inventory, &num));
        EXPECT_REFUSED(doca_buf_inventory_set_user_data(inventory, user_data));
        EXPECT_REFUSED(doca_buf_inventory_get_user_data(inventory, &user_data));
        EXPECT_REFUSED(doca_buf_inventory_destroy(inventory));
        EXPECT_EQ(out, nullptr);
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, PoolIsRefusedInTheChild)
{
    in_child([this] {
        doca_buf *out = nullptr;
        std::uint32_t num = 0;
        EXPECT_REFUSED(doca_buf_pool_start(pool));
        EXPECT_REFUSED(doca_buf_pool_stop(pool));
        EXPECT_REFUSED(doca_buf_pool_buf_alloc(pool, &out));
        EXPECT_REFUSED(doca_buf_pool_set_element_alignment(pool, 64));
        EXPECT_REFUSED(doca_buf_pool_get_num_elements(pool, &num));
        EXPECT_REFUSED(doca_buf_pool_get_num_free_elements(pool, &num));
        EXPECT_REFUSED(doca_buf_pool_destroy(pool));
    });

    expect_parent_goes_on();
}

TEST_F(DocaFork, BuffersAreRefusedInTheChild)
{
    in_child([this] {
        std::uint16_t num = 0;
        EXPECT_REFUSED(doca_buf_inc_refcount(buf, &num));
        EXPECT_REFUSED(doca_buf_dec_refcount(buf, &num));
        EXPECT_REFUSED(doca_buf_chain_list(buf, another_buf));
        EXPECT_REFUSED(doca_buf_inventory_buf_reuse_by_addr(buf, setup.src.data(), 64));
    });

    EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
    expect_parent_goes_on();
}

TEST_F(DocaFork, DeviceIsRefusedInTheChild)
{
    doca_devinfo_rep **reps = nullptr;
    std::uint32_t num_reps = 0;
    doca_dev_rep *rep = nullptr;
    must(doca_devinfo_rep_create_list(setup.device, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num_reps));
    must(doca_dev_rep_open(reps[0], &rep));
    must(doca_devinfo_rep_destroy_list(reps));

    in_child([&] {
        doca_dma *dma = nullptr;
        doca_devinfo_rep **list = nullptr;
        std::uint32_t num = 0;
        EXPECT_REFUSED(doca_dev_rep_close(rep));
        EXPECT_REFUSED(
            doca_devinfo_rep_create_list(setup.device, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
        EXPECT_REFUSED(doca_dma_create(setup.device, &dma));
        EXPECT_REFUSED(doca_dev_close(setup.device));
        EXPECT_EQ(list, nullptr);
        EXPECT_EQ(dma, nullptr);
    });

    EXPECT_EQ(doca_dev_rep_close(rep), DOCA_SUCCESS);
    expect_parent_goes_on();
}

TEST_F(DocaFork, GrandchildIsRefusedToo)
{
    in_child([this] {
        in_child([this] {
            EXPECT_REFUSED(doca_ctx_stop(setup.ctx()));
            EXPECT_EQ(doca_pe_progress(setup.pe), 0);
        });
    });

    expect_parent_goes_on();
}

TEST(DocaForkFirst, ChildThatMakesItsOwnObjectsCopies)
{
    in_child([] {
        DmaSetup setup(1, 4096);
        must(doca_task_submit(setup.task()));
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);
        EXPECT_TRUE(setup.is_copied(0, 64));
    });

    DmaSetup setup(1, 4096); // nor does it disturb the parent
    must(doca_task_submit(setup.task()));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
}

TEST_F(DocaFork, ChildMayMakeObjectsOfAnotherDevice)
{
    in_child([] {
        const softdoca::test::Device device("03:00.1");
        const softdoca::test::Memory memory(4096);
        const softdoca::test::Mmap mmap(device, memory);
        softdoca::test::Inventory inventory(2);
        const softdoca::test::Pe pe;
        softdoca::test::DmaContext context(device, pe, 1);
        must(context.start());
        doca_buf *const src = inventory.by_data(mmap, memory.at(0), 64);
        doca_buf *const dst = inventory.by_addr(mmap, memory.at(64), 64);
        must(doca_task_submit(context.alloc(src, dst)));
        EXPECT_EQ(doca_pe_progress(pe), 1);
        EXPECT_EQ(context.record().back(), "success");
    });

    expect_parent_goes_on();
}

} // namespace
