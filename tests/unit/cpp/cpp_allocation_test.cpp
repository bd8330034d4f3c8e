// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Memory runs out at each allocation in turn, the layer's and the libraries': what is made is
// ended, and what comes out is an error or std::bad_alloc of the program's own containers.

#include "copies.hpp"
#include "unit/codes/failing_new.hpp"

#include <new>

using namespace softdoca::test;

namespace {

doca::Coroutine<> copy(CopyWorld &world, std::size_t i)
{
    world.dst[i].reset_data();
    co_await world.dma.memcpy(world.src[i], world.dst[i]);
}

void live_a_life()
{
    CopyWorld world(4, 2);
    doca::BufferPool pool(2, 64, world.mmap);
    const auto spare = pool.take();
    const doca::Representor representor(world.device, "3b:00.0");
    const doca::ComchServer server(world.device, representor, world.engine, "allocation");
    (void)world.device.info().pci_addr();
    for (std::size_t i = 0; i < 4; ++i)
        world.executor.spawn(copy(world, i));
    world.executor.run();
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_TRUE(world.is_copied(i));
}

struct Life {
    doca_error_t code = DOCA_SUCCESS; ///< that came out; NO_MEMORY for std::bad_alloc
    long num_left = 0;                ///< blocks that there are more than before
};
Life live(long countdown)
{
    Life life;
    const long num_before = new_counts.num_blocks;
    new_counts.has_failed = false;
    new_counts.countdown = countdown;
    new_counts.is_counting = true;
    try {
        live_a_life();
    } catch (const doca::Error &error) {
        life.code = error.code();
    } catch (const std::bad_alloc &) {
        life.code = DOCA_ERROR_NO_MEMORY;
    }
    new_counts.is_counting = false;
    life.num_left = new_counts.num_blocks - num_before;
    return life;
}

} // namespace

TEST(CppAllocation, EachThatFailsIsAnErrorAndLeavesNothing)
{
    for (int i = 0; i < 2; ++i) // what is made once is made here
        ASSERT_EQ(live(-1).code, DOCA_SUCCESS);

    long num_failures = 0;
    for (long countdown = 0;; ++countdown) {
        const Life life = live(countdown);
        if (!new_counts.has_failed)
            break;
        ++num_failures;
        const Life next = live(-1); // everything still works
        SCOPED_TRACE(countdown);
        EXPECT_TRUE(life.code == DOCA_ERROR_NO_MEMORY || life.code == DOCA_ERROR_INITIALIZATION)
            << life.code;
        EXPECT_LE(life.num_left, 0);
        ASSERT_EQ(next.code, DOCA_SUCCESS);
        ASSERT_EQ(next.num_left, 0);
    }

    EXPECT_GT(num_failures, 30);
}
