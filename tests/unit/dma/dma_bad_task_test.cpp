// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Copies that cannot succeed: try_submit says why and changes nothing; after a plain submit the
// task ends in its error callback, the context stops by itself, and not one byte is written.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/sdk_log.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kMaxSize = std::size_t{2} << 20;
constexpr std::uint32_t kMaxListLen = 64;

std::size_t data_len(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

/// A task that breaks a rule, and what try_submit says to it.
struct BadTask {
    const char *name;
    doca_error_t code;
    std::function<doca_task *(DmaSetup &)> make;
    std::size_t area_len = 64 * 1024;
};

class DocaDmaBadTask : public testing::TestWithParam<BadTask> {
protected:
    DmaSetup setup_{2, GetParam().area_len};
};

/// A list of one more than the allowed elements, of one byte each.
template <typename Make>
doca_buf *too_long_list(Make make)
{
    doca_buf *const head = make(0);
    for (std::size_t i = 1; i <= kMaxListLen; ++i)
        must(doca_buf_chain_list(head, make(i)));
    return head;
}

doca_buf *with_data(doca_buf *buf, void *data, std::size_t len)
{
    must(doca_buf_set_data(buf, data, len));
    return buf;
}

const BadTask kBadTasks[] = {
    {"NoSource", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) { return s.context.alloc(nullptr, s.destination(0, 64)); }},
    {"NoDestination", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) { return s.context.alloc(s.source(0, 64), nullptr); }},
    {"EmptySource", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = s.inventory.by_addr(s.src_mmap, s.src.data(), 64);
         return s.context.alloc(src, s.destination(0, 64));
     }},
    {"EmptySourceList", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = s.inventory.by_addr(s.src_mmap, s.src.data(), 64);
         must(doca_buf_chain_list(src, s.inventory.by_addr(s.src_mmap, s.src.at(64), 64)));
         return s.context.alloc(src, s.destination(0, 64));
     }},
    {"OneByteTooLarge", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         return s.context.alloc(s.source(0, kMaxSize + 1), s.destination(0, kMaxSize + 4096));
     },
     kMaxSize + 4096},
    {"TooLargeInAll", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = s.source(0, kMaxSize);
         must(doca_buf_chain_list(src, s.source(kMaxSize, 1)));
         return s.context.alloc(src, s.destination(0, kMaxSize + 4096));
     },
     kMaxSize + 4096},
    {"SourceListTooLong", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         return s.context.alloc(too_long_list([&](std::size_t i) { return s.source(i, 1); }),
                                s.destination(0, 4096));
     }},
    {"DestinationListTooLong", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         return s.context.alloc(s.source(0, 1), too_long_list([&](std::size_t i) {
                                    return s.destination(i * 64, 64);
                                }));
     }},
    {"OneByteOfRoomMissing", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) { return s.context.alloc(s.source(0, 64), s.destination(0, 63)); }},
    {"RoomTakenByDataThatIsThere", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const dst = s.destination(0, 64);
         return s.context.alloc(s.source(0, 64), with_data(dst, s.dst.data(), 1));
     }},
    {"RoomLostInFrontOfTheData", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const dst = s.destination(0, 64);
         return s.context.alloc(s.source(0, 64), with_data(dst, s.dst.at(1), 0));
     }},
    {"RoomMissingInTheList", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const dst = s.destination(0, 32);
         must(doca_buf_chain_list(dst, s.destination(32, 31)));
         return s.context.alloc(s.source(0, 64), dst);
     }},
    {"SourceDataBehindItsBuffer", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = with_data(s.source(0, 64), s.src.at(32), 33);
         return s.context.alloc(src, s.destination(0, 128));
     }},
    {"SourceDataBeforeItsBuffer", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = with_data(s.source(64, 64), s.src.at(63), 8);
         return s.context.alloc(src, s.destination(0, 128));
     }},
    {"SourceDataLengthOverflows", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const src = with_data(s.source(0, 64), s.src.at(8), SIZE_MAX);
         return s.context.alloc(src, s.destination(0, 128));
     }},
    {"DestinationDataOutsideItsBuffer", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const dst = with_data(s.destination(0, 64), s.dst.at(128), 0);
         return s.context.alloc(s.source(0, 1), dst);
     }},
    {"DestinationDataLongerThanItsBuffer", DOCA_ERROR_INVALID_VALUE,
     [](DmaSetup &s) {
         doca_buf *const dst = with_data(s.destination(0, 64), s.dst.at(0), 65);
         return s.context.alloc(s.source(0, 1), dst);
     }},
};

} // namespace

TEST_P(DocaDmaBadTask, IsRefusedByTrySubmitAndNothingChanges)
{
    doca_task *const task = GetParam().make(setup_);
    setup_.context.take();
    const SdkLog log;

    EXPECT_EQ(doca_task_try_submit(task), GetParam().code);

    EXPECT_EQ(doca_pe_progress(setup_.pe), 0);
    EXPECT_EQ(setup_.context.take(), Record{});
    EXPECT_EQ(setup_.context.state(), DOCA_CTX_STATE_RUNNING);
    EXPECT_EQ(setup_.context.num_inflight(), 0u);
    EXPECT_EQ(log.count({"[ERR]", text_of(setup_.context.dma()), "0000:03:00.0"}), 1);
    doca_task *const good = setup_.task(100);
    EXPECT_EQ(doca_task_try_submit(good), DOCA_SUCCESS);
}

TEST_P(DocaDmaBadTask, FailsAfterSubmitAndWritesNothing)
{
    doca_task *const task = GetParam().make(setup_);
    doca_buf *const dst = doca_dma_task_memcpy_get_dst(
        reinterpret_cast<doca_dma_task_memcpy *>(task)); // both names of one object
    const std::size_t len_before = dst == nullptr ? 0 : data_len(dst);
    setup_.context.take();

    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);

    EXPECT_EQ(setup_.context.take(), (Record{"error IO_FAILED", "RUNNING->STOPPING"}));
    const std::vector<std::byte> zeros(setup_.dst.size());
    EXPECT_EQ(std::memcmp(setup_.dst.data(), zeros.data(), zeros.size()), 0);
    if (dst != nullptr) {
        EXPECT_EQ(data_len(dst), len_before);
    }
    EXPECT_EQ(doca_pe_progress(setup_.pe), 0) << "the task is not freed yet";
    setup_.context.free(task);
    EXPECT_EQ(doca_pe_progress(setup_.pe), 1);
    EXPECT_EQ(setup_.context.take(), Record{"STOPPING->IDLE"});
}

INSTANTIATE_TEST_SUITE_P(Rules, DocaDmaBadTask, testing::ValuesIn(kBadTasks),
                         [](const auto &bad) { return std::string(bad.param.name); });
