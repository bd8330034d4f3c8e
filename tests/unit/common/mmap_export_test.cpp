// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Exports, as far as one process can see them. Two processes: tests/process/window_*_test.cpp.

#include "support/handles.hpp"
#include "support/own_fabric.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/untouched.hpp"
#include "unit/common/in_topology.hpp"

#include <softdoca/memory.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 4096;
constexpr std::size_t kMaxDescriptor = 512;

/// All tests of this program that export share a fabric that nobody else uses. (A death test's
/// process finds that of its parent.)
class FabricOfProgram : public testing::Environment {
    void SetUp() override
    {
        if (std::getenv("SOFTDOCA_FABRIC") == nullptr)
            fabric_.emplace();
    }
    void TearDown() override { fabric_.reset(); }

    std::optional<OwnFabric> fabric_;
};
[[maybe_unused]] testing::Environment *const kFabric =
    testing::AddGlobalTestEnvironment(new FabricOfProgram);

/// A started mmap with one device.
class DocaMmapExport : public testing::Test {
protected:
    void start(std::uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE)
    {
        must(doca_mmap_set_memrange(mmap_, memory_.data(), kSize));
        must(doca_mmap_set_permissions(mmap_, permissions));
        must(doca_mmap_add_dev(mmap_, device_));
        must(doca_mmap_start(mmap_));
    }
    std::string export_it(const doca_dev *dev)
    {
        const void *descriptor = nullptr;
        std::size_t len = 0;
        must(doca_mmap_export_pci(mmap_, dev, &descriptor, &len));
        return {static_cast<const char *>(descriptor), len};
    }
    doca_error_t import_code(const std::string &descriptor)
    {
        return doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), device_,
                                            Untouched<doca_mmap *>());
    }
    /// The code of a refused export.
    doca_error_t export_code(const doca_dev *dev)
    {
        return doca_mmap_export_pci(mmap_, dev, Untouched<const void *>(),
                                    Untouched<std::size_t>());
    }
    bool is_exported() const
    {
        std::uint8_t answer = 7;
        EXPECT_EQ(doca_mmap_get_exported(mmap_, &answer), DOCA_SUCCESS);
        return answer != 0;
    }

    Device device_{"03:00.0"}, other_{"03:00.1"};
    Memory memory_{kSize};
    Mmap mmap_;
};

class SoftdocaMemory : public testing::Test {};

} // namespace

TEST_F(DocaMmapExport, GivesADescriptorOfAtMost512Bytes)
{
    start();
    EXPECT_FALSE(is_exported());

    const std::string descriptor = export_it(device_);

    EXPECT_GT(descriptor.size(), 16u);
    EXPECT_LE(descriptor.size(), kMaxDescriptor);
    EXPECT_TRUE(is_exported());
}

TEST_F(DocaMmapExport, TwiceWithOneDeviceIsTheSameDescriptor)
{
    start();
    const void *first = nullptr, *second = nullptr;
    std::size_t first_len = 0, second_len = 0;

    EXPECT_EQ(doca_mmap_export_pci(mmap_, device_, &first, &first_len), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_export_pci(mmap_, device_, &second, &second_len), DOCA_SUCCESS);

    EXPECT_EQ(first, second);
    EXPECT_EQ(first_len, second_len);
}

TEST_F(DocaMmapExport, EachDeviceHasADescriptorOfItsOwn)
{
    must(doca_mmap_add_dev(mmap_, other_));
    start();
    const void *first = nullptr;
    std::size_t len = 0;
    must(doca_mmap_export_pci(mmap_, device_, &first, &len));
    const std::string before(static_cast<const char *>(first), len);

    EXPECT_NE(export_it(other_), before);

    EXPECT_EQ(std::memcmp(first, before.data(), len), 0); // it stays until the stop
}

TEST_F(DocaMmapExport, EachStartHasAKeyOfItsOwn)
{
    start();
    const std::string first = export_it(device_);

    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
    EXPECT_FALSE(is_exported());
    EXPECT_EQ(export_code(device_), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_SUCCESS);
    EXPECT_FALSE(is_exported());

    EXPECT_NE(export_it(device_), first);
}

