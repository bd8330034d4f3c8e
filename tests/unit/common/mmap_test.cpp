// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 4096;

struct Range {
    void *addr = nullptr;
    std::size_t len = 0;
    bool operator==(const Range &) const = default;
};

Range range_of(const doca_mmap *mmap)
{
    Range range;
    EXPECT_EQ(doca_mmap_get_memrange(mmap, &range.addr, &range.len), DOCA_SUCCESS);
    return range;
}

std::uint32_t num_bufs(const doca_mmap *mmap)
{
    std::uint32_t num = 7;
    EXPECT_EQ(doca_mmap_get_num_bufs(mmap, &num), DOCA_SUCCESS);
    return num;
}

std::uint32_t max_num_devices(const doca_mmap *mmap)
{
    std::uint32_t num = 0;
    EXPECT_EQ(doca_mmap_get_max_num_devices(mmap, &num), DOCA_SUCCESS);
    return num;
}

std::uint64_t user_data(const doca_mmap *mmap)
{
    doca_data data{.u64 = 7};
    EXPECT_EQ(doca_mmap_get_user_data(mmap, &data), DOCA_SUCCESS);
    return data.u64;
}

/// What the free callback was told, call by call.
struct FreeCalls {
    std::vector<Range> ranges;
    static void on_free(void *addr, std::size_t len, void *cookie)
    {
        static_cast<FreeCalls *>(cookie)->ranges.push_back({addr, len});
    }
};

/// An mmap with a device and some memory of which nothing is told to it yet.
class DocaMmap : public testing::Test {
protected:
    void set_range() { must(doca_mmap_set_memrange(mmap_, memory_.data(), kSize)); }
    void start()
    {
        set_range();
        must(doca_mmap_start(mmap_));
    }

    Device device_;
    Device other_{"03:00.1"};
    Memory memory_{2 * kSize};
    Mmap mmap_;
    Inventory inventory_{4};
};

} // namespace

TEST_F(DocaMmap, ANewOneIsEmpty)
{
    std::uint8_t exported = 7;
    std::uint8_t from_export = 7;

    EXPECT_EQ(doca_mmap_get_memrange(mmap_, Untouched<void *>(), Untouched<std::size_t>()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_get_exported(mmap_, &exported), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_get_from_export(mmap_, &from_export), DOCA_SUCCESS);
    EXPECT_EQ(exported, 0);
    EXPECT_EQ(from_export, 0);
    EXPECT_EQ(num_bufs(mmap_), 0u);
    EXPECT_EQ(user_data(mmap_), 0u);
    EXPECT_EQ(max_num_devices(mmap_), 8u);
}

TEST_F(DocaMmap, SetMemrangeIsReadBack)
{
    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.at(64), kSize), DOCA_SUCCESS);

    EXPECT_EQ(range_of(mmap_), (Range{memory_.at(64), kSize}));
}

TEST_F(DocaMmap, SetMemrangeIsPossibleOnce)
{
    set_range();

    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.at(64), 64), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, STDIN_FILENO, memory_.at(64), 0, 64),
              DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(range_of(mmap_), (Range{memory_.data(), kSize}));
}

TEST_F(DocaMmap, SetMemrangeRefusesWhatIsNoRange)
{
    auto *const last = reinterpret_cast<void *>(std::numeric_limits<std::uintptr_t>::max() - 15);

    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.data(), 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_memrange(mmap_, last, 17), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.data(), SIZE_MAX), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(doca_mmap_get_memrange(mmap_, Untouched<void *>(), Untouched<std::size_t>()),
              DOCA_ERROR_BAD_STATE);
    set_range();
}

TEST_F(DocaMmap, SetMemrangeOfOneByteIsPossible)
{
    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.at(1), 1), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, UnalignedMemoryWorksAndWarnsOnce)
{
    const SdkLog log;

    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.at(8), kSize), DOCA_SUCCESS);

    EXPECT_EQ(log.count({"[WRN]", text_of(mmap_.get()), text_of(memory_.at(8)), "64"}), 1);
}

TEST_F(DocaMmap, DmabufMemrangeIsAPlainRange)
{
    const int file = ::memfd_create("memory", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(file, kSize), 0);

    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, file, memory_.data(), 0, kSize), DOCA_SUCCESS);

    EXPECT_EQ(range_of(mmap_), (Range{memory_.data(), kSize}));
    ::close(file);
}

