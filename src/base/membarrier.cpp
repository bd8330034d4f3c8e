// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/membarrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace softdoca {

namespace {

bool membarrier(int command) noexcept
{
    return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

} // namespace

bool has_own_fences() noexcept
{
    static const bool kHasThem = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    return kHasThem;
}

bool fence_own_threads() noexcept
{
    return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool join_process_fences() noexcept
{
    return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

bool fence_all_processes() noexcept
{
    return membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

} // namespace softdoca
