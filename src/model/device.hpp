// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/dev.hpp"
#include "model/frames.hpp"

#include <softdoca/model.h>

#include <cstdint>

namespace softdoca {

/// A Device: a doca_dev that was opened from the Context. Threads: under model_lock, but for what
/// does not change.
struct OpenDevice {
    doca_dev *dev = nullptr;
    std::uint32_t num_opens = 0; ///< not closed yet; 0: it is just being opened or closed
    std::uint32_t num_mems = 0;  ///< registered, or just being registered or unregistered
    FrameQueue frames;
    softdoca_model_device_counters counters{};

    bool has_network_plane() const noexcept { return !dev->function().iface_name.empty(); }
};

} // namespace softdoca
