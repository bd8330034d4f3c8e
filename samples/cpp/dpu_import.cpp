// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the DPU: copies the text that the host has exported and shows it.
// Usage: doca_cpp_dpu_import [FILE]   (see host_export.cpp)

#include <softdoca/doca.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char **argv)
try {
    std::ifstream in(argc > 1 ? argv[1] : "/tmp/softdoca-export", std::ios::binary);
    std::uintptr_t addr = 0;
    std::size_t len = 0;
    if (!(in >> addr >> len) || in.get() != '\n')
        throw std::runtime_error("no export there; start doca_cpp_host_export first");
    const std::string descriptor(std::istreambuf_iterator<char>(in), {});

    const doca::Device device(
        [](doca::DeviceInfo info) { return doca::dma_caps(info).is_supported; });
    doca::ProgressEngine engine;
    doca::Executor executor(engine);
    const auto remote = doca::Mmap::from_export(device, std::as_bytes(std::span(descriptor)));
    std::vector<std::byte> memory(len);
    const doca::Mmap local(device, memory);
    doca::BufferInventory inventory(2);
    doca::Dma dma(device, engine);

    const auto from =
        inventory.by_data(remote, std::span(reinterpret_cast<std::byte *>(addr), len));
    auto to = inventory.by_addr(local, memory);
    executor.run(dma.memcpy(from, to));
    std::cout << std::string(reinterpret_cast<const char *>(memory.data()), len) << '\n';
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
