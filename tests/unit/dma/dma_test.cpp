// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The rules of a DMA context and of its tasks: states, limits, permissions. What breaks the rules
// is in dma_bad_task_test.cpp, what a good copy does to memory in dma_copy_test.cpp.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/sdk_log.hpp"
#include "support/wait_until.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kMaxSize = std::size_t{2} << 20;
constexpr std::uint32_t kMaxListLen = 64;
constexpr std::uint32_t kMaxNumTasks = 65536;

void on_task(doca_dma_task_memcpy *, doca_data, doca_data) {}

std::size_t data_len(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

doca_dma_task_memcpy *memcpy_task(doca_task *task)
{
    return reinterpret_cast<doca_dma_task_memcpy *>(task); // both names of one object
}

class DocaDma : public testing::Test {
protected:
    explicit DocaDma(std::size_t area_len = kMaxNumTasks + 4096) : setup_(4, area_len) {}

    /// A list of num_elements equal parts of len bytes in all.
    template <typename Make>
    doca_buf *list(std::uint32_t num_elements, std::size_t len, Make make)
    {
        const std::size_t part = len / num_elements;
        doca_buf *const head = make(0, part);
        for (std::uint32_t i = 1; i < num_elements; ++i)
            must(doca_buf_chain_list(head, make(i * part, part)));
        return head;
    }
    doca_buf *source_list(std::uint32_t num_elements, std::size_t len)
    {
        return list(num_elements, len,
                    [this](std::size_t at, std::size_t part) { return setup_.source(at, part); });
    }
    doca_buf *destination_list(std::uint32_t num_elements, std::size_t len)
    {
        return list(num_elements, len, [this](std::size_t at, std::size_t part) {
            return setup_.destination(at, part);
        });
    }
    Record copy(doca_buf *src, doca_buf *dst)
    {
        setup_.context.take();
        doca_task *const task = setup_.context.alloc(src, dst);
        EXPECT_EQ(doca_task_try_submit(task), DOCA_SUCCESS);
        EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
        setup_.context.free(task);
        return setup_.context.take();
    }

    DmaSetup setup_;
};

class DocaDmaLarge : public DocaDma {
protected:
    DocaDmaLarge() : DocaDma(kMaxSize) {}
};

/// A destination whose mmap has these permissions; none: never set.
class DestinationOf {
public:
    DestinationOf(DmaSetup &setup, std::optional<std::uint32_t> permissions) : setup_(setup)
    {
        must(doca_mmap_set_memrange(mmap_, memory_.data(), memory_.size()));
        must(doca_mmap_add_dev(mmap_, setup.device));
        if (permissions)
            must(doca_mmap_set_permissions(mmap_, *permissions));
        must(doca_mmap_start(mmap_));
    }
    ~DestinationOf() { setup_.inventory.take_back_all(); }
    DestinationOf(const DestinationOf &) = delete;
    DestinationOf &operator=(const DestinationOf &) = delete;

    doca_buf *buf() { return setup_.inventory.by_addr(mmap_, memory_.data(), 64); }
    bool is_written() const { return std::memcmp(memory_.data(), setup_.src.data(), 64) == 0; }

private:
    DmaSetup &setup_;
    Memory memory_{64};
    Mmap mmap_;
};

} // namespace

TEST_F(DocaDma, CapabilitiesOfTheBuiltInDevices)
{
    for (const doca_devinfo *info : DevinfoList()) {
        std::uint32_t list_len = 0;
        std::uint64_t size = 0;
        EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(info), DOCA_SUCCESS);
        EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &list_len), DOCA_SUCCESS);
        EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size), DOCA_SUCCESS);
        EXPECT_EQ(list_len, kMaxListLen);
        EXPECT_EQ(size, kMaxSize);
    }
    std::uint32_t num_tasks = 0;
    EXPECT_EQ(doca_dma_cap_get_max_num_tasks(setup_.context.dma(), &num_tasks), DOCA_SUCCESS);
    EXPECT_EQ(num_tasks, kMaxNumTasks);
}

TEST_F(DocaDma, SetConfTakesAsManyTasksAsTheCapabilitySays)
{
    Handle<doca_dma, doca_dma_destroy> dma;
    must(doca_dma_create(setup_.device, dma.out()));

    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, kMaxNumTasks + 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, 1), DOCA_SUCCESS);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, kMaxNumTasks), DOCA_SUCCESS);
}

