// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Devices, memory and buffers of the C++ layer, and how its errors look.

#include "copies.hpp"

#include <softdoca/doca/objects.hpp>

#include <optional>
#include <type_traits>

using namespace softdoca::test;

namespace {

constexpr const char *kDevice = "03:00.0";

template <typename... T>
constexpr bool kAllMoveOnly = ((std::is_nothrow_move_constructible_v<T> &&
                                std::is_move_assignable_v<T> && !std::is_copy_constructible_v<T> &&
                                !std::is_copy_assignable_v<T>)&&...);

static_assert(kAllMoveOnly<doca::DeviceList, doca::Device, doca::RepresentorList, doca::Representor,
                           doca::Mmap, doca::BufferInventory, doca::BufferPool, doca::Buffer,
                           doca::ProgressEngine, doca::Dma, doca::ComchServer, doca::ComchClient,
                           doca::ComchConnection, doca::ComchMessage, doca::ComchProducer,
                           doca::ComchConsumer, doca::ComchReceived, doca::GraphHandle,
                           doca::SyncEventHandle, doca::BufferArrayHandle>);

} // namespace

TEST(CppError, SaysWhichCallAnsweredWhat)
{
    const doca::Error error({DOCA_ERROR_BAD_STATE, "doca_mmap_start"});

    EXPECT_EQ(error.code(), DOCA_ERROR_BAD_STATE);
    EXPECT_STREQ(error.call(), "doca_mmap_start");
    EXPECT_EQ(std::string(error.what()).rfind("doca_mmap_start: DOCA_ERROR_BAD_STATE (", 0), 0u);
}

TEST(CppError, AResultHasAValueOrAFailure)
{
    doca::result<int> good = 7;
    doca::result<int> bad = doca::Failure{DOCA_ERROR_IN_USE, "call"};

    EXPECT_TRUE(good);
    EXPECT_EQ(*good, 7);
    EXPECT_EQ(good.code(), DOCA_SUCCESS);
    EXPECT_EQ(std::move(good).value(), 7);
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.code(), DOCA_ERROR_IN_USE);
    EXPECT_EQ(thrown_by([&] { (void)std::move(bad).value(); }), DOCA_ERROR_IN_USE);
    EXPECT_EQ(thrown_by([] { doca::result<void>().value(); }), DOCA_SUCCESS);
}

TEST(CppDevice, IsFoundByItsAddressOrByWhatItCan)
{
    const doca::Device by_address(std::string{kDevice});
    const doca::Device by_ability(
        [](doca::DeviceInfo info) { return doca::dma_caps(info).is_supported; });

    EXPECT_EQ(by_address.info().pci_addr(), "0000:03:00.0");
    EXPECT_TRUE(by_address.info().has_pci_addr("03:00.0"));
    EXPECT_EQ(by_ability.info().pci_addr(), "0000:03:00.0");
    EXPECT_EQ(by_address.info().ibdev_name(), "mlx5_0");
    EXPECT_EQ(by_address.info().iface_name(), "p0");
    EXPECT_NE(by_address.info().mac_addr(), doca::DeviceInfo::MacAddress{});
}

TEST(CppDevice, ThatIsNotThereIsNotFound)
{
    EXPECT_EQ(doca::Device::open(std::nothrow, "7f:00.0").code(), DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(thrown_by([] { doca::Device device("7f:00.0"); }), DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(doca::Device::find(std::nothrow, [](doca::DeviceInfo) { return false; }).code(),
              DOCA_ERROR_NOT_FOUND);
}

TEST(CppDevice, ListsAreRanges)
{
    const doca::DeviceList list;
    std::vector<std::string> addresses;
    for (const doca::DeviceInfo info : list)
        addresses.push_back(info.pci_addr());

    EXPECT_EQ(addresses, (std::vector<std::string>{"0000:03:00.0", "0000:03:00.1"}));
    EXPECT_EQ(list.size(), 2u);
    EXPECT_EQ(list[1].pci_addr(), "0000:03:00.1");
}

TEST(CppDevice, HasRepresentors)
{
    const doca::Device device(std::string{kDevice});
    const doca::RepresentorList list(device);
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].pci_addr(), "0000:3b:00.0");
    EXPECT_FALSE(list[0].vuid().empty());

    const doca::Representor representor(device, "3b:00.0");
    EXPECT_TRUE(representor.info().has_pci_addr("3b:00.0"));
    EXPECT_EQ(doca::Representor::open(std::nothrow, device, "7f:00.0").code(),
              DOCA_ERROR_NOT_FOUND);
}

TEST(CppDevice, StaysOpenForWhatStandsOnIt)
{
    std::vector<std::byte> memory(64);
    std::optional<doca::Device> device(std::string{kDevice});
    std::optional<doca::Representor> representor(std::in_place, *device, "3b:00.0");
    std::optional<doca::Mmap> mmap(std::in_place, *device, memory);

    device.reset();
    EXPECT_EQ(mmap->memory().size(), memory.size());
    EXPECT_EQ(representor->info().pci_addr(), "0000:3b:00.0");
}

