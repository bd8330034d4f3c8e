// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/version.hpp"

#include <doca_version.h>

extern "C" const char *doca_version_runtime(void)
{
    return DOCA_VERSION_STRING;
}

const char *softdoca::release() noexcept
{
    return SOFTDOCA_VERSION;
}
