// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Handles whose object has ended where the library can know it: members of destroyed lists, closed
// devices and representors, returned buffers, freed tasks. Run under AddressSanitizer it also shows
// that no call looks behind them.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace softdoca::test;

namespace {

using Text = UntouchedText<512>;
constexpr std::uint32_t kTextSize = 512;
using U8 = Untouched<std::uint8_t>;
using U16 = Untouched<std::uint16_t>;
using U32 = Untouched<std::uint32_t>;
using U64 = Untouched<std::uint64_t>;

/// What every call says to a devinfo that is none any more.
void expect_refused_everywhere(doca_devinfo *info)
{
    EXPECT_EQ(doca_dev_open(info, Untouched<doca_dev *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_pci_addr_str(info, Text()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info, "03:00.0", U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv4_addr(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv6_addr(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_mac_addr(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_iface_name(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ibdev_name(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_lid(info, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_active_rate(info, U64()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_vhca_id(info, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_pci_func_type(info, Untouched<doca_pci_func_type>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_sf_index(info, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_hotplug_manager_supported(info, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_notification_moderation_supported(info, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_all_supported(info, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_net_supported(info, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_emulated_supported(info, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(info, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(info, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(info, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(info), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_size(info, U64()), DOCA_ERROR_INVALID_VALUE);
}

void expect_refused_everywhere(doca_devinfo_rep *info)
{
    EXPECT_EQ(doca_dev_rep_open(info, Untouched<doca_dev_rep *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_vuid(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(info, Text()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(info, Untouched<doca_pci_func_type>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(info, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_iface_name(info, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_vhca_id(info, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(info, "3b:00.0", U8()), DOCA_ERROR_INVALID_VALUE);
}

/// A representor of the device that is open.
doca_dev_rep *open_first_rep(doca_dev *dev)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
    doca_dev_rep *rep = nullptr;
    must(doca_dev_rep_open(list[0], &rep));
    must(doca_devinfo_rep_destroy_list(list));
    return rep;
}

/// Four buffers in an inventory of eight; the last has been returned.
class StaleBuf : public testing::Test {
protected:
    StaleBuf()
    {
        for (std::size_t i = 0; i < 4; ++i)
            bufs_.push_back(inventory_.by_data(mmap_, memory_.at(i * 64), 64));
        must(doca_buf_dec_refcount(stale(), nullptr));
    }

    doca_buf *live() const { return bufs_.front(); }
    doca_buf *stale() const { return bufs_.back(); }

    /// All eight can be taken once, so nothing of the stock was lost or is in it twice.
    void expect_stock_is_whole()
    {
        EXPECT_EQ(inventory_.num_free(), 5u);
        inventory_.take_back_all();
        std::set<doca_buf *> taken;
        for (int i = 0; i < 8; ++i)
            taken.insert(inventory_.by_addr(mmap_, memory_.data(), 64));
        EXPECT_EQ(taken.size(), 8u);
        EXPECT_EQ(inventory_.num_free(), 0u);
    }

    Device device_;
    Memory memory_{256};
    Mmap mmap_{device_, memory_};
    Inventory inventory_{8};
    std::vector<doca_buf *> bufs_;
};

} // namespace

TEST(StaleDevinfo, MembersEndWithTheirList)
{
    doca_devinfo **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_create_list(&list, &num));
    doca_devinfo *const info = list[0];
    must(doca_devinfo_destroy_list(list));

    expect_refused_everywhere(info);
    EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_ERROR_INVALID_VALUE);
}

TEST(StaleDevinfo, MembersOfAnotherListLiveOn)
{
    const DevinfoList lasting;
    const std::uint8_t kUnset = 7;
    std::uint8_t is_equal = kUnset;
    {
        const DevinfoList passing;
        EXPECT_NE(passing[0], lasting[0]);
    }

    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(lasting[0], "03:00.0", &is_equal), DOCA_SUCCESS);
    EXPECT_NE(is_equal, kUnset);
}

TEST(StaleDevinfo, ThatOfADeviceEndsWithTheLastClose)
{
    Device device;
    doca_devinfo *const info = device.info();
    doca_dev *again = nullptr;
    must(doca_dev_open(info, &again));

    must(doca_dev_close(again));
    EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(info), DOCA_SUCCESS);
    must(device.destroy());

    expect_refused_everywhere(info);
}

TEST(StaleDev, AClosedDeviceIsNone)
{
    Device device;
    doca_dev *const dev = device.get();
    const Mmap mmap;
    must(device.destroy());

    EXPECT_EQ(doca_dev_close(dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_as_devinfo(dev), nullptr);
    EXPECT_EQ(doca_dev_accelerate_resource_reclaim(dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL,
                                           Untouched<doca_devinfo_rep **>(), U32()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_add_dev(mmap, dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_rm_dev(mmap, dev), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_create(dev, Untouched<doca_dma *>()), DOCA_ERROR_INVALID_VALUE);
}

TEST(StaleRep, MembersEndWithTheirList)
{
    const Device device;
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
    doca_devinfo_rep *const info = list[0];
    must(doca_devinfo_rep_destroy_list(list));

    expect_refused_everywhere(info);
    EXPECT_EQ(doca_devinfo_rep_destroy_list(list), DOCA_ERROR_INVALID_VALUE);
}

TEST(StaleRep, AClosedRepresentorIsNone)
{
    const Device device;
    doca_dev_rep *const rep = open_first_rep(device);
    doca_devinfo_rep *const info = doca_dev_rep_as_devinfo(rep);
    must(doca_dev_rep_close(rep));

    EXPECT_EQ(doca_dev_rep_close(rep), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_rep_as_devinfo(rep), nullptr);
    expect_refused_everywhere(info);
}

TEST(StaleRep, OfAClosedDeviceDoesNotOpen)
{
    Device device;
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
    must(device.destroy());

    EXPECT_EQ(doca_dev_rep_open(list[0], Untouched<doca_dev_rep *>()), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(doca_devinfo_rep_destroy_list(list), DOCA_SUCCESS);
}

TEST_F(StaleBuf, CannotBeReturnedAgain)
{
    EXPECT_EQ(doca_buf_dec_refcount(stale(), U16()), DOCA_ERROR_BAD_STATE);

    expect_stock_is_whole();
}

TEST_F(StaleBuf, CannotBeReferredTo)
{
    EXPECT_EQ(doca_buf_inc_refcount(stale(), U16()), DOCA_ERROR_BAD_STATE);

    expect_stock_is_whole();
}

TEST_F(StaleBuf, CannotBeChained)
{
    EXPECT_EQ(doca_buf_chain_list(live(), stale()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list(stale(), live()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(live(), live(), stale()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(stale(), stale(), live()), DOCA_ERROR_NOT_PERMITTED);

    expect_stock_is_whole();
}

TEST_F(StaleBuf, IsInNoList)
{
    doca_buf *const before = stale(); // in front of the other free ones
    doca_buf *next = nullptr;
    must(doca_buf_get_next_in_list(before, &next));

    EXPECT_EQ(next, nullptr) << "the program sees the stock of the inventory";
    if (next != nullptr) {
        EXPECT_EQ(doca_buf_unchain_list(before, next), DOCA_ERROR_INVALID_VALUE);
    }

    expect_stock_is_whole();
}

TEST_F(StaleBuf, CannotBeDuplicatedOrReused)
{
    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, stale(), Untouched<doca_buf *>()),
              DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(stale(), memory_.data(), 64),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(stale(), memory_.data(), 64),
              DOCA_ERROR_INVALID_VALUE);

    expect_stock_is_whole();
}

TEST(StaleTask, AFreedTaskIsNotSubmitted)
{
    DmaSetup setup(1);
    doca_task *const task = setup.task();
    setup.context.free(task);

    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(setup.context.num_inflight(), 0u);
    EXPECT_EQ(doca_pe_progress(setup.pe), 0);
}

TEST(StaleTask, FreedTwiceIsInThePoolOnce)
{
    DmaSetup setup(2);
    doca_task *const task = setup.task();
    setup.context.free(task);

    doca_task_free(task);

    doca_task *const first = setup.task();
    doca_task *const second = setup.task();
    EXPECT_NE(first, second);
    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(setup.context.dma(), nullptr, nullptr, {},
                                              Untouched<doca_dma_task_memcpy *>()),
              DOCA_ERROR_NO_MEMORY);
}

TEST(StaleTask, ATaskInFlightIsNotSubmittedAgain)
{
    DmaSetup setup(1);
    doca_task *const task = setup.task();
    must(doca_task_submit(task));

    EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_FLUSH), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(setup.context.num_inflight(), 1u);
}

TEST(StaleTask, ABufferThatWasReturnedFailsTheTask)
{
    DmaSetup setup(1);
    doca_buf *const src = setup.source(0, 64);
    doca_buf *const dst = setup.destination(0, 64);
    doca_task *const task = setup.context.alloc(src, dst);
    must(doca_buf_dec_refcount(src, nullptr));

    EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_RUNNING);
    must(doca_task_submit(task));
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    setup.context.take();
    EXPECT_EQ(doca_task_get_status(task), DOCA_ERROR_IO_FAILED);
    EXPECT_EQ(setup.context.state(), DOCA_CTX_STATE_STOPPING);
}

TEST(StaleTask, ABufferThatIsTakenAnewWhileATaskStillHasItIsNotLost)
{
    DmaSetup setup(1);
    doca_buf *const dst = setup.destination(0, 64);
    doca_buf *const src = setup.source(0, 64);
    doca_task *const task = setup.context.alloc(src, dst);
    must(doca_buf_dec_refcount(src, nullptr));
    must(doca_task_submit(task));

    doca_buf *const taken = setup.source(0, 64);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_EQ(doca_buf_dec_refcount(taken, nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_dec_refcount(dst, nullptr), DOCA_SUCCESS);
    std::uint32_t num_elements = 0;
    must(doca_buf_inventory_get_num_elements(setup.inventory, &num_elements));
    EXPECT_EQ(setup.inventory.num_free(), num_elements);
}