TEST_F(DocaMmapExport, NullArguments)
{
    start();
    using Desc = Untouched<const void *>;
    using Len = Untouched<std::size_t>;

    EXPECT_EQ(doca_mmap_export_pci(nullptr, device_, Desc(), Len()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_export_pci(mmap_, nullptr, Desc(), Len()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_export_pci(mmap_, device_, nullptr, Len()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_export_pci(mmap_, device_, Desc(), nullptr), DOCA_ERROR_INVALID_VALUE);

    EXPECT_FALSE(is_exported());
}

TEST_F(DocaMmapExport, NeedsAStartedMmap)
{
    EXPECT_EQ(export_code(device_), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(DocaMmapExport, NeedsAPciPermission)
{
    start(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
          DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING);
    const SdkLog log;

    EXPECT_EQ(export_code(device_), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_FALSE(is_exported());
    EXPECT_EQ(log.count({"[ERR]", text_of(mmap_.get()), "DOCA_ACCESS_FLAG_PCI_READ_ONLY"}), 1);
}

TEST_F(DocaMmapExport, NeverSetPermissionsAreLocalOnes)
{
    must(doca_mmap_set_memrange(mmap_, memory_.data(), kSize));
    must(doca_mmap_add_dev(mmap_, device_));
    must(doca_mmap_start(mmap_));

    EXPECT_EQ(export_code(device_), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(DocaMmapExport, TakesAPciPermissionAmongOthers)
{
    start(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_ONLY |
          DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING);

    EXPECT_FALSE(export_it(device_).empty());
}

TEST_F(DocaMmapExport, NeedsADeviceOfTheMmap)
{
    start();

    EXPECT_EQ(export_code(other_), DOCA_ERROR_NOT_FOUND);

    EXPECT_FALSE(is_exported());
}

TEST_F(DocaMmapExport, AProcessHasALimitedNumberOfThem)
{
    constexpr std::size_t kMaxExports = 4096;
    std::deque<Mmap> mmaps;
    start();
    for (std::size_t i = 0; i < kMaxExports; ++i) {
        mmaps.emplace_back(device_, memory_.data(), kSize, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        const void *descriptor = nullptr;
        std::size_t len = 0;
        ASSERT_EQ(doca_mmap_export_pci(mmaps.back(), device_, &descriptor, &len), DOCA_SUCCESS);
    }

    EXPECT_EQ(export_code(device_), DOCA_ERROR_NO_MEMORY);

    mmaps.pop_back();
    EXPECT_FALSE(export_it(device_).empty());
}

TEST(DocaMmapExportCard, NobodyIsOnTheOtherSideOfAPlainNetworkCard)
{
    constexpr const char *kPlainCard = "[[dpu]]\n[[host]]\n[[host.function]]\n"
                                       "pci = \"5e:00.0\"\nbehind = \"\"\n";
    in_topology(kPlainCard, "host", [] {
        char bytes[kSize] = {};
        const Device device("5e:00.0");
        const Mmap mmap(device, bytes, sizeof bytes, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        std::uint8_t can_export = 7;

        EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(device.info(), &can_export), DOCA_SUCCESS);
        EXPECT_EQ(can_export, 0);
        EXPECT_EQ(
            doca_mmap_export_pci(mmap, device, Untouched<const void *>(), Untouched<std::size_t>()),
            DOCA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(doca_mmap_create_from_export(nullptr, bytes, sizeof bytes, device,
                                               Untouched<doca_mmap *>()),
                  DOCA_ERROR_NOT_SUPPORTED);
    });
}

TEST_F(DocaMmapExport, NeedsAnOpenDevice)
{
    start();
    doca_dev *const closed = other_.get();
    ASSERT_EQ(other_.destroy(), DOCA_SUCCESS);

    EXPECT_EQ(export_code(closed), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaMmapExport, ADestroyedMmapLetsItsDeviceGo)
{
    start();
    (void)export_it(device_);

    EXPECT_EQ(mmap_.destroy(), DOCA_SUCCESS);
    EXPECT_EQ(device_.destroy(), DOCA_SUCCESS);
}

TEST_F(DocaMmapExport, OverRdmaIsNotSupported)
{
    start(DOCA_ACCESS_FLAG_RDMA_READ);

    EXPECT_EQ(
        doca_mmap_export_rdma(mmap_, device_, Untouched<const void *>(), Untouched<std::size_t>()),
        DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaMmapExport, FunctionsOfTheCardAreCapable)
{
    std::uint8_t to_export = 7, from_export = 7;

    EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(device_.info(), &to_export), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(device_.info(), &from_export),
              DOCA_SUCCESS);

    EXPECT_EQ(to_export, 1);
    EXPECT_EQ(from_export, 1);
}

TEST_F(DocaMmapExport, ManyAtOnce)
{
    start();
    for (int i = 0; i < 300; ++i) {
        const Memory memory(64);
        Mmap mmap(device_, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        const void *descriptor = nullptr;
        std::size_t len = 0;
        ASSERT_EQ(doca_mmap_export_pci(mmap, device_, &descriptor, &len), DOCA_SUCCESS);
    }
}

/// The table of exports is finite; one that ends makes room.
TEST_F(DocaMmapExport, MoreThanTheLimitIsNoMemory)
{
    const Memory memory(64);
    std::deque<Mmap> mmaps;
    const void *descriptor = nullptr;
    std::size_t len = 0;
    doca_error_t code = DOCA_SUCCESS;
    while (code == DOCA_SUCCESS && mmaps.size() < 10'000)
        code = doca_mmap_export_pci(
            mmaps.emplace_back(device_, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY), device_,
            &descriptor, &len);
    EXPECT_EQ(code, DOCA_ERROR_NO_MEMORY);

    mmaps.pop_front();

    EXPECT_EQ(doca_mmap_export_pci(mmaps.back(), device_, &descriptor, &len), DOCA_SUCCESS);
}

TEST_F(DocaMmapExport, ImportArguments)
{
    start();
    const std::string descriptor = export_it(device_);
    using Out = Untouched<doca_mmap *>;

    EXPECT_EQ(doca_mmap_create_from_export(nullptr, nullptr, 64, device_, Out()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_create_from_export(nullptr, descriptor.data(), 0, device_, Out()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(
        doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), nullptr, Out()),
        DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), device_,
                                           nullptr),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaMmapExport, ImportByTheExporterItself)
{
    start();
    const SdkLog log;

    EXPECT_EQ(import_code(export_it(device_)), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(log.count({"[ERR]", "doca_mmap_create_from_export", "itself"}), 1);
}

TEST_F(DocaMmapExport, ImportOfDamagedDescriptors)
{
    start();
    const std::string descriptor = export_it(device_);

    for (std::size_t len = 1; len < descriptor.size(); ++len)
        EXPECT_EQ(import_code(descriptor.substr(0, len)), DOCA_ERROR_INVALID_VALUE) << len;
    for (std::size_t i = 0; i < descriptor.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = descriptor;
            damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
            EXPECT_EQ(import_code(damaged), DOCA_ERROR_INVALID_VALUE) << "byte " << i;
        }
}

TEST_F(DocaMmapExport, ImportOfRandomBytes)
{
    std::mt19937 random(2);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random() % 600 + 1, '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(random());
        EXPECT_EQ(import_code(bytes), DOCA_ERROR_INVALID_VALUE);
    }
}

TEST_F(DocaMmapExport, DmabufMemoryIsARangeLikeAnother)
{
    const int fd = ::memfd_create("dmabuf", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, kSize), 0);
    void *const addr = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(doca_mmap_set_dmabuf_memrange(mmap_, fd, addr, 0, kSize));
    ::close(fd); // the caller's; the mmap does not need it
    must(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
    must(doca_mmap_add_dev(mmap_, device_));
    must(doca_mmap_start(mmap_));

    EXPECT_FALSE(export_it(device_).empty());

    ASSERT_EQ(mmap_.destroy(), DOCA_SUCCESS);
    ::munmap(addr, kSize);
}

TEST_F(SoftdocaMemory, IsZeroedWholePages)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void *addr = nullptr;
    ASSERT_EQ(softdoca_memory_alloc(page + 1, &addr), DOCA_SUCCESS);

    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(addr) % page, 0u);
    const std::string nothing(2 * page, '\0');
    EXPECT_EQ(std::memcmp(addr, nothing.data(), 2 * page), 0); // rounded up to the second page
    std::memset(addr, 1, page + 1);

    EXPECT_EQ(softdoca_memory_free(addr), DOCA_SUCCESS);
}

TEST_F(SoftdocaMemory, Refusals)
{
    int local = 0;
    void *addr = nullptr;
    using Out = Untouched<void *>;

    EXPECT_EQ(softdoca_memory_alloc(64, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_memory_alloc(0, Out()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_memory_alloc(std::numeric_limits<std::size_t>::max(), Out()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_memory_free(nullptr), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_memory_free(&local), DOCA_ERROR_INVALID_VALUE);
    ASSERT_EQ(softdoca_memory_alloc(64, &addr), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_memory_free(static_cast<char *>(addr) + 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_memory_free(addr), DOCA_SUCCESS);
    EXPECT_EQ(softdoca_memory_free(addr), DOCA_ERROR_INVALID_VALUE);
}
