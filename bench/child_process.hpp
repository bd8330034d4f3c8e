// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace softdoca::bench {

/// A program that runs beside the benchmark, with pipes to its standard input and from its standard
/// output. It does not outlive the benchmark.
class ChildProcess {
public:
    struct Setup {
        std::vector<std::string> command; ///< the program is looked for in PATH
        std::vector<int> cpus;            ///< that it may use
        std::vector<std::pair<std::string, std::string>> environment; ///< besides ours
        bool is_quiet = false; ///< what it writes to standard error is dropped
    };

    explicit ChildProcess(const Setup &setup);
    /// Closes its input and waits for its end.
    ~ChildProcess();
    ChildProcess(const ChildProcess &) = delete;
    ChildProcess &operator=(const ChildProcess &) = delete;

    pid_t pid() const { return pid_; }
    std::FILE *input() const { return input_; }
    std::FILE *output() const { return output_; }
    /// Closes its input, unless it was closed before, and waits: 127 if there is no such program.
    int wait();
    void kill() const;

private:
    pid_t pid_;
    std::FILE *input_ = nullptr;
    std::FILE *output_ = nullptr;
    int exit_code_ = 0;
};

/// The program that is running, or one that lies beside it.
std::string own_program();
std::string program_beside(const std::string &name);

} // namespace softdoca::bench
