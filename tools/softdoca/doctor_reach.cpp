// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace softdoca::tool {

namespace {

constexpr const char *kMappedAdvice = "memory of softdoca_memory_alloc() is as fast as ever: it is "
                                      "mapped";

constexpr const char *kFirstPidNamespace = "pid:[4026531836]"; // the machine's, a constant of Linux

std::string first_line(const char *path)
{
    std::string line;
    std::getline(std::ifstream(path), line);
    return line;
}

std::string status_field(std::string_view name)
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name) && line.size() > name.size() + 1)
            return line.substr(line.find_first_not_of(" \t", name.size() + 1));
    return {};
}

/// Reads one word of a process; errno, or 0.
int read_peer(pid_t pid, const std::uint64_t *at)
{
    std::uint64_t word = 0;
    const iovec local{&word, sizeof word};
    const iovec remote{const_cast<std::uint64_t *>(at), sizeof word};
    const ssize_t len = process_vm_readv(pid, &local, 1, &remote, 1, 0);

    if (len < 0)
        return errno;
    return len == sizeof word && word == *at ? 0 : EIO;
}

/// Two children like an exporter and an importer: can the one read the other's memory? errno, or 0.
int try_reading(bool names_reader)
{
    static const std::uint64_t kWord = 0x736f6674646f6361;
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0)
        return errno;
    const pid_t exporter = fork();
    if (exporter == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (names_reader) // may not exist in this kernel, then it is not needed
            prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        if (write(ready[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    int result = exporter > 0 && read(ready[0], &byte, 1) == 1 ? 0 : EAGAIN;
    const pid_t importer = result == 0 ? fork() : -1;
    if (importer == 0)
        _exit(read_peer(exporter, &kWord));
    int status = 0;
    if (importer > 0 && waitpid(importer, &status, 0) == importer)
        // A seccomp filter may also kill who tries.
        result = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
    if (exporter > 0) {
        kill(exporter, SIGKILL);
        waitpid(exporter, nullptr, 0);
    }
    close(ready[0]);
    return result;
}

void explain_refusal(Diagnosis &diagnosis, int error)
{
    const std::string yama = first_line("/proc/sys/kernel/yama/ptrace_scope");
    const std::string refused = std::string("no process may read another's memory "
                                            "(process_vm_readv: ") +
                                std::strerror(error) +
                                "): other memory takes the agent route, which copies twice and "
                                "hands over between threads; ";

    if (error == ENOSYS)
        diagnosis.warning(refused + "this kernel does not have the call", kMappedAdvice);
    else if (yama == "2" || yama == "3")
        diagnosis.warning(refused + "Yama forbids it (kernel.yama.ptrace_scope is " + yama + ")",
                          std::string(yama == "2" ? "sudo sysctl kernel.yama.ptrace_scope=1; else "
                                                  : "boot with a lower ptrace_scope; else ") +
                              kMappedAdvice);
    else if (status_field("Seccomp") == "2")
        diagnosis.warning(refused + "a seccomp filter, as containers have, forbids it",
                          std::string("docker run --cap-add=SYS_PTRACE, or a seccomp profile that "
                                      "allows process_vm_readv and process_vm_writev; else ") +
                              kMappedAdvice);
    else
        diagnosis.warning(refused + "a security module forbids it, or capabilities differ",
                          std::string("run both sides as the same user with the same rights; "
                                      "else ") +
                              kMappedAdvice);
}

void examine_cross_route(Diagnosis &diagnosis)
{
    const int plain = try_reading(false);
    const int named = plain == 0 ? 0 : try_reading(true);
    const char *const tracer = std::getenv("SOFTDOCA_PTRACER");

    if (plain == 0)
        diagnosis.good("any other memory is copied by one system call a batch (route cross)");
    else if (named != 0)
        explain_refusal(diagnosis, named);
    else if (tracer != nullptr && std::string_view(tracer) == "any")
        diagnosis.good("any other memory is copied by one system call a batch (route cross): "
                       "SOFTDOCA_PTRACER=any lets every process of this user read the exporter");
    else
        diagnosis.note("any other memory is copied by one system call a batch (route cross), but "
                       "by one importer of each exporter at a time (Yama, ptrace_scope 1); further "
                       "ones take the agent route, unless SOFTDOCA_PTRACER=any");
}

void examine_forced_route(Diagnosis &diagnosis)
{
    const char *const forced = std::getenv("SOFTDOCA_WINDOW");

    for (const std::string_view route : {"mapped", "cross", "agent"})
        if (forced != nullptr && route == forced)
            diagnosis.warning("SOFTDOCA_WINDOW forces the route " + std::string(route) +
                                  "; an import that cannot have it is refused (NOT_SUPPORTED)",
                              "unset SOFTDOCA_WINDOW, unless this is a test of the route");
}

} // namespace

void examine_reach(Diagnosis &diagnosis)
{
    diagnosis.good(
        "memory of softdoca_memory_alloc(), or of a sealed memfd, is mapped by the other "
        "side (route mapped)");
    examine_cross_route(diagnosis);
    if (prctl(PR_GET_DUMPABLE) != 1)
        diagnosis.warning(
            "this process is not dumpable: no other may read its memory (route agent)",
            "do not run through a set-user-id program, or one without read permission");
    std::error_code error;
    const std::string pid_namespace = std::filesystem::read_symlink("/proc/self/ns/pid", error);
    if (!error && pid_namespace != kFirstPidNamespace)
        diagnosis.note("this is a PID namespace of its own (a container); a peer outside of it is "
                       "reached by the agent route");
    examine_forced_route(diagnosis);
}

} // namespace softdoca::tool
