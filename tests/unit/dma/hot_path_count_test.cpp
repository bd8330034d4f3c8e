// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Submit, progress and buffer calls in the steady state allocate nothing, take no lock, read no
// clock and make no system call: counted exactly, in turns that find work. Plain build only.

#include "call_counter.hpp"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

using softdoca::bench::Calls;
using softdoca::bench::count_calls;
using softdoca::bench::run_watched;
using softdoca::bench::why_calls_are_not_counted;

constexpr int kNumTurns = 2000;
constexpr std::uint32_t kNumTasks = 32;
constexpr std::size_t kAreaLen = std::size_t{4} << 20;

/// Stops a loop at the first call that fails. Not an assertion: those allocate when they pass.
void must(doca_error_t result)
{
    if (result != DOCA_SUCCESS)
        std::abort();
}

/// A task that the program knows again in its callback.
struct Item {
    doca_buf *src = nullptr;
    doca_buf *dst = nullptr;
    doca_task *task = nullptr;
};

/// What a completion callback does with its task.
enum class OnDone { nothing, give_back, submit_again };

/// The objects of a DMA program, and what its loops count.
class Program {
public:
    explicit Program(OnDone on_done) : on_done_(on_done)
    {
        memory_ = static_cast<char *>(std::aligned_alloc(4096, 2 * kAreaLen));
        if (memory_ == nullptr)
            std::abort();
        std::memset(memory_, 1, 2 * kAreaLen);
        open_device();
        must(doca_mmap_create(&mmap_));
        must(doca_mmap_add_dev(mmap_, dev_));
        must(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
        must(doca_mmap_set_memrange(mmap_, memory_, 2 * kAreaLen));
        must(doca_mmap_start(mmap_));
        must(doca_buf_inventory_create(8 * kNumTasks, &inventory_));
        must(doca_buf_inventory_start(inventory_));
        must(doca_pe_create(&pe_));
        must(doca_dma_create(dev_, &dma_));
        must(doca_dma_task_memcpy_set_conf(dma_, done, failed, kNumTasks));
        must(doca_ctx_set_user_data(doca_dma_as_ctx(dma_), {.ptr = this}));
        must(doca_pe_connect_ctx(pe_, doca_dma_as_ctx(dma_)));
        must(doca_ctx_start(doca_dma_as_ctx(dma_)));
    }

    ~Program()
    {
        must(doca_ctx_stop(doca_dma_as_ctx(dma_)));
        must(doca_dma_destroy(dma_));
        must(doca_pe_destroy(pe_));
        must(doca_buf_inventory_stop(inventory_));
        must(doca_buf_inventory_destroy(inventory_));
        must(doca_mmap_stop(mmap_));
        must(doca_mmap_destroy(mmap_));
        must(doca_dev_close(dev_));
        std::free(memory_);
    }

    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    doca_mmap *mmap() const { return mmap_; }
    char *src(std::size_t offset = 0) { return memory_ + offset; }
    char *dst(std::size_t offset = 0) { return memory_ + kAreaLen + offset; }
    void set_on_done(OnDone on_done) { on_done_ = on_done; }

    doca_buf *source(std::size_t offset, std::size_t len)
    {
        doca_buf *buf = nullptr;
        must(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, src(offset), len, &buf));
        must(doca_buf_set_data(buf, src(offset), len));
        return buf;
    }

    doca_buf *destination(std::size_t offset, std::size_t len)
    {
        doca_buf *buf = nullptr;
        must(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, dst(offset), len, &buf));
        return buf;
    }

    void make_task(Item &item)
    {
        doca_dma_task_memcpy *task = nullptr;
        must(doca_dma_task_memcpy_alloc_init(dma_, item.src, item.dst, {.ptr = &item}, &task));
        item.task = doca_dma_task_memcpy_as_task(task);
    }

    static void give_back(const Item &item)
    {
        doca_task_free(item.task);
        must(doca_buf_dec_refcount(item.src, nullptr));
        must(doca_buf_dec_refcount(item.dst, nullptr));
    }

    /// One turn, which has to find work.
    void turn()
    {
        const std::uint64_t before = num_done_;
        if (doca_pe_progress(pe_) != 1 || num_done_ != before + 1)
            std::abort();
    }

    /// One turn, which must not find any.
    void empty_turn()
    {
        if (doca_pe_progress(pe_) != 0)
            std::abort();
    }

