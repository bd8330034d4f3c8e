// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Tasks: how many there are, and in which thread.

#include "support/dma_setup.hpp"
#include "support/rounds.hpp"
#include "support/sdk_log.hpp"

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace softdoca::test;

// ---- F10: one engine and one context a thread, on one device ----

/// One thread's program: copies of changing blocks, each checked in its callback.
class Copies {
public:
    explicit Copies(doca_dev *dev)
        : src_(kArea), dst_(kArea), src_mmap_(dev, src_), dst_mmap_(dev, dst_),
          inventory_(2 * kInFlight), context_(dev, pe_, kInFlight)
    {
        context_.on_success = [this](doca_task *task) { completed(task); };
        must(context_.start());
        for (std::size_t i = 0; i < kInFlight; ++i) {
            slots_[i] = {inventory_.by_data(src_mmap_, src_.at(i * kLen), kLen),
                         inventory_.by_addr(dst_mmap_, dst_.at(i * kLen), kLen)};
            doca_task *const task = context_.alloc(slots_[i].src, slots_[i].dst, {.u64 = i});
            submit(task);
        }
    }

    /// One turn; false when all is done.
    bool turn()
    {
        (void)doca_pe_progress(pe_);
        return num_done_ < kNumCopies;
    }
    std::uint64_t num_done() const { return num_done_; }
    const Record &record() const { return context_.record(); }

private:
    static constexpr std::size_t kLen = 64 * 1024, kInFlight = 16, kArea = kLen * kInFlight;
    const std::uint64_t kNumCopies = static_cast<std::uint64_t>(num_rounds(1000));

    struct Slot {
        doca_buf *src;
        doca_buf *dst;
    };

    void submit(doca_task *task)
    {
        const std::size_t i = doca_task_get_user_data(task).u64;
        std::memset(src_.at(i * kLen), static_cast<int>(num_submitted_ % 255) + 1, kLen);
        std::memcpy(src_.at(i * kLen + kLen / 3), &num_submitted_, sizeof num_submitted_);
        ++num_submitted_;
        EXPECT_EQ(doca_buf_reset_data_len(slots_[i].dst), DOCA_SUCCESS);
        EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    }
    void completed(doca_task *task)
    {
        EXPECT_EQ(std::this_thread::get_id(), thread_);
        const std::size_t i = doca_task_get_user_data(task).u64;
        EXPECT_EQ(std::memcmp(src_.at(i * kLen), dst_.at(i * kLen), kLen), 0);
        ++num_done_;
        if (num_submitted_ < kNumCopies)
            submit(task);
    }

    Memory src_, dst_;
    Mmap src_mmap_, dst_mmap_;
    Inventory inventory_;
    Pe pe_;
    DmaContext context_;
    std::array<Slot, kInFlight> slots_{};
    const std::thread::id thread_ = std::this_thread::get_id();
    std::uint64_t num_submitted_ = 0, num_done_ = 0;
};

TEST(FieldCase, F10OneEngineAndOneContextPerThreadOnOneDevice)
{
    Device device;
    std::vector<std::thread> threads;

    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&device, i] {
            Copies copies(device);
            while (copies.turn()) {
                if (i == 0)
                    const Device again; // opened and closed
            }
            EXPECT_EQ(copies.num_done(), static_cast<std::uint64_t>(num_rounds(1000)));
            EXPECT_EQ(copies.record().size(), copies.num_done() + 1); // and IDLE->RUNNING
        });
    for (std::thread &thread : threads)
        thread.join();

    EXPECT_EQ(device.destroy(), DOCA_SUCCESS);
}

// ---- F11 ----

TEST(FieldCase, F11PoolHoldsExactlyTheConfiguredNumber)
{
    const SdkLog log;
    DmaSetup setup(4);
    std::vector<doca_task *> tasks;
    for (std::size_t i = 0; i < 4; ++i)
        tasks.push_back(setup.task(i));
    doca_task *const marker = tasks[0];
    doca_task *fifth = marker;

    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &fifth), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &fifth), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(fifth, marker);
    setup.context.free(tasks[3]);
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &fifth), DOCA_SUCCESS);

    EXPECT_EQ(log.count({"[INF]", text_of(setup.context.dma()), "4 configured", "0 in flight",
                         "4 held", "doca_task_free"}),
              1);
    EXPECT_EQ(log.count({"[ERR]"}) + log.count({"[WRN]"}), 0);
}

TEST(FieldCase, F11CompletedTaskStillCounts)
{
    DmaSetup setup(4);
    doca_buf *const dst = setup.destination(0, 128);
    doca_task *const task = setup.context.alloc(setup.source(0, 64), dst);
    doca_task *more = nullptr;
    for (int i = 0; i < 3; ++i)
        must(setup.context.try_alloc(nullptr, nullptr, &more));
    must(doca_task_submit(task));
    (void)setup.context.take();

    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.try_alloc(nullptr, nullptr, &more), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(setup.context.take(), Record(2, "success"));
    std::size_t data_len = 0;
    EXPECT_EQ(doca_buf_get_data_len(dst, &data_len), DOCA_SUCCESS);
    EXPECT_EQ(data_len, 128u); // behind what was there
}

} // namespace
