// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdint>

namespace softdoca {

/// How often this process is a forked copy of one that already used the library. It changes only in
/// the child of a fork, which has one thread then.
[[gnu::visibility("default")]] extern std::uint32_t fork_depth;

/// Member of each object that a forked child must not use: devices, progress engines and peers
/// belong to the process that made them.
class OwnerProcess {
public:
    bool is_another() const noexcept { return fork_depth_ != fork_depth; }

private:
    std::uint32_t fork_depth_ = fork_depth;
};

} // namespace softdoca
