// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/cpp_error.hpp"

#include <softdoca/doca.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softdoca::test {

inline constexpr std::size_t kPieceLen = 64;

/// A device of the DPU, and memory in pairs of pieces, the first of each holding its number.
struct CopyWorld {
    explicit CopyWorld(std::size_t num_pairs = 4, std::uint32_t num_tasks = 64)
        : memory(2 * num_pairs * kPieceLen), device(std::string("03:00.0")), mmap(device, memory),
          inventory(2 * num_pairs), dma(device, engine, {num_tasks}), executor(engine)
    {
        for (std::size_t i = 0; i < num_pairs; ++i) {
            std::ranges::fill(source(i), static_cast<std::byte>(i + 1));
            src.push_back(inventory.by_data(mmap, source(i)));
            dst.push_back(inventory.by_addr(mmap, target(i)));
        }
    }

    std::span<std::byte> source(std::size_t i)
    {
        return std::span(memory).subspan(2 * i * kPieceLen, kPieceLen);
    }
    std::span<std::byte> target(std::size_t i)
    {
        return std::span(memory).subspan((2 * i + 1) * kPieceLen, kPieceLen);
    }
    bool is_copied(std::size_t i) { return std::ranges::equal(source(i), target(i)); }

    std::vector<std::byte> memory;
    doca::Device device;
    doca::ProgressEngine engine;
    doca::Mmap mmap;
    doca::BufferInventory inventory;
    std::vector<doca::Buffer> src, dst;
    doca::Dma dma;
    doca::Executor executor;
};

} // namespace softdoca::test