TEST_F(DocaDma, StartNeedsATaskConfiguration)
{
    Handle<doca_dma, doca_dma_destroy> dma;
    must(doca_dma_create(setup_.device, dma.out()));
    must(doca_pe_connect_ctx(setup_.pe, doca_dma_as_ctx(dma)));
    const SdkLog log;

    EXPECT_EQ(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", text_of(dma.get()), "doca_dma_task_memcpy_set_conf"}), 1);
    must(doca_dma_task_memcpy_set_conf(dma, on_task, on_task, 1));
    EXPECT_EQ(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_stop(doca_dma_as_ctx(dma)), DOCA_SUCCESS);
}

TEST_F(DocaDma, NothingIsConfiguredOrDestroyedWhileItRuns)
{
    doca_task *const task = setup_.task();

    EXPECT_EQ(doca_dma_task_memcpy_set_conf(setup_.context.dma(), on_task, on_task, 1),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_dma_destroy(setup_.context.dma()), DOCA_ERROR_IN_USE);

    must(doca_task_submit(task));
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(setup_.context.take().back(), "success") << "to the callback of the first set_conf";
}

TEST_F(DocaDma, ThereIsNoGpu)
{
    EXPECT_EQ(doca_dma_get_gpu_handle(setup_.context.dma(), Untouched<doca_gpu_dma *>()),
              DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaDma, APoolHoldsExactlyTheConfiguredNumber)
{
    std::vector<doca_task *> tasks;
    for (std::size_t i = 0; i < 4; ++i)
        tasks.push_back(setup_.task(i));

    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {},
                                              Untouched<doca_dma_task_memcpy *>()),
              DOCA_ERROR_NO_MEMORY);
    setup_.context.free(tasks.front());
    EXPECT_NE(setup_.task(), nullptr);
}

TEST_F(DocaDma, TasksAreAllocatedAndSubmittedInRunningOnly)
{
    using Task = Untouched<doca_dma_task_memcpy *>;
    doca_task *const task = setup_.task();
    EXPECT_EQ(setup_.context.stop(), DOCA_ERROR_IN_PROGRESS);

    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {}, Task()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_BAD_STATE);

    setup_.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {}, Task()),
              DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaDma, MemoryChangesOnlyInsideProgress)
{
    doca_buf *const dst = setup_.destination(0, 64);
    must(doca_task_submit(setup_.context.alloc(setup_.source(0, 64), dst)));

    EXPECT_FALSE(setup_.is_copied(0, 64));
    EXPECT_EQ(data_len(dst), 0u);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_TRUE(setup_.is_copied(0, 64));
    EXPECT_EQ(data_len(dst), 64u);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 0);
}

TEST_F(DocaDmaLarge, TheLargestCopyIsPossible)
{
    doca_buf *const dst = setup_.destination(0, kMaxSize);

    EXPECT_EQ(copy(setup_.source(0, kMaxSize), dst), Record{"success"});

    EXPECT_TRUE(setup_.is_copied(0, kMaxSize));
    EXPECT_EQ(data_len(dst), kMaxSize);
}

TEST_F(DocaDma, TheLongestListsArePossible)
{
    EXPECT_EQ(copy(source_list(kMaxListLen, 8192), destination_list(kMaxListLen, 8192)),
              Record{"success"});
    EXPECT_TRUE(setup_.is_copied(0, 8192));
}

TEST_F(DocaDmaLarge, TheLargestListsArePossible)
{
    EXPECT_EQ(copy(source_list(kMaxListLen, kMaxSize), destination_list(2, kMaxSize)),
              Record{"success"});
    EXPECT_TRUE(setup_.is_copied(0, kMaxSize));
}

TEST_F(DocaDma, SourceAndDestinationCanBeReadAndChanged)
{
    doca_buf *const src = setup_.source(0, 64);
    doca_buf *const dst = setup_.destination(0, 64);
    doca_dma_task_memcpy *task = nullptr;
    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {}, &task),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_dma_task_memcpy_get_src(task), nullptr);
    EXPECT_EQ(doca_dma_task_memcpy_get_dst(task), nullptr);

    doca_dma_task_memcpy_set_src(task, src);
    doca_dma_task_memcpy_set_dst(task, dst);

    EXPECT_EQ(doca_dma_task_memcpy_get_src(task), src);
    EXPECT_EQ(doca_dma_task_memcpy_get_dst(task), dst);
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_TRUE(setup_.is_copied(0, 64));
    EXPECT_EQ(doca_dma_task_memcpy_get_src(task), src) << "also after the completion";
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

TEST_F(DocaDma, ATaskInFlightKeepsItsBuffers)
{
    doca_task *const task = setup_.task();
    doca_buf *const other = setup_.destination(4096, 64);
    must(doca_task_submit(task));
    const SdkLog log;

    doca_dma_task_memcpy_set_src(memcpy_task(task), setup_.source(4096, 64));
    doca_dma_task_memcpy_set_dst(memcpy_task(task), other);

    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_TRUE(setup_.is_copied(0, 64));
    EXPECT_EQ(data_len(other), 0u);
    EXPECT_EQ(log.count({"[WRN]", "doca_dma_task_memcpy_set_dst", text_of(task)}), 1);
}