TEST_F(DocaMmap, DmabufMemrangeRefusesBadValues)
{
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, -1, memory_.data(), 0, kSize),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, STDIN_FILENO, memory_.data(), SIZE_MAX, kSize),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, STDIN_FILENO, memory_.data(), 0, 0),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, STDIN_FILENO, memory_.data(), 0, SIZE_MAX),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaMmap, ThereIsNoDpa)
{
    start();
    auto *const dpa = reinterpret_cast<doca_dpa *>(memory_.data());
    doca_dpa_dev_mmap_t handle{};

    EXPECT_EQ(doca_mmap_set_dpa_memrange(mmap_, dpa, 4096, 64), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_mmap_dev_get_dpa_handle(mmap_, device_, &handle), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaMmap, ExportForRdmaIsNotOffered)
{
    using Desc = Untouched<const void *>;
    using Len = Untouched<std::size_t>;
    must(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_RDMA_READ));
    must(doca_mmap_add_dev(mmap_, device_));
    start();

    EXPECT_EQ(doca_mmap_export_rdma(mmap_, device_, Desc(), Len()), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_mmap_export_rdma(nullptr, device_, Desc(), Len()), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaMmap, PermissionsMustBeKnownAndAgree)
{
    constexpr std::uint32_t kAll = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                                   DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
                                   DOCA_ACCESS_FLAG_PCI_READ_WRITE |
                                   DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING;

    EXPECT_EQ(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
                                                   DOCA_ACCESS_FLAG_PCI_READ_WRITE),
              DOCA_ERROR_INVALID_VALUE);
    for (unsigned bit = 7; bit < 32; ++bit)
        EXPECT_EQ(doca_mmap_set_permissions(mmap_, 1u << bit), DOCA_ERROR_INVALID_VALUE) << bit;
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, kAll), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_ONLY), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY), DOCA_SUCCESS);
}

TEST_F(DocaMmap, WhileStartedNothingIsConfigured)
{
    must(doca_mmap_set_user_data(mmap_, {.u64 = 42}));
    start();

    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.data(), 64), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap_, STDIN_FILENO, memory_.data(), 0, 64),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, 0), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_set_free_cb(mmap_, FreeCalls::on_free, nullptr), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_set_user_data(mmap_, {.u64 = 43}), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 4), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, other_), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_rm_dev(mmap_, device_), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_enable_thread_safety(mmap_), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_ERROR_BAD_STATE);

    EXPECT_EQ(user_data(mmap_), 42u);
    EXPECT_EQ(max_num_devices(mmap_), 8u);
    EXPECT_EQ(range_of(mmap_), (Range{memory_.data(), kSize}));
}

TEST_F(DocaMmap, StoppedItIsConfiguredAgainButForItsRange)
{
    start();
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);

    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.data(), 64), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 4), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, 0), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_user_data(mmap_, {.u64 = 1}), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, device_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_rm_dev(mmap_, device_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_enable_thread_safety(mmap_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, StartNeedsARange)
{
    must(doca_mmap_add_dev(mmap_, device_));

    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_ERROR_INVALID_VALUE);

    start();
}

TEST_F(DocaMmap, StartNeedsNoDevice)
{
    set_range();

    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, StopOfOneThatNeverStartedSucceeds)
{
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, TheConfigurationIsMadeInAnyOrder)
{
    EXPECT_EQ(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, device_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(mmap_, memory_.data(), kSize), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(mmap_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, ADeviceIsInItOnce)
{
    EXPECT_EQ(doca_mmap_add_dev(mmap_, device_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, device_), DOCA_ERROR_ALREADY_EXIST);

    EXPECT_EQ(doca_mmap_rm_dev(mmap_, device_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_rm_dev(mmap_, device_), DOCA_ERROR_NOT_FOUND);
}

TEST_F(DocaMmap, RemovingADeviceLeavesTheOthers)
{
    must(doca_mmap_add_dev(mmap_, device_));
    must(doca_mmap_add_dev(mmap_, other_));

    EXPECT_EQ(doca_mmap_rm_dev(mmap_, device_), DOCA_SUCCESS);

    EXPECT_EQ(doca_mmap_add_dev(mmap_, other_), DOCA_ERROR_ALREADY_EXIST);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, device_), DOCA_SUCCESS);
}

TEST_F(DocaMmap, TheNumberOfDevicesIsLimited)
{
    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 1), DOCA_SUCCESS);
    EXPECT_EQ(max_num_devices(mmap_), 1u);
    must(doca_mmap_add_dev(mmap_, device_));

    EXPECT_EQ(doca_mmap_add_dev(mmap_, other_), DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_mmap_rm_dev(mmap_, other_), DOCA_ERROR_NOT_FOUND);

    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 2), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(mmap_, other_), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_max_num_devices(mmap_, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(max_num_devices(mmap_), 2u);
}

