// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include "base/log_sink.hpp"

#include <type_traits>

/// Functions that the headers declare and this release does not offer: they answer so, and change
/// nothing. Each stands in the file of its object and calls one of these with LOG_SITE, __func__
/// and those of its arguments that must not be NULL:
///
///     return not_offered(LOG_SITE, __func__, pe, graph);
namespace softdoca {

/// Says at INFO, once for each function, that it is not offered. All that a function can do whose
/// result is a pointer (NULL), a number (0) or nothing.
inline void say_not_offered(LogSite site, const char *function) noexcept
{
    if (log_enabled(LogLevel::info)) // the function is the object: a refusal at this site is apart
        log_once(LogLevel::info, site, function,
                 "%s: not offered by this release (see docs/compatibility.md)", function);
}

/// NOT_SUPPORTED, silently: a capability query may ask, the answer is no. INVALID_VALUE for NULL.
template <typename... Pointers>
[[nodiscard]] doca_error_t not_supported(LogSite site, const char *function,
                                         Pointers... required) noexcept
{
    static_assert((std::is_pointer_v<Pointers> && ...));
    const bool is_complete = (... && (required != nullptr));
    if (!is_complete)
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, nullptr,
                           "%s: an argument is NULL that must point to something", function);
    return DOCA_ERROR_NOT_SUPPORTED;
}

/// The same for every other call, which is told once that it asks in vain.
template <typename... Pointers>
[[nodiscard]] doca_error_t not_offered(LogSite site, const char *function,
                                       Pointers... required) noexcept
{
    const doca_error_t answer = not_supported(site, function, required...);
    if (answer == DOCA_ERROR_NOT_SUPPORTED)
        say_not_offered(site, function);
    return answer;
}

} // namespace softdoca
