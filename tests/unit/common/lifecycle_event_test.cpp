// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Event mode: a program that sleeps on the handle of its engine misses nothing.

#include "support/dma_setup.hpp"
#include "support/rounds.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

namespace {

using softdoca::test::DmaContext;
using softdoca::test::DmaSetup;
using softdoca::test::must;
using softdoca::test::Pe;
using softdoca::test::Start;

constexpr int kLimitMs = 5000;

/// The handle of an engine, and the calls of an event loop, which have to succeed.
class Events {
public:
    explicit Events(doca_pe *pe) : pe_(pe) { must(doca_pe_get_notification_handle(pe, &handle_)); }

    int handle() const { return handle_; }
    void arm() const { must(doca_pe_request_notification(pe_)); }
    void clear() const { must(doca_pe_clear_notification(pe_, handle_)); }
    bool is_readable(int limit_ms = 0) const
    {
        pollfd entry{handle_, POLLIN, 0};
        return ::poll(&entry, 1, limit_ms) == 1 && (entry.revents & POLLIN) != 0;
    }
    void drain() const
    {
        while (doca_pe_progress(pe_) != 0) {
        }
    }

private:
    doca_pe *pe_;
    doca_notification_handle_t handle_ = -1;
};

/// An epoll descriptor that watches one handle.
class Epoll {
public:
    Epoll(int handle, std::uint32_t events) : fd_(::epoll_create1(EPOLL_CLOEXEC))
    {
        epoll_event interest{};
        interest.events = events;
        EXPECT_EQ(::epoll_ctl(fd_, EPOLL_CTL_ADD, handle, &interest), 0);
    }
    ~Epoll() { ::close(fd_); }
    Epoll(const Epoll &) = delete;
    Epoll &operator=(const Epoll &) = delete;

    bool wait(int limit_ms) const
    {
        epoll_event event{};
        return ::epoll_wait(fd_, &event, 1, limit_ms) == 1 && (event.events & EPOLLIN) != 0;
    }

private:
    int fd_;
};

/// Both event modes behave alike, as the one that serves all contexts.
class DocaPeEvent : public testing::TestWithParam<doca_pe_event_mode> {
protected:
    DocaPeEvent() { must(doca_pe_set_event_mode(setup.pe, GetParam())); }

