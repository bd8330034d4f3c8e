// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/handle.hpp"
#include "common/dev.hpp"

#include <doca_comch.h>
#include <doca_error.h>

namespace softdoca {

/// May a server, or a client, be on this device? NOT_SUPPORTED, logged, if not.
[[nodiscard]] doca_error_t check_server(LogSite site, const void *object,
                                        const doca_dev &dev) noexcept;
[[nodiscard]] doca_error_t check_client(LogSite site, const void *object,
                                        const doca_dev &dev) noexcept;
/// A service's name: not NULL nor empty, and within the limit. INVALID_VALUE.
[[nodiscard]] doca_error_t check_name(LogSite site, const char *call, const doca_dev &dev,
                                      const char *name) noexcept;

/// Can consumers and producers be made on it? BAD_STATE.
[[nodiscard]] doca_error_t check_established(LogSite site, const char *call,
                                             const doca_comch_connection &connection) noexcept;

/// A query of an object in any state.
template <typename Object, typename Value, typename Ask>
[[nodiscard]] doca_error_t answer(LogSite site, const char *call, const char *kind,
                                  const Object *object, Value *out, Ask &&ask) noexcept
{
    if (const doca_error_t bad = check_handle(site, call, kind, object); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = check_out(site, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = ask();
    return DOCA_SUCCESS;
}

} // namespace softdoca
