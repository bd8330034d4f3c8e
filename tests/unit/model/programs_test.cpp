// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Whole programs in C. MODEL_PROGRAM_DIR, where they are, comes from the build.

#include "support/handles.hpp"
#include "support/program.hpp"

#include <doca_error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace {

using softdoca::test::Ended;
using softdoca::test::Environment;
using softdoca::test::run_program;

namespace fs = std::filesystem;

/// Programs that run in a world of their own and leave a log and a capture file in a directory.
class ModelProgram : public testing::Test {
protected:
    ModelProgram() : dir_(testing::TempDir() + "model-program-XXXXXX")
    {
        if (::mkdtemp(dir_.data()) == nullptr)
            throw std::runtime_error("no directory for the test");
    }
    ~ModelProgram() override { fs::remove_all(dir_); }

    std::string pcap_path() const { return dir_ + "/frames.pcap"; }
    Ended run(const std::string &name, const Environment &more = {},
              const std::vector<std::string> &arguments = {}) const
    {
        fs::remove(dir_ + "/log");
        Environment whole = {{"SOFTDOCA_LOG", "info:" + dir_ + "/log"},
                             {"SOFTDOCA_QUIET", std::nullopt},
                             {"SOFTDOCA_ROLE", std::nullopt}, // as compiled: the host
                             {"SOFTDOCA_MODEL_PCAP", std::nullopt}};
        whole.insert(whole.end(), more.begin(), more.end());
        return run_program(std::string(MODEL_PROGRAM_DIR) + "/" + name, whole, arguments);
    }
    /// What the library said at INFO and above in the last run.
    std::string log() const
    {
        std::ifstream file(dir_ + "/log");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    bool says(const std::string &words) const { return log().find(words) != std::string::npos; }

private:
    std::string dir_;
};

TEST_F(ModelProgram, FirstFormSendsOneFrameInEitherRole)
{
    for (const char *role : {"host", "dpu"}) {
        fs::remove(pcap_path());

        const Ended ended =
            run("model_form_a", {{"SOFTDOCA_ROLE", role}, {"SOFTDOCA_MODEL_PCAP", pcap_path()}});

        EXPECT_EQ(ended.status, 0) << ended.err;
        EXPECT_EQ(ended.out, "submitted: Success\ntx_frames 1, tx_bytes 1500\n");
        EXPECT_EQ(fs::file_size(pcap_path()), 24u + 16 + 1500);
        EXPECT_FALSE(says("still alive"));
        EXPECT_FALSE(says("[ERR]")) << log();
    }
}

TEST_F(ModelProgram, SecondFormSucceedsInEitherRole)
{
    for (const char *role : {"host", "dpu"}) {
        const Ended ended = run("model_form_b", {{"SOFTDOCA_ROLE", role}});

        EXPECT_EQ(ended.status, 0) << ended.err;
        EXPECT_EQ(ended.out, "");
        EXPECT_FALSE(says("still alive"));
        EXPECT_FALSE(says("[ERR]")) << log();
    }
}

TEST_F(ModelProgram, SecondFormCleansUpWhateverFails)
{
    const std::pair<const char *, doca_error_t> codes[] = {
        {"no_memory", DOCA_ERROR_NO_MEMORY},
        {"not_supported", DOCA_ERROR_NOT_SUPPORTED},
        {"again", DOCA_ERROR_AGAIN},
    };
    for (const char *call : {"create", "open", "reg", "buf", "submit"})
        for (const auto &[word, code] : codes) {
            const std::string fault = std::string(call) + ":" + word + ":1";

            const Ended ended = run("model_form_b", {{"SOFTDOCA_MODEL_FAULT", fault}});

            EXPECT_EQ(ended.status, static_cast<int>(code)) << fault << "\n" << ended.err;
            EXPECT_NE(ended.out.find(doca_error_get_name(code)), std::string::npos) << fault;
            // That faults are given, and not a word of a sanitizer.
            EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
            EXPECT_NE(ended.err.find("SOFTDOCA_MODEL_FAULT=" + fault), std::string::npos) << fault;
            EXPECT_FALSE(says("still alive")) << fault;
            EXPECT_FALSE(says("[ERR]")) << log();
        }
}

TEST_F(ModelProgram, SecondFormMeetsQuotas)
{
    EXPECT_EQ(run("model_form_b", {{"SOFTDOCA_MODEL_MAX_MEM", "2097151"}}).status,
              DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(run("model_form_b", {{"SOFTDOCA_MODEL_MAX_MEM", "2097152"}}).status, DOCA_SUCCESS);
    EXPECT_EQ(run("model_form_b", {{"SOFTDOCA_MODEL_MAX_BUF", "0"}}).status, DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(run("model_form_b", {{"SOFTDOCA_MODEL_MAX_BUF", "1"}}).status, DOCA_SUCCESS);
}

TEST_F(ModelProgram, LogLevelTakesTheLibrarysLinesToStderr)
{
    const Environment unasked = {{"SOFTDOCA_LOG", std::nullopt}};
    const Environment quiet = {{"SOFTDOCA_LOG", std::nullopt}, {"SOFTDOCA_QUIET", "1"}};

    EXPECT_NE(run("model_form_a", unasked).err.find("[INF]"), std::string::npos);
    EXPECT_EQ(run("model_form_a", quiet).err, "");
}

int count_of(const std::string &text, const std::string &pattern)
{
    const std::regex form(pattern);
    return static_cast<int>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), form), {}));
}

