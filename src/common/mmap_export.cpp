// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Memory that another process can reach. Not offered by this release: the calls check their
// arguments and answer DOCA_ERROR_NOT_SUPPORTED in every state; no mmap is ever exported.

#include "common/mmap.hpp"

#include "base/handle.hpp"
#include "base/log_sink.hpp"

LOG_SOURCE("CORE::MMAP_EXPORT");

namespace {

doca_error_t check(const char *call, const doca_mmap *mmap) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "mmap", mmap);
}

doca_error_t refuse_export(const char *call, const doca_mmap *mmap, const doca_dev *dev,
                           const void **export_desc, const size_t *export_desc_len) noexcept
{
    if (const doca_error_t bad = check(call, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, call, dev); bad != DOCA_SUCCESS)
        return bad;
    if (export_desc == nullptr || export_desc_len == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap, "%s: an out-parameter is NULL", call);
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, mmap,
                       "%s: this release does not export memory to other processes", call);
}

doca_error_t answer_false(const char *call, const doca_mmap *mmap, std::uint8_t *out) noexcept
{
    if (const doca_error_t bad = check(call, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = 0;
    return DOCA_SUCCESS;
}

} // namespace

extern "C" doca_error_t doca_mmap_export_pci(doca_mmap *mmap, const doca_dev *dev,
                                             const void **export_desc, size_t *export_desc_len)
{
    return refuse_export(__func__, mmap, dev, export_desc, export_desc_len);
}

extern "C" doca_error_t doca_mmap_export_rdma(doca_mmap *mmap, const doca_dev *dev,
                                              const void **export_desc, size_t *export_desc_len)
{
    return refuse_export(__func__, mmap, dev, export_desc, export_desc_len);
}

extern "C" doca_error_t doca_mmap_create_from_export(const union doca_data *,
                                                     const void *export_desc,
                                                     size_t export_desc_len, doca_dev *dev,
                                                     doca_mmap **mmap)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (export_desc == nullptr || export_desc_len == 0 || mmap == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "%s: the descriptor is NULL or empty, or mmap is NULL", __func__);
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, nullptr,
                       "doca_mmap_create_from_export: this release does not import memory of other "
                       "processes");
}

extern "C" doca_error_t doca_mmap_get_exported(const doca_mmap *mmap, uint8_t *exported)
{
    return answer_false(__func__, mmap, exported);
}

extern "C" doca_error_t doca_mmap_get_from_export(const doca_mmap *mmap, uint8_t *from_export)
{
    return answer_false(__func__, mmap, from_export);
}
