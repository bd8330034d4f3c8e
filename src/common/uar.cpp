// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Doorbell pages of the device: not offered yet.

#include <doca_uar.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::UAR");

using softdoca::not_offered;

extern "C" doca_error_t doca_uar_create(const doca_dev *dev, doca_uar_allocation_type,
                                        doca_uar **uar)
{
    return not_offered(LOG_SITE, __func__, dev, uar);
}

extern "C" doca_error_t doca_uar_dpa_create(doca_dpa *dpa, doca_uar **uar)
{
    return not_offered(LOG_SITE, __func__, dpa, uar);
}

extern "C" doca_error_t doca_uar_destroy(doca_uar *uar)
{
    return not_offered(LOG_SITE, __func__, uar);
}

extern "C" doca_error_t doca_uar_id_get(const doca_uar *uar, uint32_t *id)
{
    return not_offered(LOG_SITE, __func__, uar, id);
}

extern "C" doca_error_t doca_uar_page_get(const doca_uar *uar, void **page)
{
    return not_offered(LOG_SITE, __func__, uar, page);
}

extern "C" doca_error_t doca_uar_reg_addr_get(const doca_uar *uar, void **reg)
{
    return not_offered(LOG_SITE, __func__, uar, reg);
}