TEST(CppDevice, CapabilitiesAreValues)
{
    const doca::Device device(std::string{kDevice});

    const doca::DmaCaps dma = doca::dma_caps(device.info());
    EXPECT_TRUE(dma.is_supported);
    EXPECT_EQ(dma.max_buffer_size, 2u << 20);
    EXPECT_GT(dma.max_buffer_list_len, 0u);

    const doca::ComchCaps comch = doca::comch_caps(device.info());
    EXPECT_TRUE(comch.is_server_supported);
    EXPECT_FALSE(comch.is_client_supported);
    EXPECT_EQ(comch.max_msg_size, 4080u);
    EXPECT_EQ(comch.max_clients, 512u);
    EXPECT_GT(comch.max_name_len, 0u);
    EXPECT_GT(comch.max_recv_queue_size, 0u);
    EXPECT_GT(comch.max_send_tasks, 0u);

    const doca::ComchProducerCaps producer = doca::comch_producer_caps(device.info());
    EXPECT_TRUE(producer.is_supported);
    EXPECT_EQ(producer.max_producers, 1024u);
    const doca::ComchConsumerCaps consumer = doca::comch_consumer_caps(device.info());
    EXPECT_TRUE(consumer.is_supported);
    EXPECT_EQ(consumer.max_imm_data_len, 32u);
}

TEST(CppMemory, AMapTellsItsMemoryAndItsErrors)
{
    std::vector<std::byte> memory(100);
    const doca::Device device(std::string{kDevice}), other(std::string("03:00.1"));

    const doca::Mmap mmap(device, memory);
    EXPECT_EQ(mmap.memory().data(), memory.data());
    EXPECT_EQ(mmap.memory().size(), memory.size());
    const doca::Mmap both({&device, &other}, memory);
    EXPECT_NE(both.get(), nullptr);

    EXPECT_EQ(thrown_by([&] { doca::Mmap bad(device, {}); }), DOCA_ERROR_INVALID_VALUE);
    const auto bad = doca::Mmap::create(std::nothrow, device, memory, 0xffff);
    EXPECT_EQ(bad.code(), DOCA_ERROR_INVALID_VALUE);
    EXPECT_STREQ(bad.failure().call, "doca_mmap_set_permissions");
    EXPECT_EQ(mmap.export_pci(std::nothrow, device).code(), DOCA_ERROR_NOT_PERMITTED);
}

TEST(CppMemory, WhatIsNoExportIsRefused)
{
    const doca::Device device(std::string{kDevice});
    const std::vector<std::byte> garbage(100);

    EXPECT_EQ(doca::Mmap::from_export(std::nothrow, device, garbage).code(),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(thrown_by([&] { (void)doca::Mmap::from_export(device, garbage); }),
              DOCA_ERROR_INVALID_VALUE);
}

TEST(CppMemory, AnExportIsNotImportedByItsOwnSide)
{
    std::vector<std::byte> memory(64);
    const doca::Device device(std::string{kDevice});
    const doca::Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);

    const auto descriptor = mmap.export_pci(device);

    EXPECT_GT(descriptor.size(), 0u);
    EXPECT_EQ(doca::Mmap::from_export(std::nothrow, device, descriptor).code(),
              DOCA_ERROR_NOT_PERMITTED);
}

TEST(CppBuffer, KnowsItsMemoryAndItsData)
{
    CopyWorld world(1);
    doca::Buffer &dst = world.dst[0];

    EXPECT_EQ(world.src[0].data().size(), kPieceLen);
    EXPECT_EQ(dst.memory().size(), kPieceLen);
    EXPECT_EQ(dst.data().size(), 0u);
    dst.set_data(dst.memory().subspan(8, 16));
    EXPECT_EQ(dst.data().data(), dst.memory().data() + 8);
    EXPECT_EQ(dst.data().size(), 16u);
    dst.reset_data();
    EXPECT_EQ(dst.data().size(), 0u);
}

TEST(CppBuffer, GoesBackToItsInventory)
{
    std::vector<std::byte> memory(64);
    const doca::Device device(std::string{kDevice});
    const doca::Mmap mmap(device, memory);
    doca::BufferInventory inventory(1);

    for (int i = 0; i < 3; ++i) {
        const auto buffer = inventory.by_addr(mmap, memory);
        EXPECT_EQ(inventory.by_addr(std::nothrow, mmap, memory).code(), DOCA_ERROR_NO_MEMORY);
    }
    EXPECT_EQ(thrown_by([] { doca::BufferInventory none(0); }), DOCA_ERROR_INVALID_VALUE);
}

TEST(CppBuffer, IsChained)
{
    CopyWorld world(2);
    doca::Buffer head = std::move(world.src[0]);

    head.chain(std::move(world.src[1])); // both go back with the head

    std::uint32_t len = 0;
    ASSERT_EQ(doca_buf_get_list_len(head.get(), &len), DOCA_SUCCESS);
    EXPECT_EQ(len, 2u);
    doca::Buffer tail = std::move(world.dst[0]);
    EXPECT_EQ(tail.chain(std::nothrow, tail).code(), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_NE(tail.get(), nullptr); // still its owner
}

TEST(CppBuffer, APoolKeepsItsMap)
{
    std::vector<std::byte> memory(256);
    const doca::Device device(std::string{kDevice});
    std::optional<doca::Mmap> mmap(std::in_place, device, memory);
    doca::BufferPool pool(2, 64, *mmap);
    mmap.reset();

    auto first = pool.take();
    const auto second = pool.take();
    EXPECT_EQ(pool.take(std::nothrow).code(), DOCA_ERROR_EMPTY);
    EXPECT_EQ(first.memory().size(), 64u);
    EXPECT_EQ(first.data().size(), 0u);
}
