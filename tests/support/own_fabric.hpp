// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace softdoca::test {

/// A fabric directory of this process and those that it starts, as long as this lives.
class OwnFabric {
public:
    OwnFabric()
    {
        namespace fs = std::filesystem;
        path_ = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string();
        path_ += "/softdoca-test-XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr)
            throw std::runtime_error("no directory for the fabric: " + path_);
        ::setenv("SOFTDOCA_FABRIC", path_.c_str(), 1);
    }
    ~OwnFabric()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    OwnFabric(const OwnFabric &) = delete;
    OwnFabric &operator=(const OwnFabric &) = delete;

    const std::string &path() const { return path_; }

private:
    std::string path_;
};

} // namespace softdoca::test
