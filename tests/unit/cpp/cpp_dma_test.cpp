// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Copies by coroutines and by callbacks, and what becomes of them when something ends.

#include "copies.hpp"

#include <memory>
#include <optional>

using namespace softdoca::test;

namespace {

doca::Coroutine<> copy(CopyWorld &world, std::size_t i)
{
    co_await world.dma.memcpy(world.src[i], world.dst[i]);
}

/// Writes down how it ended.
doca::Coroutine<> copy_noting(CopyWorld &world, std::size_t i, std::vector<std::size_t> &order,
                              std::vector<doca_error_t> &codes)
{
    const auto end = co_await world.dma.memcpy(std::nothrow, world.src[i], world.dst[i]);
    order.push_back(i);
    codes.push_back(end.code());
}

} // namespace

TEST(CppDma, CopiesForACoroutine)
{
    CopyWorld world;

    world.executor.run(copy(world, 0));
    world.executor.run(world.dma.memcpy(world.src[1], world.dst[1]));

    EXPECT_TRUE(world.is_copied(0));
    EXPECT_TRUE(world.is_copied(1));
    EXPECT_EQ(world.dst[0].data().size(), kPieceLen);
}

TEST(CppDma, CopiesForACallback)
{
    CopyWorld world;
    int num_ended = 0;

    world.dma.memcpy(world.src[0], world.dst[0], [&](doca::result<void> end) {
        EXPECT_TRUE(end);
        ++num_ended;
    });
    EXPECT_EQ(num_ended, 0); // not within the call
    while (num_ended == 0)
        world.engine.progress();

    EXPECT_TRUE(world.is_copied(0));
}

TEST(CppDma, ACallbackBeginsTheNextCopyWithTheSameTask)
{
    CopyWorld world(3, 1);
    int num_ended = 0;

    world.dma.memcpy(world.src[0], world.dst[0], [&](doca::result<void>) {
        ++num_ended;
        world.dma.memcpy(world.src[1], world.dst[1], [&](doca::result<void>) { ++num_ended; });
    });
    EXPECT_EQ(world.dma.memcpy(std::nothrow, world.src[2], world.dst[2], [](doca::result<void>) {})
                  .code(),
              DOCA_ERROR_NO_MEMORY);
    while (num_ended < 2)
        world.engine.progress();

    EXPECT_TRUE(world.is_copied(0));
    EXPECT_TRUE(world.is_copied(1));
}

TEST(CppDma, CoroutinesWaitForATaskInTheirOrder)
{
    CopyWorld world(8, 2);
    std::vector<std::size_t> order;
    std::vector<doca_error_t> codes;

    for (std::size_t i = 0; i < 8; ++i)
        world.executor.spawn(copy_noting(world, i, order, codes));
    world.executor.run();

    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(codes, std::vector<doca_error_t>(8, DOCA_SUCCESS));
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_TRUE(world.is_copied(i));
}

TEST(CppDma, AFailedCopyThrowsAndStopsTheContextWhichStartsAgain)
{
    CopyWorld world;
    world.executor.run(copy(world, 0));

    EXPECT_EQ(thrown_by([&] { world.executor.run(copy(world, 0)); }), DOCA_ERROR_IO_FAILED);
    world.executor.run(world.dma.idle());
    EXPECT_EQ(world.dma.state(), DOCA_CTX_STATE_IDLE);
    EXPECT_EQ(thrown_by([&] { world.executor.run(copy(world, 1)); }), DOCA_ERROR_BAD_STATE);

    world.dma.start();
    world.executor.run(world.dma.running());
    world.executor.run(copy(world, 1));
    EXPECT_TRUE(world.is_copied(1));
}

TEST(CppDma, ThoseBehindAFailedCopyAreFlushed)
{
    CopyWorld world(6, 3);
    world.executor.run(copy(world, 0)); // its target is full now
    std::vector<std::size_t> order;
    std::vector<doca_error_t> codes;

    for (std::size_t i = 0; i < 6; ++i) // the last three have no task yet
        world.executor.spawn(copy_noting(world, i, order, codes));
    world.executor.run();

    EXPECT_EQ(codes.front(), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(codes.size(), 6u);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), DOCA_ERROR_SHUTDOWN), 5);
}

TEST(CppDma, AStopEndsWhatIsInFlight)
{
    CopyWorld world(4, 2);
    std::vector<std::size_t> order;
    std::vector<doca_error_t> codes;
    for (std::size_t i = 0; i < 4; ++i)
        world.executor.spawn(copy_noting(world, i, order, codes));

    world.dma.stop();
    world.executor.run();
    world.executor.run(world.dma.idle());

    EXPECT_EQ(codes.size(), 4u);
    for (const doca_error_t code : codes)
        EXPECT_TRUE(code == DOCA_SUCCESS || code == DOCA_ERROR_SHUTDOWN);
    EXPECT_EQ(world.dma.state(), DOCA_CTX_STATE_IDLE);
}

