// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace softdoca::tool {

namespace {

constexpr rlim_t kFewFiles = 256;
constexpr unsigned long kLittleRoom = 4; // MiB

std::string in_words(rlim_t limit)
{
    return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

/// The pages that processes share are of such memory.
void examine_sealed_memory(Diagnosis &diagnosis)
{
    const UniqueFd fd(memfd_create("softdoca-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;

    if (fd.is_open() && fcntl(fd.get(), F_ADD_SEALS, seals) == 0)
        diagnosis.good("sealed shared memory (memfd) works");
    else
        diagnosis.failure(std::string("sealed shared memory (memfd) does not work: ") +
                              std::strerror(errno),
                          "Linux 5.1 or newer, and a container whose seccomp profile allows "
                          "memfd_create");
}

void examine_membarrier(Diagnosis &diagnosis)
{
    const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

    if (commands >= 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0)
        diagnosis.good("membarrier works");
    else
        diagnosis.warning(
            "membarrier is refused; programs fence by themselves, a little slower",
            "a seccomp profile that allows membarrier (valgrind and gVisor never do)");
}

void examine_shm(Diagnosis &diagnosis)
{
    struct statvfs space;

    if (access("/dev/shm", W_OK | X_OK) != 0 || statvfs("/dev/shm", &space) != 0) {
        diagnosis.warning("/dev/shm cannot be written; the fabric is kept in /tmp",
                          "mount a tmpfs there, or name a directory by SOFTDOCA_FABRIC=DIR");
        return;
    }
    const unsigned long free_mib = space.f_bavail * space.f_frsize >> 20;
    const std::string text = "/dev/shm has " + std::to_string(free_mib) + " MiB free";
    if (free_mib < kLittleRoom)
        diagnosis.warning(text, "remove what fills it, or give the container a larger one "
                                "(docker run --shm-size=64m)");
    else
        diagnosis.good(text);
}

void examine_limits(Diagnosis &diagnosis)
{
    rlimit files{};
    rlimit locked{};

    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_MEMLOCK, &locked);
    const std::string text = "a process may open " + in_words(files.rlim_cur) + " files";
    if (files.rlim_cur < kFewFiles)
        diagnosis.warning(text + "; each peer and each export takes some", "ulimit -n 1024");
    else
        diagnosis.good(text);
    if (locked.rlim_cur != RLIM_INFINITY)
        diagnosis.note("a process may lock " + in_words(locked.rlim_cur) +
                       " bytes of memory; SoftDOCA locks none, on a card it should be unlimited");
}

} // namespace

void examine_machine(Diagnosis &diagnosis)
{
    utsname system{};
    uname(&system);
    diagnosis.note(std::string(system.sysname) + ' ' + system.release + ", " + system.machine +
                   ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " processors");
    examine_sealed_memory(diagnosis);
    examine_membarrier(diagnosis);
    examine_shm(diagnosis);
    examine_limits(diagnosis);
}

} // namespace softdoca::tool
