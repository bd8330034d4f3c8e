// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a copy may be: sizes, data, lists, access.

#include "bad_task.hpp"

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"
#include "unit/common/in_topology.hpp"

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace {

using namespace softdoca::test;

constexpr std::size_t kFourMiB = std::size_t{4} << 20;

std::size_t data_len_of(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

std::uint64_t max_buf_size(const DmaSetup &setup)
{
    std::uint64_t max = 0;
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_size(setup.device.info(), &max), DOCA_SUCCESS);
    return max;
}

TEST(FieldCase, F01CopyOfTheLimitSucceeds)
{
    for (const auto submit : {doca_task_submit, doca_task_try_submit}) {
        DmaSetup setup(4, kFourMiB);
        setup.dst.fill(99);
        const std::uint64_t max = max_buf_size(setup);
        ASSERT_EQ(max, 2'097'152u);
        doca_buf *const dst = setup.destination(0, kFourMiB);
        doca_task *const task = setup.context.alloc(setup.source(0, max), dst);
        (void)setup.context.take();

        EXPECT_EQ(submit(task), DOCA_SUCCESS);
        EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

        EXPECT_EQ(setup.context.take(), (Record{"success"}));
        EXPECT_TRUE(setup.is_copied(0, max));
        EXPECT_EQ(data_len_of(dst), max);
    }
}

TEST(FieldCase, F01CopyOneByteAboveTheLimitFails)
{
    const SdkLog log;
    DmaSetup setup(4, kFourMiB);
    setup.dst.fill(99);
    doca_buf *const dst = setup.destination(0, kFourMiB);
    doca_task *const task = setup.context.alloc(setup.source(0, max_buf_size(setup) + 1), dst);

    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(log.count({"[ERR]", text_of(setup.context.dma()), setup.device.pci_addr(), "2097153",
                         "2097152", "max_buf_size"}),
              1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
    expect_fails_as_bad_task(setup, task, dst);

    EXPECT_EQ(log.count({"[ERR]", text_of(setup.context.dma()), "2097153", "max_buf_size"}), 2);
    EXPECT_EQ(log.count({"[ERR]"}), 2);
}

TEST(FieldCase, F01LimitIsThatOfTheTopologyFile)
{
    const char *const world = "[[dpu]]\ndma = { max_buf_size = 65536 }\n[[host]]\n";
    in_topology(world, "dpu", [] {
        const SdkLog log;
        DmaSetup setup(4, kFourMiB);
        setup.dst.fill(99);
        ASSERT_EQ(max_buf_size(setup), 65536u);
        doca_buf *const good_dst = setup.destination(0, kFourMiB);
        doca_task *const good = setup.context.alloc(setup.source(0, 65536), good_dst);
        (void)setup.context.take();

        EXPECT_EQ(doca_task_submit(good), DOCA_SUCCESS);
        EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

        EXPECT_EQ(setup.context.take(), (Record{"success"}));
        EXPECT_TRUE(setup.is_copied(0, 65536));
        setup.context.free(good);
        doca_buf *const dst = setup.destination(kFourMiB / 2, kFourMiB / 2);
        doca_task *const task = setup.context.alloc(setup.source(0, 65537), dst);
        expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(log.count({"[ERR]", "65537", "65536", "max_buf_size"}), 1);
        expect_fails_as_bad_task(setup, task, dst);
    });
}

TEST(FieldCase, F02SourceThatHoldsNoData)
{
    const SdkLog log;
    DmaSetup setup(2);
    doca_buf *const src = setup.inventory.by_addr(setup.src_mmap, setup.src.at(0), 4096);
    doca_buf *const dst = setup.destination(0, 4096);
    doca_task *const task = setup.context.alloc(src, dst);

    EXPECT_EQ(data_len_of(src), 0u);
    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(log.count({"[ERR]", text_of(src), "4096", "doca_buf_set_data"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);

    EXPECT_EQ(doca_buf_set_data(src, setup.src.at(0), 4096), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_TRUE(wait_until(setup.pe, [&] { return !setup.context.record().empty(); }));
    EXPECT_EQ(setup.context.take(), (Record{"success"}));
    EXPECT_EQ(data_len_of(dst), 4096u);
}

TEST(FieldCase, F02EmptySourceFailsAndTheContextCanBeStartedAgain)
{
    DmaSetup setup(2);
    doca_buf *const src = setup.inventory.by_addr(setup.src_mmap, setup.src.at(0), 4096);
    doca_buf *const dst = setup.destination(0, 4096);

    expect_fails_as_bad_task(setup, setup.context.alloc(src, dst), dst);
    EXPECT_EQ(data_len_of(dst), 0u);
    EXPECT_EQ(setup.context.start(), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_set_data(src, setup.src.at(0), 4096), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_submit(setup.context.alloc(src, dst)), DOCA_SUCCESS);
    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.num_inflight() == 0; }));

    EXPECT_EQ(setup.context.take(), (Record{"IDLE->RUNNING", "success"}));
    EXPECT_TRUE(setup.is_copied(0, 4096));
    EXPECT_EQ(data_len_of(dst), 4096u);
}

TEST(FieldCase, F14PermissionsThatExcludeEachOtherOrAreUnknown)
{
    const Mmap mmap;

    EXPECT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
                                                  DOCA_ACCESS_FLAG_PCI_READ_WRITE),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_permissions(mmap, 1u << 7), DOCA_ERROR_INVALID_VALUE);
}

