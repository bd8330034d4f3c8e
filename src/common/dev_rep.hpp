// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/dev.hpp"

/// A host function as the DPU's device sees it. Members of a list die with the list; the one inside
/// an open representor with that.
struct doca_devinfo_rep {
    const softdoca::Function *function = nullptr;
    doca_dev *dev = nullptr; ///< the device that manages it
};

/// An open representor. Holds its device.
struct doca_dev_rep {
public:
    explicit doca_dev_rep(const doca_devinfo_rep &info) noexcept
        : info_(info), hold_(*info.dev, "representor", this)
    {
    }

    doca_devinfo_rep *devinfo() noexcept { return &info_; }
    const softdoca::Function &function() const noexcept { return *info_.function; }
    bool is_inherited() const noexcept { return owner_.is_another(); }

private:
    doca_devinfo_rep info_;
    softdoca::DeviceHold hold_;
    softdoca::OwnerProcess owner_;
};
