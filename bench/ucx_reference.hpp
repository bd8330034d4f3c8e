// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <string>

namespace softdoca::bench {

/// UCX reading memory that it has allocated in another process, over POSIX shared memory: two
/// processes of ucx_perftest for each measurement, of which the one that owns the memory sleeps.
class UcxReference {
public:
    UcxReference();

    /// Why it is not there, or failed.
    const std::string &trouble() const { return trouble_; }

    /// Nanoseconds for a get of so many bytes: the median over all gets of a run, which does not
    /// count what other programs take from the CPU.
    double measure_ns(std::size_t len);

private:
    std::string trouble_;
};

} // namespace softdoca::bench
