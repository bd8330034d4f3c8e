// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// How a process gets its role: SOFTDOCA_ROLE, the note of the program, the note of another object,
// the directory of the library, host.

#include "support/role_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include <stdlib.h>

namespace {

using softdoca::test::Ended;
using softdoca::test::kAnswersOfDpu;
using softdoca::test::kAnswersOfHost;
using softdoca::test::kCannotRun;
using softdoca::test::run_role_probe;

/// The library under a path of our choice, as an installed tree has it.
class LibraryIn {
public:
    explicit LibraryIn(const char *directory)
    {
        std::string name = testing::TempDir() + "softdoca-role-XXXXXX";
        root_ = ::mkdtemp(name.data());
        std::filesystem::create_directory(root_ / directory);
        path_ = root_ / directory / "libdoca_common.so.2";
        std::filesystem::create_symlink(COMMON_LIBRARY, path_);
    }
    ~LibraryIn() { std::filesystem::remove_all(root_); }
    LibraryIn(const LibraryIn &) = delete;
    LibraryIn &operator=(const LibraryIn &) = delete;

    std::string path() const { return path_.string(); }

private:
    std::filesystem::path root_, path_;
};

std::string object_of(const std::string &flavour)
{
    return std::string(ROLE_PROBE_DIR) + "/librole_object_" + flavour + ".so";
}

/// LD_PRELOAD is a list that blanks and colons divide.
bool can_be_preloaded(const std::string &path)
{
    return path.find_first_of(" :") == std::string::npos;
}

class DocaRole : public testing::Test {
protected:
    void SetUp() override
    {
        if (run_role_probe("host").status == kCannotRun)
            GTEST_SKIP() << "this machine cannot run the programs that it emulates by name";
    }
};

int num_lines(const std::string &text)
{
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(DocaRole, FlavourOfTheProgramDecides)
{
    const Ended host = run_role_probe("host"), dpu = run_role_probe("dpu");

    EXPECT_EQ(host.out, kAnswersOfHost);
    EXPECT_EQ(dpu.out, kAnswersOfDpu);
    EXPECT_EQ(dpu.err, "");
}

TEST_F(DocaRole, EnvironmentDecidesBeforeTheFlavour)
{
    EXPECT_EQ(run_role_probe("host", {{"SOFTDOCA_ROLE", "dpu"}}).out, kAnswersOfDpu);
    EXPECT_EQ(run_role_probe("dpu", {{"SOFTDOCA_ROLE", "host"}}).out, kAnswersOfHost);
    EXPECT_EQ(run_role_probe("plain", {{"SOFTDOCA_ROLE", "dpu"}}).out, kAnswersOfDpu);
}

TEST_F(DocaRole, MismatchWarnsOnceAndNamesBoth)
{
    const Ended ended = run_role_probe("host", {{"SOFTDOCA_ROLE", "dpu"}});

    EXPECT_NE(ended.err.find("[WRN]"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("SOFTDOCA_ROLE"), std::string::npos) << ended.err;
    EXPECT_EQ(num_lines(ended.err), 1) << ended.err;
}

TEST_F(DocaRole, SameRoleInEnvironmentAndFlavourIsSilent)
{
    const Ended ended = run_role_probe("dpu", {{"SOFTDOCA_ROLE", "dpu"}});

    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(ended.out, kAnswersOfDpu);
}

TEST_F(DocaRole, EmptyEnvironmentCountsAsNone)
{
    const Ended ended = run_role_probe("dpu", {{"SOFTDOCA_ROLE", ""}});

    EXPECT_EQ(ended.out, kAnswersOfDpu);
    EXPECT_EQ(ended.err, "");
}

TEST_F(DocaRole, UnknownRoleIsRefusedAndTheNodesAreNamed)
{
    const Ended ended = run_role_probe("host", {{"SOFTDOCA_ROLE", "dpx"}});

    EXPECT_EQ(ended.out, "DOCA_ERROR_NOT_FOUND\n");
    for (const char *word : {"[ERR]", "dpx", "host", "dpu"})
        EXPECT_NE(ended.err.find(word), std::string::npos) << word << " in " << ended.err;
}

TEST_F(DocaRole, ProgramWithoutNoteIsTheHost)
{
    const Ended ended = run_role_probe("plain");

    EXPECT_EQ(ended.out, kAnswersOfHost);
}

TEST_F(DocaRole, NoteOfAnotherObjectDecidesForAProgramWithoutNote)
{
    if (!can_be_preloaded(ROLE_PROBE_DIR))
        GTEST_SKIP() << "LD_PRELOAD cannot name a file below " << ROLE_PROBE_DIR;
    const Ended ended = run_role_probe("plain", {{"LD_PRELOAD", object_of("dpu")}});

    EXPECT_EQ(ended.out, kAnswersOfDpu);
}

TEST_F(DocaRole, DirectoryOfTheLibraryDecidesForAProgramWithoutNote)
{
    const LibraryIn dpu("dpu"), host("host"), elsewhere("lib");

    EXPECT_EQ(run_role_probe("plain", {{"LD_PRELOAD", dpu.path()}}).out, kAnswersOfDpu);
    EXPECT_EQ(run_role_probe("plain", {{"LD_PRELOAD", host.path()}}).out, kAnswersOfHost);
    EXPECT_EQ(run_role_probe("plain", {{"LD_PRELOAD", elsewhere.path()}}).out, kAnswersOfHost);
}

TEST_F(DocaRole, NoteDecidesBeforeTheDirectory)
{
    const LibraryIn host("host");

    const Ended ended = run_role_probe("dpu", {{"LD_PRELOAD", host.path()}});

    EXPECT_EQ(ended.out, kAnswersOfDpu);
}

TEST_F(DocaRole, ProgramOfBothFlavoursRunsAsItsExecutableAndWarns)
{
    if (!can_be_preloaded(ROLE_PROBE_DIR))
        GTEST_SKIP() << "LD_PRELOAD cannot name a file below " << ROLE_PROBE_DIR;
    const Ended ended = run_role_probe("dpu", {{"LD_PRELOAD", object_of("host")}});

    EXPECT_EQ(ended.out, kAnswersOfDpu);
    EXPECT_NE(ended.err.find("[WRN]"), std::string::npos) << ended.err;
}

} // namespace
