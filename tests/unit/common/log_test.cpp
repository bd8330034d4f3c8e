// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "log_capture.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using softdoca::test::Capture;
using softdoca::test::in_own_process;
using softdoca::test::kTimeAndThread;
using softdoca::test::levels_in;
using softdoca::test::log_at_all_levels;
using softdoca::test::matches;
using softdoca::test::MemoryFile;
using softdoca::test::MemoryLog;
using softdoca::test::num_lines;

DOCA_LOG_REGISTER(TEST::LOG);

namespace {

constexpr std::size_t kMaxBackends = 16;
constexpr auto kSdk = doca_log_backend_create_with_fd_sdk;

} // namespace

TEST(DocaLog, ApplicationLineHasTimeThreadLevelPlaceFunctionAndText)
{
    in_own_process([] {
        MemoryLog log;

        DOCA_LOG_INFO("%s %d", "answer", 42);

        EXPECT_TRUE(matches(log.text(), R"(\[..:..:..:[0-9]{6}\]\[)" + std::to_string(::gettid()) +
                                            R"(\]\[DOCA\]\[INF\]\[log_test\.cpp:[0-9]+\]\[.*\])"
                                            " answer 42\n"))
            << log.text();
    });
}

TEST(DocaLog, LineShowsLocalTime)
{
    in_own_process([] {
        ::setenv("TZ", "XXX-05:30", 1);
        ::tzset();
        MemoryLog log;
        std::array<char, 16> before{};
        std::array<char, 16> after{};
        const auto local_time = [](std::array<char, 16> &text) {
            const std::time_t now = std::time(nullptr);
            std::tm local{};
            std::strftime(text.data(), text.size(), "[%H:%M:%S:", ::localtime_r(&now, &local));
        };

        local_time(before);
        DOCA_LOG_INFO("now");
        local_time(after);

        const std::string shown = log.text().substr(0, 10);
        EXPECT_TRUE(shown == before.data() || shown == after.data()) << shown << after.data();
    });
}

TEST(DocaLog, EveryLevelHasItsTag)
{
    in_own_process([] {
        MemoryLog log;
        doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);

        log_at_all_levels();

        std::string expected;
        for (const char *tag : {"CRT", "ERR", "WRN", "INF", "DBG", "TRC"})
            expected += kTimeAndThread + R"(\[)" + tag + R"(\]\[file\.c:1\]\[fn\] [0-9]0\n)";
        EXPECT_TRUE(matches(log.text(), expected)) << log.text();
    });
}

TEST(DocaLog, LinePrintsBaseNameOfTheFileAndNewlinesAsTheyAre)
{
    in_own_process([] {
        MemoryLog log;

        doca_log(DOCA_LOG_LEVEL_ERROR, log_source, "/a/b/dma copy.c", 7, "main", "one\ntwo\n");

        EXPECT_TRUE(matches(log.text(), kTimeAndThread + R"(\[ERR\]\[dma copy\.c:7\]\[main\])"
                                                         " one\ntwo\n\n"))
            << log.text();
    });
}

TEST(DocaLog, TooLongTextIsCutBeforeTheNewline)
{
    in_own_process([] {
        MemoryLog log;

        DOCA_LOG_INFO("%s", std::string(100000, 'x').c_str());
        DOCA_LOG_INFO("next");

        EXPECT_EQ(num_lines(log.text()), 2);
        EXPECT_EQ(log.text().find('\n'), 4094U) << "room for 4095 bytes with the terminator";
        EXPECT_TRUE(matches(log.text().substr(4095), ".* next\n"));
    });
}

TEST(DocaLog, LeavesErrnoAloneAndPrintsIt)
{
    in_own_process([] {
        MemoryLog log;
        doca_log_backend *broken = nullptr;
        doca_log_backend_create_with_file(std::fopen("/dev/full", "w"), &broken);

        const char *format = "%m"; // no literal, as this is no ISO C++
        errno = ENOTTY;
        DOCA_LOG_INFO(format, 0);

        EXPECT_EQ(errno, ENOTTY);
        EXPECT_NE(log.text().find(std::strerror(ENOTTY)), std::string::npos) << log.text();
    });
}

TEST(DocaLog, WithNoBackendTheApplicationIsSilent)
{
    in_own_process([] {
        const Capture out(STDOUT_FILENO);
        const Capture err(STDERR_FILENO);

        log_at_all_levels();

        EXPECT_EQ(out.text() + err.text(), "");
    });
}

