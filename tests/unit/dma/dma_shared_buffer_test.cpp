// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Buffers that stand on both sides of a copy, sums of lengths that wrap, and an engine some of
// whose contexts have nothing to deliver after all.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace softdoca::test;

namespace {

std::size_t data_len(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

class DocaDmaSharedBuffer : public testing::Test {
protected:
    /// Four bytes of data in a buffer of sixteen of the destination's memory.
    doca_buf *half_full(std::size_t offset)
    {
        doca_buf *const buf = setup_.destination(offset, 16);
        std::memcpy(setup_.dst.at(offset), "data", 4);
        must(doca_buf_set_data(buf, setup_.dst.at(offset), 4));
        return buf;
    }
    void expect_copied(const doca_buf *src, doca_buf *dst)
    {
        doca_task *const task = setup_.context.alloc(src, dst);
        setup_.context.take();
        EXPECT_EQ(doca_task_try_submit(task), DOCA_SUCCESS);
        EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
        EXPECT_EQ(setup_.context.take(), Record{"success"});
    }

    DmaSetup setup_{4};
};

} // namespace

TEST_F(DocaDmaSharedBuffer, AppendsItsOwnData)
{
    doca_buf *const buf = half_full(0);

    expect_copied(buf, buf);

    EXPECT_EQ(data_len(buf), 8u);
    EXPECT_EQ(std::memcmp(setup_.dst.at(0), "datadata", 8), 0);
}

TEST_F(DocaDmaSharedBuffer, ListAppendsItsOwnData)
{
    doca_buf *const head = half_full(0);
    must(doca_buf_chain_list(head, half_full(64)));

    expect_copied(head, head);

    EXPECT_EQ(data_len(head), 12u) << "all eight bytes fit behind the first element's data";
    EXPECT_EQ(std::memcmp(setup_.dst.at(0), "datadatadata", 12), 0);
}

TEST_F(DocaDmaSharedBuffer, FullElementAndEmptyOneAreOneStream)
{
    doca_buf *const full = half_full(0);
    must(doca_buf_set_data(full, setup_.dst.at(0), 16));
    doca_buf *const empty = setup_.destination(64, 16);
    must(doca_buf_chain_list(full, empty));

    expect_copied(full, full);

    EXPECT_EQ(data_len(full), 16u);
    EXPECT_EQ(data_len(empty), 16u);
}

TEST_F(DocaDmaSharedBuffer, LengthsThatWrapAreTooLong)
{
    constexpr std::size_t kHuge = std::size_t{1} << 63;
    Mmap huge;
    must(doca_mmap_set_memrange(huge, setup_.src.data(), kHuge));
    must(doca_mmap_add_dev(huge, setup_.device));
    must(doca_mmap_start(huge));
    doca_buf *const head = setup_.inventory.by_data(huge, setup_.src.data(), kHuge);
    for (const std::size_t len : {kHuge, std::size_t{16}}) // the sum is 16
        must(doca_buf_chain_list(head, setup_.inventory.by_data(huge, setup_.src.data(), len)));
    doca_task *const task = setup_.context.alloc(head, setup_.destination(0, 64));

    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(doca_task_get_status(task), DOCA_ERROR_IO_FAILED);
    setup_.context.free(task);
    must(doca_buf_dec_refcount(head, nullptr));
}

TEST_F(DocaDmaSharedBuffer, ContextWithNothingToDeliverDoesNotHideAnother)
{
    DmaContext other(setup_.device, setup_.pe, 1);
    must(other.start());
    doca_task *const held = other.alloc(setup_.source(0, 64), setup_.destination(0, 64));
    EXPECT_EQ(other.stop(), DOCA_ERROR_IN_PROGRESS);
    must(doca_task_submit(setup_.task(1)));

    EXPECT_EQ(doca_pe_progress(setup_.pe), 1) << "the copy of the other context is due";

    other.free(held);
}