TEST_F(DocaDma, ACompletedTaskIsSubmittedAgainWithOtherBuffers)
{
    doca_task *const task = setup_.task(0);
    setup_.context.take();
    must(doca_task_submit(task));
    setup_.context.on_success = [&](doca_task *done) {
        setup_.context.on_success = nullptr;
        doca_dma_task_memcpy_set_src(memcpy_task(done), setup_.source(64, 64));
        doca_dma_task_memcpy_set_dst(memcpy_task(done), setup_.destination(64, 64));
        EXPECT_EQ(doca_task_submit(done), DOCA_SUCCESS);
    };

    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);

    EXPECT_EQ(setup_.context.take(), (Record{"success", "success"}));
    EXPECT_TRUE(setup_.is_copied(0, 128));
}

TEST_F(DocaDma, CompletesInTheOrderOfSubmission)
{
    std::vector<std::uint64_t> order;
    setup_.context.on_success = [&](doca_task *task) {
        order.push_back(doca_task_get_user_data(task).u64);
    };
    for (std::uint64_t i = 0; i < 4; ++i)
        must(doca_task_submit(setup_.context.alloc(
            setup_.source(0, 1024 >> i), setup_.destination(i * 1024, 1024), {.u64 = i})));

    EXPECT_TRUE(wait_until(setup_.pe, [&] { return order.size() == 4; }));

    EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST_F(DocaDma, RestartsWithAnotherNumberOfTasks)
{
    for (const std::uint32_t num_tasks : {1u, 3u, 3u, 2u}) {
        EXPECT_EQ(setup_.context.stop(), DOCA_SUCCESS);
        EXPECT_EQ(setup_.context.configure(num_tasks), DOCA_SUCCESS);
        EXPECT_EQ(setup_.context.start(), DOCA_SUCCESS);
        std::vector<doca_task *> tasks(num_tasks);
        for (doca_task *&task : tasks)
            task = setup_.task();
        EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {},
                                                  Untouched<doca_dma_task_memcpy *>()),
                  DOCA_ERROR_NO_MEMORY);
        for (doca_task *task : tasks)
            setup_.context.free(task);
    }
    EXPECT_EQ(copy(setup_.source(0, 64), setup_.destination(0, 64)), Record{"success"});
}

TEST_F(DocaDma, TheDestinationMustBeWritable)
{
    for (const std::uint32_t permissions :
         {std::uint32_t{DOCA_ACCESS_FLAG_LOCAL_READ_ONLY},
          std::uint32_t{DOCA_ACCESS_FLAG_PCI_READ_ONLY},
          std::uint32_t{DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_READ}}) {
        DestinationOf destination(setup_, permissions);
        doca_task *const task = setup_.context.alloc(setup_.source(0, 64), destination.buf());

        EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_NOT_PERMITTED) << permissions;

        EXPECT_FALSE(destination.is_written());
        setup_.context.free(task);
    }
}

TEST_F(DocaDma, ADestinationThatIsReadOnlyFailsAtSubmit)
{
    DestinationOf destination(setup_, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    setup_.context.take();
    must(doca_task_submit(setup_.context.alloc(setup_.source(0, 64), destination.buf())));

    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);

    EXPECT_EQ(setup_.context.take(), (Record{"error IO_FAILED", "RUNNING->STOPPING"}));
    EXPECT_FALSE(destination.is_written());
}

TEST_F(DocaDma, PermissionsThatMakeADestinationWritable)
{
    for (const std::optional<std::uint32_t> permissions :
         {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(1),
          std::optional<std::uint32_t>(DOCA_ACCESS_FLAG_PCI_READ_WRITE)}) {
        DestinationOf destination(setup_, permissions);

        EXPECT_EQ(copy(setup_.source(0, 64), destination.buf()), Record{"success"});

        EXPECT_TRUE(destination.is_written());
    }
}

