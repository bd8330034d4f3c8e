// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Containers and hardened kernels: where one process may not touch another's memory, the exporter's
// agent does it.

#include "support/sdk_log.hpp"
#include "support/window_pair.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::size_t kSize = 256 * 1024;

/// From now on process_vm_readv and process_vm_writev answer EPERM here.
void refuse_cross_memory()
{
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof *program, program};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        skip_stage("this machine does not let a process filter its system calls");
    char byte = 0;
    iovec piece{&byte, 1};
    EXPECT_EQ(::process_vm_readv(::getpid(), &piece, 1, &piece, 1, 0), -1);
    EXPECT_EQ(errno, EPERM);
}

/// May a process here have a PID namespace of its own? Asked in a child: the answer changes it.
bool may_have_pid_namespace()
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(::unshare(CLONE_NEWPID) == 0 ? 0 : 1);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status == 0;
}

/// The end of a program. A leak detector cannot look at a process whose children have a PID
/// namespace of their own.
[[noreturn]] void end_process(int status)
{
#if defined(__SANITIZE_ADDRESS__)
    std::fflush(nullptr);
    ::_exit(status);
#endif
    std::exit(status);
}

/// The body of a process that plays the first process of a PID namespace of its own.
Process::Body in_own_pid_namespace(const Process::Body &body)
{
    return [body](Line &line) {
        must(::unshare(CLONE_NEWPID) == 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM);
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            EXPECT_EQ(::getpid(), 1);
            body(line);
            end_process(testing::Test::HasFailure() ? 1 : 0);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        end_process(testing::Test::HasFailure() ? 1 : 0);
    };
}

/// An importer by no particular route.
void copy_both_ways(Line &line)
{
    Importer importer(8, kSize);
    Import &import = importer.import(line.receive());
    EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
    EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 1).data(), kSize), kSize);
    std::memcpy(importer.area.data(), pattern(kSize, 2).data(), kSize);
    EXPECT_EQ(importer.write(import, 0, kSize), DOCA_SUCCESS);
    line.send("written");
    (void)line.wait();
}

void export_and_check(Line &line)
{
    Exported own(Via::cross, kSize);
    own.region.fill(1);
    line.send(own.descriptor());
    (void)line.wait();
    own.region.expect_pattern(2);
}

void expect_pair_works(const Process &exporter, const Process &importer)
{
    importer.line.send(exporter.line.receive());
    EXPECT_EQ(importer.line.receive(), "written");
    exporter.line.send("compare");
}

} // namespace

TEST(WindowSandbox, TheImporterMayNotTouchOthersMemory)
{
    on_stage([] {
        Exporter peer(Via::cross, kSize);
        const std::string descriptor = peer.line.receive();
        refuse_cross_memory();
        const SdkLog log;
        Importer importer(8, kSize);

        Import &import = importer.import(descriptor);

        EXPECT_EQ(log.count({"import of pid " + std::to_string(peer.pid()), "route: agent"}), 1);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 1).data(), kSize), kSize);
        std::memcpy(importer.area.data(), pattern(kSize, 3).data(), kSize);
        EXPECT_EQ(importer.write(import, 0, kSize), DOCA_SUCCESS);
        std::memset(importer.area.data(), 0, kSize);
        EXPECT_EQ(importer.read(import, 0, kSize), DOCA_SUCCESS);
        EXPECT_EQ(first_difference(importer.area.data(), pattern(kSize, 3).data(), kSize), kSize);

        ::setenv("SOFTDOCA_WINDOW", "cross", 1);
        EXPECT_EQ(import_code(importer.device, descriptor), DOCA_ERROR_NOT_SUPPORTED);
    });
}

TEST(WindowSandbox, TheExporterMayNotTouchOthersMemory)
{
    on_stage([] {
        Process exporter(other_role(), [](Line &line) {
            refuse_cross_memory();
            export_and_check(line);
        });
        Process importer(own_role(), copy_both_ways);

        expect_pair_works(exporter, importer);
    });
}

TEST(WindowSandbox, NeitherMayTouchOthersMemory)
{
    on_stage([] {
        Process exporter(other_role(), [](Line &line) {
            refuse_cross_memory();
            export_and_check(line);
        });
        Process importer(own_role(), [](Line &line) {
            refuse_cross_memory();
            copy_both_ways(line);
        });

        expect_pair_works(exporter, importer);
    });
}

TEST(WindowSandbox, TheImporterHasItsOwnPidNamespace)
{
    on_stage([] {
        if (!may_have_pid_namespace())
            skip_stage("this machine refuses a PID namespace (unshare)");
        Process exporter(other_role(), export_and_check);
        Process importer(own_role(), in_own_pid_namespace(copy_both_ways));

        expect_pair_works(exporter, importer);
    });
}

TEST(WindowSandbox, TheExporterHasItsOwnPidNamespace)
{
    on_stage([] {
        if (!may_have_pid_namespace())
            skip_stage("this machine refuses a PID namespace (unshare)");
        Process exporter(other_role(), in_own_pid_namespace(export_and_check));
        Process importer(own_role(), copy_both_ways);

        expect_pair_works(exporter, importer);
    });
}

/// Both are process 1, each in its own namespace, as in two containers.
TEST(WindowSandbox, BothHaveTheirOwnPidNamespace)
{
    on_stage([] {
        if (!may_have_pid_namespace())
            skip_stage("this machine refuses a PID namespace (unshare)");
        Process exporter(other_role(), in_own_pid_namespace(export_and_check));
        Process importer(own_role(), in_own_pid_namespace(copy_both_ways));

        expect_pair_works(exporter, importer);
    });
}

/// Pages that both map need no right to trace.
TEST(WindowSandbox, MappedMemoryCrossesPidNamespaces)
{
    on_stage(Via::mapped, [] {
        if (!may_have_pid_namespace())
            skip_stage("this machine refuses a PID namespace (unshare)");
        Process exporter(other_role(), [](Line &line) {
            Exported own(Via::mapped, kSize);
            own.region.fill(1);
            line.send(own.descriptor());
            (void)line.wait();
            own.region.expect_pattern(2);
        });
        Process importer(own_role(), in_own_pid_namespace(copy_both_ways));

        expect_pair_works(exporter, importer);
    });
}
