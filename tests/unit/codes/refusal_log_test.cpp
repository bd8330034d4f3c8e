// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A refused call says once, at ERROR, which object refused what and what to do about it; a call
// that only answers "no", or says "later", is silent or says so at INFO.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/in_role.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

/// Makes the call twice: it must be refused both times, and one line must hold all the words.
void expect_one_line(const std::function<doca_error_t()> &call, doca_error_t code,
                     std::initializer_list<std::string_view> words)
{
    const SdkLog log;

    EXPECT_EQ(call(), code);
    EXPECT_EQ(call(), code);

    EXPECT_EQ(log.count({"[ERR]"}), 1) << "of " << testing::PrintToString(log.lines());
    EXPECT_EQ(log.count(words), 1) << "in " << testing::PrintToString(log.lines());
}

/// No line at any level.
void expect_silence(const std::function<doca_error_t()> &call, doca_error_t code)
{
    const SdkLog log;

    EXPECT_EQ(call(), code);

    EXPECT_EQ(log.lines(), std::vector<std::string>());
}

class RefusalLog : public testing::Test {
protected:
    DmaSetup setup_{1};
};

} // namespace

TEST_F(RefusalLog, NamesTheObjectAndTheNextStep)
{
    doca_dma *const dma = setup_.context.dma();
    const std::string mmap = text_of(setup_.src_mmap.get());
    const std::string inventory = text_of(setup_.inventory.get());
    doca_buf *const buf = setup_.source(0, 64);

    expect_one_line([&] { return doca_mmap_set_permissions(setup_.src_mmap, 1u << 20); },
                    DOCA_ERROR_INVALID_VALUE, {mmap, "0x100000", "DOCA_ACCESS_FLAG"});
    expect_one_line([&] { return doca_mmap_set_permissions(setup_.src_mmap, 0); },
                    DOCA_ERROR_BAD_STATE, {mmap, "started", "doca_mmap_start"});
    expect_one_line([&] { return doca_mmap_stop(setup_.src_mmap); }, DOCA_ERROR_NOT_PERMITTED,
                    {mmap, " 1 ", "doca_buf_dec_refcount"});
    expect_one_line([&] { return doca_buf_inventory_destroy(setup_.inventory); }, DOCA_ERROR_IN_USE,
                    {inventory, " 1 ", "doca_buf_dec_refcount"});
    expect_one_line([&] { return doca_dma_destroy(dma); }, DOCA_ERROR_IN_USE,
                    {text_of(dma), "RUNNING", "doca_ctx_stop"});
    expect_one_line([&] { return doca_ctx_start(setup_.ctx()); }, DOCA_ERROR_BAD_STATE,
                    {text_of(dma), "already RUNNING"});
    expect_one_line([&] { return doca_pe_destroy(setup_.pe); }, DOCA_ERROR_IN_USE,
                    {text_of(setup_.pe.get()), text_of(dma), "destroy"});
    expect_one_line([&] { return doca_buf_unchain_list(buf, buf); }, DOCA_ERROR_INVALID_VALUE,
                    {text_of(buf), "list"});
    expect_one_line([&] { return doca_dev_close(setup_.device); }, DOCA_ERROR_IN_USE,
                    {"0000:03:00.0", "destroy"});
}

TEST_F(RefusalLog, NamesTheRangeThatDoesNotFit)
{
    doca_buf *buf = nullptr;

    expect_one_line(
        [&] {
            return doca_buf_inventory_buf_get_by_addr(setup_.inventory, setup_.src_mmap,
                                                      setup_.src.at(64), 65536, &buf);
        },
        DOCA_ERROR_INVALID_VALUE,
        {text_of(setup_.src.at(64)), "65536", text_of(setup_.src_mmap.get()),
         text_of(setup_.src.data()), "doca_mmap_get_memrange"});
}

// What no object refuses is told once a process: these need one in which nothing was refused yet.

TEST(RefusalLogFirst, NamesTheCallWhenThereIsNoObject)
{
    in_role("dpu", [] {
        expect_one_line([] { return doca_pe_request_notification(nullptr); },
                        DOCA_ERROR_INVALID_VALUE, {"doca_pe_request_notification", "NULL"});
        expect_one_line([] { return doca_buf_reset_data_len(nullptr); }, DOCA_ERROR_INVALID_VALUE,
                        {"doca_buf_reset_data_len", "NULL"});
        expect_one_line([] { return doca_buf_set_data_len(nullptr, 1); }, DOCA_ERROR_INVALID_VALUE,
                        {"doca_buf_set_data_len", "NULL"});
    });
}

TEST(RefusalLogFirst, NamesTheAddressThatIsNone)
{
    in_role("dpu", [] {
        const DevinfoList list;
        std::uint8_t is_equal = 0;

        expect_one_line([&] { return doca_devinfo_is_equal_pci_addr(list[0], "03:00", &is_equal); },
                        DOCA_ERROR_INVALID_VALUE, {"\"03:00\"", "DDDD:BB:DD.F", "0000:03:00.0"});
    });
}

