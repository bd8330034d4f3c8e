// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Memory registered for hand-written device queues: not offered yet.

#include <doca_umem.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::UMEM");

using softdoca::not_offered;

extern "C" doca_error_t doca_umem_create(const doca_dev *dev, void *address, size_t, uint32_t,
                                         doca_umem **umem_obj)
{
    return not_offered(LOG_SITE, __func__, dev, address, umem_obj);
}

extern "C" doca_error_t doca_umem_dpa_create(doca_dpa *dpa, uint64_t, size_t, uint32_t,
                                             doca_umem **umem_obj)
{
    return not_offered(LOG_SITE, __func__, dpa, umem_obj);
}

extern "C" doca_error_t doca_umem_gpu_create(doca_gpu *gpu, doca_dev *dev, void *address, size_t,
                                             uint32_t, doca_umem **umem_obj)
{
    return not_offered(LOG_SITE, __func__, gpu, dev, address, umem_obj);
}

extern "C" doca_error_t doca_umem_destroy(doca_umem *umem_obj)
{
    return not_offered(LOG_SITE, __func__, umem_obj);
}

extern "C" doca_error_t doca_umem_get_id(const doca_umem *umem_obj, uint32_t *umem_id)
{
    return not_offered(LOG_SITE, __func__, umem_obj, umem_id);
}

extern "C" doca_error_t doca_umem_get_size(const doca_umem *umem_obj, uint32_t *umem_size)
{
    return not_offered(LOG_SITE, __func__, umem_obj, umem_size);
}

extern "C" doca_error_t doca_umem_get_address(const doca_umem *umem_obj, void **umem_addr)
{
    return not_offered(LOG_SITE, __func__, umem_obj, umem_addr);
}
