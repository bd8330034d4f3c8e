// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "seqpacket.hpp"

#include <cerrno>
#include <sys/socket.h>

namespace softdoca::bench::probe {

namespace {

char payload[kSeqpacketMessageLen];

bool send_one(int socket, int flags)
{
    ssize_t result = -1;
    do {
        result = send(socket, payload, sizeof payload, flags | MSG_NOSIGNAL);
    } while (result < 0 && errno == EAGAIN);
    return result == static_cast<ssize_t>(sizeof payload);
}

bool receive_one(int socket, int flags)
{
    ssize_t result = -1;
    do {
        result = recv(socket, payload, sizeof payload, flags);
    } while (result < 0 && errno == EAGAIN);
    return result == static_cast<ssize_t>(sizeof payload);
}

int flags_of(Waiting waiting)
{
    return waiting == Waiting::spinning ? MSG_DONTWAIT : 0;
}

} // namespace

void seqpacket_ask(int socket, std::uint64_t num_messages, Waiting waiting)
{
    const int flags = flags_of(waiting);
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        if (!send_one(socket, flags) || !receive_one(socket, flags))
            return;
    }
}

void seqpacket_answer(int socket, std::uint64_t num_messages, Waiting waiting)
{
    const int flags = flags_of(waiting);
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        if (!receive_one(socket, flags) || !send_one(socket, flags))
            return;
    }
}

} // namespace softdoca::bench::probe
