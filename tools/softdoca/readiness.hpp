// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "pair.hpp"

#include <sys/stat.h>

#include <map>
#include <set>
#include <string>

namespace softdoca::tool {

/// Tells when the side that was started first is ready for the other one: it has written the files
/// that the plan names; or, if none are named, one of its processes has started a Comch server, or
/// offers memory in the fabric and has then come to rest (it may still write down what the other
/// side needs to know).
class Readiness {
public:
    /// Before the first side is started: remembers what is there already.
    explicit Readiness(const PairPlan &plan);

    /// For files and memory, two looks with a pause between them are needed at least.
    bool look();

private:
    struct FileState {
        bool is_there = false;
        ino_t inode = 0;
        off_t size = 0;
        timespec modified{};

        bool operator==(const FileState &other) const;
    };
    struct File {
        FileState before;          ///< the first side was started
        FileState last;            ///< when we looked
        Clock::time_point since{}; ///< it looks like that
    };
    struct Exporter {
        Clock::time_point since;
        std::string at_rest; ///< what a sleeping main thread showed at the last look
    };

    static FileState state_of(const std::string &path);
    bool are_files_written();
    bool is_serving();

    const PairPlan &plan_;
    std::string directory_;
    std::set<std::string> earlier_processes_;   ///< ids
    std::map<std::string, Exporter> exporters_; ///< by id
    std::vector<File> files_;                   ///< of the plan
};

} // namespace softdoca::tool
