// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdint>
#include <functional>

/// Counts, exactly, the calls that have no place in a hot path. A program that is linked with
/// call_counter.cpp has the allocator, the locks and the clock functions of its own in front of
/// libc's, for itself and for every shared library it loads; system calls are caught by a seccomp
/// filter, whatever code makes them.
namespace softdoca::bench {

struct Calls {
    std::uint64_t allocations = 0; ///< malloc and its kin, free, and so operator new and delete
    std::uint64_t locks = 0;       ///< pthread mutexes, rwlocks, spin locks, conditions, semaphores
    std::uint64_t clock_reads = 0;
    std::uint64_t system_calls = 0;

    friend bool operator==(const Calls &, const Calls &) = default;
    std::uint64_t sum() const { return allocations + locks + clock_reads + system_calls; }
};

/// Why nothing can be counted in this build or on this machine; nullptr if it can.
const char *why_calls_are_not_counted();

/// Runs `body` on a thread of its own whose system calls are caught (carried out all the same, but
/// slowly), since a filter can never be taken off a thread again. `body` must start no process and
/// no thread.
void run_watched(const std::function<void()> &body);

/// What `loop` calls, in the calling thread, which is inside run_watched.
Calls count_calls(const std::function<void()> &loop);

} // namespace softdoca::bench
