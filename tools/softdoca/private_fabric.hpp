// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/unique_fd.hpp"

#include <string>
#include <vector>

namespace softdoca::tool {

/// A fabric directory for one run, removed at its end. While it is in use its directory is locked
/// (flock), so that a later run can tell one whose owner was killed, and removes it.
class PrivateFabric {
public:
    PrivateFabric() = default;
    PrivateFabric(const PrivateFabric &) = delete;
    PrivateFabric &operator=(const PrivateFabric &) = delete;
    ~PrivateFabric();

    /// Sets SOFTDOCA_FABRIC to it. False: neither /dev/shm nor /tmp has room (said).
    bool make();

private:
    bool make_below(const char *parent);

    std::string path_;
    UniqueFd lock_;
};

/// Those that nobody uses any more.
std::vector<std::string> abandoned_private_fabrics();

} // namespace softdoca::tool