TEST(DocaLog, RefusesNullBadLevelsAndUnknownSources)
{
    in_own_process([] {
        MemoryLog log;

        EXPECT_EQ(doca_log(50, log_source, nullptr, 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(doca_log(50, log_source, "c", 1, nullptr, "x"), DOCA_ERROR_INVALID_VALUE);
        const char *no_format = nullptr;
        EXPECT_EQ(doca_log(50, log_source, "c", 1, "f", no_format, 0), DOCA_ERROR_INVALID_VALUE);
        for (const std::uint32_t level : {0U, 10U, 19U, 55U, 80U, 4294967290U})
            EXPECT_EQ(doca_log(level, log_source, "c", 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
        for (const int source : {-1, 100000})
            EXPECT_EQ(doca_log(50, source, "c", 1, "f", "x"), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(log.text(), "");
    });
}

TEST(DocaLog, SourcesOfOneNameShareOneId)
{
    in_own_process([] {
        int first = -1;
        int second = -1;
        int other = -1;

        EXPECT_EQ(doca_log_register_source("A::B", &first), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_register_source("A::C", &other), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_register_source("A::B", &second), DOCA_SUCCESS);

        EXPECT_GE(first, 0);
        EXPECT_GE(other, 0);
        EXPECT_EQ(first, second);
        EXPECT_NE(first, other);
    });
}

TEST(DocaLog, SourceNamesAreCutAt255)
{
    in_own_process([] {
        int with_255 = -1;
        int with_256 = -1;
        int with_254 = -1;

        EXPECT_EQ(doca_log_register_source(std::string(255, 'n').c_str(), &with_255), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_register_source(std::string(256, 'n').c_str(), &with_256), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_register_source(std::string(254, 'n').c_str(), &with_254), DOCA_SUCCESS);

        EXPECT_EQ(with_255, with_256);
        EXPECT_NE(with_255, with_254);
    });
}

TEST(DocaLog, RegisterSourceRejectsNull)
{
    in_own_process([] {
        int source = 77;

        EXPECT_EQ(doca_log_register_source(nullptr, &source), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(doca_log_register_source("A::B", nullptr), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(source, 77);
    });
}

TEST(DocaLog, UnregisteredSourceCanStillLog)
{
    in_own_process([] {
        int source = -1;
        doca_log_register_source("A::GONE", &source);

        EXPECT_EQ(doca_log_unregister_source(source), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_unregister_source(source), DOCA_SUCCESS);
        EXPECT_EQ(doca_log(DOCA_LOG_LEVEL_INFO, source, "c", 1, "f", "x"), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_unregister_source(-1), DOCA_ERROR_INVALID_VALUE);
    });
}

TEST(DocaLog, StandardBackendsSplitByLevel)
{
    in_own_process([] {
        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
        doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);
        std::string out_text;
        std::string err_text;
        {
            const Capture out(STDOUT_FILENO);
            const Capture err(STDERR_FILENO);

            log_at_all_levels();

            out_text = out.text();
            err_text = err.text();
        }
        EXPECT_EQ(levels_in(out_text), "50 60 70 ");
        EXPECT_EQ(levels_in(err_text), "20 30 40 ");
    });
}

TEST(DocaLog, StandardBackendsFollowTheGlobalLimits)
{
    in_own_process([] {
        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
        std::vector<std::string> shown;
        for (const auto &[lower, upper] :
             {std::pair{50U, 20U}, {30U, 20U}, {60U, 40U}, {10U, 20U}}) {
            const Capture out(STDOUT_FILENO);
            const Capture err(STDERR_FILENO);
            doca_log_level_set_global_lower_limit(lower);
            doca_log_level_set_global_upper_limit(upper);

            log_at_all_levels();

            shown.push_back(levels_in(err.text()) + "| " + levels_in(out.text()));
        }
        EXPECT_EQ(shown,
                  (std::vector<std::string>{"20 30 40 | 50 ", "20 30 | ", "40 | 50 60 ", "| "}));
    });
}

TEST(DocaLog, StandardBackendsAreMadeOnce)
{
    in_own_process([] {
        std::string text;
        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_SUCCESS);
        {
            const Capture out(STDOUT_FILENO);

            DOCA_LOG_INFO("x");

            text = out.text();
        }
        EXPECT_EQ(num_lines(text), 1);
    });
}

TEST(DocaLog, StandardBackendsNeedRoomForTwo)
{
    in_own_process([] {
        std::vector<MemoryLog> logs(kMaxBackends - 1);
        const Capture out(STDOUT_FILENO);

        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY);
        EXPECT_EQ(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY);
        DOCA_LOG_INFO("x");

        EXPECT_EQ(out.text(), "");
        MemoryLog last_one;
    });
}

TEST(DocaLog, EightThreadsLogWithoutMixingLines)
{
    in_own_process([] {
        constexpr int kNumThreads = 8;
        constexpr int kNumLines = 200;
        static std::array<char, 512> buf;
        static std::atomic<int> num_records;
        MemoryFile memory;
        doca_log_backend *backend = nullptr;
        MemoryLog by_fd;
        MemoryLog sdk(kSdk);
        doca_log_backend_create_with_file(::fdopen(memory.fd(), "w"), &backend);
        doca_log_backend_create_with_buf(
            buf.data(), buf.size(), [](char *) { num_records++; }, &backend);

        std::vector<std::thread> threads;
        for (int t = 0; t < kNumThreads; t++) {
            threads.emplace_back([t] {
                for (int i = 0; i < kNumLines; i++) {
                    DOCA_LOG_INFO("thread %d line %d", t, i);
                    doca_log_unregister_source(-1);
                    doca_log_level_set_global_sdk_limit(i % 2 == 0 ? 30 : 70);
                    doca_log_level_set_global_lower_limit(i % 2 == 0 ? 50 : 60);
                    int source = 0;
                    doca_log_register_source(std::to_string(i % 5).c_str(), &source);
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();

        EXPECT_EQ(num_lines(by_fd.text()), kNumThreads * kNumLines);
        EXPECT_EQ(num_lines(memory.text()), kNumThreads * kNumLines);
        EXPECT_EQ(num_records, kNumThreads * kNumLines);
        const std::string line =
            kTimeAndThread + R"(\[INF\]\[[^]]*\]\[.*\] thread [0-9] line [0-9]+)";
        std::size_t begin = 0;
        const std::string text = by_fd.text();
        for (std::size_t end = text.find('\n'); end != std::string::npos;
             begin = end + 1, end = text.find('\n', begin))
            EXPECT_TRUE(matches(text.substr(begin, end - begin), line));
        std::size_t num_refusals = 0;
        for (auto at = sdk.text().find("log source -1"); at != std::string::npos;
             at = sdk.text().find("log source -1", at + 1))
            num_refusals++;
        EXPECT_EQ(num_refusals, 1U) << "once, whichever thread was first";
    });
}
