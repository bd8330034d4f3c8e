// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process_fd.hpp"

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace softdoca {

using Clock = std::chrono::steady_clock;

/// What came with one recv: whole messages only. Descriptors that nobody takes are closed.
struct Received {
    enum class Outcome { message, nothing_yet, closed };

    Outcome outcome = Outcome::closed;
    std::size_t size = 0; ///< of the message; more than the buffer's if it was cut
    std::array<ProcessFd, 2> fds;
    std::size_t num_fds = 0;
    bool has_lost_fds = false; ///< this process had no descriptors left for them
    bool has_control = false;  ///< more than bytes came
};

/// A local socket that carries whole messages in order (SEQPACKET), never blocks, raises no signal
/// and can pass descriptors. Invalid after a failure, with the reason in errno.
class __attribute__((visibility("default"))) UnixSocket {
public:
    UnixSocket() = default;
    /// Takes over a connected socket of the same kind.
    explicit UnixSocket(int fd) noexcept : fd_(fd) {}

    /// A socket at DIRECTORY/NAME that takes connections. mode: of its file.
    static UnixSocket listen_at(const std::string &directory, const std::string &name, mode_t mode);
    /// EAGAIN: too many connections wait there, try again.
    static UnixSocket connect_to(const std::string &directory, const std::string &name);

    bool is_open() const noexcept { return fd_.is_open(); }
    int fd() const noexcept { return fd_.get(); }
    void close() noexcept { fd_.reset(); }

    UnixSocket accept() const noexcept;
    /// Who is at the other end, as the kernel saw it when they connected.
    std::optional<ucred> peer() const noexcept;

    /// False: the peer has gone, or takes nothing (EAGAIN).
    bool send(std::span<const std::byte> message, std::span<const int> fds = {}) const noexcept;
    Received receive(std::span<std::byte> buffer) const noexcept;
    /// Takes off what a peer has sent and nobody will read, before the socket is closed:
    /// descriptors among it may wait when the kernel drops them.
    void drain() const noexcept;
    /// Will the peer send nothing more? (What it has sent may still wait.)
    bool has_hung_up() const noexcept;
    /// Waits until something can be received; false when the deadline passes.
    bool wait_readable(Clock::time_point deadline) const noexcept;

private:
    ProcessFd fd_;
};

} // namespace softdoca
