// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>

/// Messages over a Unix socket of type SEQPACKET, what two programs of one machine would use
/// without us (rows 13 and 14).
namespace softdoca::bench::probe {

constexpr std::size_t kSeqpacketMessageLen = 64;

enum class Waiting { spinning, blocking };

/// Round trips, as the side that begins and as the other. They end early if the peer has gone.
void seqpacket_ask(int socket, std::uint64_t num_messages, Waiting waiting);
void seqpacket_answer(int socket, std::uint64_t num_messages, Waiting waiting);

} // namespace softdoca::bench::probe
