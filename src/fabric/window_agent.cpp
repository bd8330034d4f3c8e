// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The agent route: the exporter's agent copies between its memory and staging memory of ours, and
// we copy between that and the rest. Works wherever two processes can share a socket.

#include "fabric/window.hpp"

#include "fabric/local_process.hpp"

#include <algorithm>

namespace softdoca {

namespace {

/// While the agent's queue of connections is full, as when many contexts begin at once.
constexpr auto kConnectPatience = std::chrono::milliseconds(100);

} // namespace

std::unique_ptr<AgentChannel> AgentChannel::open(const Window &window)
{
    LocalProcess &self = *window.self_;
    ProcessFd staging_fd;
    SharedMemory staging = SharedMemory::create("softdoca-staging", kStagingSize, 0, &staging_fd);
    LinkFault fault = LinkFault::none;
    UnixSocket socket = connect_to_agent(self.registration().directory(), window.link_->peer(),
                                         Clock::now() + kConnectPatience, &fault);
    if (!staging.is_valid() || !socket.is_open())
        return nullptr;
    std::unique_ptr<AgentChannel> channel(
        new AgentChannel(window, std::move(socket), std::move(staging)));
    return channel->introduce(staging_fd.get()) ? std::move(channel) : nullptr;
}

AgentChannel::~AgentChannel()
{
    socket_.drain();
}

/// All at once: the agent answers in order, and the first copy may follow at once.
bool AgentChannel::introduce(int staging_fd) noexcept
{
    const auto hello = hello_of(*window_.self_);
    auto open = wire::make<wire::OpenWindow>(1);
    open.key = window_.key_;
    open.is_channel = 1;
    auto attach = wire::make<wire::AttachStaging>(2);
    attach.staging_len = staging_.size();
    const int page = window_.self_->page().fd();
    serial_ = 2;
    return socket_.send(wire::bytes_of(hello), {&page, 1}) && socket_.send(wire::bytes_of(open)) &&
           socket_.send(wire::bytes_of(attach), {&staging_fd, 1});
}

std::span<std::byte> AgentChannel::staging() const noexcept
{
    return {staging_.data(), staging_.size()};
}

bool AgentChannel::start(bool is_write, std::span<const CopyPiece> pieces) noexcept
{
    auto request = wire::make<wire::Copy>(++serial_);
    request.slot = window_.slot_;
    request.generation = window_.generation_;
    request.is_write = is_write ? 1 : 0;
    request.num_pieces = static_cast<std::uint32_t>(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
        request.pieces[i] = {pieces[i].far, pieces[i].len};
    return socket_.send(wire::bytes_of(request));
}

/// Hello, window and staging were accepted?
bool AgentChannel::check_setup(std::span<const std::byte> message,
                               const Received &received) const noexcept
{
    if (const auto hello = wire::take<wire::HelloReply>(message))
        return hello->status == wire::Status::ok && hello->process == window_.link_->peer() &&
               received.num_fds == 1;
    if (const auto window = wire::take<wire::WindowReply>(message))
        return window->status == wire::Status::ok && window->slot == window_.slot_ &&
               window->generation == window_.generation_;
    const auto staging = wire::take<wire::Reply>(message);
    return staging && staging->status == wire::Status::ok;
}

AgentChannel::Answer AgentChannel::poll(std::size_t *num_done) noexcept
{
    constexpr int kMaxAnswers = 8;               // a peer that never ceases must not keep us here
    std::byte buffer[sizeof(wire::WindowReply)]; // the longest answer
    for (int i = 0; i < kMaxAnswers; ++i) {
        const Received received = socket_.receive(buffer);
        if (received.outcome == Received::Outcome::nothing_yet)
            return window_.is_valid() ? Answer::pending : Answer::broken;
        if (received.outcome == Received::Outcome::closed || received.size > sizeof buffer)
            return Answer::broken;
        const std::span<const std::byte> message(buffer, received.size);
        if (num_setup_left_ > 0) {
            if (!check_setup(message, received))
                return Answer::broken;
            --num_setup_left_;
            continue;
        }
        const auto reply = wire::take<wire::CopyReply>(message);
        if (!reply || reply->serial > serial_)
            return Answer::broken;
        if (reply->serial != serial_)
            continue;
        *num_done = reply->num_done;
        return Answer::arrived;
    }
    return window_.is_valid() ? Answer::pending : Answer::broken;
}

} // namespace softdoca
