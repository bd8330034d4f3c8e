// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/handle.hpp"
#include "common/dev.hpp"

#include <doca_error.h>

#include <cstdint>
#include <utility>

/// What a function of the topology can do with Comch, for the capability calls.
namespace softdoca {

bool has_comch(const Function &function) noexcept;
bool can_serve(const Function &function) noexcept;
bool can_be_client(const Function &function) noexcept;

/// The function behind a devinfo; nullptr, logged, if it is NULL or stale.
const Function *function_for(LogSite site, const char *call, const doca_devinfo *devinfo) noexcept;

/// SUCCESS or NOT_SUPPORTED.
doca_error_t query_support(LogSite site, const char *call, const doca_devinfo *devinfo,
                           bool (*is_supported)(const Function &)) noexcept;

template <typename Pick>
doca_error_t query_limit(LogSite site, const char *call, const doca_devinfo *devinfo,
                         std::uint32_t *out, Pick &&pick) noexcept
{
    const Function *const function = function_for(site, call, devinfo);
    if (function == nullptr)
        return DOCA_ERROR_INVALID_VALUE;
    if (const doca_error_t bad = check_out(site, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = pick(*function);
    return DOCA_SUCCESS;
}

/// The same, for limits that a device without Comch does not have.
template <typename Pick>
doca_error_t query_own_limit(LogSite site, const char *call, const doca_devinfo *devinfo,
                             std::uint32_t *out, Pick &&pick) noexcept
{
    const doca_error_t supported = query_support(site, call, devinfo, has_comch);
    return supported != DOCA_SUCCESS
               ? supported
               : query_limit(site, call, devinfo, out, std::forward<Pick>(pick));
}

} // namespace softdoca
