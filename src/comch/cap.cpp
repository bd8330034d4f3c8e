// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What servers and clients of a device can do.

#include "comch/limits.hpp"

#include <doca_comch.h>

LOG_SOURCE("COMCH::CAP");

using softdoca::Function;

extern "C" doca_error_t doca_comch_cap_server_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(LOG_SITE, __func__, devinfo, softdoca::can_serve);
}

extern "C" doca_error_t doca_comch_cap_client_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(LOG_SITE, __func__, devinfo, softdoca::can_be_client);
}

extern "C" doca_error_t doca_comch_cap_get_max_name_len(const doca_devinfo *devinfo,
                                                        uint32_t *max_name_len)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, max_name_len,
                                 [](const Function &of) { return of.comch.max_name_len; });
}

extern "C" doca_error_t doca_comch_cap_get_max_msg_size(const doca_devinfo *devinfo, uint32_t *size)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, size,
                                 [](const Function &of) { return of.comch.max_msg_size; });
}

extern "C" doca_error_t doca_comch_cap_get_max_recv_queue_size(const doca_devinfo *devinfo,
                                                               uint32_t *size)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, size,
                                 [](const Function &of) { return of.comch.max_recv_queue_size; });
}

extern "C" doca_error_t doca_comch_cap_get_max_send_tasks(const doca_devinfo *devinfo,
                                                          uint32_t *max_send_tasks)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, max_send_tasks,
                                 [](const Function &of) { return of.comch.max_send_tasks; });
}

extern "C" doca_error_t doca_comch_cap_get_max_clients(const doca_devinfo *devinfo,
                                                       uint32_t *num_clients)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, num_clients,
                                 [](const Function &of) { return of.comch.max_clients; });
}
