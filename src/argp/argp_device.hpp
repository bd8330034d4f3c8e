// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_argp.h>

#include <string>

namespace softdoca {

/// The value of a parameter of type DEVICE or DEVICE_REP:
///
///     pci/0000:03:00.0[,devargs]          a device
///     pci/0000:03:00.0,pf0hpf[,devargs]   a device and one of its representors
///
/// "pci/" may be left out, and so may the domain 0000. A representor goes by its interface name, by
/// the end of it that names a VF or SF ("sf0"), or by its PCI address. What was opened is closed
/// at the end, unless it was released.
class DeviceValue {
public:
    explicit DeviceValue(bool wants_rep) : wants_rep_(wants_rep) {}
    DeviceValue(const DeviceValue &) = delete;
    DeviceValue &operator=(const DeviceValue &) = delete;
    ~DeviceValue();

    /// Opens through the callback of the program if it has one.
    [[nodiscard]] doca_error_t open(const std::string &text, doca_argp_dev_open_cb_t callback,
                                    void *context);
    const char *complaint() const noexcept { return complaint_; } // why open failed

    void *value() noexcept; // for the callback of the parameter
    void release() noexcept { value_ = {}; }

private:
    doca_error_t split(const std::string &text);
    doca_error_t open_device(doca_argp_dev_open_cb_t callback, void *context);
    doca_error_t open_rep();
    doca_error_t fail(doca_error_t code, const char *complaint) noexcept;

    bool wants_rep_;
    std::string pci_addr_;
    std::string rep_name_;
    std::string devargs_;
    doca_argp_device_rep_ctx value_{};
    const char *complaint_ = "";
};

} // namespace softdoca
