// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "log_capture.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
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

DOCA_LOG_REGISTER(TEST::BACKEND);

namespace {

constexpr std::size_t kMaxBackends = 16;
constexpr auto kSdk = doca_log_backend_create_with_fd_sdk;

std::string last_record;
void remember_record(char *buf)
{
    last_record = buf;
}

std::string syslog_ident;
std::vector<std::pair<int, std::string>> syslog_records;

void remember_syslog(int priority, const char *format, std::va_list args)
{
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, args);
    syslog_records.emplace_back(priority, text.data());
}

} // namespace

// These stand in front of the C library's, as there may be no system log here. <syslog.h> itself
// is not included: it would bring inline versions.
extern "C" void openlog(const char *ident, int, int)
{
    syslog_ident = ident;
}

extern "C" void syslog(int priority, const char *format, ...)
{
    std::va_list args;
    va_start(args, format);
    remember_syslog(priority, format, args);
    va_end(args);
}

extern "C" void __syslog_chk(int priority, int, const char *format, ...)
{
    std::va_list args;
    va_start(args, format);
    remember_syslog(priority, format, args);
    va_end(args);
}

TEST(DocaLog, FileBackendWritesEachLineAtOnce)
{
    in_own_process([] {
        MemoryFile memory;
        FILE *file = ::fdopen(memory.fd(), "w");
        doca_log_backend *backend = nullptr;
        EXPECT_EQ(doca_log_backend_create_with_file(file, &backend), DOCA_SUCCESS);
        EXPECT_NE(backend, nullptr);

        std::fputs("before ", file);
        DOCA_LOG_WARN("x");

        EXPECT_TRUE(matches(memory.text(), "before " + kTimeAndThread + R"(\[WRN\].* x\n)"));
    });
}

TEST(DocaLog, BackendsOfTheApplicationAndOfTheLibraryAreApart)
{
    in_own_process([] {
        MemoryLog application;
        MemoryLog sdk(kSdk);

        DOCA_LOG_ERR("from the program");
        doca_log_unregister_source(-5);

        EXPECT_EQ(num_lines(application.text()), 1);
        EXPECT_NE(application.text().find("from the program"), std::string::npos);
        EXPECT_EQ(sdk.text().find("from the program"), std::string::npos);
        EXPECT_NE(sdk.text().find("log source -5"), std::string::npos);
    });
}

TEST(DocaLog, EveryBackendOfAWorldGetsTheLine)
{
    in_own_process([] {
        MemoryLog first;
        MemoryLog second;

        DOCA_LOG_INFO("x");

        EXPECT_EQ(num_lines(first.text()), 1);
        EXPECT_EQ(first.text(), second.text());
    });
}

TEST(DocaLog, FirstSdkBackendGetsTheBanner)
{
    in_own_process([] {
        MemoryLog first(kSdk);
        MemoryLog second(kSdk);

        EXPECT_TRUE(matches(first.text(), kTimeAndThread +
                                              R"(\[INF\]\[log[a-z_]*\.cpp:[0-9]+\])"
                                              R"( DOCA version 3\.3\.0000 \(SoftDOCA [0-9.]+\)\n)"))
            << first.text();
        EXPECT_EQ(second.text(), "");
    });
}

