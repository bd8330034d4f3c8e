// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Coroutines and what drives them: by polling, asleep, and from a loop of somebody else's.

#include "copies.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace softdoca::test;

namespace {

doca::Coroutine<int> answer(int value)
{
    co_return value;
}

doca::Coroutine<std::unique_ptr<int>> answer_moved(int value)
{
    co_return std::make_unique<int>(co_await answer(value));
}

doca::Coroutine<> fail(const char *text)
{
    throw std::runtime_error(text);
    co_return;
}

doca::Coroutine<> copy(CopyWorld &world, std::size_t i, int num)
{
    for (int n = 0; n < num; ++n) {
        world.dst[i].reset_data();
        co_await world.dma.memcpy(world.src[i], world.dst[i]);
    }
}

doca::Coroutine<> copy_and_fail(CopyWorld &world, std::size_t i, const char *text)
{
    co_await copy(world, i, 1);
    co_await fail(text);
}

doca::Coroutine<> count_after(CopyWorld &world, std::size_t i, int &num)
{
    co_await copy(world, i, 3);
    ++num;
}

} // namespace

class CppExecutor : public testing::TestWithParam<doca::Wait> {
protected:
    CopyWorld world_;
    doca::Executor executor_{world_.engine, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Wait, CppExecutor, testing::Values(doca::Wait::polling, doca::Wait::epoll),
                         [](const auto &wait) {
                             return wait.param == doca::Wait::polling ? "polling" : "epoll";
                         });

TEST_P(CppExecutor, ReturnsWhatACoroutineReturns)
{
    EXPECT_EQ(executor_.run(answer(7)), 7);
    EXPECT_EQ(*executor_.run(answer_moved(8)), 8);
}

TEST_P(CppExecutor, ThrowsWhatACoroutineThrows)
{
    EXPECT_THROW(executor_.run(fail("one")), std::runtime_error);

    executor_.spawn(copy_and_fail(world_, 0, "first"));
    executor_.spawn(copy(world_, 1, 500));
    EXPECT_THROW(executor_.run(), std::runtime_error); // at once
    executor_.run();                                   // the other goes on, and it is thrown once
    EXPECT_EQ(world_.dst[1].data().size(), kPieceLen);

    executor_.spawn(copy_and_fail(world_, 0, "second"));
    EXPECT_THROW((void)executor_.run_until([] { return false; }, std::chrono::seconds(5)),
                 std::runtime_error);
    executor_.spawn(copy_and_fail(world_, 0, "third"));
    EXPECT_THROW((void)executor_.dispatch(), std::runtime_error);
}

TEST_P(CppExecutor, ComplainsOfAnExceptionThatNobodySaw)
{
    static std::string complaint;
    const auto before = doca::detail::complaint.load();
    doca::set_complaint([](const char *line) noexcept { complaint = line; });
    {
        doca::Executor executor(world_.engine, GetParam());
        executor.spawn(fail("unseen"));
    }
    doca::set_complaint(before);
    EXPECT_NE(complaint.find("an exception came out of a coroutine"), std::string::npos);
}

TEST_P(CppExecutor, IsNotRunToTheEndInsideACoroutine)
{
    const auto run = [](doca::Executor &executor) -> doca::Coroutine<> {
        executor.run(answer(1)); // one is fine
        executor.run();          // all would be itself, too
        co_return;
    };
    executor_.spawn(run(executor_));
    EXPECT_EQ(thrown_by([&] { executor_.run(); }), DOCA_ERROR_BAD_STATE);
}

TEST_P(CppExecutor, LooksAtWhatAnotherThreadChanges)
{
    std::atomic<bool> is_set{false};
    std::thread other([&] { is_set = true; });
    EXPECT_TRUE(executor_.run_until([&] { return is_set.load(); }, std::chrono::minutes(10)));
    other.join();
}

TEST(CppCoroutine, IsBegunAndAwaitedOnce)
{
    CopyWorld world;
    const auto twice = [](bool moves) -> doca::Coroutine<int> {
        auto one = answer(1);
        const int first = co_await one;
        if (moves)
            co_return first + co_await std::move(one);
        const int second = co_await one;
        co_return first + second;
    };
    EXPECT_EQ(thrown_by([&] { world.executor.run(twice(false)); }), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(thrown_by([&] { world.executor.run(twice(true)); }), DOCA_ERROR_BAD_STATE);

    auto one = answer(1);
    EXPECT_EQ(world.executor.run(std::move(one)), 1);
    EXPECT_EQ(thrown_by([&] { world.executor.run(std::move(one)); }), DOCA_ERROR_BAD_STATE);
    auto spawned = copy(world, 0, 1);
    spawned.start();
    EXPECT_EQ(thrown_by([&] { world.executor.spawn(std::move(spawned)); }), DOCA_ERROR_BAD_STATE);
}

TEST_P(CppExecutor, RunsAllThatWasSpawned)
{
    int num_ended = 0;
    for (std::size_t i = 0; i < 4; ++i)
        executor_.spawn(count_after(world_, i, num_ended));

    executor_.run();

    EXPECT_EQ(num_ended, 4);
}

TEST_P(CppExecutor, DestroysWhatHasNotEnded)
{
    int num_ended = 0;
    {
        doca::Executor executor(world_.engine, GetParam());
        for (std::size_t i = 0; i < 4; ++i)
            executor.spawn(count_after(world_, i, num_ended));
    }
    EXPECT_EQ(num_ended, 0);
}

TEST_P(CppExecutor, RunsUntilAConditionOrALimitOfTime)
{
    int num_ended = 0;
    executor_.spawn(count_after(world_, 0, num_ended));

    EXPECT_TRUE(executor_.run_until([&] { return num_ended == 1; }, std::chrono::seconds(10)));
    EXPECT_FALSE(executor_.run_until([] { return false; }, std::chrono::milliseconds(5)));
}

TEST_P(CppExecutor, ACoroutineSpawnsOthers)
{
    int num_ended = 0;
    const auto spawn_all = [](doca::Executor &executor, CopyWorld &world,
                              int &num) -> doca::Coroutine<> {
        for (std::size_t i = 0; i < 4; ++i) {
            executor.spawn(count_after(world, i, num));
            co_await copy(world, i, 0);
        }
    };
    executor_.spawn(spawn_all(executor_, world_, num_ended));
    executor_.run();
    EXPECT_EQ(num_ended, 4);
}

TEST_P(CppExecutor, ACoroutineThatWasStartedIsAwaitedLater)
{
    const auto both = [](CopyWorld &world) -> doca::Coroutine<int> {
        auto first = copy(world, 0, 3), second = copy(world, 1, 5);
        auto ended = answer(4);
        first.start();
        second.start();
        ended.start();
        co_await second;
        co_await first;
        co_return co_await ended;
    };

    EXPECT_EQ(executor_.run(both(world_)), 4);

    EXPECT_TRUE(world_.is_copied(0));
    EXPECT_TRUE(world_.is_copied(1));
}

TEST_P(CppExecutor, IsNotRunInsideACallback)
{
    doca_error_t code = DOCA_SUCCESS;
    world_.dma.memcpy(world_.src[0], world_.dst[0], [&](doca::result<void>) {
        code = thrown_by([&] { executor_.run(copy(world_, 1, 1)); });
    });
    executor_.run(copy(world_, 2, 1));
    EXPECT_EQ(code, DOCA_ERROR_BAD_STATE);
}

TEST_P(CppExecutor, TakesTheLongestLimitOfTime)
{
    int num_ended = 0;
    executor_.spawn(count_after(world_, 0, num_ended));
    EXPECT_TRUE(
        executor_.run_until([&] { return num_ended == 1; }, std::chrono::milliseconds::max()));
}

TEST(CppExecutorLoop, IsDrivenByAnEpollLoopOfSomebodyElse)
{
    CopyWorld world;
    int num_ended = 0;
    for (std::size_t i = 0; i < 4; ++i)
        world.executor.spawn(count_after(world, i, num_ended));

    const int epoll_fd = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{};
    event.events = EPOLLIN;
    ASSERT_EQ(::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, world.executor.fd(), &event), 0);
    auto period = world.executor.dispatch();
    for (int i = 0; i < 1000 && num_ended < 4; ++i) {
        ASSERT_GE(
            ::epoll_wait(epoll_fd, &event, 1, period ? static_cast<int>(period->count()) : 5000),
            0);
        period = world.executor.dispatch();
    }
    ::close(epoll_fd);

    EXPECT_EQ(num_ended, 4);
    EXPECT_FALSE(period.has_value()); // nothing to come back for
}

TEST(CppExecutorLoop, GivesOthersTheirTurn)
{
    CopyWorld world;
    world.executor.spawn(copy(world, 0, 100'000));

    EXPECT_EQ(world.executor.dispatch(), std::chrono::milliseconds(0));

    world.executor.run();
}

TEST(CppExecutorLoop, ASubmitFromOutsideWakesTheSleeper)
{
    CopyWorld world;
    bool has_ended = false;
    EXPECT_FALSE(world.executor.dispatch().has_value());

    world.dma.memcpy(world.src[0], world.dst[0], [&](doca::result<void>) { has_ended = true; });
    pollfd readable{world.executor.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&readable, 1, 5000), 1);
    (void)world.executor.dispatch();

    EXPECT_TRUE(has_ended);
}

TEST(CppCoroutine, FramesEndOnOtherThreads)
{
    constexpr int kNum = 200;
    std::vector<doca::Coroutine<int>> coroutines;
    for (int i = 0; i < kNum; ++i)
        coroutines.push_back(answer(i));

    std::thread([&] {
        for (auto &coroutine : coroutines)
            coroutine.start();
        coroutines.clear(); // their frames are this thread's now, and go with it
    }).join();

    EXPECT_EQ(coroutines.size(), 0u);
}

TEST(CppCoroutine, ALargeFrameIsNotKept)
{
    const auto large = [](int value) -> doca::Coroutine<int> {
        std::array<int, 4096> many{};
        many.fill(value);
        co_await answer(1);
        co_return many[17];
    };
    CopyWorld world;
    EXPECT_EQ(world.executor.run(large(3)), 3);
}
