// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/dma_setup.hpp"
#include "support/wait_until.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace softdoca::test {

/// A destination before and after: the bytes of its memory and the length of its data.
class Untouched {
public:
    Untouched(const DmaSetup &setup, const doca_buf *dst) : setup_(setup), dst_(dst)
    {
        bytes_.assign(setup.dst.data(), setup.dst.data() + setup.dst.size());
        data_len_ = data_len();
    }

    void check() const
    {
        EXPECT_EQ(std::memcmp(setup_.dst.data(), bytes_.data(), bytes_.size()), 0);
        EXPECT_EQ(data_len(), data_len_);
    }

private:
    std::size_t data_len() const
    {
        std::size_t len = 0;
        EXPECT_EQ(doca_buf_get_data_len(dst_, &len), DOCA_SUCCESS);
        return len;
    }

    const DmaSetup &setup_;
    const doca_buf *dst_;
    std::vector<std::byte> bytes_;
    std::size_t data_len_;
};

/// try_submit of a bad task: the code, no callback, still RUNNING, the task still the caller's.
inline void expect_try_submit_refuses(DmaSetup &setup, doca_task *task, const doca_buf *dst,
                                      doca_error_t code)
{
    const Untouched untouched(setup, dst);
    (void)setup.context.take();

    EXPECT_EQ(doca_task_try_submit(task), code);

    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
    EXPECT_EQ(setup.context.record(), Record{});
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(setup.context.num_inflight(), 0u);
    untouched.check();
}

/// submit of a bad task, in all its consequences. The task is freed and the context IDLE then.
inline void expect_fails_as_bad_task(DmaSetup &setup, doca_task *task, const doca_buf *dst)
{
    const Untouched untouched(setup, dst);
    (void)setup.context.take();

    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_EQ(setup.context.record(), Record{});
    EXPECT_TRUE(wait_until(setup.pe, [&] { return !setup.context.record().empty(); }));
    EXPECT_EQ(setup.context.take(), (Record{"error IO_FAILED", "RUNNING->STOPPING"}));
    untouched.check();

    EXPECT_EQ(doca_pe_progress(setup.pe), 0); // the task is not freed
    setup.context.free(task);
    EXPECT_TRUE(wait_until(setup.pe, [&] { return setup.context.state() == DOCA_CTX_STATE_IDLE; }));
    EXPECT_EQ(setup.context.take(), (Record{"STOPPING->IDLE"}));
}

} // namespace softdoca::test
