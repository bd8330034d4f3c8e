// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What agents tell each other about channels. Nothing is waited for: what comes is put where the
// engine that is concerned will look, and the engine is told.

#include "fabric/agent_log.hpp"
#include "fabric/agent_session.hpp"
#include "fabric/channel.hpp"
#include "fabric/local_process.hpp"
#include "fabric/receive_queue.hpp"
#include "fabric/service.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace softdoca {

bool AgentSession::handle_channel(const wire::Header &header, Bytes message, Received &received)
{
    if (received.has_lost_fds) {
        agent_say(LogLevel::error,
                  "connections with process %d end: this process has no descriptors left for what "
                  "it sent (raise ulimit -n)",
                  peer_.pid);
        return false;
    }
    if (!has_channels_) {
        process_.add_pair(link_);
        begin_channels();
    }
    switch (header.type) {
    case wire::Type::announce_bell:
        return add_bell(message, received);
    case wire::Type::retire_bell:
        return retire_bell(message);
    case wire::Type::open_channel:
        return open_channel(message);
    case wire::Type::channel_opened:
        return take_opened(message, received);
    case wire::Type::channel_bell:
        return take_channel_bell(message);
    case wire::Type::attach_queue:
        return attach_queue(message, received);
    default:
        return close_channel(message);
    }
}

bool AgentSession::add_bell(Bytes message, Received &received)
{
    const auto request = wire::take<wire::AnnounceBell>(message);
    if (!request || received.num_fds != 2)
        return false;
    auto bell = PeerBell::map(request->bell_id, received.fds[0], std::move(received.fds[1]));
    if (bell == nullptr)
        return false;
    if (link_->add_bell(std::move(bell)))
        return true;
    agent_say(LogLevel::error,
              "process %d announces more progress engines than the descriptors of this process are "
              "enough for (ulimit -n): the connection ends",
              peer_.pid);
    return false;
}

bool AgentSession::retire_bell(Bytes message)
{
    const auto request = wire::take<wire::RetireBell>(message);
    if (!request)
        return false;
    link_->remove_bell(request->bell_id);
    return true;
}

bool AgentSession::open_channel(Bytes message)
{
    const auto request = wire::take<wire::OpenChannel>(message);
    if (!request || !is_sane(request->config) || request->message_bit >= kBitsPerBell ||
        request->room_bit >= kBitsPerBell || link_->find_bell(request->bell_id) == nullptr)
        return false;
    auto reply = wire::make<wire::ChannelOpened>();
    reply.channel = request->channel;
    const auto service = process_.services().find(request->service);
    if (service == nullptr) {
        reply.status = wire::Status::no_such_key;
        return send(reply);
    }
    ProcessFd memory;
    auto channel = Channel::of_server(link_, service->config(), *request, &memory);
    if (channel == nullptr) {
        agent_say(LogLevel::error, "a client of process %d is not served: no shared memory: %s",
                  peer_.pid, std::strerror(errno));
        reply.status = wire::Status::busy;
        return send(reply);
    }
    reply.peer_number = channel->number();
    reply.config = service->config();
    const int fd = memory.get();
    service->add(std::move(channel));
    if (send(reply, {&fd, 1}))
        return true;
    if (errno != EAGAIN)
        return false;
    const auto bytes = wire::bytes_of(reply); // many clients at once: its agent is behind
    unsent_.assign(bytes.begin(), bytes.end());
    unsent_fd_ = std::move(memory);
    return true;
}

bool AgentSession::send_unsent() noexcept
{
    const int fd = unsent_fd_.get();
    if (!unsent_.empty() && !socket().send(unsent_, {&fd, 1}))
        return errno == EAGAIN;
    unsent_.clear();
    unsent_fd_.reset();
    return true;
}

void AgentSession::begin_channels() noexcept
{
    has_channels_ = true;
    if (peer_.pid > 0) // it has just greeted: the number is its own
        pid_fd_ = ProcessFd(static_cast<int>(::syscall(SYS_pidfd_open, peer_.pid, 0)));
}

bool AgentSession::take_opened(Bytes message, Received &received)
{
    const auto reply = wire::take<wire::ChannelOpened>(message);
    if (!reply)
        return false;
    const auto channel = process_.channels().find(reply->channel, *link_);
    if (channel == nullptr)
        return true; // given up meanwhile
    if (reply->status != wire::Status::ok) {
        channel->set_rejected();
        return true;
    }
    return received.num_fds == 1 && channel->take_opened(*reply, received.fds[0]);
}

bool AgentSession::take_channel_bell(Bytes message)
{
    const auto request = wire::take<wire::ChannelBell>(message);
    if (!request)
        return false;
    const auto channel = process_.channels().find(request->channel, *link_);
    return channel == nullptr || channel->take_bell(*request);
}

bool AgentSession::attach_queue(Bytes message, Received &received)
{
    const auto request = wire::take<wire::AttachQueue>(message);
    if (!request || received.num_fds == 0 || request->bit >= kBitsPerBell || request->id == 0)
        return false;
    const auto channel = process_.channels().find(request->channel, *link_);
    if (channel == nullptr)
        return true; // closed meanwhile
    auto bell = link_->find_bell(request->bell_id);
    auto queue = std::make_shared<AttachedQueue>();
    queue->id = request->id;
    queue->num_slots = request->num_slots;
    queue->max_imm_len = request->max_imm_len;
    queue->bell = {std::move(bell), request->bit};
    if (queue->bell.bell == nullptr || !ReceiveQueue::is_sane(request->num_slots))
        return false;
    queue->memory =
        SharedMemory::map(received.fds[0].get(), 0, ReceiveQueue::memory_size(request->num_slots),
                          SharedMemory::Access::read_write);
    if (!queue->memory.is_valid())
        return false;
    if (received.num_fds == 2) {
        // Whole pages from the file's begin: a window of one consumer is the whole of its memory.
        queue->window_offset = request->window_offset;
        queue->window_len = request->window_len;
        const std::uint64_t size = request->window_offset + request->window_len;
        if (size < request->window_len)
            return false;
        queue->window =
            SharedMemory::map(received.fds[1].get(), 0, size, SharedMemory::Access::read_write);
        if (!queue->window.is_valid())
            return false;
    }
    return channel->take_queue(std::move(queue));
}

bool AgentSession::close_channel(Bytes message)
{
    const auto request = wire::take<wire::CloseChannel>(message);
    if (!request)
        return false;
    if (const auto channel = process_.channels().find(request->channel, *link_))
        channel->set_closed_by_peer();
    return true;
}

} // namespace softdoca
