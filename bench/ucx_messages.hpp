// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace softdoca::bench {

/// Messages of UCX between two processes on one machine, by shared memory and, where UCX finds that
/// better, by reading the other process's memory: two processes of ucx_perftest for each
/// measurement.
class UcxMessages {
public:
    UcxMessages();

    /// Why it is not there, or failed.
    const std::string &trouble() const { return trouble_; }

    /// Nanoseconds for a message: the mean of a run. tag_bw: messages one way, as fast as they go;
    /// tag_lat: half a round trip.
    double measure_ns(const std::string &test, std::size_t len, std::uint64_t num_messages);

private:
    std::string trouble_;
};

} // namespace softdoca::bench
