// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every call on an mmap, in every state. That of an mmap made from an export needs a second
// process: tests/process/window_import_calls_test.cpp.

#include "support/handles.hpp"
#include "support/lifecycle_matrix.hpp"

#include <doca_buf_array.h>
#include <doca_mmap_advise.h>

#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>

#include <unistd.h>

namespace {

using softdoca::test::Cell;
using softdoca::test::cells_of;
using softdoca::test::check_cell;
using softdoca::test::Device;
using softdoca::test::Inventory;
using softdoca::test::made_up;
using softdoca::test::Memory;
using softdoca::test::Mmap;
using softdoca::test::must;
using softdoca::test::name_of_cell;
using softdoca::test::Row;

constexpr doca_error_t kOk = DOCA_SUCCESS;
constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
constexpr doca_error_t kBadState = DOCA_ERROR_BAD_STATE;
constexpr doca_error_t kNotPermitted = DOCA_ERROR_NOT_PERMITTED;
constexpr doca_error_t kNotFound = DOCA_ERROR_NOT_FOUND;
constexpr doca_error_t kNotSupported = DOCA_ERROR_NOT_SUPPORTED;

/// An mmap with one device and a PCI permission, and with a range except in the first state.
struct MmapScene {
    enum State {
        no_range,
        created,
        started,
        started_with_buf,
        stopped,
        exported,
        exported_with_buf,
        exported_and_stopped,
        kNumStates
    };
    static constexpr std::array kStateNames = {"WithoutRange",    "Created",           "Started",
                                               "StartedWithBuf",  "Stopped",           "Exported",
                                               "ExportedWithBuf", "ExportedAndStopped"};

    explicit MmapScene(State state)
    {
        must(doca_mmap_add_dev(mmap, device));
        must(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
        if (state != no_range)
            must(doca_mmap_set_memrange(mmap, memory.data(), memory.size()));
        if (state >= started)
            must(doca_mmap_start(mmap));
        if (state >= exported)
            must(export_it());
        if (state == started_with_buf || state == exported_with_buf)
            (void)inventory.by_addr(mmap, memory.data(), 64);
        if (state == stopped || state == exported_and_stopped)
            must(doca_mmap_stop(mmap));
    }

    doca_error_t export_it()
    {
        const void *desc = nullptr;
        std::size_t len = 0;
        return doca_mmap_export_pci(mmap, device, &desc, &len);
    }

    /// All that a refused call must leave as it was.
    std::string picture() const
    {
        void *addr = nullptr;
        std::size_t len = 0;
        doca_data user_data{};
        std::uint32_t max_num_devices = 0, num_bufs = 0;
        std::uint8_t is_exported = 0;
        std::ostringstream out;
        out << "range " << doca_mmap_get_memrange(mmap, &addr, &len) << " " << addr << " " << len;
        must(doca_mmap_get_user_data(mmap, &user_data));
        must(doca_mmap_get_max_num_devices(mmap, &max_num_devices));
        must(doca_mmap_get_num_bufs(mmap, &num_bufs));
        must(doca_mmap_get_exported(mmap, &is_exported));
        out << ", user data " << user_data.u64 << ", devices at most " << max_num_devices
            << ", buffers " << num_bufs << ", free " << inventory.num_free() << ", started "
            << is_started() << ", exported " << int{is_exported};
        return out.str();
    }
    bool is_started() const
    {
        doca_buf *buf = nullptr;
        if (doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory.data(), 1, &buf) !=
            DOCA_SUCCESS)
            return false;
        return doca_buf_dec_refcount(buf, nullptr) == DOCA_SUCCESS;
    }
    doca_error_t get_buf()
    {
        doca_buf *buf = nullptr;
        const doca_error_t result =
            doca_buf_inventory_buf_get_by_data(inventory, mmap, memory.data(), 8, &buf);
        return result == DOCA_SUCCESS ? doca_buf_dec_refcount(buf, nullptr) : result;
    }