private:
    void open_device()
    {
        doca_devinfo **list = nullptr;
        std::uint32_t num = 0;
        must(doca_devinfo_create_list(&list, &num));
        for (std::uint32_t i = 0; i < num && dev_ == nullptr; ++i) {
            if (doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
                must(doca_dev_open(list[i], &dev_));
        }
        must(doca_devinfo_destroy_list(list));
    }

    static void done(doca_dma_task_memcpy *, doca_data task_user_data, doca_data ctx_user_data)
    {
        auto &program = *static_cast<Program *>(ctx_user_data.ptr);
        const auto &item = *static_cast<Item *>(task_user_data.ptr);
        program.num_done_++;
        if (program.on_done_ == OnDone::give_back)
            give_back(item);
        if (program.on_done_ == OnDone::submit_again) {
            must(doca_buf_reset_data_len(item.dst));
            must(doca_task_submit(item.task));
        }
    }

    static void failed(doca_dma_task_memcpy *, doca_data, doca_data) { std::abort(); }

    OnDone on_done_;
    char *memory_ = nullptr;
    std::uint64_t num_done_ = 0;
    doca_dev *dev_ = nullptr;
    doca_mmap *mmap_ = nullptr;
    doca_buf_inventory *inventory_ = nullptr;
    doca_pe *pe_ = nullptr;
    doca_dma *dma_ = nullptr;
};

/// Runs `turn` once for whatever is done at the first use, and then counts many runs of it.
void expect_no_calls(const std::function<void()> &turn, int num_turns = kNumTurns)
{
    turn();
    const Calls calls = count_calls([&] {
        for (int i = 0; i < num_turns; ++i)
            turn();
    });
    EXPECT_EQ(calls.allocations, 0U);
    EXPECT_EQ(calls.locks, 0U);
    EXPECT_EQ(calls.clock_reads, 0U);
    EXPECT_EQ(calls.system_calls, 0U);
}

class DocaDmaHotPath : public testing::Test {
protected:
    void SetUp() override
    {
        if (const char *reason = why_calls_are_not_counted(); reason != nullptr)
            GTEST_SKIP() << reason;
    }
};

class DocaDmaHotPathSize : public DocaDmaHotPath,
                           public testing::WithParamInterface<std::size_t> {};

// ---- the counters count ----

TEST_F(DocaDmaHotPath, CountersSeeOneCallOfEachKind)
{
    run_watched([] {
        std::mutex mutex;
        timespec now{};
        void *volatile memory = nullptr;

        const Calls calls = count_calls([&] {
            memory = std::malloc(16);
            mutex.lock();
            clock_gettime(CLOCK_MONOTONIC, &now);
            syscall(SYS_getppid);
        });

        std::free(memory);
        EXPECT_EQ(calls, (Calls{1, 1, 1, 1}));
    });
}

TEST_F(DocaDmaHotPath, CountersSeeEachWayToAllocate)
{
    run_watched([] {
        const Calls calls = count_calls([] {
            void *volatile memory = std::calloc(1, 16);
            memory = std::realloc(memory, 32);
            std::free(memory);
            memory = std::aligned_alloc(64, 64);
            std::free(memory);
            void *aligned = nullptr;
            if (posix_memalign(&aligned, 64, 64) == 0)
                std::free(aligned);
            memory = ::operator new(16);
            ::operator delete(memory);
            memory = ::operator new (64, std::align_val_t{64});
            ::operator delete (memory, std::align_val_t{64});
        });

        EXPECT_EQ(calls, (Calls{11, 0, 0, 0}));
    });
}

TEST_F(DocaDmaHotPath, CountersSeeEachKindOfLockAndClock)
{
    run_watched([] {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        pthread_spinlock_t spin;
        sem_t semaphore;
        pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
        sem_init(&semaphore, 0, 1);
        timespec now{};
        timeval now_us{};

        const Calls calls = count_calls([&] {
            pthread_mutex_trylock(&mutex);
            pthread_rwlock_rdlock(&rwlock);
            pthread_cond_signal(&condition);
            pthread_spin_lock(&spin);
            sem_wait(&semaphore);
            clock_gettime(CLOCK_REALTIME, &now);
            gettimeofday(&now_us, nullptr);
            time(nullptr);
        });

        EXPECT_EQ(calls, (Calls{0, 5, 3, 0}));
    });
}

TEST_F(DocaDmaHotPath, CountersSeeTheCallsOfTheLibrary)
{
    run_watched([] {
        const Calls calls = count_calls([] {
            doca_pe *pe = nullptr;
            must(doca_pe_create(&pe));
            must(doca_pe_destroy(pe));
        });

        EXPECT_GT(calls.allocations, 0U);
    });
}

TEST_F(DocaDmaHotPath, CountersSeeTheYieldOfEach256thEmptyTurn)
{
    run_watched([] {
        Program program(OnDone::nothing);

        const Calls calls = count_calls([&] {
            for (int i = 0; i < 512; ++i)
                program.empty_turn();
        });

        EXPECT_EQ(calls.system_calls, 2U);
        EXPECT_EQ(calls.allocations + calls.locks, 0U);
    });
}

// ---- the hot path ----

TEST_P(DocaDmaHotPathSize, ReusedTaskCallsNothing)
{
    run_watched([len = GetParam()] {
        Program program(OnDone::nothing);
        Item item{program.source(0, len), program.destination(0, len)};
        program.make_task(item);

        expect_no_calls(
            [&] {
                must(doca_buf_reset_data_len(item.dst));
                must(doca_task_submit(item.task));
                program.turn();
            },
            len > 65536 ? 50 : kNumTurns);

        Program::give_back(item);
    });
}

