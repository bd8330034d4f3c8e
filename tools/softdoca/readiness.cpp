// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "readiness.hpp"

#include "fabric/inspect.hpp"

#include <fstream>

namespace softdoca::tool {

namespace {

constexpr int kAnswerMs = 50;
/// A main thread that never sleeps (it polls) has come to rest when it has offered its memory for
/// so long.
constexpr Milliseconds kPollerDelay{500};

/// A file is written when it has not changed for so long.
constexpr Milliseconds kFilePause{30};
constexpr Milliseconds kEmptyFilePause{500}; // it may have been opened only

/// How often the main thread of a process went to sleep, if it sleeps now; else empty.
std::string sleeps_of(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/status"); // of its first thread
    bool is_asleep = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("State:"))
            is_asleep = line.find("S (") != std::string::npos;
        if (is_asleep && line.starts_with("voluntary_ctxt_switches:"))
            return line;
    }
    return {};
}

} // namespace

bool Readiness::FileState::operator==(const FileState &other) const
{
    return is_there == other.is_there && inode == other.inode && size == other.size &&
           modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec;
}

Readiness::Readiness(const PairPlan &plan) : plan_(plan), directory_(fabric_directory())
{
    for (const std::string &path : plan.until_files) {
        const FileState state = state_of(path);
        files_.push_back({state, state, Clock::now()});
    }
    for (const ProcessRow &row : inspect_fabric(directory_, kAnswerMs))
        earlier_processes_.insert(row.id);
}

bool Readiness::look()
{
    return plan_.until_files.empty() ? is_serving() : are_files_written();
}

Readiness::FileState Readiness::state_of(const std::string &path)
{
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        return {};
    return {true, status.st_ino, status.st_size, status.st_mtim};
}

bool Readiness::are_files_written()
{
    bool are_written = true;

    for (std::size_t i = 0; i < files_.size(); ++i) {
        File &file = files_[i];
        const FileState now = state_of(plan_.until_files[i]);
        if (!(now == file.last))
            file.since = Clock::now();
        file.last = now;
        const Milliseconds pause = now.size == 0 ? kEmptyFilePause : kFilePause;
        are_written = are_written && now.is_there && !(now == file.before) &&
                      Clock::now() >= file.since + pause;
    }
    return are_written;
}

bool Readiness::is_serving()
{
    for (const ProcessRow &row : inspect_fabric(directory_, kAnswerMs)) {
        if (row.node != plan_.sides[0].node->name || earlier_processes_.contains(row.id))
            continue;
        if (!row.servers.empty()) // clients may come from now on
            return true;
        if (row.exports.empty())
            continue;
        const auto [it, is_new] = exporters_.try_emplace(row.id, Exporter{Clock::now(), {}});
        const std::string at_rest = sleeps_of(row.pid);
        if (!is_new && !at_rest.empty() && at_rest == it->second.at_rest)
            return true;
        if (Clock::now() >= it->second.since + kPollerDelay)
            return true;
        it->second.at_rest = at_rest;
    }
    return false;
}

} // namespace softdoca::tool
