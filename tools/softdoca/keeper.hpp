// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace softdoca::tool {

/// Runs the work in a child process, the keeper, which gets this process's signals and outlives it
/// by as much as it needs: even kill -9 of this process leaves nobody behind, for the keeper is
/// sent SIGTERM then. Should the keeper be killed itself, this process ends what it leaves.
///
/// In the work these signals are blocked: SIGINT, SIGTERM, SIGHUP,
/// SIGQUIT, SIGCHLD. What it returns is the exit status; a keeper killed by signal n gives 128 + n.
int in_keeper(const std::function<int()> &work);

/// Has the process that began all this gone? For the keeper.
bool is_abandoned();

/// Sends a signal to all descendants of this process, and one to continue if they are stopped.
/// To those that have left their parents, too: both processes above adopt orphans.
void signal_descendants(int signal);

/// Collects children of this process that have ended, and gives the status of each to the visitor.
/// False if there are no children any more.
bool reap_children(const std::function<void(pid_t, int)> &visitor);

/// The status of a process as a shell gives it: its exit status, or 128 + the signal.
int shell_status(int wait_status);

} // namespace softdoca::tool
