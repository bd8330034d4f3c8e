// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca::bench {

class Report;

// Each function runs the rows of its file that the report wants.
void run_task_rows(Report &report); ///< 1, 2: small tasks against the engine model
/// 2 once more, locks included. After the rows that a single thread should run.
void run_threaded_rows(Report &report);
void run_dpdk_rows(Report &report); ///< 3: against DPDK's dmadev skeleton
void run_copy_rows(Report &report); ///< 4, 5, 6: what of a bare copy's speed is left
void run_idle_rows(Report &report); ///< 19, 20, 21: what contexts with nothing to do cost
/// 16, 17, 18, and 22 of those: memory of another process. Makes a thread of this one.
void run_window_rows(Report &report);
void run_count_rows(Report &report); ///< 22: allocations, locks, clock reads, system calls
void run_start_rows(Report &report); ///< start: time and memory of a context with many tasks
void run_comch_rows(Report &report); ///< 7 to 12: producer to consumer, on two CPUs
void run_comch_control_rows(Report &report); ///< 13, 14, 15: control messages, wake-ups
/// 20 and 21 of connections and consumers; connect: many clients of one server.
void run_comch_idle_rows(Report &report);
void run_comch_count_rows(Report &report); ///< 22 of messages
void run_cpp_rows(Report &report);         ///< cpp: what the C++ layer adds to a copy

} // namespace softdoca::bench
