// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_dev.h>

/// --list-devs and --list-rep-devs: the identifiers of a device, and of what it represents.
namespace softdoca::tool {

void print_device_properties(const doca_devinfo *devinfo);
void print_representors(doca_devinfo *devinfo);

} // namespace softdoca::tool