    DmaSetup setup{16, 4096};
    const Events events{setup.pe};
};

INSTANTIATE_TEST_SUITE_P(
    Modes, DocaPeEvent,
    testing::Values(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
    [](const auto &info) {
        return std::string(info.param == DOCA_PE_EVENT_MODE_PROGRESS_ALL ? "All" : "Selective");
    });

// ---- the handle ----

TEST(DocaPeHandle, ExistsBeforeAnyContextAndStaysTheSame)
{
    doca_notification_handle_t first = -1, later = -1;
    {
        DmaSetup setup(1, 4096, Start::later);
        must(doca_pe_get_notification_handle(setup.pe, &first));
        must(setup.context.start());
        must(doca_pe_request_notification(setup.pe));
        must(doca_task_submit(setup.task()));
        must(doca_pe_clear_notification(setup.pe, first));
        must(doca_pe_set_event_mode(setup.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));

        EXPECT_EQ(doca_pe_get_notification_handle(setup.pe, &later), DOCA_SUCCESS);

        EXPECT_GE(first, 0);
        EXPECT_EQ(later, first);
        EXPECT_NE(::fcntl(first, F_GETFD) & FD_CLOEXEC, 0);
    }
    EXPECT_EQ(::fcntl(first, F_GETFD), -1); // closed with its engine
}

TEST(DocaPeHandle, OfAnotherEngineIsAnother)
{
    const Pe one, two;

    EXPECT_NE(Events(one).handle(), Events(two).handle());
}

TEST(DocaPeHandle, NeedNotBeAskedForBeforeArming)
{
    DmaSetup setup(1, 4096);
    must(doca_pe_request_notification(setup.pe));
    must(doca_task_submit(setup.task()));

    EXPECT_TRUE(Events(setup.pe).is_readable());
}

// ---- arming ----

TEST_P(DocaPeEvent, ArmedEngineWithNothingToDoIsQuiet)
{
    events.arm();

    EXPECT_FALSE(events.is_readable());
}

TEST_P(DocaPeEvent, EngineThatIsNotArmedIsQuiet)
{
    must(doca_task_submit(setup.task()));

    EXPECT_FALSE(events.is_readable());
}

TEST_P(DocaPeEvent, ArmingWithAPendingTaskIsReadableAtOnce)
{
    must(doca_task_submit(setup.task()));

    events.arm();

    EXPECT_TRUE(events.is_readable());
}

TEST_P(DocaPeEvent, SubmitAfterArmingIsReadable)
{
    events.arm();

    must(doca_task_submit(setup.task()));

    EXPECT_TRUE(events.is_readable());
}

TEST_P(DocaPeEvent, StaysReadableUntilItIsCleared)
{
    events.arm();
    must(doca_task_submit(setup.task()));
    ASSERT_TRUE(events.is_readable());
    ASSERT_TRUE(events.is_readable());

    events.clear();

    EXPECT_FALSE(events.is_readable());
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
}

TEST_P(DocaPeEvent, ClearDisarms)
{
    events.arm();
    events.clear();

    must(doca_task_submit(setup.task()));

    EXPECT_FALSE(events.is_readable());
}

TEST_P(DocaPeEvent, ClearWithoutArmingIsHarmless)
{
    must(doca_task_submit(setup.task()));

    events.clear();
    EXPECT_EQ(doca_pe_clear_notification(setup.pe, 0), DOCA_SUCCESS); // programs pass any number
    events.arm();

    EXPECT_TRUE(events.is_readable());
}

TEST_P(DocaPeEvent, ArmingAgainDropsTheOldNotification)
{
    events.arm();
    must(doca_task_submit(setup.task()));
    events.drain();
    ASSERT_TRUE(events.is_readable());

    events.arm();

    EXPECT_FALSE(events.is_readable());
}

TEST_P(DocaPeEvent, ArmingTwiceIsLikeArmingOnce)
{
    events.arm();
    events.arm();

    must(doca_task_submit(setup.task()));

    EXPECT_TRUE(events.is_readable());
    events.clear();
    EXPECT_FALSE(events.is_readable());
}

TEST_P(DocaPeEvent, HalfDrainedEngineIsReadableAtTheNextArming)
{
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));
    events.arm();
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);
    events.clear();

    events.arm();

    EXPECT_TRUE(events.is_readable());
}

TEST_P(DocaPeEvent, ArmedEngineServesAllItsContexts)
{
    DmaContext other(setup.device, setup.pe, 1);
    must(other.start());
    events.arm();
    must(doca_task_submit(setup.task()));
    must(doca_task_submit(other.alloc(setup.source(64, 64), setup.destination(64, 64))));
    ASSERT_TRUE(events.is_readable());

    events.drain(); // not cleared

    EXPECT_EQ(setup.context.num_inflight() + other.num_inflight(), 0u);
}

TEST_P(DocaPeEvent, SelectWorksToo)
{
    events.arm();
    must(doca_task_submit(setup.task()));
    fd_set set;
    FD_ZERO(&set);
    FD_SET(events.handle(), &set);
    timeval now{};

    EXPECT_EQ(::select(events.handle() + 1, &set, nullptr, nullptr, &now), 1);
}

TEST_P(DocaPeEvent, ArmingInACallbackWorks)
{
    setup.context.on_success = [&](doca_task *) { events.arm(); };
    must(doca_task_submit(setup.task(0)));
    must(doca_task_submit(setup.task(1)));

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_TRUE(events.is_readable()); // the second one waits
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_FALSE(events.is_readable());
}

// ---- changes of state wake, too ----

TEST_P(DocaPeEvent, FreeOfTheLastTaskInStoppingWakes)
{
    doca_task *const held = setup.task();
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);
    events.drain();
    events.arm();
    ASSERT_FALSE(events.is_readable());

    setup.context.free(held);

    EXPECT_TRUE(events.is_readable());
    events.clear();
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_IDLE);
}

TEST_P(DocaPeEvent, StopWithATaskInFlightWakes)
{
    doca_task *const task = setup.task();
    must(doca_task_submit(task));
    events.arm();
    events.clear();
    ASSERT_EQ(setup.context.stop(), DOCA_ERROR_IN_PROGRESS);

    events.arm();

    EXPECT_TRUE(events.is_readable());
}