TEST_F(ModelProgram, ThatForgetsToReleaseIsToldAtItsExit)
{
    const Ended ended = run("model_left_alive");

    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(count_of(log(), "\\[INF\\].*still alive"), 3) << log();
    EXPECT_EQ(count_of(log(), "alive: memory 0x[0-9a-f]+ \\(4096 bytes\\) with 2 buffers"), 1);
    EXPECT_EQ(count_of(log(), "alive: device 0000:[0-9a-f:.]+, opened 1 time "), 1);
    EXPECT_EQ(count_of(log(), "alive: context 0x[0-9a-f]+ "), 1);
}

TEST_F(ModelProgram, GetsOneStandardBackendUnlessItHasItsOwn)
{
    for (const char *backend : {"none", "own", "standard"}) {
        const Ended ended = run("model_logs", {}, {backend});

        EXPECT_EQ(ended.status, 0) << ended.err;
        EXPECT_EQ(count_of(ended.out, "\\[INF\\].*hello"), 1) << backend << "\n" << ended.out;
    }
}

TEST_F(ModelProgram, OfLogLevelDisableSaysNothing)
{
    const Ended ended = run("model_logs", {{"SOFTDOCA_LOG", std::nullopt}}, {"none", "disable"});

    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.out + ended.err, "");
}

/// Without what differs from run to run: times, threads, lines, addresses.
std::string without_chance(const std::string &text)
{
    return std::regex_replace(text, std::regex("\\[[0-9:]+\\]\\[[0-9]+\\]|0x[0-9a-f]+"), "*");
}

TEST_F(ModelProgram, OfVendorCallsAloneIsTheSameWithTheHeader)
{
    for (const char *role : {"host", "dpu"})
        for (const std::string program : {"model_vendor_only", "model_vendor_only_cpp"}) {
            const Environment environment = {{"SOFTDOCA_ROLE", role},
                                             {"SOFTDOCA_LOG", std::nullopt}};

            const Ended without = run(program + "_without", environment);
            const Ended with = run(program + "_with", environment);

            EXPECT_EQ(with.status, 0);
            EXPECT_EQ(with.status, without.status);
            EXPECT_EQ(with.out, without.out);
            EXPECT_NE(with.out.find("in the destination: copied"), std::string::npos) << with.out;
            EXPECT_EQ(without_chance(with.err), without_chance(without.err));
        }
}

} // namespace