    Device device{"03:00.0"}, another_device{"03:00.1"};
    Memory memory{4096};
    Mmap mmap;
    Inventory inventory{4};
};

void ignore_free(void *, std::size_t, void *) {}
void ignore_advice(doca_mmap_advise_task_invalidate_cache *, doca_data, doca_data) {}

template <typename Value>
doca_error_t ask(doca_error_t (*query)(const doca_mmap *, Value *), const doca_mmap *mmap)
{
    Value value{};
    return query(mmap, &value);
}

/// Without a range, created, started, started with a buffer out, stopped, exported, exported with a
/// buffer out, exported and stopped.
const Row<MmapScene> kMmapRows[] = {
    {"SetMemrange",
     [](MmapScene &s) {
         return doca_mmap_set_memrange(s.mmap, s.memory.data(), s.memory.size() / 2);
     },
     {kOk, kNotPermitted, kBadState, kBadState, kNotPermitted, kBadState, kBadState,
      kNotPermitted}},
    {"SetMemrangeOfNothing",
     [](MmapScene &s) { return doca_mmap_set_memrange(s.mmap, s.memory.data(), 0); },
     {kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid}},
    {"SetDmabufMemrange",
     [](MmapScene &s) {
         return doca_mmap_set_dmabuf_memrange(s.mmap, STDERR_FILENO, s.memory.data(), 0,
                                              s.memory.size());
     },
     {kOk, kNotPermitted, kBadState, kBadState, kNotPermitted, kBadState, kBadState,
      kNotPermitted}},
    {"SetDpaMemrange",
     [](MmapScene &s) { return doca_mmap_set_dpa_memrange(s.mmap, made_up<doca_dpa>(), 0, 64); },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
    {"SetPermissions",
     [](MmapScene &s) { return doca_mmap_set_permissions(s.mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY); },
     {kOk, kOk, kBadState, kBadState, kOk, kBadState, kBadState, kOk}},
    {"SetPermissionsUnknown",
     [](MmapScene &s) { return doca_mmap_set_permissions(s.mmap, 1u << 30); },
     {kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid}},
    {"SetFreeCb",
     [](MmapScene &s) { return doca_mmap_set_free_cb(s.mmap, ignore_free, nullptr); },
     {kOk, kOk, kBadState, kBadState, kOk, kBadState, kBadState, kOk}},
    {"SetUserData",
     [](MmapScene &s) { return doca_mmap_set_user_data(s.mmap, {.u64 = 7}); },
     {kOk, kOk, kBadState, kBadState, kOk, kBadState, kBadState, kOk}},
    {"SetMaxNumDevices",
     [](MmapScene &s) { return doca_mmap_set_max_num_devices(s.mmap, 3); },
     {kOk, kOk, kNotPermitted, kNotPermitted, kNotPermitted, kNotPermitted, kNotPermitted,
      kNotPermitted}},
    {"AddDev",
     [](MmapScene &s) { return doca_mmap_add_dev(s.mmap, s.another_device); },
     {kOk, kOk, kNotPermitted, kNotPermitted, kOk, kNotPermitted, kNotPermitted, kOk}},
    {"RmDev",
     [](MmapScene &s) { return doca_mmap_rm_dev(s.mmap, s.device); },
     {kOk, kOk, kNotPermitted, kNotPermitted, kOk, kNotPermitted, kNotPermitted, kOk}},
    {"EnableThreadSafety",
     [](MmapScene &s) { return doca_mmap_enable_thread_safety(s.mmap); },
     {kOk, kOk, kNotPermitted, kNotPermitted, kOk, kNotPermitted, kNotPermitted, kOk}},
    {"Start",
     [](MmapScene &s) { return doca_mmap_start(s.mmap); },
     {kInvalid, kOk, kBadState, kBadState, kOk, kNotPermitted, kNotPermitted, kOk}},
    {"Stop",
     [](MmapScene &s) { return doca_mmap_stop(s.mmap); },
     {kOk, kOk, kOk, kNotPermitted, kOk, kOk, kNotPermitted, kOk}},
    {"Destroy",
     [](MmapScene &s) { return s.mmap.destroy(); },
     {kOk, kOk, kOk, kNotPermitted, kOk, kOk, kNotPermitted, kOk}},
    {"BufGet",
     [](MmapScene &s) { return s.get_buf(); },
     {kBadState, kBadState, kOk, kOk, kBadState, kOk, kOk, kBadState}},

    {"GetMemrange",
     [](MmapScene &s) {
         void *addr = nullptr;
         std::size_t len = 0;
         return doca_mmap_get_memrange(s.mmap, &addr, &len);
     },
     {kBadState, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},
    {"GetUserData",
     [](MmapScene &s) { return ask(doca_mmap_get_user_data, s.mmap); },
     {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},
    {"GetMaxNumDevices",
     [](MmapScene &s) { return ask(doca_mmap_get_max_num_devices, s.mmap); },
     {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},
    {"GetNumBufs",
     [](MmapScene &s) { return ask(doca_mmap_get_num_bufs, s.mmap); },
     {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},
    {"GetExported",
     [](MmapScene &s) { return ask(doca_mmap_get_exported, s.mmap); },
     {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},
    {"GetFromExport",
     [](MmapScene &s) { return ask(doca_mmap_get_from_export, s.mmap); },
     {kOk, kOk, kOk, kOk, kOk, kOk, kOk, kOk}},

    {"ExportPci",
     [](MmapScene &s) { return s.export_it(); },
     {kNotPermitted, kNotPermitted, kOk, kOk, kNotPermitted, kOk, kOk, kNotPermitted}},
    {"ExportPciWithAnotherDevice",
     [](MmapScene &s) {
         const void *desc = nullptr;
         std::size_t len = 0;
         return doca_mmap_export_pci(s.mmap, s.another_device, &desc, &len);
     },
     {kNotPermitted, kNotPermitted, kNotFound, kNotFound, kNotPermitted, kNotFound, kNotFound,
      kNotPermitted}},
    {"CreateFromExportOfNonsense",
     [](MmapScene &s) {
         doca_mmap *import = nullptr;
         return doca_mmap_create_from_export(nullptr, s.memory.data(), 64, s.device, &import);
     },
     {kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid, kInvalid}},

    // Not offered by this release: the same answer in every state.
    {"ExportRdma",
     [](MmapScene &s) {
         const void *desc = nullptr;
         std::size_t len = 0;
         return doca_mmap_export_rdma(s.mmap, s.device, &desc, &len);
     },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
    {"DevGetDpaHandle",
     [](MmapScene &s) {
         doca_dpa_dev_mmap_t handle{};
         return doca_mmap_dev_get_dpa_handle(s.mmap, s.device, &handle);
     },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
    {"BufArrSetParams",
     [](MmapScene &s) { return doca_buf_arr_set_params(made_up<doca_buf_arr>(), s.mmap, 64, 0); },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
    {"MmapAdviseCreate",
     [](MmapScene &s) {
         doca_mmap_advise *advise = nullptr;
         return doca_mmap_advise_create(s.device, &advise);
     },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
    {"MmapAdviseSetConf",
     [](MmapScene &) {
         return doca_mmap_advise_task_invalidate_cache_set_conf(made_up<doca_mmap_advise>(),
                                                                ignore_advice, ignore_advice, 1);
     },
     {kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported, kNotSupported,
      kNotSupported, kNotSupported}},
};

class DocaMmapMatrix : public testing::TestWithParam<Cell<MmapScene>> {};

TEST_P(DocaMmapMatrix, AnswersAsTheTableSays)
{
    check_cell(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cells, DocaMmapMatrix, testing::ValuesIn(cells_of(kMmapRows)),
                         name_of_cell<MmapScene>);

} // namespace
