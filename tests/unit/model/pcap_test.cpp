// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/sdk_log.hpp"

#include <doca_buf.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace {

using softdoca::test::Model;
using softdoca::test::must;
using softdoca::test::SdkLog;
using softdoca::test::Setting;

namespace fs = std::filesystem;

/// A directory for files, as long as a test runs.
class ModelPcap : public testing::Test {
protected:
    ModelPcap() : dir_(testing::TempDir() + "model-pcap-XXXXXX")
    {
        if (::mkdtemp(dir_.data()) == nullptr)
            throw std::runtime_error("no directory for the test");
    }
    ~ModelPcap() override { fs::remove_all(dir_); }

    std::string path() const { return dir_ + "/frames.pcap"; }
    std::string content() const
    {
        std::ifstream file(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::string dir_;
};

std::uint32_t word_at(const std::string &bytes, std::size_t at)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

/// The header as the format has it, in the byte order of this machine.
std::string header()
{
    const std::uint32_t magic = 0xa1b2c3d4, zeros[2] = {}, ends[2] = {65535, 1};
    const std::uint16_t version[2] = {2, 4};
    std::string bytes;
    bytes.append(reinterpret_cast<const char *>(&magic), sizeof magic);
    bytes.append(reinterpret_cast<const char *>(version), sizeof version);
    bytes.append(reinterpret_cast<const char *>(zeros), sizeof zeros);
    bytes.append(reinterpret_cast<const char *>(ends), sizeof ends);
    return bytes;
}

void submit_some(std::size_t len, unsigned seed)
{
    const Model model;
    model.memory.fill(seed);
    must(doca_buf_set_data_len(model.buf, len));
    must(doca_task_submit(model.ctx, model.buf));
}

TEST_F(ModelPcap, HoldsEachFrameByteByByte)
{
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    const auto before = static_cast<std::uint32_t>(std::time(nullptr));
    submit_some(1500, 5);

    const std::string bytes = content();

    const softdoca::test::Memory wanted(1500);
    wanted.fill(5);
    ASSERT_EQ(bytes.size(), 24u + 16 + 1500);
    EXPECT_EQ(bytes.substr(0, 24), header());
    EXPECT_GE(word_at(bytes, 24), before);
    EXPECT_LE(word_at(bytes, 24), before + 60);
    EXPECT_LT(word_at(bytes, 28), 1'000'000u);
    EXPECT_EQ(word_at(bytes, 32), 1500u);
    EXPECT_EQ(word_at(bytes, 36), 1500u);
    EXPECT_EQ(std::memcmp(bytes.data() + 40, wanted.data(), 1500), 0);
}

TEST_F(ModelPcap, IsAppendedToWithOneHeader)
{
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    submit_some(60, 1);
    submit_some(9, 2);

    const std::string bytes = content();

    ASSERT_EQ(bytes.size(), 24u + 16 + 60 + 16 + 9);
    EXPECT_EQ(bytes.substr(0, 24), header());
    EXPECT_EQ(word_at(bytes, 24 + 16 + 60 + 8), 9u);
}

TEST_F(ModelPcap, HoldsFramesThatWereDropped)
{
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    {
        const Model model;
        must(doca_buf_set_data_len(model.buf, 14));
        for (int i = 0; i < 257; ++i)
            must(doca_task_submit(model.ctx, model.buf));
    }

    EXPECT_EQ(content().size(), 24u + 257 * (16 + 14));
}

TEST_F(ModelPcap, ThatCannotBeWrittenGivesOneWarning)
{
    const Setting setting("SOFTDOCA_MODEL_PCAP", path() + "/no/such/folder");
    const SdkLog log;

    submit_some(60, 1);

    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_PCAP=" + path()}), 1);
}

TEST_F(ModelPcap, ThatFillsTheDiskGivesOneWarning)
{
    if (::access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "there is no /dev/full";
    const Setting setting("SOFTDOCA_MODEL_PCAP", "/dev/full");
    const SdkLog log;

    submit_some(60, 1);

    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_PCAP=/dev/full"}), 1);
}

TEST_F(ModelPcap, HoldsNoPartOfAFrameThatFindsNoRoom)
{
    struct sigaction ignore {
    }, before_signal{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignore, &before_signal);
    rlimit limit{}, before_limit{};
    ::getrlimit(RLIMIT_FSIZE, &before_limit);
    limit = before_limit;
    limit.rlim_cur = 24 + 16 + 60 + 30; // the second frame fits in part
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    const SdkLog log;

    ::setrlimit(RLIMIT_FSIZE, &limit);
    submit_some(60, 1);
    submit_some(60, 2);
    ::setrlimit(RLIMIT_FSIZE, &before_limit);
    ::sigaction(SIGXFSZ, &before_signal, nullptr);
    EXPECT_EQ(content().size(), 24u + 16 + 60);
    submit_some(9, 3);

    EXPECT_EQ(word_at(content(), 24 + 16 + 60 + 8), 9u); // the next frame follows the first
}

TEST_F(ModelPcap, ThatNobodyReadsAnyMoreRaisesNoSignal)
{
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    const int reader = ::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    const SdkLog log;
    const Model model;
    must(doca_task_submit(model.ctx, model.buf));
    ::close(reader);

    must(doca_task_submit(model.ctx, model.buf)); // the default action of SIGPIPE ends a process

    EXPECT_EQ(log.count({"[WRN]", "SOFTDOCA_MODEL_PCAP=" + path()}), 1);
}

TEST_F(ModelPcap, IsNotMadeOfAFileOfSomethingElse)
{
    std::ofstream(path()) << "a letter to somebody, longer than a header";
    const std::string before = content();
    const Setting setting("SOFTDOCA_MODEL_PCAP", path());
    const SdkLog log;

    submit_some(60, 1);

    EXPECT_EQ(content(), before);
    EXPECT_EQ(log.count({"[WRN]", "something else than Ethernet frames"}), 1);
}

} // namespace
