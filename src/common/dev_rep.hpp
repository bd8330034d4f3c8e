// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/dev.hpp"

#include <atomic>
#include <cstdint>

namespace softdoca {

struct RepList;

} // namespace softdoca

/// A host function as the DPU's device sees it. Members of a list die with the list; the one inside
/// an open representor with that.
struct doca_devinfo_rep {
    const softdoca::Function *function = nullptr;
    doca_dev *dev = nullptr; ///< the device that manages it
    softdoca::RepList *list = nullptr;
};

namespace softdoca {

class RepresentorHold;

} // namespace softdoca

/// An open representor. Holds its device.
struct doca_dev_rep {
public:
    explicit doca_dev_rep(const doca_devinfo_rep &info) noexcept
        : info_(info), hold_(*info.dev, "representor", this)
    {
        info_.list = nullptr; // which may go before the representor does
    }

    doca_devinfo_rep *devinfo() noexcept { return &info_; }
    const softdoca::Function &function() const noexcept { return *info_.function; }
    bool is_inherited() const noexcept { return owner_.is_another(); }
    std::uint32_t num_holds() const noexcept { return num_holds_.load(); }

private:
    friend class softdoca::RepresentorHold;

    doca_devinfo_rep info_;
    softdoca::DeviceHold hold_;
    std::atomic<std::uint32_t> num_holds_{0};
    softdoca::OwnerProcess owner_;
};

namespace softdoca {

/// Marks a representor as used by a server for as long as that lives; doca_dev_rep_close refuses
/// meanwhile.
class RepresentorHold {
public:
    explicit RepresentorHold(doca_dev_rep &rep) noexcept : rep_(rep)
    {
        rep_.num_holds_.fetch_add(1);
    }
    ~RepresentorHold() { rep_.num_holds_.fetch_sub(1); }
    RepresentorHold(const RepresentorHold &) = delete;
    RepresentorHold &operator=(const RepresentorHold &) = delete;

private:
    doca_dev_rep &rep_;
};

} // namespace softdoca
