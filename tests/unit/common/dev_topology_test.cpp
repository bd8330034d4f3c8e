// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What the device calls answer comes from the topology.

#include "support/handles.hpp"
#include "support/role_program.hpp"
#include "support/sdk_log.hpp"
#include "unit/common/in_topology.hpp"

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

using namespace softdoca::test;

/// A host with one function of each kind, in an order that the list does not keep.
constexpr const char *kFunctions = R"(
[[dpu]]
[[dpu.function]]
pci = "03:00.0"
[[dpu.function]]
pci = "05:00.0"
[[dpu.function]]
type = "SF"
sf_index = 9

[[host]]
[[host.function]]
pci = "5e:00.0"
behind = ""
[[host.function]]
pci = "0001:3b:00.0"
iface = "lan0"
ibdev = "mlx5_7"
mac = "02:00:00:00:00:01"
ipv4 = "192.168.100.1"
ipv6 = "2001:db8::1"
vuid = "MYCARD"
vhca_id = 77
rate_gbps = 25
[[host.function]]
type = "VF"
vf_index = 3
rep_iface = "myvf"
dma = { max_buf_size = 1000, max_buf_list_len = 3, max_num_tasks = 7 }
[[host.function]]
type = "SF"
sf_index = 4
)";

template <std::size_t kSize>
using Bytes = std::array<std::uint8_t, kSize>;

template <typename Value, doca_error_t (*Query)(const doca_devinfo *, Value *)>
Value answer(const doca_devinfo *info)
{
    Value value{};
    must(Query(info, &value));
    return value;
}

