// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/random_id.hpp"
#include "fabric/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace softdoca {

/// The bytes that doca_mmap_export_pci gives out and doca_mmap_create_from_export takes, by way of
/// files and messages of the program. They name the exporter and hold the key; what may be done
/// with it the exporter's agent says. At most 512 bytes, as programs have room for. A secret.
struct ExportDescriptor {
    static constexpr std::uint32_t kMagic = 0x58444653; // "SFDX"
    static constexpr std::uint16_t kVersion = 1;

    std::uint32_t magic = kMagic;
    std::uint16_t version = kVersion;
    std::uint16_t size = 0;     ///< of all of it
    std::uint64_t checksum = 0; ///< of what follows
    ProcessId exporter;
    ExportKey key;
    std::uint64_t addr = 0;
    std::uint64_t len = 0;
    std::uint32_t permissions = 0; ///< DOCA_ACCESS_FLAG_*
    std::int32_t pid = 0;          ///< for messages
    std::uint32_t side = 0;        ///< 0 host, 1 DPU; for messages
    std::uint32_t unused = 0;
    char node[wire::kNodeSize]{};
    char pci[wire::kPciSize]{};

    /// Fills in size and checksum.
    void seal() noexcept;
    /// Checks all of it. The bytes may lie anywhere and be followed by others. Nothing, and why.
    static std::optional<ExportDescriptor> parse(std::span<const std::byte> bytes,
                                                 const char **why) noexcept;
};
static_assert(sizeof(ExportDescriptor) == 160 && sizeof(ExportDescriptor) <= 512);

} // namespace softdoca
