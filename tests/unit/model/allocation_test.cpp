// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Each allocation fails in turn; a program of its own, for failing_new.cpp replaces the operators
// new and delete.

#include "model_setup.hpp"

#include "unit/codes/failing_new.hpp"

namespace {

using softdoca::test::Memory;
using softdoca::test::must;
using softdoca::test::new_counts;

/// Makes the call while allocations may fail. If one did, the answer must be NO_MEMORY, and the
/// call must succeed when it is repeated.
template <typename Call>
void step(const char *text, Call call)
{
    const auto counted_call = [&] {
        new_counts.has_failed = false;
        new_counts.is_counting = true;
        const doca_error_t result = call();
        new_counts.is_counting = false;
        return result;
    };

    doca_error_t result = counted_call();
    if (new_counts.has_failed) {
        EXPECT_EQ(result, DOCA_ERROR_NO_MEMORY) << text;
        result = counted_call();
    }
    EXPECT_EQ(result, DOCA_SUCCESS) << text;
}

#define STEP(call) step(#call, [&] { return call; })

/// The life of the four objects, in which the allocation of that number fails. False if there were
/// fewer.
bool live_with_failure(long number, const Memory &memory)
{
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
    new_counts.countdown = number;
    STEP(doca_ctx_create(&ctx));
    STEP(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
    STEP(doca_mem_reg(dev, memory.data(), memory.size(), DOCA_MEM_ACCESS_RW, &mem));
    STEP(doca_buf_create(mem, 0, 64, &buf));
    STEP(doca_task_submit(ctx, buf));
    STEP(softdoca_model_receive(ctx, buf));
    STEP(doca_buf_destroy(buf));
    STEP(doca_mem_unreg(mem));
    STEP(doca_dev_close(dev));
    STEP(doca_ctx_destroy(ctx));
    const bool has_failed = new_counts.countdown < 0;
    new_counts.countdown = -1;
    return has_failed;
}

TEST(ModelAllocation, EachFailureIsNoMemoryAndLeavesNothingBehind)
{
    const Memory memory(4096);
    must(doca_init());
    (void)live_with_failure(1'000'000, memory); // what is made once for the process
    const long num_blocks = new_counts.num_blocks;
    int num_failures = 0;

    while (live_with_failure(num_failures, memory)) {
        EXPECT_EQ(new_counts.num_blocks, num_blocks) << "after failure " << num_failures;
        ++num_failures;
    }

    EXPECT_GT(num_failures, 10);
}

} // namespace
