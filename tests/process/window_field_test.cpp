// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Field cases about exports, under their numbers. The stage is the importer, the DPU of the cases
// if it runs as that.

#include "support/sdk_log.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 1 << 20;

class WindowField : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowField, testing::ValuesIn(kEachRoute), name_of_route);

std::string pid_of(const Process &process)
{
    return "pid " + std::to_string(process.pid());
}

/// The one line that says why, with these words.
void expect_one_line(const SdkLog &log, std::initializer_list<std::string_view> words)
{
    EXPECT_EQ(log.count(words), 1) << testing::PrintToString(log.lines());
}

/// A task that must fail: try_submit tells the rule, submit fails as a bad task.
void expect_bad_task(Importer &importer, doca_buf *src, doca_buf *dst, doca_error_t rule)
{
    std::size_t len_before = 0, len_after = 0;
    must(doca_buf_get_data_len(dst, &len_before));
    doca_task *const task = importer.context.alloc(src, dst);
    importer.ends.clear();
    (void)importer.context.take();
    if (rule != DOCA_SUCCESS) {
        EXPECT_EQ(doca_task_try_submit(task), rule);
        EXPECT_EQ(importer.context.state(), DOCA_CTX_STATE_RUNNING);
        EXPECT_TRUE(importer.ends.empty());
    }

    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_TRUE(wait_until(
        importer.pe, [&] { return importer.context.state() == DOCA_CTX_STATE_IDLE; }, patience()));

    EXPECT_EQ(importer.context.take(),
              (Record{"error IO_FAILED", "RUNNING->STOPPING", "STOPPING->IDLE"}));
    must(doca_buf_get_data_len(dst, &len_after));
    EXPECT_EQ(len_after, len_before);
    EXPECT_TRUE(importer.recover());
}

} // namespace

TEST(WindowFieldOnce, F09TheExporterHasExited)
{
    on_stage(Via::cross, [] {
        const std::string path = std::string(std::getenv("SOFTDOCA_FABRIC")) + ".descriptor";
        Exporter peer(Via::cross, kSize, [&](Exported &own, Line &) {
            std::ofstream(path, std::ios::binary) << own.descriptor();
        });
        peer.join();
        std::ifstream stream(path, std::ios::binary);
        const std::string descriptor{std::istreambuf_iterator<char>(stream), {}};
        ::unlink(path.c_str());
        ASSERT_FALSE(descriptor.empty());
        const SdkLog log;
        const Device device;

        EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_DRIVER);

        expect_one_line(log, {"[ERR]", pid_of(peer), "has ended", "keep the exporter running"});
    });
}

TEST_P(WindowField, F09TheExporterIsKilledAfterTheImport)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        std::memset(importer.area.data(), 0x11, kSize);
        doca_buf *const src = importer.data(import, 0, 4096);
        doca_buf *const dst = importer.room(0, 4096);
        const SdkLog log;

        peer.kill();

        expect_bad_task(importer, src, dst, DOCA_SUCCESS);
        for (std::size_t i = 0; i < kSize; ++i)
            ASSERT_EQ(*importer.area.at(i), std::byte{0x11}) << "byte " << i;
        EXPECT_EQ(import.destroy(), DOCA_SUCCESS);
        expect_one_line(log, {"[ERR]", pid_of(peer), "has ended", "keep the exporter running"});
    });
}

TEST_P(WindowField, F13OffsetsAreNoAddresses)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &own, Line &line) {
            line.send_number(reinterpret_cast<std::uintptr_t>(own.region.data()));
            (void)line.wait();
        });
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(import.at(0)), peer.line.receive_number());
        EXPECT_EQ(import.size(), kSize);
        const SdkLog log;
        const auto get = [&](void *addr, std::size_t len) {
            doca_buf *buf = nullptr;
            const doca_error_t result =
                doca_buf_inventory_buf_get_by_addr(importer.inventory, import, addr, len, &buf);
            if (result == DOCA_SUCCESS) {
                EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
            }
            return result;
        };

        EXPECT_EQ(get(reinterpret_cast<void *>(64), 4096), DOCA_ERROR_INVALID_VALUE);
        expect_one_line(log, {"[ERR]", "0x40", text_of(import.at(0)), "1048576",
                              "exporter's addresses", "doca_mmap_get_memrange"});
        EXPECT_EQ(get(import.at(64), 4096), DOCA_SUCCESS);
        EXPECT_EQ(get(import.at(kSize - 10), 4096), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(get(import.at(0), kSize), DOCA_SUCCESS);
        EXPECT_EQ(get(import.at(0) - 1, 2), DOCA_ERROR_INVALID_VALUE);
    });
}

