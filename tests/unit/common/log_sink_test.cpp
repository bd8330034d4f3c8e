// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "log_capture.hpp"

#include "base/log_sink.hpp"
#include "base/once_table.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using softdoca::log_enabled;
using softdoca::LogLevel;
using softdoca::LogSource;
using softdoca::OnceTable;
using softdoca::test::Capture;
using softdoca::test::in_own_process;
using softdoca::test::kTimeAndThread;
using softdoca::test::matches;
using softdoca::test::MemoryFile;
using softdoca::test::MemoryLog;
using softdoca::test::num_lines;

LOG_SOURCE("TEST::SINK");

namespace {

constexpr const char *kStoryVariable = "SOFTDOCA_LOG_TEST_STORY";
constexpr const char *kLoudLine = R"(\[ERR\]\[log\.cpp:[0-9]+\] log source -1 .*\n)";

/// The environment is read once a process, so these run in a fresh one: before its main, and even
/// before the library's own constructors if it is linked statically.
[[gnu::constructor(101)]] void run_story()
{
    const char *story = std::getenv(kStoryVariable);
    if (story == nullptr)
        return;
    doca_log_backend *backend = nullptr;
    if (std::strcmp(story, "own sdk backend") == 0) {
        doca_log_backend_create_with_fd_sdk(STDOUT_FILENO, &backend);
        doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE);
    }
    doca_log_backend_create_with_fd(STDOUT_FILENO, &backend);   // tells of it at DEBUG
    const doca_error_t result = doca_log_unregister_source(-1); // refused: tells of it at ERROR
    ::_exit(result == DOCA_ERROR_INVALID_VALUE ? 0 : 1);
}

