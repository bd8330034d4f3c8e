// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "exporter.hpp"

#include "harness.hpp"
#include "rig.hpp"

#include <softdoca/memory.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace softdoca::bench {

namespace {

constexpr const char *kExport = "--export";

ChildProcess::Setup setup_of(std::size_t ordinary_len)
{
    return {.command = {own_program(), kExport, std::to_string(ordinary_len)},
            .cpus = {std::max(other_cpu(), 0)},
            .environment = {{"SOFTDOCA_ROLE", "host"}}};
}

std::string read_descriptor(std::FILE *from)
{
    std::size_t len = 0;
    char bytes[512];
    require(std::fread(&len, sizeof len, 1, from) == 1 && len <= sizeof bytes &&
                std::fread(bytes, 1, len, from) == len,
            "the exporting process ended early");
    return {bytes, len};
}

void write_descriptor(const Map &map, const Device &device)
{
    const void *descriptor = nullptr;
    std::size_t len = 0;
    require(doca_mmap_export_pci(map.get(), device.get(), &descriptor, &len),
            "doca_mmap_export_pci");
    std::fwrite(&len, sizeof len, 1, stdout);
    std::fwrite(descriptor, 1, len, stdout);
}

void export_and_wait(std::size_t ordinary_len)
{
    const Device device;
    void *shared = nullptr;
    require(softdoca_memory_alloc(Exporter::kSharedLen, &shared), "softdoca_memory_alloc");
    std::memset(shared, 2, Exporter::kSharedLen);
    const Memory ordinary(ordinary_len);
    {
        const Map shared_map(device, shared, Exporter::kSharedLen, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
        const Map ordinary_map(device, ordinary.src(), ordinary.area_len(),
                               DOCA_ACCESS_FLAG_PCI_READ_WRITE);
        write_descriptor(shared_map, device);
        write_descriptor(ordinary_map, device);
        std::fflush(stdout);
        std::getchar(); // until the benchmark closes the pipe
    }
    softdoca_memory_free(shared);
}

} // namespace

Exporter::Exporter(std::size_t ordinary_len)
    : process_(setup_of(ordinary_len)), shared_(read_descriptor(process_.output())),
      ordinary_(read_descriptor(process_.output()))
{
}

void export_if_asked(int argc, char **argv)
{
    if (argc != 3 || std::strcmp(argv[1], kExport) != 0)
        return;
    export_and_wait(std::strtoull(argv[2], nullptr, 10));
    std::exit(0);
}

} // namespace softdoca::bench
