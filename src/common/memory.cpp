// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "fabric/shared_heap.hpp"

#include <softdoca/memory.h>

#include <cerrno>
#include <cstring>

LOG_SOURCE("SOFTDOCA::MEMORY");

extern "C" doca_error_t softdoca_memory_alloc(size_t len, void **addr)
{
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, __func__, addr); bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(LOG_SITE, "softdoca_memory_alloc", [&] {
        std::byte *const memory = softdoca::shared_heap::alloc(len);
        if (memory == nullptr)
            return LOG_REFUSED(errno == EINVAL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NO_MEMORY,
                               nullptr, "softdoca_memory_alloc: %zu bytes cannot be had: %s", len,
                               std::strerror(errno));
        *addr = memory;
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t softdoca_memory_free(void *addr)
{
    if (addr == nullptr || softdoca::shared_heap::free(addr))
        return DOCA_SUCCESS;
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, addr,
                       "softdoca_memory_free: %p is no memory of softdoca_memory_alloc, or was "
                       "given back before",
                       addr);
}
