// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Consumers of DPA code: not offered.

#include "common/not_offered.hpp"

#include <doca_comch_consumer.h>

LOG_SOURCE("COMCH::CONSUMER");

using softdoca::not_offered;

extern "C" doca_error_t
doca_comch_consumer_completion_create(doca_comch_consumer_completion **consumer_comp)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_completion_set_dpa_thread(doca_comch_consumer_completion *consumer_comp,
                                              doca_dpa_thread *dpa_thread)
{
    return not_offered(LOG_SITE, __func__, consumer_comp, dpa_thread);
}

extern "C" doca_error_t
doca_comch_consumer_completion_destroy(doca_comch_consumer_completion *consumer_comp)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_completion_start(doca_comch_consumer_completion *consumer_comp)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_completion_stop(doca_comch_consumer_completion *consumer_comp)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
    return not_offered(LOG_SITE, __func__, consumer_comp, consumer_comp_handle);
}

extern "C" doca_error_t
doca_comch_consumer_completion_set_max_num_consumers(doca_comch_consumer_completion *consumer_comp,
                                                     uint32_t)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
    return not_offered(LOG_SITE, __func__, consumer_comp, max_num_consumers);
}

extern "C" doca_error_t
doca_comch_consumer_completion_set_max_num_recv(doca_comch_consumer_completion *consumer_comp,
                                                uint32_t)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_completion_get_max_num_recv(const doca_comch_consumer_completion *consumer_comp,
                                                uint32_t *max_num_recv)
{
    return not_offered(LOG_SITE, __func__, consumer_comp, max_num_recv);
}

extern "C" doca_error_t
doca_comch_consumer_completion_set_imm_data_len(doca_comch_consumer_completion *consumer_comp,
                                                uint32_t)
{
    return not_offered(LOG_SITE, __func__, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_completion_get_imm_data_len(const doca_comch_consumer_completion *consumer_comp,
                                                uint32_t *imm_data_len)
{
    return not_offered(LOG_SITE, __func__, consumer_comp, imm_data_len);
}

extern "C" doca_error_t doca_comch_consumer_set_dev_max_num_recv(doca_comch_consumer *consumer,
                                                                 uint32_t)
{
    return not_offered(LOG_SITE, __func__, consumer);
}

extern "C" doca_error_t
doca_comch_consumer_set_completion(doca_comch_consumer *consumer,
                                   doca_comch_consumer_completion *consumer_comp, uint32_t)
{
    return not_offered(LOG_SITE, __func__, consumer, consumer_comp);
}

extern "C" doca_error_t
doca_comch_consumer_get_dpa_handle(doca_comch_consumer *consumer,
                                   doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
    return not_offered(LOG_SITE, __func__, consumer, dpa_consumer);
}