TEST(DocaLog, BackendCreationRejectsNullAndLeavesTheHandle)
{
    in_own_process([] {
        doca_log_backend *const untouched = reinterpret_cast<doca_log_backend *>(64);
        doca_log_backend *backend = untouched;
        std::array<char, 64> buf{};
        for (auto *create :
             {doca_log_backend_create_with_file, doca_log_backend_create_with_file_sdk}) {
            EXPECT_EQ(create(nullptr, &backend), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(create(stderr, nullptr), DOCA_ERROR_INVALID_VALUE);
        }
        for (auto *create : {doca_log_backend_create_with_fd, kSdk})
            EXPECT_EQ(create(STDERR_FILENO, nullptr), DOCA_ERROR_INVALID_VALUE);
        for (auto *create :
             {doca_log_backend_create_with_buf, doca_log_backend_create_with_buf_sdk}) {
            EXPECT_EQ(create(nullptr, 64, remember_record, &backend), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(create(buf.data(), 0, remember_record, &backend), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(create(buf.data(), 64, nullptr, &backend), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(create(buf.data(), 64, remember_record, nullptr), DOCA_ERROR_INVALID_VALUE);
        }
        for (auto *create :
             {doca_log_backend_create_with_syslog, doca_log_backend_create_with_syslog_sdk}) {
            EXPECT_EQ(create(nullptr, &backend), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(create("test", nullptr), DOCA_ERROR_INVALID_VALUE);
        }
        EXPECT_EQ(backend, untouched);
    });
}

TEST(DocaLog, FdBackendRejectsDescriptorsThatCannotBeWritten)
{
    in_own_process([] {
        doca_log_backend *backend = nullptr;
        const int read_only = ::open("/dev/null", O_RDONLY);

        for (auto *create : {doca_log_backend_create_with_fd, kSdk}) {
            for (const int fd : {-1, 987654, read_only})
                EXPECT_EQ(create(fd, &backend), DOCA_ERROR_INVALID_VALUE) << fd;
        }
        EXPECT_EQ(backend, nullptr);
    });
}

TEST(DocaLog, FdThatIsClosedLaterDoesNoHarm)
{
    in_own_process([] {
        doca_log_backend *backend = nullptr;
        const int fd = ::open("/dev/null", O_WRONLY);
        EXPECT_EQ(doca_log_backend_create_with_fd(fd, &backend), DOCA_SUCCESS);
        ::close(fd);

        EXPECT_EQ(doca_log(DOCA_LOG_LEVEL_INFO, log_source, "c", 1, "f", "x"), DOCA_SUCCESS);
    });
}

TEST(DocaLog, EachWorldTakesSixteenBackends)
{
    in_own_process([] {
        const int fd = ::open("/dev/null", O_WRONLY);
        for (auto *create : {doca_log_backend_create_with_fd, kSdk}) {
            doca_log_backend *backend = nullptr;
            for (std::size_t i = 0; i < kMaxBackends; i++)
                EXPECT_EQ(create(fd, &backend), DOCA_SUCCESS) << i;

            doca_log_backend *one_more = nullptr;
            EXPECT_EQ(create(fd, &one_more), DOCA_ERROR_NO_MEMORY);
            EXPECT_EQ(one_more, nullptr);
        }
    });
}

TEST(DocaLog, BufferBackendHandsOverEachRecord)
{
    in_own_process([] {
        std::array<char, 256> buf{};
        doca_log_backend *backend = nullptr;
        EXPECT_EQ(
            doca_log_backend_create_with_buf(buf.data(), buf.size(), remember_record, &backend),
            DOCA_SUCCESS);

        DOCA_LOG_INFO("first, and longer than the second");
        const std::string first = last_record;
        DOCA_LOG_INFO("second");

        EXPECT_TRUE(matches(first, kTimeAndThread + ".* first, and longer than the second\n"));
        EXPECT_TRUE(matches(last_record, kTimeAndThread + ".* second\n"));
        EXPECT_EQ(last_record, buf.data());
    });
}

TEST(DocaLog, BufferBackendTakesARecordThatJustFitsAndNoLongerOne)
{
    in_own_process([] {
        MemoryLog measure;
        doca_log(DOCA_LOG_LEVEL_INFO, log_source, "c", 1, "f", "x");
        const std::size_t len = measure.text().size();
        std::vector<char> buf(len + 1 + 1, '#');
        doca_log_backend *backend = nullptr;
        doca_log_backend_create_with_buf(buf.data(), len + 1, remember_record, &backend);

        doca_log(DOCA_LOG_LEVEL_INFO, log_source, "c", 1, "f", "x");
        EXPECT_EQ(last_record.size(), len);
        EXPECT_EQ(buf.back(), '#');

        last_record = "no call";
        const Capture err(STDERR_FILENO);
        doca_log(DOCA_LOG_LEVEL_INFO, log_source, "c", 1, "f", "xy");
        doca_log(DOCA_LOG_LEVEL_INFO, log_source, "c", 1, "f", "xy");
        EXPECT_EQ(last_record, "no call");
        EXPECT_EQ(std::strlen(buf.data()), len) << "the buffer keeps the record before";
        EXPECT_TRUE(matches(err.text(), kTimeAndThread + R"(\[WRN\].*records are lost.*\n)"))
            << err.text();
    });
}

TEST(DocaLog, HandlerMayLogAndChangeTheLog)
{
    in_own_process([] {
        static int num_calls;
        static std::array<char, 4096> buf;
        MemoryLog log;
        MemoryLog sdk(kSdk);
        doca_log_backend *backend = nullptr;
        doca_log_backend_create_with_buf(
            buf.data(), buf.size(),
            [](char *record) {
                num_calls++;
                DOCA_LOG_INFO("again: %s", record);
                doca_log_unregister_source(-9);
                doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
                doca_log_backend_create_standard();
            },
            &backend);

        DOCA_LOG_INFO("once");

        EXPECT_EQ(num_calls, 1);
        EXPECT_NE(log.text().find("again: ["), std::string::npos) << log.text();
        EXPECT_NE(sdk.text().find("log source -9"), std::string::npos);
    });
}

TEST(DocaLog, TwoHandlersThatLogInTwoThreadsDoNotWaitForEachOther)
{
    in_own_process([] {
        static std::array<std::array<char, 512>, 2> bufs;
        static std::atomic<int> num_calls;
        for (auto &buf : bufs) {
            doca_log_backend *backend = nullptr;
            doca_log_backend_create_with_buf(
                buf.data(), buf.size(),
                [](char *) {
                    num_calls++;
                    DOCA_LOG_INFO("inside");
                },
                &backend);
        }
        const auto log_much = [] {
            for (int i = 0; i < 2000; i++)
                DOCA_LOG_INFO("outside");
        };

        std::thread other(log_much);
        log_much();
        other.join();

        EXPECT_EQ(num_calls, 2 * 2 * 2000);
    });
}

TEST(DocaLog, SyslogBackendGivesNamePriorityAndTextWithoutTime)
{
    in_own_process([] {
        doca_log_backend *backend = nullptr;
        EXPECT_EQ(doca_log_backend_create_with_syslog(std::string("my-program").c_str(), &backend),
                  DOCA_SUCCESS);
        doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE);

        log_at_all_levels();

        EXPECT_EQ(syslog_ident, "my-program");
        const std::array priorities{2, 3, 4, 6, 7, 7}; // of LOG_CRIT to LOG_DEBUG
        ASSERT_EQ(syslog_records.size(), priorities.size());
        for (std::size_t i = 0; i < priorities.size(); i++)
            EXPECT_EQ(syslog_records[i].first, priorities[i]);
        EXPECT_TRUE(
            matches(syslog_records[1].second, R"(\[[0-9]+\]\[DOCA\]\[ERR\]\[file\.c:1\]\[fn\] 30)"))
            << syslog_records[1].second;
    });
}

TEST(DocaLog, SyslogBackendsOfBothWorldsKeepTheirNames)
{
    in_own_process([] {
        doca_log_backend *backend = nullptr;
        EXPECT_EQ(doca_log_backend_create_with_syslog("program", &backend), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("library", &backend), DOCA_SUCCESS);

        DOCA_LOG_INFO("x");
        EXPECT_EQ(syslog_ident, "program");
        doca_log_unregister_source(-1);
        EXPECT_EQ(syslog_ident, "library");
    });
}

TEST(DocaLogBackend, ForkedChildLogsThoughAThreadWasInAHandler)
{
    in_own_process([] {
        static std::array<char, 4096> buf;
        static std::atomic<bool> is_inside{false};
        static std::atomic<bool> may_leave{false};
        doca_log_backend *backend = nullptr;
        const auto stay = [](char *) {
            is_inside = true;
            while (!may_leave)
                std::this_thread::yield();
        };
        ASSERT_EQ(doca_log_backend_create_with_buf(buf.data(), buf.size(), stay, &backend),
                  DOCA_SUCCESS);
        std::thread thread([] { DOCA_LOG_INFO("stays in the handler"); });
        while (!is_inside)
            std::this_thread::yield();

        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(20); // so that a child that hangs ends, too
            may_leave = true;
            DOCA_LOG_INFO("the child has no such thread");
            ::_exit(0);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        may_leave = true;
        thread.join();

        EXPECT_EQ(status, 0);
    });
}
