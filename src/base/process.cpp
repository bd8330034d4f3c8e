// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/process.hpp"

#include "base/process_fd.hpp"

#include <pthread.h>

namespace softdoca {

constinit std::uint32_t fork_depth = 0;

namespace {

[[gnu::constructor]] void watch_forks()
{
    pthread_atfork(nullptr, nullptr, [] {
        ++fork_depth;
        close_process_fds();
    });
}

} // namespace

} // namespace softdoca
