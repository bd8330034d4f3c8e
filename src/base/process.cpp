// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/process.hpp"

#include <pthread.h>

namespace softdoca {

constinit std::uint32_t fork_depth = 0;

namespace {

[[gnu::constructor]] void watch_forks()
{
    pthread_atfork(nullptr, nullptr, [] { ++fork_depth; });
}

} // namespace

} // namespace softdoca
