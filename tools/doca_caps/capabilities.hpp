// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_dev.h>

#include <optional>
#include <string>

namespace softdoca::tool {

/// Prints what a device can do, one section a library; only this one if it is named.
void print_capabilities(doca_devinfo *devinfo, const std::optional<std::string> &library);

/// Prints all libraries and where each can be had.
void print_libraries();

/// Is it a library that print_capabilities can be asked for?
bool has_capabilities(const std::string &library);

/// Those for which that is so: "common, dma".
std::string libraries_with_capabilities();

} // namespace softdoca::tool
