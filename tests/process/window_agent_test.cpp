// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The agent: the thread that serves a process's peers. Programs should not notice it.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 64 * 1024;

/// The threads of this process but the calling one.
std::vector<std::filesystem::path> other_threads()
{
    std::vector<std::filesystem::path> threads;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
        if (entry.path().filename() != std::to_string(::gettid()))
            threads.push_back(entry.path());
    return threads;
}

/// A sanitizer may have threads of its own, from the first thread of the program on.
std::size_t num_threads()
{
    std::thread([] {}).join();
    return Census::now().num_threads;
}

/// The value of a line "name: value" of a thread's status.
std::string status_of(const std::filesystem::path &thread, const std::string &name)
{
    std::ifstream file(thread / "status");
    for (std::string line; std::getline(file, line);)
        if (line.rfind(name + ":", 0) == 0)
            return line.substr(line.find_first_not_of(" \t", name.size() + 1));
    ADD_FAILURE() << "no line " << name;
    return {};
}

/// Nanoseconds that the other threads have run.
std::uint64_t run_time_of_others()
{
    std::uint64_t sum = 0;
    for (const auto &thread : other_threads()) {
        std::uint64_t run_time = 0;
        std::ifstream(thread / "schedstat") >> run_time;
        sum += run_time;
    }
    return sum;
}

std::uint64_t num_switches_of_others()
{
    std::uint64_t sum = 0;
    for (const auto &thread : other_threads())
        sum += std::stoull(status_of(thread, "voluntary_ctxt_switches"));
    return sum;
}

/// A second in which nobody asks anything.
void expect_idle()
{
    const std::uint64_t time_before = run_time_of_others(), before = num_switches_of_others();
    ::poll(nullptr, 0, 1000);
    EXPECT_LT(run_time_of_others() - time_before, 1'000'000u) << "nanoseconds of CPU time";
    EXPECT_LE(num_switches_of_others() - before, 1u) << "times woken";
}

} // namespace

TEST(WindowAgent, ExistsFromTheFirstExportOn)
{
    on_stage([] {
        const std::size_t before = num_threads();
        Exported first(Via::cross, kSize), second(Via::cross, kSize);
        EXPECT_EQ(num_threads(), before); // devices and mmaps need none

        (void)first.descriptor();
        EXPECT_EQ(num_threads(), before + 1);

        (void)first.descriptor();
        (void)second.descriptor();
        EXPECT_EQ(num_threads(), before + 1);
    });
}

TEST(WindowAgent, ExistsFromTheFirstImportOn)
{
    on_stage([] {
        Exporter peer(Via::cross, kSize);
        Importer importer(1, kSize);
        const std::size_t before = num_threads();

        Import &import = importer.import(peer.line.receive());

        EXPECT_EQ(num_threads(), before + 1);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        EXPECT_EQ(num_threads(), before + 1);
    });
}

/// A descriptor that does not parse is no use of the fabric.
TEST(WindowAgent, IsNotStartedByNonsense)
{
    on_stage([] {
        const Device device;
        const std::size_t before = num_threads();

        EXPECT_EQ(import_code(device, "nonsense"), DOCA_ERROR_INVALID_VALUE);

        EXPECT_EQ(num_threads(), before);
    });
}

TEST(WindowAgent, SleepsWhenNobodyAsks)
{
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer has a thread of its own that works";
#endif
    on_stage([] {
        Exporter peer(Via::agent, kSize, [](Exported &, Line &line) {
            (void)line.wait();
            expect_idle();
            line.send("idle");
            (void)line.wait();
        });
        ::setenv("SOFTDOCA_WINDOW", "agent", 1);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS); // both agents have been at work
        ::poll(nullptr, 0, 50); // and may look out a little longer
        peer.line.send("rest");

        expect_idle();

        EXPECT_EQ(peer.line.receive(), "idle");
    });
}