TEST_F(DocaMmap, BuffersAreCountedAndHoldIt)
{
    start();
    doca_buf *const first = inventory_.by_addr(mmap_, memory_.data(), 64);
    doca_buf *const second = inventory_.by_addr(mmap_, memory_.data(), 64);

    EXPECT_EQ(num_bufs(mmap_), 2u);
    must(doca_buf_dec_refcount(first, nullptr));
    EXPECT_EQ(num_bufs(mmap_), 1u);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_mmap_destroy(mmap_), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_NE(inventory_.by_addr(mmap_, memory_.data(), 64), nullptr) << "it is still started";
    inventory_.take_back_all();
    EXPECT_EQ(num_bufs(mmap_), 0u);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
    (void)second;
}

TEST_F(DocaMmap, ThreadSafetyTurnsTheCountingOff)
{
    EXPECT_EQ(doca_mmap_enable_thread_safety(mmap_), DOCA_SUCCESS);
    start();
    (void)inventory_.by_addr(mmap_, memory_.data(), 64);

    EXPECT_EQ(num_bufs(mmap_), 0u);
    EXPECT_EQ(doca_mmap_stop(mmap_), DOCA_SUCCESS);
    EXPECT_EQ(mmap_.destroy(), DOCA_SUCCESS);

    inventory_.take_back_all();
    EXPECT_EQ(inventory_.num_free(), 4u);
}

TEST_F(DocaMmap, DestroyImpliesStop)
{
    start();

    EXPECT_EQ(mmap_.destroy(), DOCA_SUCCESS);
}

TEST_F(DocaMmap, FreeCallbackComesOnceAndAtDestroy)
{
    FreeCalls calls;
    EXPECT_EQ(doca_mmap_set_free_cb(mmap_, FreeCalls::on_free, &calls), DOCA_SUCCESS);
    start();
    must(doca_mmap_stop(mmap_));
    EXPECT_TRUE(calls.ranges.empty());

    must(mmap_.destroy());

    EXPECT_EQ(calls.ranges, (std::vector<Range>{{memory_.data(), kSize}}));
}

TEST_F(DocaMmap, FreeCallbackDoesNotComeForAnMmapThatNeverStarted)
{
    FreeCalls calls;
    must(doca_mmap_set_free_cb(mmap_, FreeCalls::on_free, &calls));
    set_range();

    must(mmap_.destroy());

    EXPECT_TRUE(calls.ranges.empty());
}

TEST_F(DocaMmap, FreeCallbackThatChangedSinceTheStartDoesNotCome)
{
    FreeCalls calls;
    must(doca_mmap_set_free_cb(mmap_, FreeCalls::on_free, &calls));
    start();
    must(doca_mmap_stop(mmap_));
    must(doca_mmap_set_free_cb(mmap_, FreeCalls::on_free, &calls));

    must(mmap_.destroy());

    EXPECT_TRUE(calls.ranges.empty());
}

TEST_F(DocaMmap, FreeCallbackMayCloseTheDevice)
{
    must(doca_mmap_add_dev(mmap_, device_));
    must(doca_mmap_set_free_cb(
        mmap_,
        [](void *, std::size_t, void *dev) {
            EXPECT_EQ(doca_dev_close(static_cast<doca_dev *>(dev)), DOCA_SUCCESS);
        },
        device_.get()));
    start();
    EXPECT_EQ(doca_dev_close(device_), DOCA_ERROR_IN_USE);

    must(mmap_.destroy());

    EXPECT_EQ(doca_dev_as_devinfo(device_.release()), nullptr);
}

TEST_F(DocaMmap, UserDataIsReadBackInEveryState)
{
    int object = 0;
    EXPECT_EQ(doca_mmap_set_user_data(mmap_, {.ptr = &object}), DOCA_SUCCESS);
    start();

    doca_data data{};
    EXPECT_EQ(doca_mmap_get_user_data(mmap_, &data), DOCA_SUCCESS);
    EXPECT_EQ(data.ptr, &object);
}

TEST_F(DocaMmap, ManyMayDescribeTheSameMemory)
{
    const Mmap first(device_, memory_);
    const Mmap second(device_, memory_.at(64), 64);

    EXPECT_NE(inventory_.by_addr(first, memory_.at(64), 64), nullptr);
    EXPECT_NE(inventory_.by_addr(second, memory_.at(64), 64), nullptr);
    EXPECT_EQ(num_bufs(first), 1u);
    EXPECT_EQ(num_bufs(second), 1u);
    inventory_.take_back_all();
}
