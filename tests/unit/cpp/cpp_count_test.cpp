// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// No allocation, no lock, no clock and no system call for a copy, whichever way it is made.

#include "call_counter.hpp"
#include "copies.hpp"

using namespace softdoca::test;
namespace bench = softdoca::bench;

namespace {

doca::Coroutine<> copy(CopyWorld &world, std::size_t i)
{
    world.dst[i].reset_data();
    co_await world.dma.memcpy(world.src[i], world.dst[i]);
}

void copy_in_every_way(CopyWorld &world)
{
    for (int n = 0; n < 100; ++n) {
        for (std::size_t i = 0; i < 4; ++i) // two of them wait for a task
            world.executor.spawn(copy(world, i));
        world.executor.run();
        world.dst[0].reset_data();
        world.dma.memcpy(world.src[0], world.dst[0], [](doca::result<void>) {});
        while (world.dst[0].data().empty())
            world.engine.progress();
        world.executor.run(copy(world, 1));
    }
}

} // namespace

TEST(CppCount, ACopyCallsNothingSlow)
{
    if (const char *reason = bench::why_calls_are_not_counted(); reason != nullptr)
        GTEST_SKIP() << reason;

    bench::Calls calls;
    bench::run_watched([&] {
        CopyWorld world(4, 2);
        copy_in_every_way(world); // whatever is done once is done here
        calls = bench::count_calls([&] { copy_in_every_way(world); });
    });

    EXPECT_EQ(calls.allocations, 0u);
    EXPECT_EQ(calls.locks, 0u);
    EXPECT_EQ(calls.clock_reads, 0u);
    EXPECT_EQ(calls.system_calls, 0u);
}
