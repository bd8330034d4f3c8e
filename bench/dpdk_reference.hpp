// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "child_process.hpp"

#include <optional>
#include <string>

namespace softdoca::bench {

/// DPDK's dmadev skeleton in a process of its own (probes/dmadev.cpp), asked for one measurement at
/// a time: its set-up takes over a whole process, and it is built only where DPDK is installed.
class DpdkReference {
public:
    /// Starts the process; trouble() tells whether and why it is not there.
    explicit DpdkReference(double min_ms);

    const std::string &trouble() const { return trouble_; }

    /// Nanoseconds for a copy of 64 B, at the better of its depths 32 and 512.
    double measure_ns();

private:
    std::string read_answer();

    std::string trouble_;
    std::optional<ChildProcess> probe_; // ends when its input does
};

} // namespace softdoca::bench
