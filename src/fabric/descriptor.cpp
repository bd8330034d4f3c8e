// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/descriptor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace softdoca {

namespace {

/// FNV-1a: finds damage, proves nothing; the key does that.
std::uint64_t checksum_of(const ExportDescriptor &descriptor) noexcept
{
    const auto *const bytes = reinterpret_cast<const unsigned char *>(&descriptor);
    std::uint64_t sum = 0xcbf29ce484222325;
    for (std::size_t i = offsetof(ExportDescriptor, exporter); i < sizeof descriptor; ++i)
        sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
}

} // namespace

void ExportDescriptor::seal() noexcept
{
    size = sizeof *this;
    checksum = checksum_of(*this);
}

std::optional<ExportDescriptor> ExportDescriptor::parse(std::span<const std::byte> bytes,
                                                        const char **why) noexcept
{
    ExportDescriptor descriptor;
    if (bytes.size() < sizeof descriptor.magic + sizeof descriptor.version) {
        *why = "it is cut off";
        return std::nullopt;
    }
    std::memcpy(&descriptor, bytes.data(), std::min(bytes.size(), sizeof descriptor));
    *why = nullptr;
    if (descriptor.magic != kMagic)
        *why = "it was not made by doca_mmap_export_pci";
    else if (descriptor.version != kVersion)
        *why = "it is of another release of the libraries";
    else if (bytes.size() < sizeof descriptor || descriptor.size != sizeof descriptor)
        *why = "it is cut off";
    else if (descriptor.checksum != checksum_of(descriptor))
        *why = "it is damaged";
    else if (descriptor.len == 0 || descriptor.addr + descriptor.len < descriptor.addr)
        *why = "its memory range is none";
    if (*why != nullptr)
        return std::nullopt;
    return descriptor;
}

} // namespace softdoca
