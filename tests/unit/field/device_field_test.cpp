// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Devices: their addresses, how often they are open, which side they are on.

#include "support/handles.hpp"
#include "support/role_program.hpp"
#include "support/sdk_log.hpp"

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace {

using namespace softdoca::test;

/// The representors of a device.
class RepList {
public:
    explicit RepList(doca_dev *dev)
    {
        must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list_, &num_));
    }
    ~RepList() { EXPECT_EQ(doca_devinfo_rep_destroy_list(list_), DOCA_SUCCESS); }
    RepList(const RepList &) = delete;
    RepList &operator=(const RepList &) = delete;

    std::uint32_t size() const { return num_; }
    doca_devinfo_rep *first() const { return list_[0]; }

private:
    doca_devinfo_rep **list_ = nullptr;
    std::uint32_t num_ = 0;
};

struct Spelling {
    const char *text;
    std::uint8_t is_equal;
};

constexpr const char *kNoAddresses[] = {"",        "03:00", "03:00.8", "0g:00.0", "0000:03:00.0 ",
                                        "hello!!", nullptr};

TEST(FieldCase, F03DeviceHasTheLongAddress)
{
    const DevinfoList list;
    char text[DOCA_DEVINFO_PCI_ADDR_SIZE];
    std::memset(text, 'x', sizeof text);

    EXPECT_EQ(doca_devinfo_get_pci_addr_str(list[0], text), DOCA_SUCCESS);

    EXPECT_EQ(std::string(text, sizeof text), std::string("0000:03:00.0", 13));
}

TEST(FieldCase, F03EitherSpellingFindsTheDevice)
{
    const DevinfoList list;
    const Spelling spellings[] = {{"03:00.0", 1}, {"0000:03:00.0", 1}, {"0000:03:00.1", 0},
                                  {"ff:1f.7", 0}, {"FF:1F.7", 0},      {"0000:FF:1f.7", 0}};

    for (const Spelling &spelling : spellings) {
        std::uint8_t is_equal = 9;
        EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[0], spelling.text, &is_equal), DOCA_SUCCESS);
        EXPECT_EQ(is_equal, spelling.is_equal) << spelling.text;
    }
}

TEST(FieldCase, F03WhatIsNoAddressIsRefused)
{
    const SdkLog log;
    const DevinfoList list;
    std::uint8_t is_equal = 9;

    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[0], "03:00", &is_equal),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[0], "03:00", &is_equal),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(log.count({"[ERR]", "\"03:00\"", "DDDD:BB:DD.F", "0000:03:00.0"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);

    for (const char *text : kNoAddresses)
        EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[0], text, &is_equal),
                  DOCA_ERROR_INVALID_VALUE)
            << (text == nullptr ? "NULL" : text);
}

TEST(FieldCase, F03RepresentorsAnswerTheSame)
{
    const Device device;
    const RepList reps(device);
    char text[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    std::memset(text, 'x', sizeof text);
    const Spelling spellings[] = {
        {"3b:00.0", 1}, {"0000:3b:00.0", 1}, {"3B:00.0", 1}, {"0000:3b:00.1", 0}, {"ff:1f.7", 0}};

    EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(reps.first(), text), DOCA_SUCCESS);
    EXPECT_EQ(std::string(text, sizeof text), std::string("0000:3b:00.0", 13));
    for (const Spelling &spelling : spellings) {
        std::uint8_t is_equal = 9;
        EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps.first(), spelling.text, &is_equal),
                  DOCA_SUCCESS);
        EXPECT_EQ(is_equal, spelling.is_equal) << spelling.text;
    }
    for (const char *word : kNoAddresses) {
        std::uint8_t is_equal = 9;
        EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(reps.first(), word, &is_equal),
                  DOCA_ERROR_INVALID_VALUE)
            << (word == nullptr ? "NULL" : word);
    }
}

void ignore_task(doca_dma_task_memcpy *, doca_data, doca_data) {}

TEST(FieldCase, F17DeviceOpenedAndClosedMoreThanOnce)
{
    const SdkLog log;
    doca_dev *first = nullptr, *again = nullptr, *of_second_list = nullptr;
    std::string address;
    {
        const DevinfoList list, second_list;
        must(doca_dev_open(list[0], &first));
        must(doca_dev_open(list[0], &again));
        must(doca_dev_open(second_list[0], &of_second_list));
        address = pci_addr_of(list[0]);
    }
    EXPECT_EQ(again, first);
    EXPECT_EQ(of_second_list, first);

    const doca_devinfo *const info = doca_dev_as_devinfo(first);
    EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(info), DOCA_SUCCESS);
    EXPECT_EQ(pci_addr_of(info), address);

    const Pe pe;
    doca_dma *dma = nullptr;
    must(doca_dma_create(first, &dma));
    must(doca_dma_task_memcpy_set_conf(dma, ignore_task, ignore_task, 1));
    must(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    must(doca_ctx_start(doca_dma_as_ctx(dma)));
    EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(first), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_dev_close(first), DOCA_ERROR_IN_USE);
    EXPECT_EQ(log.count({"[ERR]", address, "DMA", text_of(dma), "destroy"}), 1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);

    EXPECT_EQ(doca_ctx_stop(doca_dma_as_ctx(dma)), DOCA_SUCCESS);
    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
}

TEST(FieldCase, F17CloseOfNothing)
{
    EXPECT_EQ(doca_dev_close(nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_rep_close(nullptr), DOCA_ERROR_INVALID_VALUE);
}

/// The parts of Comch come with its library.
class FieldCaseF21 : public testing::Test {
protected:
    void SetUp() override
    {
        if (run_role_probe("host").status == kCannotRun)
            GTEST_SKIP() << "this machine cannot run the programs that it emulates by name";
    }
};

TEST_F(FieldCaseF21, EachFlavourIsAnsweredAsItsSide)
{
    EXPECT_EQ(run_role_probe("dpu").out, kAnswersOfDpu);
    EXPECT_EQ(run_role_probe("host").out, kAnswersOfHost);
}

TEST_F(FieldCaseF21, HostBinaryWithTheRoleOfTheDpuIsTheDpuAndIsWarned)
{
    const Ended ended = run_role_probe("host", {{"SOFTDOCA_ROLE", "dpu"}});

    EXPECT_EQ(ended.out, kAnswersOfDpu);
    for (const char *word : {"[WRN]", "host", "DPU", "SOFTDOCA_ROLE"})
        EXPECT_NE(ended.err.find(word), std::string::npos) << word << " in " << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << "more than one line: " << ended.err;
}

} // namespace
