// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Prints what the role of this process decides, a line a device. It is built three times: in each
// flavour of the headers, and without a role note.

#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>

#include <cstdint>
#include <cstdio>

namespace {

void print_representors(doca_devinfo *devinfo)
{
    std::uint8_t has_net = 9;
    (void)doca_devinfo_rep_cap_is_filter_net_supported(devinfo, &has_net);
    doca_dev *dev = nullptr;
    if (doca_dev_open(devinfo, &dev) != DOCA_SUCCESS)
        return;
    doca_devinfo_rep **reps = nullptr;
    std::uint32_t num = 0;
    const doca_error_t result =
        doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &num);
    std::printf(", filter %d, list %s", has_net, doca_error_get_name(result));
    for (std::uint32_t i = 0; i < num; ++i) {
        char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {};
        (void)doca_devinfo_rep_get_pci_addr_str(reps[i], address);
        std::printf(" %s", address);
    }
    if (reps != nullptr)
        (void)doca_devinfo_rep_destroy_list(reps);
    (void)doca_dev_close(dev);
}

} // namespace

int main()
{
    doca_devinfo **list = nullptr;
    std::uint32_t num = 0;
    const doca_error_t result = doca_devinfo_create_list(&list, &num);
    if (result != DOCA_SUCCESS) {
        std::printf("%s\n", doca_error_get_name(result));
        return 1;
    }
    for (std::uint32_t i = 0; i < num; ++i) {
        char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = {};
        (void)doca_devinfo_get_pci_addr_str(list[i], address);
        std::printf("%s: memcpy %s", address,
                    doca_error_get_name(doca_dma_cap_task_memcpy_is_supported(list[i])));
        print_representors(list[i]);
        std::printf("\n");
    }
    return doca_devinfo_destroy_list(list) == DOCA_SUCCESS ? 0 : 1;
}