TEST(WindowAgent, TakesNoSignals)
{
    on_stage([] {
        const std::vector<std::filesystem::path> before = other_threads();
        Exported own(Via::cross, kSize);
        (void)own.descriptor();
        std::filesystem::path agent;
        for (const auto &thread : other_threads())
            if (std::find(before.begin(), before.end(), thread) == before.end())
                agent = thread;
        ASSERT_FALSE(agent.empty());

        const std::uint64_t blocked = std::stoull(status_of(agent, "SigBlk"), nullptr, 16);

        for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
                                 SIGTERM, SIGCHLD, SIGVTALRM, SIGPROF, SIGIO, SIGRTMIN, SIGRTMAX})
            EXPECT_NE(blocked & (std::uint64_t{1} << (signal - 1)), 0u) << "signal " << signal;
    });
}

/// A signal of the process goes to the program's own thread, even if that does not take it now.
TEST(WindowAgent, LeavesSignalsToTheProgram)
{
    on_stage([] {
        static std::atomic<pid_t> taker{0};
        std::signal(SIGUSR1, [](int) { taker = ::gettid(); });
        Exported own(Via::cross, kSize);
        (void)own.descriptor();
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &set, nullptr), 0);

        ::kill(::getpid(), SIGUSR1);
        ::poll(nullptr, 0, 20);
        EXPECT_EQ(taker, 0);
        ASSERT_EQ(::pthread_sigmask(SIG_UNBLOCK, &set, nullptr), 0);

        EXPECT_EQ(taker, ::gettid());
    });
}

/// The program's dispositions are as they were, that of SIGSEGV and SIGBUS too.
TEST(WindowAgent, InstallsNoSignalHandler)
{
    on_stage([] {
        Exporter peer(Via::mapped, kSize);
        const auto handlers = [] {
            std::vector<void *> all;
            for (int signal = 1; signal < SIGRTMIN; ++signal) {
                struct sigaction action {};
                (void)::sigaction(signal, nullptr, &action);
                all.push_back(reinterpret_cast<void *>(action.sa_sigaction));
            }
            return all;
        };
        const std::vector<void *> before = handlers();
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        Exported own(Via::cross, kSize);
        (void)own.descriptor();

        EXPECT_EQ(handlers(), before);
    });
}

/// exit() while a thread copies and all objects live; the process has to end, with its own status.
TEST(WindowAgent, IsNoHindranceToAnExit)
{
    on_stage([] {
        for (const Via via : kEachRoute) {
            Exporter peer(via, kSize);
            Process quitter(own_role(), [via](Line &line) {
                ::setenv("SOFTDOCA_WINDOW", route_of(via), 1);
                auto *const importer = new Importer(1, kSize); // for ever
                Import &import = importer->import(line.receive());
                std::thread([importer, &import, &line] {
                    for (int num = 0;; ++num) {
                        (void)importer->read(import, 0, kSize);
                        if (num == 10)
                            line.send("copying");
                    }
                }).detach();
                (void)line.wait();
                std::exit(0);
            });
            quitter.line.send(peer.line.receive());
            EXPECT_EQ(quitter.line.receive(), "copying");

            quitter.end();
        }
    });
}

/// Plug-ins come and go; the agent's code stays.
TEST(WindowAgent, SurvivesDlclose)
{
    on_stage([] {
        Exporter peer(Via::agent, kSize, [](Exported &, Line &line) {
            for (int round = 0; round < 10; ++round)
                for (const char *name : {"libdoca_common.so.2", "libdoca_dma.so.2"}) {
                    void *const library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
                    ASSERT_NE(library, nullptr) << ::dlerror();
                    EXPECT_EQ(::dlclose(library), 0);
                }
            line.send("closed");
            (void)line.wait();
        });
        ::setenv("SOFTDOCA_WINDOW", "agent", 1);
        Importer importer(1, kSize);
        Import &import = importer.import(peer.line.receive());
        EXPECT_EQ(peer.line.receive(), "closed");

        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    });
}
