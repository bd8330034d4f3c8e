// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a device can do, from its function in the topology; and who may be on it.

#include "comch/comch_check.hpp"

#include "base/handle.hpp"
#include "comch/connection.hpp"
#include "fabric/role.hpp"

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include <cstring>

LOG_SOURCE("COMCH::CAPABILITIES");

namespace softdoca {

namespace {

const Function *function_for(const char *call, const doca_devinfo *devinfo) noexcept
{
    const Function *const function = function_of(devinfo);
    if (function == nullptr)
        (void)LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: devinfo %p is NULL or stale", call,
                          static_cast<const void *>(devinfo));
    return function;
}

/// Both need a card: the DPU's functions, or host functions behind one.
bool has_comch(const Function &function) noexcept
{
    return function.comch.is_supported && !function.card.empty();
}

bool is_on(Side side) noexcept
{
    const Node *const node = local_node();
    return node != nullptr && node->side == side;
}

bool can_serve(const Function &function) noexcept
{
    return is_on(Side::dpu) && has_comch(function);
}

bool can_be_client(const Function &function) noexcept
{
    return is_on(Side::host) && has_comch(function);
}

doca_error_t query_support(const char *call, const doca_devinfo *devinfo,
                           bool (*is_supported)(const Function &)) noexcept
{
    const Function *const function = function_for(call, devinfo);
    if (function == nullptr)
        return DOCA_ERROR_INVALID_VALUE;
    return is_supported(*function) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

template <typename Pick>
doca_error_t query_limit(const char *call, const doca_devinfo *devinfo, std::uint32_t *out,
                         Pick &&pick) noexcept
{
    const Function *const function = function_for(call, devinfo);
    if (function == nullptr)
        return DOCA_ERROR_INVALID_VALUE;
    if (const doca_error_t bad = check_out(LOG_SITE, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = pick(*function);
    return DOCA_SUCCESS;
}

/// The same, for limits that a device without Comch does not have.
template <typename Pick>
doca_error_t query_own_limit(const char *call, const doca_devinfo *devinfo, std::uint32_t *out,
                             Pick &&pick) noexcept
{
    const doca_error_t supported = query_support(call, devinfo, has_comch);
    return supported != DOCA_SUCCESS ? supported
                                     : query_limit(call, devinfo, out, std::forward<Pick>(pick));
}

} // namespace

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

using softdoca::Function;

extern "C" doca_error_t doca_comch_cap_server_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(__func__, devinfo, softdoca::can_serve);
}

extern "C" doca_error_t doca_comch_cap_client_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(__func__, devinfo, softdoca::can_be_client);
}

extern "C" doca_error_t doca_comch_cap_get_max_name_len(const doca_devinfo *devinfo,
                                                        uint32_t *max_name_len)
{
    return softdoca::query_limit(__func__, devinfo, max_name_len,
                                 [](const Function &of) { return of.comch.max_name_len; });
}

extern "C" doca_error_t doca_comch_cap_get_max_msg_size(const doca_devinfo *devinfo, uint32_t *size)
{
    return softdoca::query_limit(__func__, devinfo, size,
                                 [](const Function &of) { return of.comch.max_msg_size; });
}

extern "C" doca_error_t doca_comch_cap_get_max_recv_queue_size(const doca_devinfo *devinfo,
                                                               uint32_t *size)
{
    return softdoca::query_limit(__func__, devinfo, size,
                                 [](const Function &of) { return of.comch.max_recv_queue_size; });
}

extern "C" doca_error_t doca_comch_cap_get_max_send_tasks(const doca_devinfo *devinfo,
                                                          uint32_t *max_send_tasks)
{
    return softdoca::query_limit(__func__, devinfo, max_send_tasks,
                                 [](const Function &of) { return of.comch.max_send_tasks; });
}

extern "C" doca_error_t doca_comch_cap_get_max_clients(const doca_devinfo *devinfo,
                                                       uint32_t *num_clients)
{
    return softdoca::query_limit(__func__, devinfo, num_clients,
                                 [](const Function &of) { return of.comch.max_clients; });
}

extern "C" doca_error_t doca_comch_consumer_cap_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(__func__, devinfo, softdoca::has_comch);
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const doca_devinfo *devinfo,
                                                                  uint32_t *max_num_tasks)
{
    return softdoca::query_limit(__func__, devinfo, max_num_tasks, [](const Function &of) {
        return of.comch_consumer.max_num_tasks;
    });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_buf_size(const doca_devinfo *devinfo,
                                                                 uint32_t *max_buf_size)
{
    return softdoca::query_own_limit(__func__, devinfo, max_buf_size, [](const Function &of) {
        return of.comch_consumer.max_buf_size;
    });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const doca_devinfo *devinfo,
                                                                     uint32_t *max_buf_list_len)
{
    return softdoca::query_own_limit(__func__, devinfo, max_buf_list_len, [](const Function &of) {
        return of.comch_consumer.max_buf_list_len;
    });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_consumers(const doca_devinfo *devinfo,
                                                                  uint32_t *max_consumers)
{
    return softdoca::query_limit(__func__, devinfo, max_consumers,
                                 [](const Function &of) { return of.comch_consumer.max_num; });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const doca_devinfo *devinfo,
                                                                     uint32_t *max_imm_data_len)
{
    return softdoca::query_limit(__func__, devinfo, max_imm_data_len,
                                 [](const Function &of) { return of.comch.max_imm_data_len; });
}

extern "C" doca_error_t doca_comch_producer_cap_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(__func__, devinfo, softdoca::has_comch);
}

extern "C" doca_error_t doca_comch_producer_cap_get_max_num_tasks(const doca_devinfo *devinfo,
                                                                  uint32_t *max_num_tasks)
{
    return softdoca::query_limit(__func__, devinfo, max_num_tasks, [](const Function &of) {
        return of.comch_producer.max_num_tasks;
    });
}

extern "C" doca_error_t doca_comch_producer_cap_get_max_buf_size(const doca_devinfo *devinfo,
                                                                 uint32_t *max_buf_size)
{
    return softdoca::query_own_limit(__func__, devinfo, max_buf_size, [](const Function &of) {
        return of.comch_producer.max_buf_size;
    });
}

extern "C" doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const doca_devinfo *devinfo,
                                                                     uint32_t *max_buf_list_len)
{
    return softdoca::query_own_limit(__func__, devinfo, max_buf_list_len, [](const Function &of) {
        return of.comch_producer.max_buf_list_len;
    });
}

extern "C" doca_error_t doca_comch_producer_cap_get_max_producers(const doca_devinfo *devinfo,
                                                                  uint32_t *max_producers)
{
    return softdoca::query_limit(__func__, devinfo, max_producers,
                                 [](const Function &of) { return of.comch_producer.max_num; });
}
