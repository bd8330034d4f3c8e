// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Worlds that topology files describe, and what is left to defaults.

#include "support/program.hpp"
#include "unit/common/in_topology.hpp"

#include "fabric/topology_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

// SOFTDOCA_TOOL, the tool, and DOCS_DIR, where docs/ is, come from the build.
namespace {

using namespace softdoca;
using softdoca::test::Ended;
using softdoca::test::kCannotRun;
using softdoca::test::run_program;
using softdoca::test::TopologyFile;

/// The world of a file that must be good.
Topology world_of(std::string_view text)
{
    const TopologyResult result = parse_topology(text, "test.toml");
    if (const auto *const fault = std::get_if<TopologyFault>(&result)) {
        ADD_FAILURE() << fault->text();
        return {};
    }
    return std::get<Topology>(result);
}

std::string pci_of(const Device &device)
{
    return device.function.pci.text().data();
}

std::vector<std::string> pcis_of(const Node &node)
{
    std::vector<std::string> out;
    for (const Device &device : node.devices)
        out.push_back(pci_of(device));
    return out;
}

std::string content_of(const std::filesystem::path &path)
{
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

using Texts = std::vector<std::string>;

TEST(Topology, BuiltInWorldIsAHostAndADpuOnOneCard)
{
    const Topology world = built_in_topology();

    ASSERT_EQ(world.nodes.size(), 2u);
    const Node &host = world.nodes[0], &dpu = world.nodes[1];
    EXPECT_EQ(host.name, "host");
    EXPECT_EQ(dpu.name, "dpu");
    EXPECT_EQ(dpu.profile, "bluefield-3");
    EXPECT_EQ(pcis_of(host), (Texts{"0000:3b:00.0", "0000:3b:00.1"}));
    EXPECT_EQ(pcis_of(dpu), (Texts{"0000:03:00.0", "0000:03:00.1"}));
    for (std::size_t port = 0; port < 2; ++port) {
        const Function &on_host = host.devices[port].function;
        const Function &on_dpu = dpu.devices[port].function;
        ASSERT_EQ(dpu.devices[port].representors.size(), 1u);
        const Function &representor = dpu.devices[port].representors[0];
        const std::string number = std::to_string(port);
        EXPECT_EQ(on_host.card, "dpu");
        EXPECT_EQ(on_dpu.card, "dpu");
        EXPECT_EQ(on_host.iface_name, "ens1f" + number + "np" + number);
        EXPECT_EQ(on_dpu.iface_name, "p" + number);
        EXPECT_EQ(on_host.ibdev_name, "mlx5_" + number);
        EXPECT_EQ(on_dpu.ibdev_name, "mlx5_" + number);
        EXPECT_EQ(on_host.vuid, "SOFTDOCA0001MLNXS0D0F" + number);
        EXPECT_EQ(on_dpu.vuid, "SOFTDOCA0001ECMLNXS0D0F" + number);
        EXPECT_EQ(on_host.vhca_id, port);
        EXPECT_EQ(on_dpu.vhca_id, port + 2);
        EXPECT_EQ(on_host.active_rate, 200'000'000'000u);
        EXPECT_EQ(on_dpu.active_rate, 200'000'000'000u);
        EXPECT_FALSE(on_host.ipv4 || on_dpu.ipv4);
        EXPECT_EQ(representor.pci, on_host.pci);
        EXPECT_EQ(representor.mac, on_host.mac);
        EXPECT_EQ(representor.iface_name, "pf" + number + "hpf");
        EXPECT_EQ(representor.iface_index, 12 + port);
        EXPECT_EQ(representor.pf_index, port);
    }
}

TEST(Topology, EverythingHasDefaults)
{
    EXPECT_EQ(world_of("[[dpu]]\n[[host]]\n"), built_in_topology());
    EXPECT_EQ(world_of("[[host]]\n[[dpu]]\n"), built_in_topology());
}

TEST(Topology, IdentifiersAreUniqueInAWorldOfAllDefaults)
{
    std::string text;
    for (int i = 0; i < 8; ++i) {
        const std::string number = std::to_string(i);
        text += "[[dpu]]\nname = \"d" + number + "\"\n[[host]]\nname = \"h" + number +
                "\"\nfunction = [{}, {}, { type = \"VF\" }, { type = \"VF\", pf_index = 1 }, "
                "{ type = \"SF\" }, { type = \"SF\" }, { behind = \"\" }]\nbehind = \"d0\"\n";
    }
    const Topology world = world_of(text);

    std::set<std::string> vuids, ifaces;
    std::set<MacAddress> macs;
    std::size_t num = 0;
    for (const Node &node : world.nodes)
        for (const Device &device : node.devices) {
            ++num;
            vuids.insert(device.function.vuid);
            macs.insert(device.function.mac);
            ifaces.insert(node.name + " " + device.function.iface_name);
        }
    EXPECT_EQ(num, 8u * 7 + 8 * 2);
    EXPECT_EQ(vuids.size(), num);
    EXPECT_EQ(macs.size(), num);
    EXPECT_EQ(ifaces.size(), num);
    EXPECT_EQ(world.find("d0")->devices[0].representors.size(), 8u * 4);
    EXPECT_EQ(world.find("d0")->devices[1].representors.size(), 8u * 2);
    EXPECT_EQ(world, world_of(text)) << "the same file gives the same world";
}

TEST(Topology, TwoHostsWithADpuEach)
{
    const Topology world = world_of(content_of(DOCS_DIR "/topologies/two-by-two.toml"));

    ASSERT_EQ(world.nodes.size(), 4u);
    for (const char *const letter : {"a", "b"}) {
        const Node &host = *world.find(std::string("host-") + letter);
        const Node &dpu = *world.find(std::string("dpu-") + letter);
        EXPECT_EQ(pcis_of(host), (Texts{"0000:3b:00.0", "0000:3b:00.1"}));
        EXPECT_EQ(pcis_of(dpu), (Texts{"0000:03:00.0", "0000:03:00.1"}));
        EXPECT_EQ(host.devices[0].function.card, dpu.name);
        EXPECT_EQ(dpu.devices[1].representors.at(0).vuid, host.devices[1].function.vuid);
    }
    EXPECT_EQ(world.find("host-a")->devices[0].function.active_rate, 200'000'000'000u);
    EXPECT_EQ(world.find("host-b")->devices[0].function.active_rate, 100'000'000'000u)
        << "a bluefield-2";
}

TEST(Topology, HostsBehindOneDpuHaveAddressesOfTheirOwn)
{
    const Topology world = world_of("[[dpu]]\n[[host]]\n[[host]]\n");

    EXPECT_EQ(pcis_of(*world.find("host")), (Texts{"0000:3b:00.0", "0000:3b:00.1"}));
    EXPECT_EQ(pcis_of(*world.find("host1")), (Texts{"0000:3c:00.0", "0000:3c:00.1"}));
    const std::vector<Function> &seen = world.find("dpu")->devices[0].representors;
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].host_index, 0u);
    EXPECT_EQ(seen[1].host_index, 1u);
    EXPECT_EQ(seen[1].iface_name, "c1pf0hpf");
}

TEST(Topology, ChosenAddressesKeepClearOfGivenOnes)
{
    const Topology world = world_of("[[dpu]]\n[[host]]\n"
                                    "function = [{ pci = \"5e:00.0\" }, {}, { type = \"VF\" }, "
                                    "{ type = \"VF\", pci = \"5e:00.2\" }]\n");

    EXPECT_EQ(pcis_of(world.nodes[0]),
              (Texts{"0000:5e:00.0", "0000:5e:00.1", "0000:5e:00.3", "0000:5e:00.2"}));
}

TEST(Topology, UplinkMayBeChosen)
{
    const Topology world = world_of("[[dpu]]\n[[host]]\n[[host.function]]\nuplink = \"03:00.1\"\n");

    EXPECT_EQ(world.find("dpu")->devices[0].representors.size(), 0u);
    EXPECT_EQ(world.find("dpu")->devices[1].representors.size(), 1u);
}

TEST(Topology, LimitsOfTheFunctionComeBeforeThoseOfItsNodeAndCard)
{
    const Topology world =
        world_of("[[dpu]]\ndma = { max_buf_size = 1, max_buf_list_len = 1, max_num_tasks = 1 }\n"
                 "[[host]]\ndma = { max_buf_size = 2, max_buf_list_len = 2 }\n"
                 "function = [{ dma = { max_buf_size = 3 } }, {}]\n");

    const std::vector<Device> &devices = world.nodes[0].devices;
    EXPECT_EQ(devices[0].function.dma, (DmaLimits{true, 3, 2, 1}));
    EXPECT_EQ(devices[1].function.dma, (DmaLimits{true, 2, 2, 1}));
    EXPECT_EQ(world.nodes[1].devices[0].function.dma, (DmaLimits{true, 1, 1, 1}));
    EXPECT_EQ(world.nodes[1].devices[0].representors.at(0).dma, devices[0].function.dma);
}

TEST(Topology, LimitsOfComchAreKept)
{
    const Topology world = world_of(
        "[[dpu]]\n[[host]]\n[[host.function]]\n"
        "comch = { supported = false, max_msg_size = 64, max_name_len = 8, max_recv_queue_size = "
        "3, max_send_tasks = 4, max_clients = 5, max_imm_data_len = 0 }\n"
        "comch_consumer = { max_num = 1, max_num_tasks = 2, max_buf_size = 3, max_buf_list_len = "
        "4 }\ncomch_producer = { max_num = 5, max_num_tasks = 6, max_buf_size = 7, "
        "max_buf_list_len = 8 }\n");

    const Function &function = world.nodes[0].devices[0].function;
    EXPECT_EQ(function.comch, (ComchLimits{false, 64, 8, 3, 4, 5, 0}));
    EXPECT_EQ(function.comch_consumer, (ComchEndLimits{1, 2, 3, 4}));
    EXPECT_EQ(function.comch_producer, (ComchEndLimits{5, 6, 7, 8}));
}

TEST(Topology, GroupOfTheFabric)
{
    EXPECT_EQ(built_in_topology().group, "");
    EXPECT_EQ(world_of("[fabric]\ngroup = \"doca\"\n[[dpu]]\n").group, "doca");
}

TEST(Topology, PlainNetworkCardIsBehindNoDpu)
{
    const Topology world = world_of("[[host]]\nname = \"alone\"\n");

    const Function &function = world.nodes[0].devices.at(0).function;
    EXPECT_EQ(function.card, "");
    EXPECT_FALSE(function.dma.has_memcpy);
    EXPECT_FALSE(function.comch.is_supported);
}

/// The examples that are installed, and those that the page shows.
std::vector<std::string> examples()
{
    std::vector<std::string> out;
    for (const auto &entry : std::filesystem::directory_iterator(DOCS_DIR "/topologies"))
        out.push_back(content_of(entry.path()));
    const std::string page = content_of(DOCS_DIR "/topology.md"), fence = "```";
    std::size_t at = 0;
    while ((at = page.find(fence + "toml\n", at)) != std::string::npos) {
        at = page.find('\n', at) + 1;
        const std::size_t end = page.find(fence, at);
        out.push_back(page.substr(at, end - at));
        at = end;
    }
    return out;
}

TEST(Topology, ExamplesOfTheDocumentsAreGood)
{
    const std::vector<std::string> texts = examples();

    EXPECT_GE(texts.size(), 8u);
    for (const std::string &text : texts)
        EXPECT_FALSE(world_of(text).nodes.empty()) << text;
    EXPECT_EQ(world_of(content_of(DOCS_DIR "/topologies/built-in.toml")), built_in_topology());
}

/// softdoca topology ARGUMENTS...
Ended run_tool(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "topology");
    return run_program(SOFTDOCA_TOOL, {{"SOFTDOCA_TOPOLOGY", std::nullopt}}, arguments);
}

class TopologyTool : public testing::Test {
protected:
    void SetUp() override
    {
        if (run_tool({"--help"}).status == kCannotRun)
            GTEST_SKIP() << "this machine cannot run the programs that it emulates by name";
    }
};

TEST_F(TopologyTool, WhatIsShownAsTomlDescribesTheSameWorld)
{
    for (const std::string &text : examples()) {
        const TopologyFile file(text);

        const Ended shown = run_tool({"show", "--toml", file.path()});

        EXPECT_EQ(shown.status, 0) << shown.err;
        EXPECT_EQ(world_of(shown.out), world_of(text)) << shown.out;
    }
    EXPECT_EQ(world_of(run_tool({"show", "--toml"}).out), built_in_topology());
}

TEST_F(TopologyTool, TreeNamesNodesFunctionsAndLimits)
{
    const Ended shown = run_tool({"show"});

    EXPECT_EQ(shown.status, 0);
    for (const char *word : {"host host", "DPU dpu", "bluefield-3", "0000:3b:00.1", "0000:03:00.0",
                             "pf0hpf", "max_buf_size = 2097152", "max_msg_size = 4080"})
        EXPECT_NE(shown.out.find(word), std::string::npos) << word << " in " << shown.out;
}

TEST_F(TopologyTool, ShowsTheWorldOfTheEnvironment)
{
    const TopologyFile file("[[host]]\nname = \"alone\"\n"), bad("[[hots]]\n");

    const Ended good =
        run_program(SOFTDOCA_TOOL, {{"SOFTDOCA_TOPOLOGY", file.path()}}, {"topology", "show"});
    const Ended refused =
        run_program(SOFTDOCA_TOOL, {{"SOFTDOCA_TOPOLOGY", bad.path()}}, {"topology", "show"});

    EXPECT_NE(good.out.find("host alone"), std::string::npos) << good.out;
    EXPECT_EQ(refused.status, 1);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find(bad.path() + ":1:"), std::string::npos) << refused.err;
}

TEST_F(TopologyTool, CheckSaysGoodOrWhatIsWrong)
{
    const TopologyFile good("[[dpu]]\n[[host]]\n"), bad("[[dpu]]\nprofile = \"bluefield-9\"\n");

    const Ended praised = run_tool({"check", good.path()});
    const Ended blamed = run_tool({"check", bad.path()});

    EXPECT_EQ(praised.status, 0);
    EXPECT_EQ(praised.out, good.path() + ": good: 1 host, 1 DPU, 4 functions, 2 representors\n");
    EXPECT_EQ(praised.err, "");
    EXPECT_EQ(blamed.status, 1);
    EXPECT_EQ(blamed.out, "");
    EXPECT_NE(blamed.err.find(bad.path() + ":2:11: "), std::string::npos) << blamed.err;
    EXPECT_EQ(run_tool({"check"}).status, 2);
    EXPECT_EQ(run_tool({}).status, 2);
}

} // namespace
