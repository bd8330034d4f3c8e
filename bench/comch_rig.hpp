// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch_data.hpp"
#include "comch_link.hpp"
#include "comch_peer.hpp"
#include "rig.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

/// What two sides of a connection do with each other, and all that the benchmark needs for it.
namespace softdoca::bench {

/// One end of an exchange, control or data: what it sends, what it counts.
struct End {
    doca_pe *pe;
    doca_task *message;
    const std::uint64_t *num_received, *num_sent;
};

End end_of(const ProgressEngine &engine, const Link &link, const Message &message);
End end_of(const ProgressEngine &engine, DataEnd &data);

/// How an end waits: it polls, or it sleeps on the engine's handle whenever there is nothing left.
enum class Rest { polling, sleeping };

/// Round trips, as the side that begins and as the other.
void ask(const End &end, std::uint64_t num_messages, Rest rest = Rest::polling);
void answer(const End &end, std::uint64_t num_messages, Rest rest = Rest::polling);

/// The benchmark's side: servers with all their clients connected, which are the peer's.
struct ComchRig {
    explicit ComchRig(ControlSizes sizes = {});

    /// A server more, with so many clients.
    void serve(std::size_t num_clients);
    /// Consumers and producer of both sides, on the newest connection; those of the peer have one
    /// consumer.
    void open_data(const DataShape &shape);
    /// The newest connection, which is the one that the peer uses.
    Link &link() { return servers.back().links().back(); }

    ControlSizes sizes;
    ComchPeer peer;
    Device device;
    Representor representor;
    ProgressEngine control, data_engine;
    std::deque<ComchServer> servers;
    std::unique_ptr<DataEnd> data;
};

} // namespace softdoca::bench
