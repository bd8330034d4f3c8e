// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/in_role.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

using U8 = Untouched<std::uint8_t>;

std::string pci_addr(const doca_devinfo *info)
{
    char text[DOCA_DEVINFO_PCI_ADDR_SIZE];
    must(doca_devinfo_get_pci_addr_str(info, text));
    return text;
}

std::string iface_name(const doca_devinfo *info)
{
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    must(doca_devinfo_get_iface_name(info, text, sizeof text));
    return text;
}

std::string ibdev_name(const doca_devinfo *info)
{
    char text[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    must(doca_devinfo_get_ibdev_name(info, text, sizeof text));
    return text;
}

using Mac = std::array<std::uint8_t, DOCA_DEVINFO_MAC_ADDR_SIZE>;

Mac mac_addr(const doca_devinfo *info)
{
    Mac mac{};
    must(doca_devinfo_get_mac_addr(info, mac.data(), mac.size()));
    return mac;
}

int is_equal(const doca_devinfo *info, const char *text)
{
    std::uint8_t equal = 7;
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, text, &equal), DOCA_SUCCESS) << text;
    return equal;
}

/// What a query that has room for all answers sees in the bytes that the answer does not need.
bool is_zero_behind(const std::vector<char> &bytes, std::size_t len)
{
    for (std::size_t i = len; i < bytes.size(); ++i)
        if (bytes[i] != 0)
            return false;
    return true;
}

} // namespace

TEST(DocaDevinfo, TheDpuSeesItsTwoFunctions)
{
    const DevinfoList list;

    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(pci_addr(list[0]), "0000:03:00.0");
    EXPECT_EQ(pci_addr(list[1]), "0000:03:00.1");
    EXPECT_EQ(ibdev_name(list[0]), "mlx5_0");
    EXPECT_EQ(ibdev_name(list[1]), "mlx5_1");
    EXPECT_EQ(iface_name(list[0]), "p0");
    EXPECT_EQ(iface_name(list[1]), "p1");
}

TEST(DocaDevinfo, TheHostSeesItsTwoFunctions)
{
    in_role("host", [] {
        const DevinfoList list;

        ASSERT_EQ(list.size(), 2u);
        EXPECT_EQ(pci_addr(list[0]), "0000:3b:00.0");
        EXPECT_EQ(pci_addr(list[1]), "0000:3b:00.1");
        EXPECT_EQ(ibdev_name(list[0]), "mlx5_0");
        EXPECT_EQ(ibdev_name(list[1]), "mlx5_1");
        EXPECT_EQ(iface_name(list[0]), "ens1f0np0");
        EXPECT_EQ(iface_name(list[1]), "ens1f1np1");
        EXPECT_EQ(list.find("03:00.0"), nullptr);
    });
}

TEST(DocaDevinfo, ARoleThatIsNoNodeSeesNothing)
{
    in_role("nobody", [] {
        EXPECT_EQ(
            doca_devinfo_create_list(Untouched<doca_devinfo **>(), Untouched<std::uint32_t>()),
            DOCA_ERROR_NOT_FOUND);
    });
}

TEST(DocaDevinfo, IdentifiersTellTheFunctionsApart)
{
    const DevinfoList list;
    std::set<Mac> macs;
    std::set<std::uint16_t> vhca_ids;
    for (const doca_devinfo *info : list) {
        std::uint16_t vhca_id = 0;
        must(doca_devinfo_get_vhca_id(info, &vhca_id));
        vhca_ids.insert(vhca_id);
        macs.insert(mac_addr(info));
    }

    EXPECT_EQ(vhca_ids.size(), list.size());
    EXPECT_EQ(macs.size(), list.size());
    for (const Mac &mac : macs)
        EXPECT_EQ(mac[0] & 0x03, 0x02) << "locally administered, one station";
}

