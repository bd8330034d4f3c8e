// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softdoca::test {

/// How a program ended and what it said.
struct Ended {
    int status; ///< of exit; -1 if it was killed
    std::string out;
    std::string err;
};

/// Names and values; the variables without a value are unset.
using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

inline constexpr int kCannotRun = 127; ///< the status if the file is no program for this machine

/// Runs another program to its end, in this process's environment but for what is given.
Ended run_program(const std::string &path, const Environment &environment,
                  const std::vector<std::string> &arguments = {});

} // namespace softdoca::test