/// What a process that runs the story writes to stderr.
std::string stderr_of_story(const char *story,
                            const std::vector<std::pair<const char *, std::string>> &environment)
{
    const MemoryFile err;
    const pid_t child = ::fork();
    if (child == 0) {
        for (const char *name : {"SOFTDOCA_QUIET", "SOFTDOCA_LOG"})
            ::unsetenv(name);
        for (const auto &[name, value] : environment)
            ::setenv(name, value.c_str(), 1);
        ::setenv(kStoryVariable, story, 1);
        ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
        ::dup2(err.fd(), STDERR_FILENO);
        ::execl("/proc/self/exe", "story", nullptr);
        ::_exit(127);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
    return err.text();
}

/// Made-up addresses, the same in each run: the table must not be full by chance.
const void *object_at(std::uintptr_t i)
{
    return reinterpret_cast<const void *>(0x7f0000001000 + i * 64);
}
const auto *const kFile = reinterpret_cast<const char *>(0x7f0000000000);

class TemporaryFile {
public:
    TemporaryFile() { ::close(::mkstemp(name_.data())); }
    ~TemporaryFile() { ::unlink(name_.c_str()); }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    const std::string &name() const { return name_; }
    std::string text() const
    {
        std::ifstream file(name_);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::string name_ = ::testing::TempDir() + "softdoca-log-XXXXXX";
};

} // namespace

TEST(LogSink, LoudLinesReachStderrBeforeMain)
{
    const std::string err = stderr_of_story("", {});

    EXPECT_TRUE(matches(err, kTimeAndThread + kLoudLine)) << err;
}

TEST(LogSink, QuietSilencesTheLoudLines)
{
    EXPECT_EQ(stderr_of_story("", {{"SOFTDOCA_QUIET", "1"}}), "");
    EXPECT_EQ(num_lines(stderr_of_story("", {{"SOFTDOCA_QUIET", "0"}})), 1);
    EXPECT_EQ(num_lines(stderr_of_story("", {{"SOFTDOCA_QUIET", ""}})), 1);
}

TEST(LogSink, OwnSdkBackendTakesTheLoudLines)
{
    EXPECT_EQ(stderr_of_story("own sdk backend", {}), "");
}

TEST(LogSink, VariableSetsTheLevelByNameOrNumber)
{
    for (const char *level : {"debug", "DEBUG", "Debug", "60", "trace", "70"}) {
        const std::string err = stderr_of_story("", {{"SOFTDOCA_LOG", level}});
        EXPECT_TRUE(matches(err, kTimeAndThread + R"(\[DBG\].*\n)" + kTimeAndThread + kLoudLine))
            << level << "\n"
            << err;
    }
    for (const char *level : {"error", "30", "Warning", "40", "info", "50"}) {
        const std::string err = stderr_of_story("", {{"SOFTDOCA_LOG", level}});
        EXPECT_TRUE(matches(err, kTimeAndThread + kLoudLine)) << level << "\n" << err;
    }
    for (const char *level : {"disable", "10", "CRIT", "20"})
        EXPECT_EQ(stderr_of_story("", {{"SOFTDOCA_LOG", level}}), "") << level;
}

TEST(LogSink, VariableIsStrongerThanQuiet)
{
    const std::string err = stderr_of_story("", {{"SOFTDOCA_LOG", "60"}, {"SOFTDOCA_QUIET", "1"}});

    EXPECT_EQ(num_lines(err), 2) << err;
}

TEST(LogSink, ProgramCannotLowerTheLevelOfTheVariable)
{
    const std::string err = stderr_of_story("own sdk backend", {{"SOFTDOCA_LOG", "debug"}});

    EXPECT_NE(err.find("[INF]"), std::string::npos) << "the banner of the program's backend" << err;
    EXPECT_EQ(num_lines(err), 4) << err; // banner, two backends made, refusal
}

TEST(LogSink, VariableNamesAFileThatIsAppendedTo)
{
    const TemporaryFile file;

    for (int run = 0; run < 2; run++)
        EXPECT_TRUE(matches(stderr_of_story("", {{"SOFTDOCA_LOG", "error:" + file.name()}}),
                            kTimeAndThread + kLoudLine)); // the program made no SDK backend

    EXPECT_TRUE(matches(file.text(), kTimeAndThread + kLoudLine + kTimeAndThread + kLoudLine))
        << file.text();
}

TEST(LogSink, FileThatCannotBeOpenedIsToldAndReplacedByStderr)
{
    const std::string err = stderr_of_story("", {{"SOFTDOCA_LOG", "error:/no/such/dir/log"}});

    EXPECT_TRUE(matches(err, kTimeAndThread + R"(\[WRN\].*/no/such/dir/log.*stderr\n)" +
                                 kTimeAndThread + kLoudLine))
        << err;
}

TEST(LogSink, BadVariableGivesOneWarningThatNamesTheLevels)
{
    for (const char *value : {"loud", "65", "5", "debugger", "debug:", ":file", "60x", " 60"}) {
        const std::string err = stderr_of_story("", {{"SOFTDOCA_LOG", value}});
        EXPECT_TRUE(matches(err, kTimeAndThread +
                                     R"(\[WRN\]\[log_sink\.cpp:[0-9]+\] SOFTDOCA_LOG=.*disable.*)"
                                     R"(crit.*error.*warning.*info.*debug.*trace.*\n)" +
                                     kTimeAndThread + kLoudLine))
            << value << "\n"
            << err;
    }
}

TEST(LogSink, ClosedStderrDoesNoHarm)
{
    in_own_process([] {
        const int saved = ::dup(STDERR_FILENO);
        ::close(STDERR_FILENO);

        EXPECT_EQ(doca_log_unregister_source(-1), DOCA_ERROR_INVALID_VALUE);

        ::dup2(saved, STDERR_FILENO);
    });
}

TEST(LogSink, LibraryLineHasNoFunction)
{
    in_own_process([] {
        MemoryLog log(doca_log_backend_create_with_fd_sdk);
        const std::size_t banner = log.text().size();

        LOG_WRN("number %d", 7);

        const std::string line = log.text().substr(banner);
        EXPECT_TRUE(
            matches(line, R"(\[..:..:..:[0-9]{6}\]\[)" + std::to_string(::gettid()) +
                              R"(\]\[DOCA\]\[WRN\]\[log_sink_test\.cpp:[0-9]+\] number 7\n)"))
            << line;
    });
}

TEST(LogSink, VerbosityIsTheMostVerboseThatAnyBackendShows)
{
    in_own_process([] {
        LOG_DBG("reads the environment");
        EXPECT_TRUE(log_enabled(LogLevel::warning));
        EXPECT_FALSE(log_enabled(LogLevel::info));

        MemoryLog first(doca_log_backend_create_with_fd_sdk);
        MemoryLog second(doca_log_backend_create_with_fd_sdk);
        EXPECT_TRUE(log_enabled(LogLevel::info));
        EXPECT_FALSE(log_enabled(LogLevel::debug));

        doca_log_backend_set_sdk_level(first.backend(), DOCA_LOG_LEVEL_TRACE);
        EXPECT_TRUE(log_enabled(LogLevel::trace));

        doca_log_backend_set_sdk_level(first.backend(), DOCA_LOG_LEVEL_DISABLE);
        EXPECT_TRUE(log_enabled(LogLevel::info));

        doca_log_backend_set_sdk_level(second.backend(), DOCA_LOG_LEVEL_DISABLE);
        EXPECT_FALSE(log_enabled(LogLevel::crit));
    });
}

TEST(LogSink, WithoutBackendInfoIsNotShown)
{
    in_own_process([] {
        const Capture err(STDERR_FILENO);

        LOG_INF("quiet");
        LOG_WRN("loud");

        EXPECT_EQ(num_lines(err.text()), 1);
        EXPECT_NE(err.text().find(" loud\n"), std::string::npos);
    });
}

TEST(LogSink, ObjectSpeaksOnceAtAPlaceUntilItIsForgotten)
{
    in_own_process([] {
        const Capture err(STDERR_FILENO);
        int a = 0;
        int b = 0;
        const auto refuse = [](const int *object) {
            EXPECT_EQ(LOG_REFUSED(DOCA_ERROR_IN_USE, object, "refused"), DOCA_ERROR_IN_USE);
        };
        const auto warn = [](const int *object) { LOG_ONCE(LogLevel::warning, object, "warned"); };

        refuse(&a);
        refuse(&a);
        EXPECT_EQ(num_lines(err.text()), 1);
        refuse(&b);
        EXPECT_EQ(num_lines(err.text()), 2);
        warn(&a); // the same object at another place
        warn(&a);
        EXPECT_EQ(num_lines(err.text()), 3);
        softdoca::log_forget(&a);
        refuse(&a);
        refuse(&b);
        EXPECT_EQ(num_lines(err.text()), 4);
    });
}

TEST(LogSink, WaitIsNotRepeatedAtOnce)
{
    in_own_process([] {
        const Capture err(STDERR_FILENO);
        const int object = 0;

        for (int i = 0; i < 1000; i++)
            LOG_WAIT(&object, "still waiting");

        EXPECT_TRUE(matches(err.text(), kTimeAndThread + R"(\[WRN\].* still waiting\n)"));
    });
}

TEST(LogSink, SourcesAreListed)
{
    std::set<std::string> names;
    for (const LogSource *source = LogSource::first(); source != nullptr; source = source->next())
        names.insert(source->name());

    EXPECT_EQ(names.count("TEST::SINK"), 1U);
    EXPECT_EQ(names.count("CORE::LOG"), 1U);
}

TEST(OnceTable, RepeatsWhenThePeriodHasPassed)
{
    OnceTable table;
    const int object = 0;

    EXPECT_TRUE(table.claim(&object, "f", 1, 100, 10));
    EXPECT_FALSE(table.claim(&object, "f", 1, 109, 10));
    EXPECT_TRUE(table.claim(&object, "f", 1, 110, 10));
    EXPECT_FALSE(table.claim(&object, "f", 1, 119, 10));
}

TEST(OnceTable, FullTableForgetsOthersButAlwaysLetsNewOnesSpeak)
{
    OnceTable table;
    constexpr std::uintptr_t kNumObjects = 5000;

    for (std::uintptr_t i = 0; i < kNumObjects; i++)
        EXPECT_TRUE(table.claim(object_at(i), kFile, 1, 1));
    std::uintptr_t num_again = 0;
    for (std::uintptr_t i = kNumObjects; i-- > 0;)
        num_again += table.claim(object_at(i), kFile, 1, 2) ? 1 : 0;

    EXPECT_GE(num_again, kNumObjects - 1024);
    EXPECT_LT(num_again, kNumObjects);
}

TEST(OnceTable, ForgettingOneLeavesTheOthers)
{
    OnceTable table;
    const auto claim_all = [&table] {
        int num_spoken = 0;
        for (std::uintptr_t i = 0; i < 200; i++) {
            for (const std::uint64_t line : {std::uint64_t{1}, std::uint64_t{2}})
                num_spoken += table.claim(object_at(i), kFile, line, 1) ? 1 : 0;
        }
        return num_spoken;
    };
    EXPECT_EQ(claim_all(), 400);

    table.forget(object_at(7));

    EXPECT_EQ(claim_all(), 2);
}

TEST(OnceTable, OneOfManyThreadsSpeaks)
{
    for (int round = 0; round < 20; round++) {
        OnceTable table;
        std::atomic<int> num_ready{0};
        std::atomic<int> num_spoken{0};
        const auto claim_all = [&] {
            num_ready++;
            while (num_ready < 4)
                std::this_thread::yield();
            for (std::uintptr_t i = 0; i < 400; i++)
                num_spoken += table.claim(object_at(i), kFile, 1, 1000, 1000) ? 1 : 0;
        };

        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back(claim_all);
        for (std::thread &thread : threads)
            thread.join();

        EXPECT_EQ(num_spoken, 400);
    }
}
