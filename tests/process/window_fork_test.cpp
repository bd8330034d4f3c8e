// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Programs that fork while they export or import. Objects belong to the process that made them; the
// child may make its own.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 64 * 1024;

class WindowFork : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowFork, testing::ValuesIn(kEachRoute), name_of_route);

/// Runs the body in a child of a process that uses the library.
template <typename Body>
void in_child(const Body &body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0); // no destructors: the objects are not ours
    }
    int status = -1;
    EXPECT_TRUE(comes_true([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
}

void expect_reads(Importer &importer, const Import &import, unsigned seed)
{
    std::memset(importer.area.data(), 0, kSize);
    EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, seed).data(), kSize), kSize);
}

/// How many descriptors a program that this process starts has.
int num_inherited()
{
    const int status = std::system("exit $(ls /proc/self/fd | wc -l)");
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define EXPECT_REFUSED(call) EXPECT_EQ(call, DOCA_ERROR_BAD_STATE)

} // namespace

TEST_P(WindowFork, TheImportersChildIsRefusedAndTheImporterGoesOn)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(4, kSize);
        Import &import = importer.import(descriptor);
        expect_reads(importer, import, 1);
        importer.ends.clear();
        importer.submit(importer.data(import, 0, 4096), importer.room(0, 4096), 1); // in flight

        in_child([&] {
            void *addr = nullptr;
            std::size_t len = 0;
            std::uint8_t flag = 0;
            doca_mmap *another = nullptr;
            doca_buf *buf = nullptr;
            EXPECT_EQ(doca_pe_progress(importer.pe), 0);
            EXPECT_REFUSED(doca_mmap_get_memrange(import, &addr, &len));
            EXPECT_REFUSED(doca_mmap_get_from_export(import, &flag));
            EXPECT_REFUSED(doca_buf_inventory_buf_get_by_addr(importer.inventory, import,
                                                              import.at(0), 64, &buf));
            EXPECT_REFUSED(doca_mmap_stop(import));
            EXPECT_REFUSED(doca_mmap_destroy(import));
            EXPECT_REFUSED(try_import(importer.device, descriptor, &another));
            EXPECT_REFUSED(doca_ctx_stop(importer.context.ctx()));
        });

        ASSERT_TRUE(importer.wait_for_ends(1));
        EXPECT_EQ(importer.ends, (std::vector<Importer::End>{{1, DOCA_SUCCESS}}));
        expect_reads(importer, import, 1);
    });
}

TEST_P(WindowFork, TheImportersChildImportsForItself)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        const std::string descriptor = peer.line.receive();
        Importer importer(4, kSize);
        Import &import = importer.import(descriptor);

        in_child([&] {
            Importer own(4, kSize, second_device()); // the first belongs to the parent
            expect_reads(own, own.import(descriptor), 1);
        });

        expect_reads(importer, import, 1);
    });
}

TEST_P(WindowFork, TheExportersChildIsRefusedAndTheExporterServes)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [](Exported &own, Line &line) {
            in_child([&] {
                const void *descriptor = nullptr;
                std::size_t len = 0;
                std::uint8_t flag = 0;
                EXPECT_REFUSED(doca_mmap_export_pci(own.mmap, own.device, &descriptor, &len));
                EXPECT_REFUSED(doca_mmap_get_exported(own.mmap, &flag));
                EXPECT_REFUSED(doca_mmap_stop(own.mmap));
                EXPECT_REFUSED(doca_mmap_destroy(own.mmap));
            });
            line.send("forked");
            (void)line.wait();
        });
        const std::string descriptor = peer.line.receive();
        EXPECT_EQ(peer.line.receive(), "forked");
        Importer importer(1, kSize);

        expect_reads(importer, importer.import(descriptor), 1);
    });
}

TEST_P(WindowFork, TheExportersChildExportsAnew)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize, [this](Exported &, Line &line) {
            in_child([&] {
                Exported own(via_, kSize, DOCA_ACCESS_FLAG_PCI_READ_WRITE, second_device());
                own.region.fill(2);
                line.send(own.descriptor());
                EXPECT_TRUE(line.wait());
            });
            line.send("the child has ended");
            (void)line.wait();
        });
        const std::string of_parent = peer.line.receive(), of_child = peer.line.receive();
        Importer importer(1, kSize);
        Import &parents = importer.import(of_parent);
        Import &childs = importer.import(of_child);
        expect_reads(importer, childs, 2);
        expect_reads(importer, parents, 1);

        peer.line.send("end"); // for the child, which reads it first
        EXPECT_EQ(peer.line.receive(), "the child has ended");

        EXPECT_EQ(importer.read(childs, 0, kSize), DOCA_ERROR_IO_FAILED);
        EXPECT_TRUE(importer.recover());
        EXPECT_EQ(import_code(importer.device, of_child), DOCA_ERROR_DRIVER);
        expect_reads(importer, parents, 1);
    });
}

TEST_P(WindowFork, OtherProgramsInheritNothing)
{
    on_stage(via_, [this] {
        Process peer(other_role(), [this](Line &line) {
            const int before = num_inherited();
            Exported own(via_, kSize);
            own.region.fill(1);
            line.send(own.descriptor());
            (void)line.wait();
            EXPECT_EQ(num_inherited(), before);
            line.send("counted");
            (void)line.wait();
        });
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        peer.line.send("count");
        EXPECT_EQ(peer.line.receive(), "counted");

        expect_reads(importer, import, 1); // the exporter has started a program, and serves
    });
}
