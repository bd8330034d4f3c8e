// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process.hpp"

#include <utility>

namespace softdoca {

/// Owns a file descriptor that belongs to this process alone: a forked child closes its copy at
/// once, so that peers see this process end although the child lives on.
class __attribute__((visibility("default"))) ProcessFd {
public:
    ProcessFd() = default;
    explicit ProcessFd(int fd) noexcept;
    ProcessFd(ProcessFd &&other) noexcept : fd_(std::exchange(other.fd_, -1)), owner_(other.owner_)
    {
    }
    ProcessFd &operator=(ProcessFd &&other) noexcept
    {
        std::swap(fd_, other.fd_);
        std::swap(owner_, other.owner_);
        return *this;
    }
    ~ProcessFd() { reset(); }

    int get() const noexcept { return fd_; }
    bool is_open() const noexcept { return fd_ >= 0 && !owner_.is_another(); }
    void reset() noexcept;

private:
    int fd_ = -1;
    OwnerProcess owner_;
};

/// For the handler of fork, in the child.
void close_process_fds() noexcept;

} // namespace softdoca
