// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <string>
#include <vector>

namespace softdoca::tool {

constexpr const char *kCommonLibrary = "libdoca_common.so.2";

/// A file that a program may load as libdoca_common.
struct CommonLibrary {
    std::string path;    ///< as found
    std::string file;    ///< without links
    std::string release; ///< of SoftDOCA; empty if it is somebody else's

    std::string in_words() const;
};

CommonLibrary common_library(const std::string &path);

/// Those in LD_LIBRARY_PATH, in its order.
std::vector<CommonLibrary> libraries_of_caller();
/// Those that the system knows (ldconfig), and the vendor's usual place.
std::vector<CommonLibrary> libraries_of_system();

/// What a program writes to standard output and error, with one variable more (set to 1) in its
/// environment if one is named; empty if it cannot be run.
std::string output_of(const std::vector<std::string> &words, const char *variable = nullptr);

} // namespace softdoca::tool