TEST_P(DocaPeEvent, StopInACallbackWakesForIdle)
{
    setup.context.frees_tasks = true;
    setup.context.on_success = [&](doca_task *) { (void)setup.context.stop(); };
    must(doca_task_submit(setup.task()));
    ASSERT_EQ(doca_pe_progress(setup.pe), 1);
    ASSERT_EQ(setup.context.state(), DOCA_CTX_STATE_STOPPING);

    events.arm();

    EXPECT_TRUE(events.is_readable());
    events.clear();
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_IDLE);
}

// ---- whole loops ----

TEST_P(DocaPeEvent, LevelTriggeredLoopMissesNothing)
{
    const Epoll epoll(events.handle(), EPOLLIN);
    setup.context.frees_tasks = true;

    for (std::size_t i = 0; i < 200; ++i) {
        must(doca_task_submit(setup.task(i % 64)));
        events.arm();
        ASSERT_TRUE(epoll.wait(kLimitMs)) << i;
        events.clear();
        events.drain();
        ASSERT_FALSE(epoll.wait(0)) << i;
        setup.inventory.take_back_all();
    }
}

TEST_P(DocaPeEvent, EdgeTriggeredLoopMissesNothing)
{
    const Epoll epoll(events.handle(), EPOLLIN | EPOLLET);
    setup.context.frees_tasks = true;

    for (std::size_t i = 0; i < 200; ++i) {
        if (i % 2 == 0)
            events.arm(); // before the submit or after it
        must(doca_task_submit(setup.task(i % 64)));
        if (i % 2 != 0)
            events.arm();
        ASSERT_TRUE(epoll.wait(kLimitMs)) << i;
        if (i % 3 != 0)
            events.clear(); // a program may leave that to the next arming
        events.drain();
        setup.inventory.take_back_all();
    }
}

/// A second thread submits one task again and again, at random moments under the program's lock.
class RandomSubmitter {
public:
    RandomSubmitter(DmaSetup &setup, std::mutex &mutex)
        : mutex_(mutex), dst_(setup.destination(0, 64)),
          task_(setup.context.alloc(setup.source(0, 64), dst_)), thread_([this] { run(); })
    {
        setup.context.on_success = [this](doca_task *) {
            num_done_.fetch_add(1, std::memory_order_release); // pairs with the load in run()
        };
    }
    ~RandomSubmitter()
    {
        is_over_ = true;
        thread_.join();
    }
    RandomSubmitter(const RandomSubmitter &) = delete;
    RandomSubmitter &operator=(const RandomSubmitter &) = delete;

    bool is_done() const { return num_done_ == num_tasks_; }

private:
    const int num_tasks_ = softdoca::test::num_rounds(2000);

    void run()
    {
        std::minstd_rand random(7);
        for (int i = 0; i < num_tasks_; ++i) {
            while (num_done_.load(std::memory_order_acquire) != i && !is_over_)
                std::this_thread::yield();
            for (auto turns = random() % 200; turns > 0; --turns)
                std::atomic_signal_fence(std::memory_order_seq_cst);
            if (is_over_)
                return;
            const std::scoped_lock lock(mutex_);
            EXPECT_EQ(doca_buf_reset_data_len(dst_), DOCA_SUCCESS);
            EXPECT_EQ(doca_task_submit(task_), DOCA_SUCCESS);
        }
    }

    std::mutex &mutex_;
    doca_buf *dst_;
    doca_task *task_;
    std::atomic<int> num_done_{0};
    std::atomic<bool> is_over_{false};
    std::thread thread_; // last: it uses the others
};

TEST_P(DocaPeEvent, SubmitsAtRandomMomentsAreNeverLost)
{
    std::mutex mutex;
    RandomSubmitter submitter(setup, mutex);

    while (true) {
        {
            const std::scoped_lock lock(mutex);
            events.drain();
            if (submitter.is_done())
                break;
            events.arm();
        }
        ASSERT_TRUE(events.is_readable(kLimitMs)) << "would sleep for ever";
        const std::scoped_lock lock(mutex);
        events.clear();
    }
}

} // namespace
