// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the host: exports a text to the DPU, in a file, and waits for Enter or the end of the input.
// Usage: doca_cpp_host_export [FILE [TEXT]]   (see dpu_import.cpp)

#include <softdoca/doca.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

// The descriptor carries no addresses that a program may read: they go in front of it.
void write_descriptor(const std::string &file, std::span<const std::byte> memory,
                      std::span<const std::byte> descriptor)
{
    const std::string unfinished = file + ".new";
    std::ofstream out(unfinished, std::ios::binary);
    out << reinterpret_cast<std::uintptr_t>(memory.data()) << ' ' << memory.size() << '\n';
    out.write(reinterpret_cast<const char *>(descriptor.data()),
              static_cast<std::streamsize>(descriptor.size()));
    out.close();
    std::filesystem::rename(unfinished, file); // the DPU sees all of it or nothing
}

int main(int argc, char **argv)
try {
    const std::string file = argc > 1 ? argv[1] : "/tmp/softdoca-export";
    std::string text = argc > 2 ? argv[2] : "hello across PCIe";
    const doca::Device device(
        [](doca::DeviceInfo info) { return doca::dma_caps(info).is_supported; });
    const auto memory = std::as_writable_bytes(std::span(text));
    const doca::Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);

    write_descriptor(file, memory, mmap.export_pci(device));
    std::cout << "exported; Enter ends" << std::endl;
    (void)std::getchar();
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