TEST_P(WindowField, F14ReadOnlyMemoryIsNotWritten)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, DOCA_ACCESS_FLAG_PCI_READ_ONLY, [](Exported &own, Line &line) {
            (void)line.wait();
            own.region.expect_pattern(1);
        });
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        const SdkLog log;

        expect_bad_task(importer, importer.data(0, 4096), importer.room(import, 0, 4096),
                        DOCA_ERROR_NOT_PERMITTED);

        EXPECT_GE(
            log.count({"[ERR]", pid_of(peer), "PCI_READ_ONLY", "DOCA_ACCESS_FLAG_PCI_READ_WRITE"}),
            1)
            << testing::PrintToString(log.lines());
        EXPECT_EQ(importer.read(import, 0, 4096), DOCA_SUCCESS);
        peer.line.send("compare");
    });
}

/// Steps 1, 3 and 4: the masks.
TEST(WindowFieldOnce, F14MasksThatDoNotDo)
{
    on_stage([] {
        const Device device;
        const Memory memory(4096);
        const void *descriptor = nullptr;
        std::size_t len = 0;
        const SdkLog log;
        const Mmap local(device, memory, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
        EXPECT_EQ(doca_mmap_export_pci(local, device, &descriptor, &len), DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(descriptor, nullptr);
        expect_one_line(log, {"[ERR]", text_of(local.get()), "PCI_READ_ONLY", "PCI_READ_WRITE"});

        const Mmap mmap;
        EXPECT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
                                                      DOCA_ACCESS_FLAG_PCI_READ_WRITE),
                  DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(doca_mmap_set_permissions(mmap, 1u << 20), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(doca_mmap_set_permissions(local, DOCA_ACCESS_FLAG_PCI_READ_ONLY),
                  DOCA_ERROR_BAD_STATE);
    });
}

/// Step 5: never set is not the same as 0.
TEST_P(WindowField, F14ADestinationWithoutAMaskIsWritable)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        const Memory room(8192);
        Mmap read_only(importer.device, room.data(), 4096, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
        Mmap unset;
        must(doca_mmap_set_memrange(unset, room.at(4096), 4096));
        must(doca_mmap_add_dev(unset, importer.device));
        must(doca_mmap_start(unset));

        expect_bad_task(importer, importer.data(import, 0, 64),
                        importer.inventory.by_addr(read_only, room.data(), 64),
                        DOCA_ERROR_NOT_PERMITTED);
        EXPECT_EQ(importer.copy(importer.data(import, 0, 64),
                                importer.inventory.by_addr(unset, room.at(4096), 64)),
                  DOCA_SUCCESS);

        EXPECT_EQ(first_difference(room.at(4096), pattern(kSize, 1).data(), 64), 64u);
        EXPECT_EQ(*room.data(), std::byte{0});
    });
}

TEST_P(WindowField, F23AnImportIsReadyAsItIs)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kLen = 100'001;
        Process peer(other_role(), [this](Line &line) {
            const Device second(second_device().c_str());
            const Region pages(via_, kLen + 1);
            std::vector<std::byte> heap(kLen + 1);
            std::byte *const begin = via_ == Via::mapped ? pages.at(1) : heap.data() + 1;
            std::memcpy(begin, pattern(kLen, 1).data(), kLen);
            const Mmap mmap(second, begin, kLen, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
            const void *descriptor = nullptr;
            std::size_t len = 0;
            must(doca_mmap_export_pci(mmap, second, &descriptor, &len));
            line.send({static_cast<const char *>(descriptor), len});
            (void)line.wait(); // blocked in a system call; the library is not called any more
            EXPECT_EQ(first_difference(begin, pattern(kLen, 2).data(), kLen), kLen);
        });
        const std::string descriptor = peer.line.receive();
        const SdkLog log;
        Importer importer(1, kLen);
        Import &import = importer.import(descriptor);
        expect_one_line(log, {"[INF]", "import of " + pid_of(peer), "100001 bytes",
                              std::string("route: ") + route_of(via_)});
        std::uint8_t is_from_export = 7, is_exported = 7;
        EXPECT_EQ(doca_mmap_get_from_export(import, &is_from_export), DOCA_SUCCESS);
        EXPECT_EQ(doca_mmap_get_exported(import, &is_exported), DOCA_SUCCESS);
        EXPECT_EQ(is_from_export, 1);
        EXPECT_EQ(is_exported, 0);
        EXPECT_EQ(doca_mmap_enable_thread_safety(import), DOCA_SUCCESS);
        EXPECT_EQ(doca_mmap_start(import), DOCA_ERROR_NOT_PERMITTED);

        EXPECT_EQ(importer.read(import, 0, kLen), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), pattern(kLen, 1).data(), kLen), kLen);
        std::memcpy(importer.area.data(), pattern(kLen, 2).data(), kLen);
        EXPECT_EQ(importer.write(import, 0, kLen), DOCA_SUCCESS);

        peer.line.send("compare");
    });
}
