// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"

#include <new>
#include <utility>

namespace softdoca {

/// Runs the body of the cold C function call: no exception crosses the C border. The only `try` in
/// the project. Hot functions (submit, progress, buffers) allocate nothing and are noexcept
/// instead.
template <typename Body>
[[nodiscard]] doca_error_t api_guard(LogSite site, const char *call, Body &&body,
                                     doca_error_t out_of_memory = DOCA_ERROR_NO_MEMORY) noexcept
{
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc &) {
        return log_refusal(site, out_of_memory, call, "%s: the process is out of memory", call);
    } catch (...) {
        return log_refusal(site, DOCA_ERROR_UNEXPECTED, call, "%s: unexpected exception", call);
    }
}

} // namespace softdoca
