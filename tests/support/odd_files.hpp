// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/raw_peer.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softdoca::test::raw {

/// Files that somebody may send in place of memory. The last ones are memory, and not in order for
/// a size.
class OddFiles {
public:
    /// size: that the memory should have.
    explicit OddFiles(std::size_t size = StatusPage::kSize)
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) == 0) {
            add("a pipe", ends[0]);
            add("the other end of a pipe", ends[1]);
        }
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
            add("a socket", ends[0]);
            add("the other end of a socket", ends[1]);
        }
        add("/dev/zero", ::open("/dev/zero", O_RDWR | O_CLOEXEC));
        add("a directory", ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        add("a file of /proc", ::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
        add("a path", ::open("/dev/null", O_PATH | O_CLOEXEC));
        add(memory_file(size, 0), "memory that can be truncated");
        add(memory_file(size - 1, kSealSize), "memory that is too small");
        add(memory_file(size, kSealSize), "memory full of zeros");
    }

    struct Odd {
        std::string name;
        Fd fd;
    };
    const std::deque<Odd> &all() const { return all_; }

private:
    void add(const char *name, int fd) { add(Fd(fd), name); }
    void add(Fd &&fd, const char *name)
    {
        EXPECT_TRUE(fd.is_open()) << name;
        all_.push_back({name, std::move(fd)});
    }
    std::deque<Odd> all_;
};

} // namespace softdoca::test::raw
