// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include <new>
#include <utility>

namespace softdoca {

/// Runs the body of a cold C function: no exception crosses the C border. The only `try` in the
/// project. Hot functions (submit, progress, buffers) allocate nothing and are noexcept instead.
template <typename Body>
[[nodiscard]] doca_error_t api_guard(Body &&body,
                                     doca_error_t out_of_memory = DOCA_ERROR_NO_MEMORY) noexcept
{
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc &) {
        return out_of_memory;
    } catch (...) {
        return DOCA_ERROR_UNEXPECTED;
    }
}

} // namespace softdoca