TEST_F(RefusalLog, EachObjectSpeaksForItself)
{
    Mmap first, second;
    const SdkLog log;

    for (int i = 0; i < 3; ++i)
        for (doca_mmap *mmap : {first.get(), second.get()})
            EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", text_of(first.get()), "doca_mmap_set_memrange"}), 1);
    EXPECT_EQ(log.count({"[ERR]", text_of(second.get()), "doca_mmap_set_memrange"}), 1);
}

TEST_F(RefusalLog, EachCauseIsNamed)
{
    const Mmap mmap;
    const SdkLog log;

    EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_rm_dev(mmap, setup_.device), DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(doca_mmap_set_permissions(mmap, 1u << 30), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(log.count({"[ERR]", text_of(mmap.get())}), 3);
}

TEST_F(RefusalLog, ANewObjectAtTheSameAddressSpeaksAgain)
{
    for (int i = 0; i < 2; ++i) {
        Mmap mmap;
        const SdkLog log;
        EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(log.count({"[ERR]", text_of(mmap.get())}), 1);
    }
}

TEST_F(RefusalLog, BackPressureIsToldOnceAtInfo)
{
    doca_task *const task = setup_.task();
    const SdkLog log;
    doca_dma_task_memcpy *none = nullptr;

    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(
            doca_dma_task_memcpy_alloc_init(setup_.context.dma(), nullptr, nullptr, {}, &none),
            DOCA_ERROR_NO_MEMORY);

    EXPECT_EQ(log.lines().size(), 1u);
    EXPECT_EQ(log.count({"[INF]", text_of(setup_.context.dma()), "doca_task_free"}), 1);
    setup_.context.free(task);
}

TEST_F(RefusalLog, AnEmptyStockIsToldOnceAtInfo)
{
    Inventory inventory(1);
    (void)inventory.by_addr(setup_.src_mmap, setup_.src.data(), 64);
    Handle<doca_buf_pool, doca_buf_pool_destroy> pool;
    must(doca_buf_pool_create(1, 64, setup_.src_mmap, pool.out()));
    must(doca_buf_pool_start(pool));
    doca_buf *only = nullptr, *none = nullptr;
    must(doca_buf_pool_buf_alloc(pool, &only));
    const SdkLog log;

    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(inventory, setup_.src_mmap, setup_.src.data(),
                                                     64, &none),
                  DOCA_ERROR_NO_MEMORY);
        EXPECT_EQ(doca_buf_pool_buf_alloc(pool, &none), DOCA_ERROR_EMPTY);
    }

    EXPECT_EQ(log.lines().size(), 2u);
    EXPECT_EQ(log.count({"[INF]", text_of(inventory.get()), "doca_buf_dec_refcount"}), 1);
    EXPECT_EQ(log.count({"[INF]", text_of(pool.get()), "doca_buf_dec_refcount"}), 1);
    must(doca_buf_dec_refcount(only, nullptr));
}

TEST_F(RefusalLog, AnswersThatAreNoRefusalsAreSilent)
{
    const DevinfoList list;
    std::uint8_t flag = 0;
    std::uint32_t number = 0;
    std::uint8_t address[16];
    (void)list.find("03:00.0"); // so that the search does not end in vain

    expect_silence([&] { return doca_devinfo_is_equal_pci_addr(list[0], "ff:1f.7", &flag); },
                   DOCA_SUCCESS);
    expect_silence([&] { return doca_devinfo_get_ipv4_addr(list[0], address, sizeof address); },
                   DOCA_ERROR_NOT_FOUND);
    expect_silence([&] { return doca_devinfo_get_sf_index(list[0], &number); },
                   DOCA_ERROR_NOT_SUPPORTED);
    expect_silence([&] { return doca_mmap_cap_is_export_pci_supported(list[0], &flag); },
                   DOCA_SUCCESS);
    expect_silence(
        [&] { return doca_devinfo_rep_cap_is_filter_emulated_supported(list[0], &flag); },
        DOCA_SUCCESS);
}

TEST_F(RefusalLog, AStopThatTakesTimeIsNoRefusal)
{
    doca_task *const task = setup_.task();
    const SdkLog log;

    EXPECT_EQ(setup_.context.stop(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_EQ(setup_.context.stop(), DOCA_ERROR_IN_PROGRESS);

    EXPECT_EQ(log.count({"[ERR]"}) + log.count({"[WRN]"}), 0);
    setup_.context.free(task);
}

TEST(RefusalLogFirst, ASearchInVainIsToldWhenItsListGoes)
{
    in_role("dpu", [] {
        const SdkLog log;
        for (int i = 0; i < 2; ++i) {
            const DevinfoList list;
            EXPECT_EQ(list.find("3b:00.0"), nullptr);
            EXPECT_EQ(log.count({"[WRN]", "doca_caps"}), i) << "not before the list is destroyed";
        }

        EXPECT_EQ(log.count({"[WRN]", "doca_caps"}), 1) << "once a process";
        EXPECT_EQ(log.count({"[WRN]", "DPU", "0000:03:00.0", "0000:03:00.1", "doca_caps"}), 1);
    });
}