TEST(DocaDevinfo, PropertiesOfThePretendedPort)
{
    const DevinfoList list;
    std::uint64_t rate = 0;
    doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
    std::array<std::uint8_t, DOCA_DEVINFO_IPV6_ADDR_SIZE> ipv6{};

    EXPECT_EQ(doca_devinfo_get_active_rate(list[0], &rate), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_get_pci_func_type(list[0], &type), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_get_ipv6_addr(list[0], ipv6.data(), ipv6.size()), DOCA_SUCCESS);

    EXPECT_EQ(rate, 200'000'000'000u);
    EXPECT_EQ(type, DOCA_PCI_FUNC_TYPE_PF);
    EXPECT_EQ(ipv6[0], 0xfe);
    EXPECT_EQ(ipv6[1], 0x80);
}

TEST(DocaDevinfo, WhatThePortDoesNotHave)
{
    const DevinfoList list;
    UntouchedText<DOCA_DEVINFO_IPV4_ADDR_SIZE> ipv4;

    EXPECT_EQ(doca_devinfo_get_ipv4_addr(list[0], ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE),
              DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(doca_devinfo_get_lid(list[0], Untouched<std::uint16_t>()), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_devinfo_get_sf_index(list[0], Untouched<std::uint32_t>()),
              DOCA_ERROR_NOT_SUPPORTED);
}

TEST(DocaDevinfo, CapabilitiesThatNoDeviceHas)
{
    const DevinfoList list;
    std::uint8_t hotplug = 7, moderation = 7, reclaim = 7;

    EXPECT_EQ(doca_devinfo_cap_is_hotplug_manager_supported(list[0], &hotplug), DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_cap_is_notification_moderation_supported(list[0], &moderation),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(list[0], &reclaim),
              DOCA_SUCCESS);

    EXPECT_EQ(hotplug + moderation + reclaim, 0);
}

TEST(DocaDevinfo, DevicesOfACardExportAndImport)
{
    const DevinfoList list;
    std::uint8_t to_export = 7, to_import = 7;

    EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(list[0], &to_export), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(list[0], &to_import), DOCA_SUCCESS);

    EXPECT_EQ(to_export, 1);
    EXPECT_EQ(to_import, 1);
}

TEST(DocaDevinfo, TextsAreFollowedByZeros)
{
    const DevinfoList list;
    std::vector<char> iface(DOCA_DEVINFO_IFACE_NAME_SIZE + 10, 'x');
    std::vector<char> ibdev(DOCA_DEVINFO_IBDEV_NAME_SIZE, 'x');

    must(doca_devinfo_get_iface_name(list[0], iface.data(), DOCA_DEVINFO_IFACE_NAME_SIZE + 10));
    must(doca_devinfo_get_ibdev_name(list[0], ibdev.data(), DOCA_DEVINFO_IBDEV_NAME_SIZE));

    EXPECT_TRUE(is_zero_behind(iface, std::strlen("p0")));
    EXPECT_TRUE(is_zero_behind(ibdev, std::strlen("mlx5_0")));
}

TEST(DocaDevinfo, BuffersMustHaveTheDocumentedSize)
{
    const DevinfoList list;
    UntouchedText<512> out;

    EXPECT_EQ(doca_devinfo_get_ipv4_addr(list[0], out, DOCA_DEVINFO_IPV4_ADDR_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv6_addr(list[0], out, DOCA_DEVINFO_IPV6_ADDR_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_mac_addr(list[0], out, DOCA_DEVINFO_MAC_ADDR_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_iface_name(list[0], out, DOCA_DEVINFO_IFACE_NAME_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ibdev_name(list[0], out, DOCA_DEVINFO_IBDEV_NAME_SIZE - 1),
              DOCA_ERROR_INVALID_VALUE);
}

TEST(DocaDevinfo, AddressesAreComparedByValue)
{
    const DevinfoList list;

    EXPECT_EQ(is_equal(list[0], "03:00.0"), 1);
    EXPECT_EQ(is_equal(list[0], "0000:03:00.0"), 1);
    EXPECT_EQ(is_equal(list[0], "0000:03:00.1"), 0);
    EXPECT_EQ(is_equal(list[1], "03:00.1"), 1);
    EXPECT_EQ(is_equal(list[0], "0001:03:00.0"), 0);
    EXPECT_EQ(is_equal(list[0], "ff:1f.7"), 0);
    EXPECT_EQ(is_equal(list[0], "FF:1F.7"), 0);
}

TEST(DocaDevinfo, TextThatIsNoAddressIsRefused)
{
    const DevinfoList list;

    for (const char *text : {"", "0", "03:00", "03:00.8", "0g:00.0", "03:20.0", "03-00.0",
                             "03:00:0", "0000:03:00.0 ", " 03:00.0", "0000:03:00.", "000003:00.0",
                             "hello!!", "+3:00.0", "0x:00.0", "0000:0000:03:00.0"})
        EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[0], text, U8()), DOCA_ERROR_INVALID_VALUE)
            << text;
}

TEST(DocaDevinfo, AnAddressThatDoesNotExistIsAnsweredWithThoseThatDo)
{
    in_role("dpu", [] {
        const SdkLog log;
        const auto search = [] { return DevinfoList().find("3b:00.0"); };

        EXPECT_EQ(search(), nullptr);

        const auto num_warnings = [&] {
            return log.count({"[WRN]", "address", "DPU", "0000:03:00.0, 0000:03:00.1"});
        };
        EXPECT_EQ(num_warnings(), 1) << testing::PrintToString(log.lines());

        EXPECT_EQ(search(), nullptr);

        EXPECT_EQ(num_warnings(), 1) << "once a process";
    });
}

TEST(DocaDevinfo, ListsThatWereNotSearchedInVainAreSilent)
{
    in_role("host", [] {
        const SdkLog log;

        EXPECT_NE(DevinfoList().find("3b:00.1"), nullptr);
        EXPECT_EQ(DevinfoList().size(), 2u);

        EXPECT_EQ(log.count({"address"}), 0) << testing::PrintToString(log.lines());
    });
}

TEST(DocaDev, OpenedTwiceItIsOneWithTwoReferences)
{
    const DevinfoList list;
    const DevinfoList other_list;
    doca_dev *first = nullptr;
    doca_dev *second = nullptr;
    EXPECT_EQ(doca_dev_open(list[0], &first), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_open(other_list[0], &second), DOCA_SUCCESS);

    EXPECT_EQ(first, second);
    EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
    EXPECT_NE(doca_dev_as_devinfo(first), nullptr);
    EXPECT_EQ(doca_dev_close(first), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_as_devinfo(first), nullptr);
}

TEST(DocaDev, OtherFunctionsAreOtherDevices)
{
    const Device first("03:00.0");
    const Device second("0000:03:00.1");

    EXPECT_NE(first.get(), second.get());
    EXPECT_EQ(pci_addr(first.info()), "0000:03:00.0");
    EXPECT_EQ(pci_addr(second.info()), "0000:03:00.1");
}

TEST(DocaDev, OutlivesItsList)
{
    doca_dev *dev = nullptr;
    {
        const DevinfoList list;
        must(doca_dev_open(list[1], &dev));
    }

    EXPECT_EQ(pci_addr(doca_dev_as_devinfo(dev)), "0000:03:00.1");

    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
}

TEST(DocaDev, CanBeOpenedFromItsOwnInfoAndAgainAfterClose)
{
    Device device;
    doca_dev *again = nullptr;
    EXPECT_EQ(doca_dev_open(device.info(), &again), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(again), DOCA_SUCCESS);
    EXPECT_EQ(device.destroy(), DOCA_SUCCESS);

    const Device reopened;
    doca_dma *dma = nullptr;
    EXPECT_EQ(doca_dma_create(reopened, &dma), DOCA_SUCCESS);
    EXPECT_EQ(doca_dma_destroy(dma), DOCA_SUCCESS);
}

TEST(DocaDev, TheLastCloseIsRefusedWhileAnMmapHoldsIt)
{
    Device device;
    Mmap mmap;
    must(doca_mmap_add_dev(mmap, device));

    EXPECT_EQ(doca_dev_close(device), DOCA_ERROR_IN_USE);

    EXPECT_EQ(pci_addr(device.info()), "0000:03:00.0") << "it stays open";
    must(doca_mmap_rm_dev(mmap, device));
    EXPECT_EQ(device.destroy(), DOCA_SUCCESS);
}

TEST(DocaDev, TheLastCloseIsRefusedWhileAContextHoldsIt)
{
    Device device;
    Handle<doca_dma, doca_dma_destroy> dma;
    must(doca_dma_create(device, dma.out()));

    EXPECT_EQ(doca_dev_close(device), DOCA_ERROR_IN_USE);
    EXPECT_EQ(doca_dev_close(device), DOCA_ERROR_IN_USE);

    must(dma.destroy());
    EXPECT_EQ(device.destroy(), DOCA_SUCCESS);
}

TEST(DocaDev, ACloseThatIsNotTheLastIsNotRefused)
{
    Device device;
    const Device other;
    const Mmap mmap;
    must(doca_mmap_add_dev(mmap, device));

    EXPECT_EQ(device.destroy(), DOCA_SUCCESS);

    must(doca_mmap_rm_dev(mmap, other));
}

TEST(DocaDev, CannotReclaimFaster)
{
    const Device device;

    EXPECT_EQ(doca_dev_accelerate_resource_reclaim(device), DOCA_ERROR_NOT_SUPPORTED);
}

TEST(DocaDev, ThreadsMayListOpenAndCloseTogether)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([] {
            for (int round = 0; round < 100; ++round) {
                const Device device;
                EXPECT_EQ(ibdev_name(device.info()), "mlx5_0");
            }
        });
    for (std::thread &thread : threads)
        thread.join();
}
