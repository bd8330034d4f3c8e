// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "model/device.hpp"

#include <doca_mmap.h>

#include <cstddef>
#include <cstdint>

/// A Memory: a started mmap with one device. It does not change as long as it is in the table of
/// its Context. Any thread may read.
struct doca_mem {
    softdoca::OpenDevice *device;
    doca_mmap *mmap;
    void *addr;
    std::size_t len;
    bool is_writable; // for the Device

    /// All buffers into it, those that the program made from ours with calls of DOCA included.
    std::uint32_t num_bufs() const noexcept
    {
        std::uint32_t num = 0;
        (void)doca_mmap_get_num_bufs(mmap, &num);
        return num;
    }
};
