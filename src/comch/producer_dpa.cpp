// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Producers of DPA code: not offered.

#include "common/not_offered.hpp"

#include <doca_comch_producer.h>

LOG_SOURCE("COMCH::PRODUCER");

using softdoca::not_offered;

extern "C" doca_error_t doca_comch_producer_set_dev_max_num_send(doca_comch_producer *producer,
                                                                 uint32_t)
{
    return not_offered(LOG_SITE, __func__, producer);
}

extern "C" doca_error_t doca_comch_producer_dpa_completion_attach(doca_comch_producer *producer,
                                                                  doca_dpa_completion *dpa_comp)
{
    return not_offered(LOG_SITE, __func__, producer, dpa_comp);
}

extern "C" doca_error_t
doca_comch_producer_get_dpa_handle(doca_comch_producer *producer,
                                   doca_dpa_dev_comch_producer_t *dpa_producer)
{
    return not_offered(LOG_SITE, __func__, producer, dpa_producer);
}
