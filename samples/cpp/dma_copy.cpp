// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Copies a text from one half of a piece of memory to the other.
// Usage: doca_cpp_dma_copy [PCI-ADDRESS]

#include <softdoca/doca.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

constexpr std::string_view kText = "copied by a coroutine";

doca::Coroutine<> copy(doca::Dma &dma, const doca::Buffer &from, doca::Buffer &to)
{
    co_await dma.memcpy(from, to); // throws doca::Error if it fails
    const std::span<const std::byte> data = to.data();
    std::cout << std::string_view(reinterpret_cast<const char *>(data.data()), data.size()) << '\n';
}

int main(int argc, char **argv)
try {
    const doca::Device device =
        argc > 1
            ? doca::Device(argv[1])
            : doca::Device([](doca::DeviceInfo info) { return doca::dma_caps(info).is_supported; });
    doca::ProgressEngine engine;
    doca::Executor executor(engine);

    std::array<std::byte, 2 * kText.size()> memory{};
    std::ranges::copy(std::as_bytes(std::span(kText)), memory.begin());
    const doca::Mmap mmap(device, memory);
    doca::BufferInventory inventory(2);
    doca::Dma dma(device, engine);

    const auto halves = std::span<std::byte>(memory);
    const auto from = inventory.by_data(mmap, halves.first(kText.size()));
    auto to = inventory.by_addr(mmap, halves.last(kText.size()));
    executor.run(copy(dma, from, to));
    return 0;
} catch (const doca::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
