// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_dev.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softdoca::tool {

/// The devices of this role; they and everything found in them live as long as the object.
class DeviceList {
public:
    DeviceList();
    ~DeviceList();
    DeviceList(const DeviceList &) = delete;
    DeviceList &operator=(const DeviceList &) = delete;

    std::span<doca_devinfo *const> all() const { return {list_, num_}; }
    /// Those with this address, short or long; a port and its sub-functions share one.
    std::vector<doca_devinfo *> at(const std::string &pci_addr) const;
    /// The addresses of all devices, for messages: "0000:03:00.0, 0000:03:00.1".
    std::string addresses() const;

private:
    doca_devinfo **list_ = nullptr;
    std::uint32_t num_ = 0;
};

/// "0000:03:00.0"
std::string pci_addr_of(const doca_devinfo *devinfo);

/// Lines of all listings: name at the indent, value kValueColumn characters further right. Programs
/// that read them count blanks.
inline constexpr int kValueColumn = 46;
void print_field(int indent, const std::string &name, const std::string &value);
void print_device(const doca_devinfo *devinfo);

} // namespace softdoca::tool