TEST(DocaDevinfo, IdentifiersComeFromTheTopology)
{
    in_topology(kFunctions, "host", [] {
        const DevinfoList list;
        const doca_devinfo *const info = list[0];
        char text[DOCA_DEVINFO_IFACE_NAME_SIZE] = {};
        Bytes<4> ipv4{};
        Bytes<16> ipv6{};
        Bytes<6> mac{};

        EXPECT_EQ(pci_addr_of(info), "0001:3b:00.0");
        must(doca_devinfo_get_iface_name(info, text, sizeof text));
        EXPECT_STREQ(text, "lan0");
        must(doca_devinfo_get_ibdev_name(info, text, sizeof text));
        EXPECT_STREQ(text, "mlx5_7");
        EXPECT_EQ(doca_devinfo_get_ipv4_addr(info, ipv4.data(), ipv4.size()), DOCA_SUCCESS);
        EXPECT_EQ(ipv4, (Bytes<4>{192, 168, 100, 1}));
        must(doca_devinfo_get_ipv6_addr(info, ipv6.data(), ipv6.size()));
        EXPECT_EQ(ipv6, (Bytes<16>{0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
        must(doca_devinfo_get_mac_addr(info, mac.data(), mac.size()));
        EXPECT_EQ(mac, (Bytes<6>{2, 0, 0, 0, 0, 1}));
        EXPECT_EQ((answer<std::uint16_t, doca_devinfo_get_vhca_id>(info)), 77);
        EXPECT_EQ((answer<std::uint64_t, doca_devinfo_get_active_rate>(info)), 25'000'000'000u);
    });
}

TEST(DocaDevinfo, AddressThatTheTopologyDoesNotGiveIsNotFound)
{
    in_topology(kFunctions, "host", [] {
        Bytes<4> ipv4{9, 9, 9, 9};

        EXPECT_EQ(doca_devinfo_get_ipv4_addr(DevinfoList()[1], ipv4.data(), ipv4.size()),
                  DOCA_ERROR_NOT_FOUND);

        EXPECT_EQ(ipv4, (Bytes<4>{9, 9, 9, 9}));
    });
}

TEST(DocaDevinfo, UsableDevicesStandFirst)
{
    in_topology(kFunctions, "host", [] {
        const DevinfoList list;
        ASSERT_EQ(list.size(), 4u);

        EXPECT_EQ(pci_addr_of(list[3]), "0000:5e:00.0");
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(list[i]), DOCA_SUCCESS) << i;
        EXPECT_EQ(doca_dma_cap_task_memcpy_is_supported(list[3]), DOCA_ERROR_NOT_SUPPORTED);
    });
}

TEST(DocaDevinfo, KindsOfFunctionsAreTold)
{
    in_topology(kFunctions, "host", [] {
        const DevinfoList list;
        const doca_pci_func_type kinds[] = {DOCA_PCI_FUNC_TYPE_PF, DOCA_PCI_FUNC_TYPE_VF,
                                            DOCA_PCI_FUNC_TYPE_SF, DOCA_PCI_FUNC_TYPE_PF};
        std::uint32_t sf_index = 99;

        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ((answer<doca_pci_func_type, doca_devinfo_get_pci_func_type>(list[i])),
                      kinds[i]);
        EXPECT_EQ(doca_devinfo_get_sf_index(list[2], &sf_index), DOCA_SUCCESS);
        EXPECT_EQ(sf_index, 4u);
        EXPECT_EQ(doca_devinfo_get_sf_index(list[1], &sf_index), DOCA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(sf_index, 4u);
        EXPECT_EQ(pci_addr_of(list[2]), pci_addr_of(list[0])) << "an SF is found by its PF";
    });
}

TEST(DocaDevinfo, LimitsComeFromTheTopology)
{
    in_topology(kFunctions, "host", [] {
        const DevinfoList list;
        const Device device(pci_addr_of(list[1]).c_str());
        Handle<doca_dma, doca_dma_destroy> dma;
        must(doca_dma_create(device, dma.out()));
        std::uint32_t max_num_tasks = 0;

        EXPECT_EQ((answer<std::uint64_t, doca_dma_cap_task_memcpy_get_max_buf_size>(list[1])),
                  1000u);
        EXPECT_EQ((answer<std::uint32_t, doca_dma_cap_task_memcpy_get_max_buf_list_len>(list[1])),
                  3u);
        EXPECT_EQ(doca_dma_cap_get_max_num_tasks(dma, &max_num_tasks), DOCA_SUCCESS);
        EXPECT_EQ(max_num_tasks, 7u);
        EXPECT_EQ((answer<std::uint64_t, doca_dma_cap_task_memcpy_get_max_buf_size>(list[0])),
                  2'097'152u);
    });
}

/// "ADDRESS IFACE KIND HOTPLUG" of each representor.
std::vector<std::string> representors_of(doca_dev *dev)
{
    doca_devinfo_rep **list = nullptr;
    std::uint32_t num = 0;
    must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < num; ++i) {
        char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {};
        char iface[DOCA_DEVINFO_IFACE_NAME_SIZE] = {};
        doca_pci_func_type type{};
        std::uint8_t is_hotplug = 9;
        must(doca_devinfo_rep_get_pci_addr_str(list[i], address));
        must(doca_devinfo_rep_get_iface_name(list[i], iface, sizeof iface));
        must(doca_devinfo_rep_get_pci_func_type(list[i], &type));
        must(doca_devinfo_rep_get_is_hotplug(list[i], &is_hotplug));
        out.push_back(std::string(address) + " " + iface + " " + std::to_string(type) + " " +
                      std::to_string(is_hotplug));
    }
    must(doca_devinfo_rep_destroy_list(list));
    return out;
}

TEST(DocaTopologyRepresentors, EachUplinkListsTheHostFunctionsBehindIt)
{
    in_topology(kFunctions, "dpu", [] {
        const Device first("03:00.0"), second("05:00.0");

        EXPECT_EQ(representors_of(first),
                  (std::vector<std::string>{"0001:3b:00.0 pf0hpf 0 0", "0001:3b:00.2 myvf 1 0",
                                            "0001:3b:00.0 pf0sf4 2 0"}));
        EXPECT_EQ(representors_of(second), std::vector<std::string>());
    });
}

TEST(DocaTopologyRepresentors, SubFunctionOfTheDpuHasNoRepresentors)
{
    in_topology(kFunctions, "dpu", [] {
        const DevinfoList list;
        ASSERT_EQ(list.size(), 3u);
        Handle<doca_dev, doca_dev_close> sf;
        must(doca_dev_open(list[2], sf.out()));
        doca_devinfo_rep **reps = nullptr;
        std::uint32_t num = 0;
        std::uint8_t has_net = 9;

        EXPECT_EQ(doca_devinfo_rep_create_list(sf, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num),
                  DOCA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(doca_devinfo_rep_cap_is_filter_net_supported(list[2], &has_net), DOCA_SUCCESS);
        EXPECT_EQ(has_net, 0);
    });
}

TEST(DocaDma, ContextOnAPlainNetworkCardDoesNotStart)
{
    in_topology(kFunctions, "host", [] {
        const SdkLog log;
        const Device device("5e:00.0");
        const Pe pe;
        Handle<doca_dma, doca_dma_destroy> dma;
        must(doca_dma_create(device, dma.out()));
        const auto ignore = [](doca_dma_task_memcpy *, doca_data, doca_data) {};
        must(doca_dma_task_memcpy_set_conf(dma, ignore, ignore, 1));
        must(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));

        EXPECT_EQ(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_ERROR_NOT_SUPPORTED);

        EXPECT_EQ(log.count({"[ERR]", "0000:5e:00.0", "memcpy_is_supported"}), 1);
    });
}

TEST(DocaDevinfo, BadTopologyFileLeavesNoDevicesAndIsExplainedOnce)
{
    in_topology("[[dpu]]\nnmae = \"x\"\n", "host", [] {
        const SdkLog log;
        doca_devinfo **list = nullptr;
        std::uint32_t num = 77;

        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(doca_devinfo_create_list(&list, &num), DOCA_ERROR_NOT_FOUND);

        EXPECT_EQ(list, nullptr);
        EXPECT_EQ(num, 77u);
        EXPECT_EQ(log.count({"[ERR]", "SOFTDOCA_TOPOLOGY", ":2:1: ", "nmae", "\"name\""}), 1);
        EXPECT_EQ(log.count({"[ERR]"}), 1) << testing::PrintToString(log.lines());
        EXPECT_EQ(log.count({"[WRN]"}), 0) << testing::PrintToString(log.lines());
    });
}

/// A log backend is the program's own code, and may ask for devices while it is told of them.
doca_error_t ask_for_devices()
{
    doca_devinfo **list = nullptr;
    std::uint32_t num = 0;
    return doca_devinfo_create_list(&list, &num);
}

TEST(DocaDevinfo, LogBackendMayAskForDevicesWhileTheFileIsRefused)
{
    in_topology("[[dpu]]\nnmae = \"x\"\n", "host", [] {
        static int num_lines = 0;
        static std::array<char, 4096> buf;
        doca_log_backend *backend = nullptr;
        must(doca_log_backend_create_with_buf_sdk(
            buf.data(), buf.size(),
            [](char *) {
                ++num_lines;
                EXPECT_EQ(ask_for_devices(), DOCA_ERROR_NOT_FOUND);
            },
            &backend));

        EXPECT_EQ(ask_for_devices(), DOCA_ERROR_NOT_FOUND);

        EXPECT_EQ(num_lines, 1);
    });
}

TEST(DocaDevinfo, TopologyFileThatIsNotThereLeavesNoDevices)
{
    ::setenv("SOFTDOCA_TOPOLOGY", "/nowhere/topology.toml", 1);
    in_role("dpu", [] {
        const SdkLog log;
        doca_devinfo **list = nullptr;
        std::uint32_t num = 0;

        EXPECT_EQ(doca_devinfo_create_list(&list, &num), DOCA_ERROR_NOT_FOUND);

        EXPECT_EQ(log.count({"[ERR]", "/nowhere/topology.toml", "No such file"}), 1);
    });
    ::unsetenv("SOFTDOCA_TOPOLOGY");
}

TEST(DocaDevinfo, EmptyVariableMeansTheBuiltInWorld)
{
    ::setenv("SOFTDOCA_TOPOLOGY", "", 1);
    in_role("dpu", [] { EXPECT_EQ(pci_addr_of(DevinfoList()[0]), "0000:03:00.0"); });
    ::unsetenv("SOFTDOCA_TOPOLOGY");
}

constexpr const char *kTwoHosts = R"(
[[dpu]]
name = "card"
[[host]]
name = "left"
[[host]]
name = "right"
)";

TEST(DocaDevinfo, RoleMayBeTheNameOfANode)
{
    in_topology(kTwoHosts, "left", [] {
        EXPECT_NE(DevinfoList().find("3b:00.0"), nullptr);
        EXPECT_EQ(DevinfoList().find("3c:00.0"), nullptr);
    });
    in_topology(kTwoHosts, "right", [] {
        EXPECT_EQ(DevinfoList().find("3b:00.0"), nullptr);
        EXPECT_NE(DevinfoList().find("3c:00.0"), nullptr);
    });
    in_topology(kTwoHosts, "host", [] { EXPECT_NE(DevinfoList().find("3b:00.0"), nullptr); });
    in_topology(kTwoHosts, "dpu", [] { EXPECT_NE(DevinfoList().find("03:00.0"), nullptr); });
}

TEST(DocaDevinfo, SideThatTheTopologyLacksIsExplained)
{
    const TopologyFile file("[[host]]\nname = \"alone\"\n");
    const Ended ended = run_role_probe("dpu", {{"SOFTDOCA_TOPOLOGY", file.path()}});
    if (ended.status == kCannotRun)
        GTEST_SKIP() << "this machine cannot run the programs that it emulates by name";

    EXPECT_EQ(ended.out, "DOCA_ERROR_NOT_FOUND\n");
    for (const char *word : {"[ERR]", "DPU", "SOFTDOCA_ROLE", "alone"})
        EXPECT_NE(ended.err.find(word), std::string::npos) << word << " in " << ended.err;
}

TEST(DocaDevinfo, BadTopologyFileIsOneLineOnStderr)
{
    const TopologyFile file("[[dpu]]\n[[dpu]]\nname = \"dpu\"\n");
    const Ended ended = run_role_probe("host", {{"SOFTDOCA_TOPOLOGY", file.path()}});
    if (ended.status == kCannotRun)
        GTEST_SKIP() << "this machine cannot run the programs that it emulates by name";

    EXPECT_EQ(ended.out, "DOCA_ERROR_NOT_FOUND\n");
    EXPECT_NE(ended.err.find(file.path() + ":3:8: "), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

} // namespace
