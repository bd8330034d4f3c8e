// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What consumers of a device can do.

#include "comch/limits.hpp"

#include <doca_comch_consumer.h>

#include <algorithm>

LOG_SOURCE("COMCH::CONSUMER");

using softdoca::Function;

extern "C" doca_error_t doca_comch_consumer_cap_is_supported(const doca_devinfo *devinfo)
{
    return softdoca::query_support(LOG_SITE, __func__, devinfo, softdoca::has_comch);
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const doca_devinfo *devinfo,
                                                                  uint32_t *max_num_tasks)
{
    return softdoca::query_limit(
        LOG_SITE, __func__, devinfo, max_num_tasks,
        [](const Function &of) { return of.comch_consumer.max_num_tasks; });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_buf_size(const doca_devinfo *devinfo,
                                                                 uint32_t *max_buf_size)
{
    return softdoca::query_own_limit(
        LOG_SITE, __func__, devinfo, max_buf_size,
        [](const Function &of) { return of.comch_consumer.max_buf_size; });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const doca_devinfo *devinfo,
                                                                     uint32_t *max_buf_list_len)
{
    return softdoca::query_own_limit(
        LOG_SITE, __func__, devinfo, max_buf_list_len, // there are no lists here
        [](const Function &of) { return std::min(of.comch_consumer.max_buf_list_len, 1u); });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_consumers(const doca_devinfo *devinfo,
                                                                  uint32_t *max_consumers)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, max_consumers,
                                 [](const Function &of) { return of.comch_consumer.max_num; });
}

extern "C" doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const doca_devinfo *devinfo,
                                                                     uint32_t *max_imm_data_len)
{
    return softdoca::query_limit(LOG_SITE, __func__, devinfo, max_imm_data_len,
                                 [](const Function &of) { return of.comch.max_imm_data_len; });
}
