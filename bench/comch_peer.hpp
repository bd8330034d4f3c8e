// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "child_process.hpp"
#include "probes/posted.hpp"
#include "probes/ring.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace softdoca::bench {

/// Memory in which the references work.
struct ProbeBed {
    static constexpr std::size_t kLargeLen = 65536;
    static constexpr std::size_t kNumLarge = 16;

    probe::RingBed ring;
    probe::PostedBed posted;
    alignas(4096) char large[kNumLarge][kLargeLen];
};

/// What the references need of both processes: memory, a socket, and an eventfd for each side. Made
/// by the benchmark, inherited by its peer.
class SharedProbes {
public:
    SharedProbes();
    /// In the peer: from what fd_list() gave.
    explicit SharedProbes(const std::string &fd_list);
    ~SharedProbes();
    SharedProbes(const SharedProbes &) = delete;
    SharedProbes &operator=(const SharedProbes &) = delete;

    std::string fd_list() const;
    /// Once the peer has been started: no later program inherits them.
    void close_on_exec() const;

    ProbeBed &bed() const { return *bed_; }
    int socket() const { return fds_.socket; }
    int own_event() const { return fds_.own_event; }
    int event_of_peer() const { return fds_.event_of_peer; }

private:
    struct Fds {
        int memory, socket, own_event, event_of_peer;
        int socket_of_peer; ///< only the benchmark has it
    };

    void map();

    Fds fds_{-1, -1, -1, -1, -1};
    ProbeBed *bed_ = nullptr;
};

/// The other side of connections and of the references: this program once more, in the host's
/// role. It does one thing at a time when told so, and sleeps otherwise.
///
///     connect SERVICE NUM TASKS QUEUE   NUM clients more, TASKS send tasks, QUEUE places each
///     data MEMORY LEN POSTED ID         a consumer and a producer on the last client's connection
///     receive N, send N, answer N       messages of that producer and consumer
///     take N, tell N, echo N            control messages of the last client
///     sleepy-answer N, sleepy-echo N    the same round trips, sleeping between any two messages
///     ring-receive N, large-ring-receive N, ring-answer N, posted-receive N, socket-spin N,
///     socket-block N, wake N
class ComchPeer {
public:
    ComchPeer();

    void move_to_cpu(int cpu) const;

    /// Returns when the peer is awake and about to do what the command says.
    void begin(const std::string &command) const;
    /// Until it has done that; `meanwhile` is called again and again.
    void finish(const std::function<void()> &meanwhile) const;
    void finish() const;

    const SharedProbes &probes() const { return probes_; }

private:
    void expect(char answer) const;

    SharedProbes probes_;
    ChildProcess process_;
};

/// Plays the peer, and does not return, if the arguments are those of its process. To be called
/// first.
void play_comch_peer_if_asked(int argc, char **argv);

} // namespace softdoca::bench
