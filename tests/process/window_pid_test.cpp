// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// A process number is no identity: a new process may get that of an exporter that has gone, even
// with other data at the same addresses.

#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 64 * 1024;

class WindowPid : public testing::TestWithParam<Via> {
protected:
    const Via via_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Routes, WindowPid, testing::ValuesIn(kEachRoute), name_of_route);

/// fork() with a number of our choice; -1 where the kernel refuses.
pid_t fork_as(pid_t pid)
{
    clone_args args{};
    args.exit_signal = SIGCHLD;
    args.set_tid = reinterpret_cast<std::uintptr_t>(&pid);
    args.set_tid_size = 1;
    return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

/// Makes a process with a given number that has other bytes at a given address.
void midwife(Line &line)
{
    const auto pid = static_cast<pid_t>(line.receive_number());
    auto *const addr = reinterpret_cast<void *>(line.receive_number());
    const pid_t child = fork_as(pid);
    if (child == 0) {
        void *const got = ::mmap(addr, kSize, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (got == addr)
            std::memset(got, 0x5a, kSize);
        line.send_number(got == addr ? 1 : 0);
        while (true)
            ::pause();
    }
    if (child < 0) {
        line.send_number(0);
        return;
    }
    (void)line.wait();
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

} // namespace

TEST_P(WindowPid, ANewProcessWithTheSameNumberIsNotTheExporter)
{
    on_stage(via_, [this] {
        Exporter peer(via_, kSize);
        Process successor(other_role(), midwife);
        const std::string descriptor = peer.line.receive();
        Importer importer;
        Import &import = importer.import(descriptor);
        EXPECT_EQ(importer.read(import, 0, 4096), DOCA_SUCCESS);
        peer.kill();
        successor.line.send_number(static_cast<std::uint64_t>(peer.pid()));
        successor.line.send_number(reinterpret_cast<std::uintptr_t>(import.at(0)));
        if (successor.line.receive_number() == 0)
            skip_stage("this machine does not let a process choose its number (clone3 set_tid)");

        std::memset(importer.area.data(), 0, importer.area.size());
        EXPECT_EQ(importer.read(import, 0, 4096), DOCA_ERROR_IO_FAILED);

        const std::vector<std::byte> nothing(4096);
        EXPECT_EQ(first_difference(importer.area.data(), nothing.data(), 4096), 4096u);
        EXPECT_TRUE(importer.recover());
        EXPECT_EQ(importer.write(import, 0, 4096), DOCA_ERROR_IO_FAILED);
        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_DRIVER);
    });
}
