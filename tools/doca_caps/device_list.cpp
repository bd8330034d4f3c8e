// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "device_list.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace softdoca::tool {

DeviceList::DeviceList()
{
    if (doca_devinfo_create_list(&list_, &num_) != DOCA_SUCCESS)
        num_ = 0;
}

DeviceList::~DeviceList()
{
    if (list_ != nullptr)
        (void)doca_devinfo_destroy_list(list_);
}

/// Compares texts itself: the library would report an address that matches nothing, and so do we.
std::vector<doca_devinfo *> DeviceList::at(const std::string &pci_addr) const
{
    std::string wanted = pci_addr;
    std::vector<doca_devinfo *> found;

    std::ranges::transform(wanted, wanted.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (wanted.size() == DOCA_DEVINFO_PCI_BDF_SIZE - 1)
        wanted.insert(0, "0000:");
    for (doca_devinfo *devinfo : all()) {
        if (pci_addr_of(devinfo) == wanted)
            found.push_back(devinfo);
    }
    return found;
}

std::string DeviceList::addresses() const
{
    std::string list;

    for (const doca_devinfo *devinfo : all())
        list += (list.empty() ? "" : ", ") + pci_addr_of(devinfo);
    return list.empty() ? "no devices" : list;
}

std::string pci_addr_of(const doca_devinfo *devinfo)
{
    char text[DOCA_DEVINFO_PCI_ADDR_SIZE] = {};

    (void)doca_devinfo_get_pci_addr_str(devinfo, text);
    return text;
}

void print_field(int indent, const std::string &name, const std::string &value)
{
    std::printf("%*s%-*s%s\n", indent, "", kValueColumn, name.c_str(), value.c_str());
}

void print_device(const doca_devinfo *devinfo)
{
    std::printf("PCI: %s\n", pci_addr_of(devinfo).c_str());
}

} // namespace softdoca::tool
