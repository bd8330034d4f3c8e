// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Imports that are refused: the code of each cause, and that nothing else happens.

#include "support/sdk_log.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 8192;
constexpr std::size_t kMaxDescriptor = 512;

class WindowRefusal : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowRefusal, testing::ValuesIn(kEachRoute), name_of_route);

/// What damage may be answered with: that of the parser, or of the exporter's agent if a damaged
/// descriptor gets so far.
bool is_refusal_of_damage(doca_error_t code)
{
    return code == DOCA_ERROR_INVALID_VALUE || code == DOCA_ERROR_NOT_PERMITTED ||
           code == DOCA_ERROR_DRIVER;
}

} // namespace

TEST_P(WindowRefusal, DescriptorsAreSmallAndMayBeLongerThanTheirContent)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);

        EXPECT_LE(descriptor.size(), kMaxDescriptor);
        std::string longer = descriptor;
        longer.resize(kMaxDescriptor, '\x5a');
        Import &import = importer.import(longer);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);

        const std::string shifted = " " + descriptor; // a descriptor has no alignment
        EXPECT_EQ(import_code(importer.device, std::string_view(shifted).substr(1)), DOCA_SUCCESS);
    });
}

TEST_P(WindowRefusal, TruncatedDescriptors)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);

        for (std::size_t len = 1; len < descriptor.size(); ++len)
            EXPECT_EQ(import_code(importer.device, descriptor.substr(0, len)),
                      DOCA_ERROR_INVALID_VALUE)
                << len << " of " << descriptor.size() << " bytes";

        Import &import = importer.import(descriptor);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}

TEST_P(WindowRefusal, FlippedBitsAtEachByte)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);

        for (std::size_t i = 0; i < descriptor.size(); ++i)
            for (const int mask : {0x01, 0x80, 0xff}) {
                std::string damaged = descriptor;
                damaged[i] = static_cast<char>(damaged[i] ^ mask);
                EXPECT_PRED1(is_refusal_of_damage, import_code(importer.device, damaged))
                    << "byte " << i << ", mask " << mask;
            }

        Import &import = importer.import(descriptor); // the exporter has not suffered
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}

TEST_P(WindowRefusal, RandomBytes)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);
        std::mt19937 random(1);

        for (int round = 0; round < 1000; ++round) {
            std::string bytes(random() % 600 + 1, '\0');
            for (char &byte : bytes)
                byte = static_cast<char>(random());
            EXPECT_EQ(import_code(importer.device, bytes), DOCA_ERROR_INVALID_VALUE);
            // The same behind a good beginning.
            const std::size_t len = std::min(bytes.size(), descriptor.size());
            std::copy_n(descriptor.begin(), random() % len, bytes.begin());
            EXPECT_PRED1(is_refusal_of_damage, import_code(importer.device, bytes));
        }

        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_SUCCESS);
    });
}

TEST_P(WindowRefusal, TheOwnSide)
{
    on_stage(via_, [this] {
        Process colleague(own_role(), [this](Line &line) {
            Exported own(via_, kSize);
            line.send(own.descriptor());
            (void)line.wait();
        });
        Importer importer(1, kSize);
        Exported own(via_, kSize);

        EXPECT_EQ(import_code(importer.device, colleague.line.receive()), DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(import_code(importer.device, own.descriptor()), DOCA_ERROR_NOT_PERMITTED);
    });
}

TEST_P(WindowRefusal, AKeyThatAStopEnded)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &own, Line &line) {
            (void)line.wait();
            EXPECT_EQ(doca_mmap_stop(own.mmap), DOCA_SUCCESS);
            line.send("stopped");
            (void)line.wait();
            EXPECT_EQ(doca_mmap_start(own.mmap), DOCA_SUCCESS);
            line.send(own.descriptor());
            (void)line.wait();
        });
        Importer importer(1, kSize);
        const std::string former = peer.line.receive();
        EXPECT_EQ(import_code(importer.device, former), DOCA_SUCCESS);

        peer.line.send("stop");
        EXPECT_EQ(peer.line.receive(), "stopped");
        EXPECT_EQ(import_code(importer.device, former), DOCA_ERROR_NOT_PERMITTED);

        peer.line.send("start");
        const std::string latter = peer.line.receive();
        EXPECT_NE(former, latter);
        EXPECT_EQ(import_code(importer.device, former), DOCA_ERROR_NOT_PERMITTED);
        Import &import = importer.import(latter);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}

TEST_P(WindowRefusal, AKeyWhoseMmapWasDestroyed)
{
    on_stage(via_, [this] {
        Process peer(other_role(), [this](Line &line) {
            {
                Exported own(via_, kSize);
                line.send(own.descriptor());
            }
            line.send("destroyed");
            (void)line.wait();
        });
        const Device device;
        const std::string descriptor = peer.line.receive();
        EXPECT_EQ(peer.line.receive(), "destroyed");

        EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_NOT_PERMITTED);
    });
}

TEST_P(WindowRefusal, AnExporterThatHasEnded)
{
    on_stage(via_, [this] {
        Exporter quitter(via_, kSize), victim(via_, kSize);
        const std::string of_quitter = quitter.line.receive(), of_victim = victim.line.receive();
        const Device device;
        quitter.end();
        victim.kill();

        EXPECT_EQ(import_code(device, of_quitter), DOCA_ERROR_DRIVER);
        EXPECT_EQ(import_code(device, of_victim), DOCA_ERROR_DRIVER);
    });
}

