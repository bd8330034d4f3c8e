// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// What an executable or library says about itself, read from its file; nothing is run.
namespace softdoca::tool {

struct ElfFacts {
    bool is_64_bit = false;
    std::uint16_t machine = 0;
    std::string interpreter;  ///< its dynamic loader; empty: a static program, or a library
    std::optional<Side> role; ///< by its note: the side that it was compiled for
};

/// Nothing if it cannot be read, or is no ELF file of this byte order.
std::optional<ElfFacts> read_elf(const std::string &path);

/// The release of SoftDOCA that a libdoca_common is of; empty if it is somebody else's.
std::string softdoca_release_of(const std::string &library);

} // namespace softdoca::tool
