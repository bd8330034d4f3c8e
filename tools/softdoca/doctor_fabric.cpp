// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "doctor.hpp"

#include "private_fabric.hpp"

#include "fabric/inspect.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace softdoca::tool {

namespace {

namespace fs = std::filesystem;

constexpr int kAnswerMs = 1000;

/// What keeps processes from using a directory that is there; empty: nothing.
std::string fault_of(const std::string &directory, const struct stat &status, std::string &remedy)
{
    const bool is_open = !topology().group.empty();
    const mode_t allowed = is_open ? 0770 : 0700;

    remedy = "remove it, or name another place by SOFTDOCA_FABRIC=DIR";
    if (!S_ISDIR(status.st_mode))
        return " is not a directory";
    if (status.st_uid != geteuid() && status.st_uid != 0 && !is_open)
        return " belongs to another user";
    remedy = (is_open ? "chmod 0770 " : "chmod 0700 ") + directory;
    if ((status.st_mode & 0777 & ~allowed) != 0)
        return " can be entered by others";
    return access(directory.c_str(), R_OK | W_OK | X_OK) == 0 ? "" : " cannot be written";
}

/// True if there is something inside to look at.
bool examine_directory(Diagnosis &diagnosis, const std::string &directory)
{
    struct stat status;
    if (lstat(directory.c_str(), &status) != 0) {
        const int error = errno;
        const fs::path path = fs::absolute(directory).lexically_normal();
        const fs::path parent = (path.has_filename() ? path : path.parent_path()).parent_path();
        if (error != ENOENT || access(parent.c_str(), W_OK | X_OK) != 0)
            diagnosis.failure(directory + " is not there and cannot be made: " +
                                  std::strerror(error != ENOENT ? error : errno),
                              "name a directory in a writable place by SOFTDOCA_FABRIC=DIR");
        else
            diagnosis.good(directory + " will be made by the first process that needs it");
        return false;
    }
    std::string remedy;
    const std::string fault = fault_of(directory, status, remedy);
    if (fault.empty())
        diagnosis.good(directory + " has the right owner and mode");
    else
        diagnosis.failure(directory + fault, remedy);
    return S_ISDIR(status.st_mode);
}

/// Is the process of a row one that this PID namespace knows by the same number?
bool is_in_our_namespace(const ProcessRow &row)
{
    std::error_code error;
    const fs::path program =
        fs::read_symlink("/proc/" + std::to_string(row.pid) + "/exe", error).filename();
    if (error == std::errc::permission_denied) // another user's: nothing is known
        return true;
    // After an update the link says "name (deleted)".
    return !error && program.native().starts_with(row.program);
}

void examine_process(Diagnosis &diagnosis, const ProcessRow &row)
{
    const std::string who =
        "process " + std::to_string(row.pid) + " (" + row.program + ", " + row.node + ")";

    if (row.release != SOFTDOCA_VERSION)
        diagnosis.warning(who + " has the libraries of SoftDOCA " + row.release +
                              ", this is " SOFTDOCA_VERSION "; the two cannot reach each other",
                          "build or start both sides with one copy of SoftDOCA");
    else if (!row.is_answering)
        diagnosis.warning(who + " does not answer: it is stopped or in a debugger; imports of its "
                                "memory wait, and fail after 5 seconds; its Comch peers wait",
                          "continue it (kill -CONT " + std::to_string(row.pid) + "), or end it");
    else if (!is_in_our_namespace(row))
        diagnosis.note(who + " lives in another PID namespace, as in a container: its memory is "
                             "reached by the agent route");
    for (const ImportRow &imported : row.imports)
        if (imported.route == Route::agent)
            diagnosis.note(who + " imports memory of process " +
                           std::to_string(imported.exporter_pid) +
                           " by the agent route: " + imported.reason);
}

} // namespace

void examine_fabric(Diagnosis &diagnosis)
{
    const std::string directory = fabric_directory();

    if (directory.empty()) {
        diagnosis.failure("there is no usable fabric directory",
                          "name one that only this user can enter by SOFTDOCA_FABRIC=DIR");
        return;
    }
    if (examine_directory(diagnosis, directory)) {
        const std::vector<ProcessRow> rows = inspect_fabric(directory, kAnswerMs);
        diagnosis.note(std::to_string(rows.size()) + " processes are in it (softdoca ls)");
        for (const ProcessRow &row : rows)
            examine_process(diagnosis, row);
        if (const auto leftovers = fabric_leftovers(directory); !leftovers.empty())
            diagnosis.note(std::to_string(leftovers.size()) +
                           " entries of killed processes are left, such as " + leftovers.front() +
                           "; the next process that uses the fabric removes them");
    }
    for (const std::string &path : abandoned_private_fabrics())
        diagnosis.note(path + " is left of a killed 'softdoca pair'; the next one removes it");
}

} // namespace softdoca::tool
