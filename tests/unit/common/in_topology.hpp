// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "unit/codes/in_role.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

namespace softdoca::test {

/// A topology file for as long as this lives.
class TopologyFile {
public:
    explicit TopologyFile(std::string_view text) : path_(testing::TempDir() + "topology-XXXXXX")
    {
        const int fd = ::mkstemp(path_.data());
        EXPECT_GE(fd, 0);
        EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(fd);
    }
    ~TopologyFile() { ::unlink(path_.c_str()); }
    TopologyFile(const TopologyFile &) = delete;
    TopologyFile &operator=(const TopologyFile &) = delete;

    const std::string &path() const { return path_; }

private:
    std::string path_;
};

/// Runs the body in a new process whose world is that of the text, as in_role() does.
template <typename Body>
void in_topology(std::string_view text, const char *role, Body body)
{
    const TopologyFile file(text);
    ::setenv("SOFTDOCA_TOPOLOGY", file.path().c_str(), 1);
    in_role(role, body);
    ::unsetenv("SOFTDOCA_TOPOLOGY");
}

} // namespace softdoca::test