TEST_F(DocaDma, ASourceMayBeReadOnly)
{
    const Mmap read_only(setup_.device, setup_.src, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    doca_buf *const src = setup_.inventory.by_data(read_only, setup_.src.data(), 64);

    EXPECT_EQ(copy(src, setup_.destination(0, 64)), Record{"success"});

    EXPECT_TRUE(setup_.is_copied(0, 64));
    setup_.inventory.take_back_all();
}

TEST_F(DocaDma, BothMmapsNeedTheDevice)
{
    Mmap without;
    must(doca_mmap_set_memrange(without, setup_.dst.data(), 4096));
    must(doca_mmap_start(without));
    doca_buf *const homeless = setup_.inventory.by_data(without, setup_.dst.data(), 64);
    must(doca_buf_reset_data_len(homeless));

    EXPECT_EQ(doca_task_try_submit(setup_.context.alloc(setup_.source(0, 64), homeless)),
              DOCA_ERROR_INVALID_VALUE);
    must(doca_buf_set_data_len(homeless, 64));
    EXPECT_EQ(doca_task_try_submit(setup_.context.alloc(homeless, setup_.destination(64, 64))),
              DOCA_ERROR_INVALID_VALUE);

    setup_.inventory.take_back_all();
}

TEST_F(DocaDma, TheDeviceMayBeOneOfSeveral)
{
    const Device other("03:00.1");
    Mmap both;
    must(doca_mmap_set_memrange(both, setup_.dst.data(), 4096));
    must(doca_mmap_add_dev(both, other));
    must(doca_mmap_add_dev(both, setup_.device));
    must(doca_mmap_start(both));

    EXPECT_EQ(copy(setup_.source(0, 64), setup_.inventory.by_addr(both, setup_.dst.data(), 64)),
              Record{"success"});

    setup_.inventory.take_back_all();
}

TEST_F(DocaDma, AnMmapThatWasStoppedMeanwhileFailsTheTask)
{
    Memory memory(64);
    Mmap safe;
    must(doca_mmap_enable_thread_safety(safe)); // its buffers do not hold it
    must(doca_mmap_set_memrange(safe, memory.data(), 64));
    must(doca_mmap_add_dev(safe, setup_.device));
    must(doca_mmap_start(safe));
    doca_buf *const dst = setup_.inventory.by_addr(safe, memory.data(), 64);
    doca_task *const task = setup_.context.alloc(setup_.source(0, 64), dst);
    must(doca_mmap_stop(safe));

    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
    setup_.context.take();
    must(doca_task_submit(task));
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);

    EXPECT_EQ(setup_.context.take(), (Record{"error IO_FAILED", "RUNNING->STOPPING"}));
    EXPECT_EQ(data_len(dst), 0u);
    setup_.inventory.take_back_all();
}

TEST_F(DocaDma, BuffersReleasedInFlightReturnAfterTheCopy)
{
    doca_buf *const src = setup_.source(0, 64);
    doca_buf *const dst = setup_.destination(0, 64);
    must(doca_task_submit(setup_.context.alloc(src, dst)));
    const std::uint32_t num_free = setup_.inventory.num_free();
    const SdkLog log;

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(setup_.inventory.num_free(), num_free) << "nobody else gets them meanwhile";
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);

    EXPECT_EQ(setup_.inventory.num_free(), num_free + 2);
    EXPECT_TRUE(setup_.is_copied(0, 64));
    EXPECT_EQ(log.count({"[WRN]", text_of(src), "in flight"}), 1);
}

TEST_F(DocaDma, ABufferInFlightIsNotReused)
{
    doca_buf *const dst = setup_.destination(0, 64);
    must(doca_task_submit(setup_.context.alloc(setup_.source(0, 64), dst)));

    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(dst, setup_.dst.at(64), 64),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(dst, setup_.dst.at(64), 64),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(dst, setup_.dst.at(64), 64), DOCA_SUCCESS);
}

TEST_F(DocaDma, AllTasksOfAContextMayShareTheirBuffers)
{
    must(setup_.context.stop());
    must(setup_.context.configure(kMaxNumTasks));
    must(setup_.context.start());
    setup_.context.frees_tasks = true;
    doca_buf *const src = setup_.source(0, 1);
    doca_buf *const dst = setup_.destination(0, kMaxNumTasks);
    for (std::uint32_t i = 0; i < kMaxNumTasks; ++i)
        must(doca_task_submit(setup_.context.alloc(src, dst)));
    const std::uint32_t num_free = setup_.inventory.num_free();

    EXPECT_EQ(doca_buf_dec_refcount(src, nullptr), DOCA_SUCCESS); // in flight, so it stays
    EXPECT_EQ(setup_.inventory.num_free(), num_free);
    ASSERT_EQ(setup_.inventory.num_free(), num_free) << "returned while 65,536 tasks use it";
    EXPECT_TRUE(wait_until(setup_.pe, [&] { return setup_.context.num_inflight() == 0; }));

    EXPECT_EQ(data_len(dst), kMaxNumTasks) << "each appends its byte";
    EXPECT_EQ(setup_.inventory.num_free(), num_free + 1);
}
