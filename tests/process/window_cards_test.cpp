// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Two hosts with a DPU each, in one fabric: memory crosses within a card and not between cards.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = std::size_t{4} << 20;
constexpr std::size_t kTask = 1 << 20;

class WindowCards : public testing::TestWithParam<Via> {
protected:
    /// In the world of two hosts and two DPUs.
    void on_two_by_two(const std::function<void()> &body)
    {
        on_stage(GetParam(), [&] {
            ::setenv("SOFTDOCA_TOPOLOGY", TOPOLOGIES_DIR "/two-by-two.toml", 1);
            body();
        });
    }
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowCards, testing::ValuesIn(kEachRoute), name_of_route);

/// Exports memory with a pattern and checks another at the end.
Process::Body exporter(Via via, unsigned seed_before, unsigned seed_after)
{
    return [=](Line &line) {
        Exported own(via, kSize);
        own.region.fill(seed_before);
        line.send(own.descriptor());
        (void)line.wait();
        own.region.expect_pattern(seed_after);
    };
}

/// Reads a pattern and writes another, whole regions at a time, again and again.
Process::Body importer(unsigned seed_before, unsigned seed_after)
{
    return [=](Line &line) {
        Importer own(4, kSize);
        Import &import = own.import(line.receive());
        const std::vector<std::byte> before = pattern(kSize, seed_before);
        const std::vector<std::byte> after = pattern(kSize, seed_after);
        for (int round = 0; round < 5; ++round)
            for (const std::vector<std::byte> &bytes : {after, before, after}) {
                std::memcpy(own.area.data(), bytes.data(), kSize);
                for (std::size_t offset = 0; offset < kSize; offset += kTask)
                    EXPECT_EQ(own.write(import, offset, kTask), DOCA_SUCCESS);
                std::memset(own.area.data(), 0, kSize);
                for (std::size_t offset = 0; offset < kSize; offset += kTask)
                    EXPECT_EQ(own.read(import, offset, kTask), DOCA_SUCCESS);
                EXPECT_EQ(first_difference(own.area.data(), bytes.data(), kSize), kSize);
            }
        line.send("done");
        (void)line.wait();
    };
}

} // namespace

TEST_P(WindowCards, TwoPairsAtOnceEachInBothDirections)
{
    on_two_by_two([via = GetParam()] {
        std::deque<Process> exporters, importers;
        unsigned seed = 1;
        for (const std::string card : {"a", "b"})
            for (const bool is_from_host : {true, false}) {
                const std::string host = "host-" + card, dpu = "dpu-" + card;
                exporters.emplace_back(is_from_host ? host : dpu, exporter(via, seed, seed + 1));
                importers.emplace_back(is_from_host ? dpu : host, importer(seed, seed + 1));
                seed += 2;
            }

        for (std::size_t i = 0; i < importers.size(); ++i)
            importers[i].line.send(exporters[i].line.receive());

        for (std::size_t i = 0; i < importers.size(); ++i) {
            EXPECT_EQ(importers[i].line.receive(), "done");
            exporters[i].line.send("compare");
        }
    });
}

TEST_P(WindowCards, AnotherCardIsNotPermitted)
{
    on_two_by_two([via = GetParam()] {
        Process host_a("host-a", exporter(via, 1, 1)), dpu_b("dpu-b", exporter(via, 1, 1));
        const std::string of_host_a = host_a.line.receive(), of_dpu_b = dpu_b.line.receive();
        const auto expect_refusal = [&](const char *role, const std::string &descriptor) {
            Process(role, [&](Line &) {
                const Device device;
                EXPECT_EQ(import_code(device, descriptor), DOCA_ERROR_NOT_PERMITTED);
            }).join();
        };

        expect_refusal("dpu-b", of_host_a);
        expect_refusal("host-a", of_dpu_b);
        expect_refusal("host-b", of_host_a); // two hosts
        expect_refusal("dpu-a", of_dpu_b);   // two DPUs
    });
}