TEST_P(WindowRefusal, AnExporterOfAnotherFabric)
{
    on_stage(via_, [this] {
        const std::string fabric = std::getenv("SOFTDOCA_FABRIC");
        Process stranger(other_role(), [&](Line &line) {
            ::setenv("SOFTDOCA_FABRIC", (fabric + "/another").c_str(), 1);
            Exported own(via_, kSize);
            line.send(own.descriptor());
            (void)line.wait();
        });
        const Device device;

        EXPECT_EQ(import_code(device, stranger.line.receive()), DOCA_ERROR_DRIVER);
    });
}

/// A stopped exporter answers nobody: five seconds by design.
TEST(WindowRefusalOnce, AnExporterThatDoesNotAnswer)
{
    on_stage(Via::cross, [] {
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(1, kSize);
        peer.pause();

        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_DRIVER);

        peer.resume();
        Import &import = importer.import(descriptor);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}

TEST(WindowRefusalOnce, ARouteThatCannotBeHad)
{
    on_stage(Via::mapped, [] {
        Exporter heap(Via::cross, kSize); // no file is behind it
        Process truncatable(other_role(), [](Line &line) {
            const int fd = ::memfd_create("unsealed", MFD_CLOEXEC);
            ASSERT_EQ(::ftruncate(fd, kSize), 0);
            void *const addr = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            const Device device;
            Mmap mmap;
            must(doca_mmap_set_dmabuf_memrange(mmap, fd, addr, 0, kSize));
            must(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
            must(doca_mmap_add_dev(mmap, device));
            must(doca_mmap_start(mmap));
            const void *descriptor = nullptr;
            std::size_t len = 0;
            must(doca_mmap_export_pci(mmap, device, &descriptor, &len));
            line.send({static_cast<const char *>(descriptor), len});
            (void)line.wait();
        });
        const Device device;

        EXPECT_EQ(import_code(device, heap.line.receive()), DOCA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(import_code(device, truncatable.line.receive()), DOCA_ERROR_NOT_SUPPORTED);
    });
}

TEST(WindowRefusalOnce, ADeviceThatIsNotOpen)
{
    on_stage(Via::cross, [] {
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        Device device;
        doca_dev *const closed = device.get();
        ASSERT_EQ(device.destroy(), DOCA_SUCCESS);
        auto *const marker = reinterpret_cast<doca_mmap *>(&device);
        doca_mmap *import = marker;

        EXPECT_EQ(try_import(closed, descriptor, &import), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(try_import(nullptr, descriptor, &import), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(import, marker);
    });
}

/// A refused import keeps nothing: neither the device nor a descriptor.
TEST(WindowRefusalOnce, RefusedImportsLeaveNothing)
{
    on_stage(Via::cross, [] {
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        Device device;
        const auto refuse_all = [&] {
            EXPECT_EQ(import_code(device, descriptor), DOCA_SUCCESS);
            EXPECT_EQ(import_code(device, descriptor.substr(1)), DOCA_ERROR_INVALID_VALUE);
            Exported own(Via::cross, kSize);
            EXPECT_EQ(import_code(device, own.descriptor()), DOCA_ERROR_NOT_PERMITTED);
        };
        refuse_all();
        const Census before = Census::now();

        for (int round = 0; round < 20; ++round)
            refuse_all();

        EXPECT_TRUE(comes_true([&] { return Census::now().is_within(before); }))
            << Census::now() << ", before " << before;
        peer.kill();
        EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_DRIVER);
        EXPECT_EQ(device.destroy(), DOCA_SUCCESS);
    });
}

/// The best route that works, without being asked.
TEST(WindowRoute, IsTheBestThatTheMemoryAllows)
{
    on_stage([] {
        std::deque<Exporter> peers;
        for (const Via via : {Via::mapped, Via::dmabuf, Via::cross})
            peers.emplace_back(via, kSize, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        const SdkLog log;
        Importer importer(1, kSize);

        for (Exporter &peer : peers) {
            Import &import = importer.import(peer.line.receive());
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
            EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 1).data(), kSize),
                      kSize);
        }

        const auto num = [&](const Exporter &peer, const char *route) {
            return log.count({"import of pid " + std::to_string(peer.pid()), "8192", route});
        };
        EXPECT_EQ(num(peers[0], "route: mapped"), 1);
        EXPECT_EQ(num(peers[1], "route: mapped"), 1);
        EXPECT_EQ(num(peers[2], "route: cross"), 1);
    });
}

/// The names in the fabric directory may be longer than a socket's address.
TEST(WindowRoute, TheFabricDirectoryMayHaveALongName)
{
    on_stage([] {
        const std::string fabric =
            std::string(std::getenv("SOFTDOCA_FABRIC")) + "/" + std::string(120, 'x');
        ::setenv("SOFTDOCA_FABRIC", fabric.c_str(), 1);
        {
            Exporter peer(Via::cross, kSize);
            Importer importer(1, kSize);
            Import &import = importer.import(peer.line.receive());
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        }
    });
}
