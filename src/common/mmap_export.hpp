// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/mmap.hpp"
#include "fabric/descriptor.hpp"
#include "fabric/window.hpp"
#include "fabric/window_export.hpp"

namespace softdoca {

/// One export of an mmap, by one device.
struct MmapExport {
    const doca_dev *dev;
    ExportTable::Handle handle;
    ExportDescriptor descriptor; // what the program got points to it
};

} // namespace softdoca
