// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every call on an mmap that was made from an export: alive, with a buffer out, and after its
// exporter has gone. (The other states are in unit/common/lifecycle_mmap_matrix_test.cpp.)

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 8192;

struct Scene {
    Importer importer{1, kSize};
    Import *import = nullptr;
    Device another_device{second_device().c_str()};
    Memory memory{4096};

    /// All that a refused call must leave as it was.
    std::string picture() const
    {
        void *addr = nullptr;
        std::size_t len = 0;
        doca_data user_data{};
        std::uint32_t max_num_devices = 0, num_bufs = 0;
        must(doca_mmap_get_memrange(*import, &addr, &len));
        must(doca_mmap_get_user_data(*import, &user_data));
        must(doca_mmap_get_max_num_devices(*import, &max_num_devices));
        must(doca_mmap_get_num_bufs(*import, &num_bufs));
        std::ostringstream out;
        out << addr << " " << len << " " << user_data.u64 << " " << max_num_devices << " "
            << num_bufs;
        return out.str();
    }
};

struct Call {
    const char *name;
    std::function<doca_error_t(Scene &)> make;
    doca_error_t answer;
    doca_error_t answer_with_buf; ///< with a buffer out
};

void ignore_free(void *, std::size_t, void *) {}

constexpr doca_error_t kOk = DOCA_SUCCESS;
constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
constexpr doca_error_t kNotPermitted = DOCA_ERROR_NOT_PERMITTED;

const Call kCalls[] = {
    {"SetMemrange", [](Scene &s) { return doca_mmap_set_memrange(*s.import, s.memory.data(), 64); },
     kNotPermitted, kNotPermitted},
    {"SetMemrangeOfNothing",
     [](Scene &s) { return doca_mmap_set_memrange(*s.import, s.memory.data(), 0); }, kInvalid,
     kInvalid},
    {"SetDmabufMemrange",
     [](Scene &s) {
         return doca_mmap_set_dmabuf_memrange(*s.import, STDERR_FILENO, s.memory.data(), 0, 64);
     },
     kNotPermitted, kNotPermitted},
    {"SetPermissions",
     [](Scene &s) { return doca_mmap_set_permissions(*s.import, DOCA_ACCESS_FLAG_PCI_READ_WRITE); },
     kNotPermitted, kNotPermitted},
    {"SetPermissionsUnknown",
     [](Scene &s) { return doca_mmap_set_permissions(*s.import, 1u << 30); }, kInvalid, kInvalid},
    {"SetFreeCb", [](Scene &s) { return doca_mmap_set_free_cb(*s.import, ignore_free, nullptr); },
     kNotPermitted, kNotPermitted},
    {"SetUserData", [](Scene &s) { return doca_mmap_set_user_data(*s.import, {.u64 = 9}); },
     kNotPermitted, kNotPermitted},
    {"SetMaxNumDevices", [](Scene &s) { return doca_mmap_set_max_num_devices(*s.import, 3); },
     kNotPermitted, kNotPermitted},
    {"AddDev", [](Scene &s) { return doca_mmap_add_dev(*s.import, s.another_device); },
     kNotPermitted, kNotPermitted},
    {"RmDev", [](Scene &s) { return doca_mmap_rm_dev(*s.import, s.importer.device); },
     kNotPermitted, kNotPermitted},
    {"Start", [](Scene &s) { return doca_mmap_start(*s.import); }, kNotPermitted, kNotPermitted},
    {"Stop", [](Scene &s) { return doca_mmap_stop(*s.import); }, kNotPermitted, kNotPermitted},
    {"ExportPci",
     [](Scene &s) {
         const void *descriptor = nullptr;
         std::size_t len = 0;
         return doca_mmap_export_pci(*s.import, s.importer.device, &descriptor, &len);
     },
     kNotPermitted, kNotPermitted},
    {"EnableThreadSafety", [](Scene &s) { return doca_mmap_enable_thread_safety(*s.import); }, kOk,
     kNotPermitted},
    {"BufGet",
     [](Scene &s) {
         doca_buf *buf = nullptr;
         const doca_error_t result = doca_buf_inventory_buf_get_by_addr(
             s.importer.inventory, *s.import, s.import->at(0), kSize, &buf);
         return result == kOk ? doca_buf_dec_refcount(buf, nullptr) : result;
     },
     kOk, kOk},
    {"CloseDevice", [](Scene &s) { return doca_dev_close(s.importer.device); }, DOCA_ERROR_IN_USE,
     DOCA_ERROR_IN_USE},
    {"Destroy", [](Scene &s) { return s.import->destroy(); }, kOk, kNotPermitted},
};

void check_all(const Call &call, bool is_gone, bool has_buf)
{
    Exporter peer(Via::cross, kSize);
    const std::string descriptor = peer.line.receive();
    Scene scene;
    scene.import = &scene.importer.import(descriptor);
    if (has_buf)
        (void)scene.importer.data(*scene.import, 0, 64);
    if (is_gone)
        peer.kill();
    const std::string before = scene.picture();

    const doca_error_t result = call.make(scene);

    EXPECT_EQ(result, has_buf ? call.answer_with_buf : call.answer);
    if (result != kOk) {
        EXPECT_EQ(scene.picture(), before);
    }
}

class ImportedMmap : public testing::TestWithParam<Call> {};

INSTANTIATE_TEST_SUITE_P(Calls, ImportedMmap, testing::ValuesIn(kCalls),
                         [](const testing::TestParamInfo<Call> &info) {
                             return std::string(info.param.name);
                         });

} // namespace

TEST_P(ImportedMmap, AnswersAsTheTableSays)
{
    on_stage([] { check_all(GetParam(), false, false); });
    on_stage([] { check_all(GetParam(), false, true); });
    on_stage([] { check_all(GetParam(), true, false); });
}

TEST(ImportedMmapData, HasTheUserDataThatItWasMadeWith)
{
    on_stage([] {
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        const Device device;
        const doca_data given{.u64 = 77};
        doca_data got{};
        Handle<doca_mmap, doca_mmap_destroy> with, without;
        must(doca_mmap_create_from_export(&given, descriptor.data(), descriptor.size(), device,
                                          with.out()));
        must(doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), device,
                                          without.out()));

        EXPECT_EQ(doca_mmap_get_user_data(with, &got), DOCA_SUCCESS);
        EXPECT_EQ(got.u64, 77u);
        EXPECT_EQ(doca_mmap_get_user_data(without, &got), DOCA_SUCCESS);
        EXPECT_EQ(got.u64, 0u);
    });
}
