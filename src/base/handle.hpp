// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"

namespace softdoca {

/// First step of each public function on an object: NULL is INVALID_VALUE, and an object made
/// before a fork is BAD_STATE in the child. kind is what log lines call the object.
template <typename Object>
[[nodiscard]] inline doca_error_t check_handle(LogSite site, const char *call, const char *kind,
                                               const Object *object) noexcept
{
    if (object == nullptr) [[unlikely]]
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call, "%s: %s is NULL", call, kind);
    if (object->is_inherited()) [[unlikely]]
        return log_refusal(site, DOCA_ERROR_BAD_STATE, call,
                           "%s: %s %p was made before this process was forked; only the parent may "
                           "use it",
                           call, kind, static_cast<const void *>(object));
    return DOCA_SUCCESS;
}

/// The out-parameter of a query.
[[nodiscard]] inline doca_error_t check_out(LogSite site, const char *call,
                                            const void *out) noexcept
{
    if (out == nullptr) [[unlikely]]
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call, "%s: the out-parameter is NULL",
                           call);
    return DOCA_SUCCESS;
}

} // namespace softdoca
