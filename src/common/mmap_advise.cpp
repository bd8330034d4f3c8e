// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Cache advice for memory: not offered yet.

#include <doca_mmap_advise.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::MMAP_ADVISE");

using softdoca::not_offered;
using softdoca::not_supported;
using softdoca::say_not_offered;

extern "C" doca_error_t doca_mmap_advise_create(doca_dev *dev, doca_mmap_advise **mmap_advise)
{
    return not_offered(LOG_SITE, __func__, dev, mmap_advise);
}

extern "C" doca_error_t doca_mmap_advise_destroy(doca_mmap_advise *mmap_advise)
{
    return not_offered(LOG_SITE, __func__, mmap_advise);
}

extern "C" doca_ctx *doca_mmap_advise_as_ctx(doca_mmap_advise *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const doca_devinfo *devinfo,
                                                        uint64_t *buf_size)
{
    return not_supported(LOG_SITE, __func__, devinfo, buf_size);
}

extern "C" doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t)
{
    return not_offered(LOG_SITE, __func__, mmap_advise, completion_cb, error_cb);
}

extern "C" doca_error_t
doca_mmap_advise_task_invalidate_cache_alloc_init(doca_mmap_advise *mmap_advise, doca_buf *,
                                                  doca_data,
                                                  doca_mmap_advise_task_invalidate_cache **task)
{
    return not_offered(LOG_SITE, __func__, mmap_advise, task);
}

extern "C" doca_task *
doca_mmap_advise_task_invalidate_cache_as_doca_task(doca_mmap_advise_task_invalidate_cache *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}

extern "C" void
doca_mmap_advise_task_invalidate_cache_set_buf(doca_mmap_advise_task_invalidate_cache *, doca_buf *)
{
    say_not_offered(LOG_SITE, __func__);
}

extern "C" doca_buf *
doca_mmap_advise_task_invalidate_cache_get_buf(const doca_mmap_advise_task_invalidate_cache *)
{
    say_not_offered(LOG_SITE, __func__);
    return nullptr;
}
