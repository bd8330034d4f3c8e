// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Message queues between the CPU and DPA code: not offered.

#include "common/not_offered.hpp"

#include <doca_comch_msgq.h>

LOG_SOURCE("COMCH::MSGQ");

using softdoca::not_offered;

extern "C" doca_error_t doca_comch_msgq_create(doca_dev *dev, doca_comch_msgq **msgq)
{
    return not_offered(LOG_SITE, __func__, dev, msgq);
}

extern "C" doca_error_t doca_comch_msgq_destroy(doca_comch_msgq *msgq)
{
    return not_offered(LOG_SITE, __func__, msgq);
}

extern "C" doca_error_t doca_comch_msgq_set_dpa_consumer(doca_comch_msgq *msgq, doca_dpa *dpa)
{
    return not_offered(LOG_SITE, __func__, msgq, dpa);
}

extern "C" doca_error_t doca_comch_msgq_set_max_num_consumers(doca_comch_msgq *msgq, uint32_t)
{
    return not_offered(LOG_SITE, __func__, msgq);
}

extern "C" doca_error_t doca_comch_msgq_set_dpa_producer(doca_comch_msgq *msgq, doca_dpa *dpa)
{
    return not_offered(LOG_SITE, __func__, msgq, dpa);
}

extern "C" doca_error_t doca_comch_msgq_set_max_num_producers(doca_comch_msgq *msgq, uint32_t)
{
    return not_offered(LOG_SITE, __func__, msgq);
}

extern "C" doca_error_t doca_comch_msgq_start(doca_comch_msgq *msgq)
{
    return not_offered(LOG_SITE, __func__, msgq);
}

extern "C" doca_error_t doca_comch_msgq_stop(doca_comch_msgq *msgq)
{
    return not_offered(LOG_SITE, __func__, msgq);
}

extern "C" doca_error_t doca_comch_msgq_consumer_create(doca_comch_msgq *msgq,
                                                        doca_comch_consumer **consumer)
{
    return not_offered(LOG_SITE, __func__, msgq, consumer);
}

extern "C" doca_error_t doca_comch_msgq_producer_create(doca_comch_msgq *msgq,
                                                        doca_comch_producer **producer)
{
    return not_offered(LOG_SITE, __func__, msgq, producer);
}
