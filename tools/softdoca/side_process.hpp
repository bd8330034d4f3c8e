// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/unique_fd.hpp"
#include "pair.hpp"

#include <sys/types.h>

#include <optional>

namespace softdoca::tool {

/// One of the two programs: a shell in a session of its own, which ends with this process. Its
/// standard input is a pipe that stays open; its output is for us to read.
class SideProcess {
public:
    /// False if no process can be started; errno says why.
    bool start(const SidePlan &plan);

    /// "Press enter": a newline on its standard input.
    void press_enter();

    bool is_started() const { return pid_ > 0; }
    bool is_running() const { return is_started() && !status_; }
    pid_t pid() const { return pid_; }
    const std::optional<int> &status() const
    {
        return status_;
    } ///< as a shell gives it, once ended
    void set_status(int status) { status_ = status; }
    int output() const { return output_.get(); } ///< non-blocking; -1 when all has been read
    void close_output() { output_ = UniqueFd(); }

private:
    pid_t pid_ = 0;
    std::optional<int> status_;
    UniqueFd input_;
    UniqueFd output_;
};

} // namespace softdoca::tool