TEST(CppDma, ACoroutineIsDestroyedWhileItsCopyIsInFlight)
{
    CopyWorld world(3, 1);
    {
        auto first = copy(world, 0), second = copy(world, 1); // the second waits for a task
        first.start();
        second.start();
    }
    world.executor.run(copy(world, 2)); // with the task of the first

    EXPECT_TRUE(world.is_copied(0));
    EXPECT_FALSE(world.is_copied(1));
    EXPECT_TRUE(world.is_copied(2));
}

TEST(CppDma, ACoroutineIsDestroyedBeforeItIsResumed)
{
    CopyWorld world(3);
    auto last = copy(world, 2);
    {
        auto first = copy(world, 0), second = copy(world, 1);
        first.start();
        second.start();
        last.start();
        while (!world.is_copied(2)) // turned without resuming
            world.engine.core()->turn();
    }
    while (!last.is_done())
        world.engine.progress();
    last.take();
    EXPECT_TRUE(world.is_copied(1));
}

TEST(CppDma, IsDestroyedWithCopiesInFlight)
{
    std::vector<doca_error_t> codes;
    {
        CopyWorld world;
        for (std::size_t i = 0; i < 4; ++i)
            world.dma.memcpy(world.src[i], world.dst[i],
                             [&](doca::result<void> end) { codes.push_back(end.code()); });
    }
    EXPECT_EQ(codes.size(), 4u); // exactly once each
}

TEST(CppDma, IsDestroyedInItsOwnCallback)
{
    CopyWorld world;
    auto dma = std::make_unique<doca::Dma>(world.device, world.engine);
    int num_ended = 0;
    for (std::size_t i = 0; i < 3; ++i)
        dma->memcpy(world.src[i], world.dst[i], [&](doca::result<void>) {
            ++num_ended;
            dma.reset(); // it ends when the engine's turn is over
        });

    while (num_ended == 0)
        world.engine.progress();

    EXPECT_EQ(num_ended, 3);
    std::size_t num_inflight = 1;
    EXPECT_EQ(doca_pe_get_num_inflight_tasks(world.engine.get(), &num_inflight), DOCA_SUCCESS);
    EXPECT_EQ(num_inflight, 0u);
}

TEST(CppDma, IsDestroyedInACoroutine)
{
    CopyWorld world;
    const auto copy_with_its_own = [](CopyWorld &in) -> doca::Coroutine<> {
        doca::Dma dma(in.device, in.engine, {.num_tasks = 1});
        co_await dma.memcpy(in.src[0], in.dst[0]);
    };

    world.executor.run(copy_with_its_own(world));

    EXPECT_TRUE(world.is_copied(0));
}

TEST(CppDma, KeepsItsEngineAndItsDevice)
{
    std::optional<doca::Dma> dma;
    {
        const doca::Device device(std::string("03:00.0"));
        const doca::ProgressEngine engine;
        dma.emplace(device, engine);
    }
    EXPECT_TRUE(dma->is_running());
    doca::Dma moved = *std::move(dma);
    EXPECT_TRUE(moved.is_running());
}

TEST(CppDma, RefusesWhatTheDeviceCannot)
{
    const doca::Device device(std::string("03:00.0"));
    const doca::ProgressEngine engine;

    const auto none = doca::Dma::create(std::nothrow, device, engine, {.num_tasks = 0});
    EXPECT_EQ(none.code(), DOCA_ERROR_INVALID_VALUE);
    EXPECT_STREQ(none.failure().call, "doca_dma_task_memcpy_set_conf");
    EXPECT_EQ(thrown_by([&] { doca::Dma many(device, engine, {.num_tasks = 1u << 30}); }),
              DOCA_ERROR_INVALID_VALUE);
}

TEST(CppDma, OneThatCannotBeEndedIsLeakedAndReported)
{
    const auto leak_one = [] {
        doca::set_stop_patience(std::chrono::milliseconds(20));
        CopyWorld world;
        doca_dma_task_memcpy *task = nullptr; // of the C API, and never freed
        (void)doca_dma_task_memcpy_alloc_init(world.dma.get(), world.src[0].get(),
                                              world.dst[0].get(), {}, &task);
        {
            const doca::Dma ended = std::move(world.dma);
        }
        std::_Exit(0); // without a look at what has leaked
    };
    EXPECT_EXIT(leak_one(), testing::ExitedWithCode(0),
                "doca.hpp: doca_ctx_stop\\(0x[0-9a-f]+\\): DOCA_ERROR_IN_PROGRESS; it does not "
                "become IDLE and is leaked");
}

TEST(CppDma, ACoroutineOutlivesEverythingThatItWaitsFor)
{
    std::optional<CopyWorld> world(std::in_place);
    auto waiting = copy(*world, 0);
    waiting.start();

    world.reset(); // the copy has ended, and nobody resumes it

    EXPECT_FALSE(waiting.is_done());
}

TEST(CppDevice, APredicateMayThrow)
{
    EXPECT_EQ(thrown_by([] {
                  doca::Device device([](doca::DeviceInfo) -> bool {
                      throw doca::Error({DOCA_ERROR_DRIVER, "a call"});
                  });
              }),
              DOCA_ERROR_DRIVER);
}