TEST(FieldCase, F14PermissionsOfAStartedMmap)
{
    DmaSetup setup(1);

    EXPECT_EQ(doca_mmap_set_permissions(setup.dst_mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE),
              DOCA_ERROR_BAD_STATE);
}

TEST(FieldCase, F14DestinationThatIsReadOnly)
{
    const SdkLog log;
    DmaSetup setup(1);
    must(doca_mmap_stop(setup.dst_mmap));
    ASSERT_EQ(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, 0);
    must(doca_mmap_set_permissions(setup.dst_mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
    must(doca_mmap_start(setup.dst_mmap));
    doca_buf *const dst = setup.destination(0, 64);
    doca_task *const task = setup.context.alloc(setup.source(0, 64), dst);

    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_NOT_PERMITTED);
    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(log.count({"[ERR]", text_of(setup.dst_mmap.get()), "destination",
                         "DOCA_ACCESS_FLAG_LOCAL_READ_WRITE"}),
              1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
    expect_fails_as_bad_task(setup, task, dst);
}

TEST(FieldCase, F14DestinationWhosePermissionsWereNeverSet)
{
    DmaSetup setup(1);
    const Memory memory(64);
    Mmap mmap;
    must(doca_mmap_set_memrange(mmap, memory.data(), memory.size()));
    must(doca_mmap_add_dev(mmap, setup.device));
    must(doca_mmap_start(mmap));
    Inventory inventory(1);
    doca_buf *const dst = inventory.by_addr(mmap, memory.data(), 64);
    must(doca_task_submit(setup.context.alloc(setup.source(0, 64), dst)));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), (Record{"success"}));
    EXPECT_EQ(std::memcmp(memory.data(), setup.src.data(), 64), 0);
}

TEST(FieldCase, F24ListsOfBuffersAreOneStream)
{
    DmaSetup setup(1);
    doca_buf *const src = setup.source(100, 11);
    must(doca_buf_chain_list(src, setup.source(2000, 10)));
    must(doca_buf_chain_list(src, setup.source(7, 10)));
    doca_buf *const dst = setup.destination(50, 16);
    doca_buf *const second = setup.destination(3000, 15);
    must(doca_buf_chain_list(dst, second));
    std::byte stream[31];
    std::memcpy(stream, setup.src.at(100), 11);
    std::memcpy(stream + 11, setup.src.at(2000), 10);
    std::memcpy(stream + 21, setup.src.at(7), 10);

    EXPECT_EQ(doca_task_submit(setup.context.alloc(src, dst)), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.record().back(), "success");
    EXPECT_EQ(std::memcmp(setup.dst.at(50), stream, 16), 0);
    EXPECT_EQ(std::memcmp(setup.dst.at(3000), stream + 16, 15), 0);
    EXPECT_EQ(data_len_of(dst), 16u);
    EXPECT_EQ(data_len_of(second), 15u);
    std::uint32_t list_len = 0;
    EXPECT_EQ(doca_buf_get_list_len(dst, &list_len), DOCA_SUCCESS);
    EXPECT_EQ(list_len, 2u);
}

TEST(FieldCase, F24HeadsGiveBackEveryElement)
{
    DmaSetup setup(1);
    const std::uint32_t num_free = setup.inventory.num_free();
    doca_buf *const src = setup.source(0, 11);
    must(doca_buf_chain_list(src, setup.source(100, 10)));
    must(doca_buf_chain_list(src, setup.source(200, 10)));
    doca_buf *const dst = setup.destination(0, 16);
    must(doca_buf_chain_list(dst, setup.destination(100, 15)));
    must(doca_task_submit(setup.context.alloc(src, dst)));
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);
    ASSERT_EQ(setup.inventory.num_free(), num_free - 5);

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);

    EXPECT_EQ(setup.inventory.num_free(), num_free);
}

TEST(FieldCase, F24ListOneElementTooLong)
{
    const SdkLog log;
    DmaSetup setup(1);
    std::uint32_t max = 0;
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_list_len(setup.device.info(), &max),
              DOCA_SUCCESS);
    ASSERT_EQ(max, 64u);
    doca_buf *const src = setup.source(0, 8);
    for (std::uint32_t i = 1; i <= max; ++i)
        must(doca_buf_chain_list(src, setup.source(i * 8, 8)));
    doca_buf *const dst = setup.destination(0, 4096);
    doca_task *const task = setup.context.alloc(src, dst);

    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);
    expect_try_submit_refuses(setup, task, dst, DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", text_of(setup.context.dma()), "source list", "65 ", "64 ",
                         "max_buf_list_len"}),
              1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
}

TEST(FieldCase, F24ListOfTheLimitCopies)
{
    DmaSetup setup(1);
    doca_buf *const src = setup.source(0, 8);
    for (std::size_t i = 1; i < 64; ++i)
        must(doca_buf_chain_list(src, setup.source(i * 8, 8)));

    EXPECT_EQ(doca_task_try_submit(setup.context.alloc(src, setup.destination(0, 512))),
              DOCA_SUCCESS);

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_TRUE(setup.is_copied(0, 512));
}

} // namespace
