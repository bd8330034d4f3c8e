// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch/limits.hpp"

#include "comch/comch_check.hpp"
#include "comch/connection.hpp"
#include "fabric/role.hpp"

#include <cstring>

LOG_SOURCE("COMCH::LIMITS");

namespace softdoca {

namespace {

bool is_on(Side side) noexcept
{
    const Node *const node = local_node();
    return node != nullptr && node->side == side;
}

} // namespace

/// Both need a card: the DPU's functions, or host functions behind one.
bool has_comch(const Function &function) noexcept
{
    return function.comch.is_supported && !function.card.empty();
}

bool can_serve(const Function &function) noexcept
{
    return is_on(Side::dpu) && has_comch(function);
}

bool can_be_client(const Function &function) noexcept
{
    return is_on(Side::host) && has_comch(function);
}

const Function *function_for(LogSite site, const char *call, const doca_devinfo *devinfo) noexcept
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        (void)log_refusal(site, DOCA_ERROR_INVALID_VALUE, call, "%s: devinfo %p is NULL or stale",
                          call, static_cast<const void *>(devinfo));
    return function;
}

doca_error_t query_support(LogSite site, const char *call, const doca_devinfo *devinfo,
                           bool (*is_supported)(const Function &)) noexcept
{
    const Function *const function = function_for(site, call, devinfo);
    if (function == nullptr)
        return DOCA_ERROR_INVALID_VALUE;
    return is_supported(*function) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t check_server(LogSite site, const void *object, const doca_dev &dev) noexcept
{
    if (can_serve(dev.function()))
        return DOCA_SUCCESS;
    return log_refusal(site, DOCA_ERROR_NOT_SUPPORTED, object,
                       "device %s cannot be a server's: servers are on the DPU's side "
                       "(doca_comch_cap_server_is_supported)",
                       dev.name());
}

doca_error_t check_client(LogSite site, const void *object, const doca_dev &dev) noexcept
{
    if (can_be_client(dev.function()))
        return DOCA_SUCCESS;
    return log_refusal(site, DOCA_ERROR_NOT_SUPPORTED, object,
                       "device %s cannot be a client's: clients are on the host's side, on "
                       "functions of a BlueField (doca_comch_cap_client_is_supported)",
                       dev.name());
}

doca_error_t check_name(LogSite site, const char *call, const doca_dev &dev,
                        const char *name) noexcept
{
    const std::uint32_t max = dev.function().comch.max_name_len;
    if (name == nullptr || *name == '\0')
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call, "%s: the name is NULL or empty",
                           call);
    if (const std::size_t len = std::strlen(name); len >= max)
        return log_refusal(site, DOCA_ERROR_INVALID_VALUE, call,
                           "%s: the name has %zu bytes; with its NUL it may have %u "
                           "(doca_comch_cap_get_max_name_len)",
                           call, len, max);
    return DOCA_SUCCESS;
}

doca_error_t check_established(LogSite site, const char *call,
                               const doca_comch_connection &connection) noexcept
{
    if (connection.stage() == doca_comch_connection::Stage::open && !connection.channel().is_lost())
        return DOCA_SUCCESS;
    return log_refusal(site, DOCA_ERROR_BAD_STATE, &connection,
                       "%s: connection %p is not established, or has ended", call,
                       static_cast<const void *>(&connection));
}

} // namespace softdoca
