// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca::test {

/// The operators new and delete of a test program that links failing_new.cpp, and so those of the
/// libraries. Each thread has its own: what others allocate never fails.
struct NewCounts {
    long countdown = -1;      ///< allocations until one fails; negative: none will
    bool is_counting = false; ///< else they do not count and none fails
    bool has_failed = false;  ///< to be reset by whoever looks
    long num_blocks = 0;      ///< that exist
};
extern constinit thread_local NewCounts new_counts;

} // namespace softdoca::test
