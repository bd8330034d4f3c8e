// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// Can fence_own_threads() be had? Registers this process for it.
bool has_own_fences() noexcept;

/// Puts a full memory fence into every running thread of this process.
bool fence_own_threads() noexcept;

/// Registers this process for fence_all_processes() of its peers. False where the kernel has no
/// such call, or a sandbox refuses it.
bool join_process_fences() noexcept;

/// Puts a full memory fence into every running thread of all processes that have joined.
bool fence_all_processes() noexcept;

} // namespace softdoca
