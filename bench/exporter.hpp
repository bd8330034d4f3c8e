// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "child_process.hpp"

#include <cstddef>
#include <string>

namespace softdoca::bench {

/// The other side: this program once more, in the host's role. It exports memory of both kinds and
/// sleeps until the benchmark is done with it.
class Exporter {
public:
    explicit Exporter(std::size_t ordinary_len);

    pid_t pid() const { return process_.pid(); }
    /// Export descriptors: of memory that an importer can map, kSharedLen bytes, and of other.
    const std::string &shared() const { return shared_; }
    const std::string &ordinary() const { return ordinary_; }

    static constexpr std::size_t kSharedLen = (std::size_t{1} << 20) + 2 * std::size_t{4096};

private:
    ChildProcess process_;
    std::string shared_, ordinary_;
};

/// Plays the other side, and does not return, if the arguments are those of its process. To be
/// called first.
void export_if_asked(int argc, char **argv);

} // namespace softdoca::bench
