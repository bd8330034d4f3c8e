// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// More than one exporter and one importer.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

class WindowMany : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowMany, testing::ValuesIn(kEachRoute), name_of_route);

/// What one of several importers of an export does to its part of it, again and again.
void work_on_part(Importer &importer, const Import &import, std::size_t part, std::size_t len)
{
    const std::vector<std::byte> news = pattern(import.size(), 10 + static_cast<unsigned>(part));
    for (int round = 0; round < 20; ++round) {
        std::memcpy(importer.area.at(part * len), news.data() + part * len, len);
        EXPECT_EQ(importer.write(import, part * len, len), DOCA_SUCCESS);
        std::memset(importer.area.at(part * len), 0, len);
        EXPECT_EQ(importer.read(import, part * len, len), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.at(part * len), news.data() + part * len, len),
                  len);
    }
}

} // namespace

TEST_P(WindowMany, SeveralProcessesImportOneExport)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kPart = 32 * 1024, kNum = 4;
        Exporter peer(via_, kNum * kPart, [](Exported &own, Line &line) {
            (void)line.wait();
            for (std::size_t part = 0; part < kNum; ++part)
                EXPECT_EQ(first_difference(
                              own.region.at(part * kPart),
                              pattern(kNum * kPart, 10 + static_cast<unsigned>(part)).data() +
                                  part * kPart,
                              kPart),
                          kPart);
        });
        std::deque<Process> importers;
        for (std::size_t part = 0; part < kNum; ++part)
            importers.emplace_back(own_role(), [part](Line &line) {
                Importer importer(1, kNum * kPart);
                Import &import = importer.import(line.receive());
                work_on_part(importer, import, part, kPart);
                line.send("done");
                (void)line.wait();
            });
        const std::string descriptor = peer.line.receive();

        for (const Process &importer : importers)
            importer.line.send(descriptor);

        for (const Process &importer : importers)
            EXPECT_EQ(importer.line.receive(), "done");
        peer.line.send("compare");
    });
}

TEST_P(WindowMany, OneProcessExportsManyRegions)
{
    on_stage(via_, [this] {
        static constexpr unsigned kNum = 24;
        static constexpr std::size_t kSize = 8192;
        Process peer(other_role(), [this](Line &line) {
            std::deque<Exported> all;
            for (unsigned i = 0; i < kNum; ++i) {
                Exported &own = all.emplace_back(via_, kSize);
                own.region.fill(i);
                line.send(own.descriptor());
            }
            (void)line.wait();
        });
        Importer importer(1, kSize);
        std::vector<Import *> imports;
        for (unsigned i = 0; i < kNum; ++i)
            imports.push_back(&importer.import(peer.line.receive()));

        for (unsigned i = 0; i < kNum; ++i) {
            EXPECT_EQ(importer.read(*imports[i], 0, kSize), DOCA_SUCCESS);
            EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, i).data(), kSize),
                      kSize)
                << "export " << i;
        }
    });
}

TEST_P(WindowMany, OneExportIsImportedTwiceByAProcess)
{
    on_stage(via_, [this] {
        Exporter peer(via_, 8192);
        Importer importer(1, 8192);
        const std::string descriptor = peer.line.receive();
        Import &first = importer.import(descriptor);
        Import &second = importer.import(descriptor);

        std::memcpy(importer.area.data(), pattern(8192, 5).data(), 8192);
        EXPECT_EQ(importer.write(first, 0, 8192), DOCA_SUCCESS);
        EXPECT_EQ(first.destroy(), DOCA_SUCCESS);
        std::memset(importer.area.data(), 0, 8192);

        EXPECT_EQ(importer.read(second, 0, 8192), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), pattern(8192, 5).data(), 8192), 8192u);
    });
}

TEST_P(WindowMany, AnExportGoesThroughAnyFunctionOfTheCard)
{
    on_stage(via_, [this] {
        Process peer(other_role(), [this](Line &line) {
            const Device second(second_device().c_str());
            const Region region(via_, 4096);
            Mmap mmap;
            region.fill(4);
            must(region.give_to(mmap, 4096));
            must(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
            must(doca_mmap_add_dev(mmap, second));
            must(doca_mmap_start(mmap));
            const void *descriptor = nullptr;
            std::size_t len = 0;
            must(doca_mmap_export_pci(mmap, second, &descriptor, &len));
            line.send({static_cast<const char *>(descriptor), len});
            (void)line.wait();
        });
        Importer importer(1, 4096); // with the first function
        Import &import = importer.import(peer.line.receive());

        EXPECT_EQ(importer.read(import, 0, 4096), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), pattern(4096, 4).data(), 4096), 4096u);
    });
}

TEST_P(WindowMany, ContextsInSeveralThreadsShareAnImport)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kPart = 16 * 1024, kNum = 3;
        Exporter peer(via_, kNum * kPart);
        std::deque<Importer> importers; // each with an engine of its own
        for (std::size_t part = 0; part < kNum; ++part)
            importers.emplace_back(1, kNum * kPart);
        Import &import = importers.front().import(peer.line.receive());
        must(doca_mmap_enable_thread_safety(import));

        std::vector<std::thread> threads;
        for (std::size_t part = 0; part < kNum; ++part)
            threads.emplace_back([&, part] { work_on_part(importers[part], import, part, kPart); });
        for (std::thread &thread : threads)
            thread.join();
    });
}

TEST_P(WindowMany, BothSidesExportAndImport)
{
    on_stage(via_, [this] {
        static constexpr std::size_t kSize = 128 * 1024;
        Process peer(other_role(), [this](Line &line) {
            Exported own(via_, kSize);
            own.region.fill(8);
            Importer importer(1, kSize);
            line.send(own.descriptor());
            Import &import = importer.import(line.receive());
            for (int round = 0; round < 20; ++round)
                EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
            EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 9).data(), kSize),
                      kSize);
            line.send("done");
            (void)line.wait();
        });
        Exported own(via_, kSize);
        own.region.fill(9);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        peer.line.send(own.descriptor());

        for (int round = 0; round < 20; ++round)
            EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);

        EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 8).data(), kSize), kSize);
        EXPECT_EQ(peer.line.receive(), "done");
    });
}
