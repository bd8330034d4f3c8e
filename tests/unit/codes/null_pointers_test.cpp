// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// NULL for each pointer argument of each call. Contexts, engines and tasks: context_codes_test.cpp;
// argp: in its own tests.

#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_log.h>

#include <gtest/gtest.h>

#include <cstdio>

using namespace softdoca::test;

namespace {

using Text = UntouchedText<512>;
constexpr std::uint32_t kTextSize = 512;
using U8 = Untouched<std::uint8_t>;
using U16 = Untouched<std::uint16_t>;
using U32 = Untouched<std::uint32_t>;
using U64 = Untouched<std::uint64_t>;
using Size = Untouched<std::size_t>;
using Pointer = Untouched<void *>;
using Data = Untouched<doca_data>;

/// A processor of another kind; no call looks into it.
template <typename T>
T *some_processor()
{
    static char place;
    return reinterpret_cast<T *>(&place);
}

class NullPointers : public testing::Test {
protected:
    Device device_;
    doca_devinfo *info_ = device_.info();
};

/// A representor and its info.
class NullPointersRep : public NullPointers {
protected:
    NullPointersRep()
    {
        doca_devinfo_rep **list = nullptr;
        std::uint32_t num = 0;
        must(doca_devinfo_rep_create_list(device_, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
        must(doca_dev_rep_open(list[0], rep_.out()));
        must(doca_devinfo_rep_destroy_list(list));
        info_ = doca_dev_rep_as_devinfo(rep_);
    }

    Handle<doca_dev_rep, doca_dev_rep_close> rep_;
    doca_devinfo_rep *info_ = nullptr;
};

/// Two buffers of one inventory.
class NullPointersBuf : public NullPointers {
protected:
    Memory memory_{256};
    Mmap mmap_{device_, memory_};
    Inventory inventory_{4};
    doca_buf *buf_ = inventory_.by_addr(mmap_, memory_.at(0), 64);
    doca_buf *other_ = inventory_.by_addr(mmap_, memory_.at(64), 64);
};

class NullPointersDma : public NullPointers {
protected:
    NullPointersDma() { must(doca_dma_create(device_, dma_.out())); }

    Handle<doca_dma, doca_dma_destroy> dma_;
};

void on_task(doca_dma_task_memcpy *, doca_data, doca_data) {}

} // namespace

TEST_F(NullPointers, DeviceLists)
{
    EXPECT_EQ(doca_devinfo_create_list(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_create_list(Untouched<doca_devinfo **>(), nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_open(nullptr, Untouched<doca_dev *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_open(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_accelerate_resource_reclaim(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_as_devinfo(nullptr), nullptr);

    EXPECT_EQ(doca_dev_close(nullptr), DOCA_SUCCESS) << "programs close what they have set to NULL";
}

TEST_F(NullPointers, DeviceTexts)
{
    EXPECT_EQ(doca_devinfo_get_pci_addr_str(nullptr, Text()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_pci_addr_str(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(nullptr, "03:00.0", U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info_, nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(info_, "03:00.0", nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv4_addr(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv4_addr(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv6_addr(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ipv6_addr(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_mac_addr(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_mac_addr(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_iface_name(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_iface_name(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ibdev_name(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_ibdev_name(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointers, DeviceNumbersAndCapabilities)
{
    EXPECT_EQ(doca_devinfo_get_lid(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_lid(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_active_rate(nullptr, U64()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_active_rate(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_vhca_id(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_vhca_id(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_pci_func_type(nullptr, Untouched<doca_pci_func_type>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_pci_func_type(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_sf_index(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_get_sf_index(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_hotplug_manager_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_hotplug_manager_supported(info_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_notification_moderation_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_notification_moderation_supported(info_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_ctx_cap_get_num_completion_vectors(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(info_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersRep, Representors)
{
    EXPECT_EQ(doca_devinfo_rep_create_list(nullptr, DOCA_DEVINFO_REP_FILTER_ALL,
                                           Untouched<doca_devinfo_rep **>(), U32()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_create_list(device_, DOCA_DEVINFO_REP_FILTER_ALL, nullptr, U32()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_create_list(device_, DOCA_DEVINFO_REP_FILTER_ALL,
                                           Untouched<doca_devinfo_rep **>(), nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_destroy_list(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_rep_open(nullptr, Untouched<doca_dev_rep *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_rep_open(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_rep_close(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dev_rep_as_devinfo(nullptr), nullptr);
}

TEST_F(NullPointersRep, RepresentorCapabilities)
{
    doca_devinfo *const devinfo = NullPointers::info_;

    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_all_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_all_supported(devinfo, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_net_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_net_supported(devinfo, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_emulated_supported(nullptr, U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_cap_is_filter_emulated_supported(devinfo, nullptr),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersRep, RepresentorProperties)
{
    EXPECT_EQ(doca_devinfo_rep_get_vuid(nullptr, Text(), kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_vuid(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(nullptr, Text()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_addr_str(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(nullptr, Untouched<doca_pci_func_type>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_pci_func_type(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_is_hotplug(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_iface_name(nullptr, Text(), kTextSize),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_iface_name(info_, nullptr, kTextSize), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_vhca_id(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_get_vhca_id(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(nullptr, "3b:00.0", U8()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(info_, nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_devinfo_rep_is_equal_pci_addr(info_, "3b:00.0", nullptr),
              DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointers, MmapLifeCycle)
{
    const Mmap mmap;

    EXPECT_EQ(doca_mmap_create(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_start(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_add_dev(nullptr, device_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_add_dev(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_rm_dev(nullptr, device_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_rm_dev(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_enable_thread_safety(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointers, MmapConfiguration)
{
    char byte = 0;
    const Mmap mmap;

    EXPECT_EQ(doca_mmap_set_memrange(nullptr, &byte, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_memrange(mmap, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(nullptr, 0, &byte, 0, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(mmap, 0, nullptr, 0, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dpa_memrange(nullptr, some_processor<doca_dpa>(), 0, 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_dpa_memrange(mmap, nullptr, 0, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_permissions(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_free_cb(
                  nullptr, [](void *, size_t, void *) {}, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_free_cb(mmap, nullptr, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_user_data(nullptr, {}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_set_max_num_devices(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointers, MmapQueries)
{
    const Mmap mmap;
    char byte = 0;
    must(doca_mmap_set_memrange(mmap, &byte, 1));

    EXPECT_EQ(doca_mmap_get_memrange(nullptr, Pointer(), Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_memrange(mmap, nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_memrange(mmap, Pointer(), nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_user_data(nullptr, Data()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_user_data(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_max_num_devices(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_max_num_devices(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_num_bufs(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_num_bufs(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_exported(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_exported(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_from_export(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mmap_get_from_export(mmap, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersBuf, BufReferencesAndLists)
{
    EXPECT_EQ(doca_buf_inc_refcount(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_dec_refcount(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_refcount(nullptr, U16()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_refcount(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_next_in_list(nullptr, Untouched<doca_buf *>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_next_in_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_last_in_list(nullptr, Untouched<doca_buf *>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_last_in_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_last_in_list(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_last_in_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_first_in_list(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_first_in_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_in_list(nullptr, U8()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_is_in_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_list_len(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_list_len(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_chain_list(nullptr, other_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_chain_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_chain_list_tail(nullptr, buf_, other_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_, nullptr, other_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_, buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(nullptr, other_), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersBuf, BufRanges)
{
    EXPECT_EQ(doca_buf_get_len(nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_len(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_head(nullptr, Pointer()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_head(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_data_len(nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_data_len(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_data(nullptr, Pointer()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_get_data(buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_set_data(nullptr, memory_.data(), 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_set_data_len(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_reset_data_len(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersBuf, Inventory)
{
    using Buf = Untouched<doca_buf *>;
    void *const addr = memory_.data();

    EXPECT_EQ(doca_buf_inventory_create(1, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_start(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_expand(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_set_user_data(nullptr, {}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_user_data(nullptr, Data()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_user_data(inventory_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_num_elements(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_num_elements(inventory_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_num_free_elements(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_get_num_free_elements(inventory_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(nullptr, mmap_, addr, 8, addr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, nullptr, addr, 8, addr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, nullptr, 8, addr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, addr, 8, nullptr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory_, mmap_, addr, 8, addr, 8, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_addr(nullptr, mmap_, addr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_get_by_data(nullptr, mmap_, addr, 8, Buf()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_dup(nullptr, buf_, Buf()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, nullptr, Buf()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_dup(inventory_, buf_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(nullptr, addr, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_addr(buf_, nullptr, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(nullptr, addr, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_inventory_buf_reuse_by_data(buf_, nullptr, 8), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(inventory_.num_free(), 2u);
}

TEST_F(NullPointersBuf, Pool)
{
    Handle<doca_buf_pool, doca_buf_pool_destroy> pool;
    must(doca_buf_pool_create(1, 8, mmap_, pool.out()));

    EXPECT_EQ(doca_buf_pool_create(1, 8, nullptr, Untouched<doca_buf_pool *>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_create(1, 8, mmap_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_start(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_buf_alloc(nullptr, Untouched<doca_buf *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_buf_alloc(pool, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_set_user_data(nullptr, {}), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_user_data(nullptr, Data()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_user_data(pool, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_set_element_alignment(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_element_alignment(nullptr, Size()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_element_alignment(pool, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_num_elements(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_num_elements(pool, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_num_free_elements(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_pool_get_num_free_elements(pool, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(NullPointersDma, Dma)
{
    using Task = Untouched<doca_dma_task_memcpy *>;

    EXPECT_EQ(doca_dma_create(nullptr, Untouched<doca_dma *>()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_create(device_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_as_ctx(nullptr), nullptr);
    EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_get_max_num_tasks(nullptr, U32()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_get_max_num_tasks(dma_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_list_len(nullptr, U32()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_list_len(info_, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_size(nullptr, U64()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_cap_task_memcpy_get_max_buf_size(info_, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(nullptr, on_task, on_task, 1),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma_, nullptr, on_task, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_set_conf(dma_, on_task, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(nullptr, nullptr, nullptr, {}, Task()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_alloc_init(dma_, nullptr, nullptr, {}, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_task_memcpy_as_task(nullptr), nullptr);
    EXPECT_EQ(doca_dma_task_memcpy_get_src(nullptr), nullptr);
    EXPECT_EQ(doca_dma_task_memcpy_get_dst(nullptr), nullptr);
    EXPECT_EQ(doca_dma_get_gpu_handle(nullptr, Untouched<doca_gpu_dma *>()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dma_get_gpu_handle(dma_, nullptr), DOCA_ERROR_INVALID_VALUE);
    doca_dma_task_memcpy_set_src(nullptr, nullptr);
    doca_dma_task_memcpy_set_dst(nullptr, nullptr);
}

TEST(NullPointersLog, Backends)
{
    using Backend = Untouched<doca_log_backend *>;
    const auto on_flush = [](char *) {};
    char text[8];

    EXPECT_EQ(doca_log_backend_create_with_file(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_file(stderr, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd(-1, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd(2, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(nullptr, 8, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 0, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 8, nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 8, on_flush, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog("name", nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST(NullPointersLog, SdkBackends)
{
    using Backend = Untouched<doca_log_backend *>;
    const auto on_flush = [](char *) {};
    char text[8];

    EXPECT_EQ(doca_log_backend_create_with_file_sdk(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_file_sdk(stderr, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd_sdk(-1, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd_sdk(2, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(nullptr, 8, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 0, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 8, nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 8, on_flush, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk(nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("name", nullptr), DOCA_ERROR_INVALID_VALUE);
}