INSTANTIATE_TEST_SUITE_P(Sizes, DocaDmaHotPathSize,
                         testing::Values(64, 4096, 65536, std::size_t{2} << 20));

TEST_F(DocaDmaHotPath, FreshObjectsCallNothing)
{
    run_watched([] {
        Program program(OnDone::give_back);
        Item items[kNumTasks];

        expect_no_calls([&] {
            for (std::size_t i = 0; i < kNumTasks; ++i) {
                items[i].src = program.source(64 * i, 64);
                items[i].dst = program.destination(64 * i, 64);
                program.make_task(items[i]);
                must(doca_task_submit(items[i].task));
            }
            for (std::size_t i = 0; i < kNumTasks; ++i)
                program.turn();
        });
    });
}

TEST_F(DocaDmaHotPath, QueueOfLargeTasksCallsNothing)
{
    run_watched([] {
        // Enough under way for the copies to go around the caches.
        constexpr std::size_t kLen = kAreaLen / kNumTasks;
        Program program(OnDone::nothing);
        Item items[kNumTasks];
        for (std::size_t i = 0; i < kNumTasks; ++i) {
            items[i].src = program.source(i * kLen, kLen);
            items[i].dst = program.destination(i * kLen, kLen);
            program.make_task(items[i]);
        }

        expect_no_calls(
            [&] {
                for (const Item &item : items) {
                    must(doca_buf_reset_data_len(item.dst));
                    must(doca_task_submit(item.task));
                }
                for (std::size_t i = 0; i < kNumTasks; ++i)
                    program.turn();
            },
            20);

        for (const Item &item : items)
            Program::give_back(item);
    });
}

TEST_F(DocaDmaHotPath, TaskSubmittedAgainInItsCallbackCallsNothing)
{
    run_watched([] {
        Program program(OnDone::submit_again);
        Item item{program.source(0, 64), program.destination(0, 64)};
        program.make_task(item);
        must(doca_task_submit(item.task));

        expect_no_calls([&] { program.turn(); });

        program.set_on_done(OnDone::give_back);
        program.turn();
    });
}

TEST_F(DocaDmaHotPath, EachWayToSubmitCallsNothing)
{
    run_watched([] {
        Program program(OnDone::nothing);
        Item item{program.source(0, 64), program.destination(0, 64)};
        program.make_task(item);

        expect_no_calls([&] {
            must(doca_buf_reset_data_len(item.dst));
            must(doca_task_try_submit(item.task));
            program.turn();
            must(doca_buf_reset_data_len(item.dst));
            must(doca_task_submit_ex(item.task, DOCA_TASK_SUBMIT_FLAG_FLUSH));
            program.turn();
        });

        Program::give_back(item);
    });
}

TEST_F(DocaDmaHotPath, ListsCallNothing)
{
    run_watched([] {
        Program program(OnDone::give_back);
        Item item;

        expect_no_calls([&] {
            item.src = program.source(0, 100);
            must(doca_buf_chain_list(item.src, program.source(1000, 28)));
            must(doca_buf_chain_list(item.src, program.source(2000, 64)));
            item.dst = program.destination(0, 150);
            must(doca_buf_chain_list(item.dst, program.destination(1000, 150)));
            program.make_task(item);
            must(doca_task_submit(item.task));
            program.turn();
        });
    });
}

TEST_F(DocaDmaHotPath, ReusedListsCallNothing)
{
    run_watched([] {
        Program program(OnDone::nothing);
        doca_buf *const second = program.destination(1000, 150);
        Item item{program.source(0, 100), program.destination(0, 50)};
        must(doca_buf_chain_list(item.src, program.source(1000, 100)));
        must(doca_buf_chain_list(item.dst, second));
        program.make_task(item);

        expect_no_calls([&] {
            must(doca_buf_reset_data_len(item.dst));
            must(doca_buf_reset_data_len(second));
            must(doca_task_submit(item.task));
            program.turn();
        });

        Program::give_back(item);
    });
}

TEST_F(DocaDmaHotPath, BuffersOfAPoolCallNothing)
{
    run_watched([] {
        Program program(OnDone::give_back);
        doca_buf_pool *pool = nullptr;
        must(doca_buf_pool_create(4, 64, program.mmap(), &pool));
        must(doca_buf_pool_start(pool));
        Item item;

        expect_no_calls([&] {
            must(doca_buf_pool_buf_alloc(pool, &item.src));
            must(doca_buf_pool_buf_alloc(pool, &item.dst));
            must(doca_buf_set_data_len(item.src, 64));
            program.make_task(item);
            must(doca_task_submit(item.task));
            program.turn();
        });

        must(doca_buf_pool_stop(pool));
        must(doca_buf_pool_destroy(pool));
    });
}

} // namespace
