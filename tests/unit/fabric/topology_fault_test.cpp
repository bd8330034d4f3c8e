// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Topology files that are refused, or that were made to do harm.

#include "unit/common/in_topology.hpp"

#include "fabric/topology_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <sys/stat.h>

namespace {

using namespace softdoca;
using softdoca::test::TopologyFile;

/// A file, and where and why it is refused.
struct BadFile {
    const char *name;
    const char *text;
    const char *place; ///< "LINE:COLUMN"
    std::vector<const char *> words;
};

void PrintTo(const BadFile &file, std::ostream *out)
{
    *out << file.name;
}

class TopologyFaults : public testing::TestWithParam<BadFile> {};

TEST_P(TopologyFaults, NameThePlaceAndTheReason)
{
    const TopologyResult result = parse_topology(GetParam().text, "bad.toml");

    const auto *const fault = std::get_if<TopologyFault>(&result);
    ASSERT_NE(fault, nullptr);
    const std::string text = fault->text(), place = std::string("bad.toml:") + GetParam().place;
    EXPECT_EQ(text.substr(0, place.size() + 2), place + ": ") << text;
    for (const char *const word : GetParam().words)
        EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Files, TopologyFaults,
    testing::Values(
        BadFile{"Syntax", "[[dpu]]\nname = \n", "2:8", {"value"}},
        BadFile{"SyntaxUnended", "[[dpu]]\n[[host", "2:7", {}},
        BadFile{"KeyTwice", "[[dpu]]\nname = \"a\"\nname = \"b\"\n", "3:8", {"name"}},
        BadFile{"NoNode", "# nothing\n", "1:1", {"[[host]]", "[[dpu]]"}},
        BadFile{"UnknownKey", "[[dpu]]\nnmae = \"x\"\n", "2:1", {"nmae", "did you mean \"name\""}},
        BadFile{"UnknownTable", "[[hots]]\n", "1:3", {"hots", "did you mean \"host\""}},
        BadFile{"UnlikeAnyKey",
                "[[dpu]]\nwhatsoever = 1\n",
                "2:1",
                {"whatsoever", "there are:", "profile"}},
        BadFile{"UnknownLimit",
                "[[dpu]]\ndma = { max_buff_size = 1 }\n",
                "2:9",
                {"max_buff_size", "\"max_buf_size\""}},
        BadFile{"KeyOfTheOtherSide",
                "[[dpu]]\n[[dpu.function]]\nbehind = \"x\"\n",
                "3:1",
                {"behind", "[[dpu.function]]"}},
        BadFile{"TopmostOfSeveral", "[[host]]\nzebra = 1\n[[dpu]]\napple = 1\n", "2:1", {"zebra"}},
        BadFile{"TableForArray", "[dpu]\nname = \"x\"\n", "1:1", {"[[dpu]]"}},
        BadFile{"ArrayOfNumbers", "dpu = [1]\n", "1:8", {"tables"}},
        BadFile{"NumberForText", "[[dpu]]\nname = 1\n", "2:8", {"name", "string"}},
        BadFile{"TextForNumber",
                "[[dpu]]\ndma = { max_num_tasks = \"7\" }\n",
                "2:25",
                {"max_num_tasks", "integer"}},
        BadFile{"NumberForFlag", "[[dpu]]\ndma = { memcpy = 1 }\n", "2:18", {"memcpy", "true"}},
        BadFile{"LimitTooSmall",
                "[[dpu]]\ndma = { max_buf_size = 0 }\n",
                "2:24",
                {"max_buf_size = 0", "1 and 1099511627776"}},
        BadFile{"LimitTooLarge",
                "[[dpu]]\ndma = { max_buf_list_len = 1025 }\n",
                "2:28",
                {"1025", "1 and 1024"}},
        BadFile{"LimitNegative", "[[dpu]]\ncomch = { max_clients = -1 }\n", "2:25", {"-1"}},
        BadFile{"BadPciAddress",
                "[[dpu]]\nfunction = [{ pci = \"03:00\" }]\n",
                "2:21",
                {"\"03:00\"", "DDDD:BB:DD.F"}},
        BadFile{"BadMac",
                "[[dpu]]\nfunction = [{ mac = \"02:5d:0c:a0:00\" }]\n",
                "2:21",
                {"mac", "02:5d:0c:a0:00"}},
        BadFile{"MacOfAGroup",
                "[[dpu]]\nfunction = [{ mac = \"03:5d:0c:a0:00:00\" }]\n",
                "2:21",
                {"mac"}},
        BadFile{"BadIpv4", "[[dpu]]\nfunction = [{ ipv4 = \"1.2.3\" }]\n", "2:22", {"IPv4"}},
        BadFile{"BadIpv6", "[[dpu]]\nfunction = [{ ipv6 = \"fe80\" }]\n", "2:22", {"IPv6"}},
        BadFile{"BadType", "[[dpu]]\nfunction = [{ type = \"XF\" }]\n", "2:22", {"XF", "SF"}},
        BadFile{"BadName", "[[dpu]]\nname = \"a b\"\n", "2:8", {"a b", "letters"}},
        BadFile{"EmptyName", "[[dpu]]\nname = \"\"\n", "2:8", {"letters"}},
        BadFile{"ControlCharacters", "[[dpu]]\nname = \"a\\u001b[31m\\n\"\n", "2:8", {"a?[31m?"}},
        BadFile{"BadProfile",
                "[[dpu]]\nprofile = \"bluefield-9\"\n",
                "2:11",
                {"bluefield-9", "bluefield-2", "bluefield-3"}},
        BadFile{"BadGroup", "[fabric]\ngroup = \"a/b\"\n[[dpu]]\n", "2:9", {"group"}},
        BadFile{"NameTwice",
                "[[dpu]]\nname = \"a\"\n[[host]]\nname = \"a\"\n",
                "4:8",
                {"the node name a", "line 2"}},
        BadFile{"NameOfTheOtherSide", "[[dpu]]\nname = \"Host\"\n", "2:8", {"Host", "side"}},
        BadFile{"UnknownDpu",
                "[[dpu]]\nname = \"a\"\n[[host]]\nbehind = \"b\"\n",
                "4:10",
                {"\"b\"", "a"}},
        BadFile{"UnknownDpuOfAFunction",
                "[[host]]\n[[host.function]]\nbehind = \"b\"\n",
                "3:10",
                {"\"b\"", "[[dpu]]"}},
        BadFile{"WhichDpu",
                "[[dpu]]\nname = \"a\"\n[[dpu]]\nname = \"b\"\n[[host]]\n",
                "5:1",
                {"behind", "a, b"}},
        BadFile{"AddressTwice",
                "[[dpu]]\nfunction = [{ pci = \"03:00.0\" },\n{ pci = \"0000:03:00.0\" }]\n",
                "3:9",
                {"0000:03:00.0", "line 2"}},
        BadFile{"AddressTwiceBehindADpu",
                "[[dpu]]\n[[host]]\nfunction = [{ pci = \"3b:00.0\" }]\n[[host]]\n"
                "function = [{ pci = \"3b:00.0\" }]\n",
                "5:21",
                {"0000:3b:00.0", "line 3"}},
        BadFile{"MacTwice",
                "[[dpu]]\nfunction = [{ mac = \"02:00:00:00:00:01\" }]\n[[host]]\n"
                "function = [{ mac = \"02:00:00:00:00:01\" }]\n",
                "4:21",
                {"02:00:00:00:00:01", "line 2"}},
        BadFile{"VuidTwice",
                "[[dpu]]\nfunction = [{ vuid = \"X\" }, { vuid = \"X\" }]\n",
                "2:38",
                {"vuid", "X"}},
        BadFile{"IfaceTwice",
                "[[dpu]]\nfunction = [{ iface = \"x\" }, { iface = \"x\" }]\n",
                "2:40",
                {"interface", "x"}},
        BadFile{"RepresentorIfaceTwice",
                "[[dpu]]\n[[host]]\nfunction = [{ rep_iface = \"p0\" }]\n",
                "3:27",
                {"interface", "p0"}},
        BadFile{"IbdevTwice",
                "[[dpu]]\nfunction = [{ ibdev = \"x\" }, { ibdev = \"x\" }]\n",
                "2:40",
                {"ibdev", "x"}},
        BadFile{"VhcaIdTwice",
                "[[dpu]]\nfunction = [{ vhca_id = 3 }, { vhca_id = 3 }]\n",
                "2:42",
                {"vhca_id 3"}},
        BadFile{"PfIndexTwice",
                "[[dpu]]\nfunction = [{ pf_index = 1 }, { pf_index = 1 }]\n",
                "2:44",
                {"pf_index 1"}},
        BadFile{"VfWithoutPf", "[[dpu]]\nfunction = [{ type = \"VF\" }]\n", "2:13", {"PF"}},
        BadFile{"VfIndexOfAPf", "[[dpu]]\nfunction = [{ vf_index = 1 }]\n", "2:26", {"VF"}},
        BadFile{"SfNotAtItsPf",
                "[[dpu]]\nfunction = [{}, { type = \"SF\", pci = \"05:00.0\" }]\n",
                "2:38",
                {"0000:03:00.0"}},
        BadFile{"UnknownUplink",
                "[[dpu]]\n[[host]]\nfunction = [{ uplink = \"03:00.7\" }]\n",
                "3:24",
                {"dpu", "0000:03:00.7"}},
        BadFile{"MemcpyOfAPlainCard",
                "[[host]]\nfunction = [{ dma = { memcpy = true } }]\n",
                "2:32",
                {"dma.memcpy", "behind"}}),
    [](const auto &info) { return std::string(info.param.name); });

bool is_refused(const std::string &text)
{
    return std::holds_alternative<TopologyFault>(parse_topology(text, "hostile.toml"));
}

std::string repeated(const std::string &text, std::size_t num)
{
    std::string out;
    for (std::size_t i = 0; i < num; ++i)
        out += text;
    return out;
}

TEST(TopologyHostile, DeepNestingIsRefused)
{
    EXPECT_TRUE(is_refused("a = " + repeated("[", 500'000)));
    EXPECT_TRUE(is_refused("a = " + repeated("{a=", 300'000)));
    EXPECT_TRUE(is_refused(repeated("a.", 500'000) + "a = 1"));
    EXPECT_TRUE(is_refused("[" + repeated("a.", 500'000) + "a]"));
    EXPECT_TRUE(is_refused("#" + std::string(R"(" = 1)") + "\na = { b = \"\"\"\n#\"\"\", " +
                           repeated("a.", 400'000) + "a = 1 }"));
    EXPECT_TRUE(is_refused("\"#\"." + repeated("a . ", 250'000) + "a = 1"));
}

TEST(TopologyHostile, DotsOfCommentsDoNotMatter)
{
    EXPECT_FALSE(is_refused("#" + repeated(".", 1000) + "\n[[dpu]]\n"));
}

TEST(TopologyHostile, ManyOfEverythingIsRefusedSoon)
{
    const auto begin = std::chrono::steady_clock::now();

    EXPECT_TRUE(is_refused(repeated("[[dpu]]\n", 100'000)));
    EXPECT_TRUE(is_refused("[[host]]\n" + repeated("[[host.function]]\n", 50'000)));
    EXPECT_TRUE(is_refused("[[dpu]]\nfunction = [" + repeated("{},", 300'000) + "]\n"));
    EXPECT_TRUE(is_refused("[[dpu]]\n" + std::string(500'000, 'a') + " = 1\n"));
    EXPECT_TRUE(is_refused("[[dpu]]\nname = \"" + std::string(500'000, 'a') + "\"\n"));
    EXPECT_TRUE(is_refused(std::string(kMaxTopologyFileSize + 1, '#')));

    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(TopologyHostile, AsManyAsThereMayBe)
{
    std::string text;
    for (int i = 0; i < 32; ++i)
        text += "[[dpu]]\n[[host]]\nbehind = \"dpu\"\n";
    EXPECT_FALSE(is_refused(text));
    EXPECT_TRUE(is_refused(text + "[[host]]\nbehind = \"dpu\"\n"));

    const std::string functions = "[[dpu]]\n[[host]]\n[[host.function]]\n" +
                                  repeated("[[host.function]]\ntype = \"VF\"\n", 127);
    EXPECT_FALSE(is_refused(functions));
    EXPECT_TRUE(is_refused(functions + "[[host.function]]\n"));
}

TEST(TopologyHostile, BytesThatAreNoTextAreRefused)
{
    EXPECT_TRUE(is_refused(std::string("[[dpu]]\n\0", 9)));
    EXPECT_TRUE(is_refused("[[dpu]]\nname = \"\xff\xfe\"\n"));
    EXPECT_TRUE(is_refused(std::string(4096, '\0')));
    EXPECT_TRUE(is_refused("[[d\uFEB7pu]]\n"));
    EXPECT_TRUE(is_refused("[[dpu]]\nna\x80me = \"x\"\n"));
}

TEST(TopologyHostile, OtherAlphabetsAreWelcomeInComments)
{
    EXPECT_FALSE(is_refused("\xef\xbb\xbf# \u00fcber \uFEB7 \U0001F600\n[[dpu]] # \u6f22\n"));
}

/// Whatever is cut off or changed in a file: an answer, and a fault with a place in the file.
TEST(TopologyHostile, DamagedFilesGiveAnAnswer)
{
    const std::string text = "[fabric]\ngroup = \"g\"\n[[dpu]]\nname = \"d\"\nprofile = "
                             "\"bluefield-2\"\ndma = { max_buf_size = 4096 }\n[[host]]\n"
                             "[[host.function]]\npci = \"3b:00.0\"\nmac = \"02:00:00:00:00:01\"\n";
    std::mt19937 random(20260); // the same damage each time
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = text.substr(0, random() % (text.size() + 1));
        for (unsigned j = 0; j < random() % 4 && !damaged.empty(); ++j)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const TopologyResult result = parse_topology(damaged, "damaged.toml");
        const auto *const fault = std::get_if<TopologyFault>(&result);
        if (fault == nullptr)
            continue;
        EXPECT_GE(fault->place.line, 1u) << damaged;
        EXPECT_FALSE(fault->reason.empty()) << damaged;
    }
}

std::string fault_of(const std::string &path)
{
    const TopologyResult result = read_topology(path);
    const auto *const fault = std::get_if<TopologyFault>(&result);
    return fault == nullptr ? "" : fault->text();
}

TEST(TopologyHostile, WhatIsNoFileOfTextIsNotRead)
{
    const std::string fifo = testing::TempDir() + "topology-fifo-" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);

    EXPECT_NE(fault_of("/nowhere/at/all").find("No such file"), std::string::npos);
    EXPECT_NE(fault_of("").find("No such file"), std::string::npos);
    for (const std::string &path : {std::string("/"), std::string("/dev/zero"), fifo})
        EXPECT_EQ(fault_of(path), path + ": is not a regular file");

    ::unlink(fifo.c_str());
}

TEST(TopologyHostile, FileThatIsTooLongIsRefused)
{
    const std::string comment = "[[dpu]]\n" + std::string(kMaxTopologyFileSize - 8, '#');
    const TopologyFile longest(comment), too_long(comment + "#");

    EXPECT_EQ(fault_of(longest.path()), "");
    EXPECT_NE(fault_of(too_long.path()).find("1 MiB"), std::string::npos);
}

} // namespace
