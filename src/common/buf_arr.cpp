// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Arrays of buffers for GPU and DPA code: not offered, there is no such processor here.

#include <doca_buf_array.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::BUF_ARR");

using softdoca::not_offered;

extern "C" doca_error_t doca_buf_arr_create(size_t, doca_buf_arr **buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr);
}

extern "C" doca_error_t doca_buf_arr_set_target_gpu(doca_buf_arr *buf_arr, doca_gpu *gpu_handler)
{
    return not_offered(LOG_SITE, __func__, buf_arr, gpu_handler);
}

extern "C" doca_error_t doca_buf_arr_set_target_dpa(doca_buf_arr *buf_arr, doca_dpa *dpa_handler)
{
    return not_offered(LOG_SITE, __func__, buf_arr, dpa_handler);
}

extern "C" doca_error_t doca_buf_arr_set_params(doca_buf_arr *buf_arr, doca_mmap *mmap, size_t,
                                                uint64_t)
{
    return not_offered(LOG_SITE, __func__, buf_arr, mmap);
}

extern "C" doca_error_t doca_buf_arr_start(doca_buf_arr *buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr);
}

extern "C" doca_error_t doca_buf_arr_stop(doca_buf_arr *buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr);
}

extern "C" doca_error_t doca_buf_arr_destroy(doca_buf_arr *buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr);
}

extern "C" doca_error_t doca_buf_arr_get_gpu_handle(const doca_buf_arr *buf_arr,
                                                    doca_gpu_buf_arr **gpu_buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr, gpu_buf_arr);
}

extern "C" doca_error_t doca_buf_arr_get_dpa_handle(const doca_buf_arr *buf_arr,
                                                    doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
    return not_offered(LOG_SITE, __func__, buf_arr, dpa_buf_arr);
}
