// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/peer_link.hpp"

#include "fabric/local_process.hpp"
#include "fabric/registry.hpp"
#include "fabric/release.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>

namespace softdoca {

namespace {

/// While an answer is waited for: does the peer live? Its socket may in a child, and say nothing.
constexpr auto kLookAgain = std::chrono::milliseconds(50);

LinkFault fault_of(wire::Status status) noexcept
{
    switch (status) {
    case wire::Status::ok:
        return LinkFault::none;
    case wire::Status::other_release:
        return LinkFault::other_release;
    case wire::Status::other_user:
        return LinkFault::other_user;
    case wire::Status::busy:
        return LinkFault::busy;
    default:
        return LinkFault::out_of_order;
    }
}

} // namespace

wire::Hello hello_of(const LocalProcess &self) noexcept
{
    auto hello = wire::make<wire::Hello>();
    hello.process = self.id();
    wire::put_text(hello.release, kRelease);
    return hello;
}

UnixSocket connect_to_agent(const std::string &directory, const ProcessId &peer,
                            Clock::time_point deadline, LinkFault *fault)
{
    for (;;) {
        UnixSocket socket = UnixSocket::connect_to(directory, socket_name(peer));
        *fault = LinkFault::none;
        if (socket.is_open())
            return socket;
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            *fault = LinkFault::no_resources;
        else if (errno == EACCES || errno == EPERM)
            *fault = LinkFault::other_user;
        else if (errno != EAGAIN) // ENOENT, ECONNREFUSED, ENOTDIR
            *fault = LinkFault::gone;
        else if (Clock::now() >= deadline)
            *fault = LinkFault::silent;
        if (*fault != LinkFault::none)
            return {};
        const timespec moment{0, 2'000'000};
        nanosleep(&moment, nullptr);
    }
}

namespace {

/// The next message that answers the serial number. Answers that come too late for an earlier
/// question are passed over, but not for ever. page: nullptr before the peer's is known.
LinkFault receive_answer(const UnixSocket &socket, std::uint32_t serial, const PeerPage *page,
                         std::span<std::byte> buffer, Clock::time_point deadline,
                         Received *received)
{
    for (;;) {
        *received = socket.receive(buffer);
        if (received->outcome == Received::Outcome::closed)
            return LinkFault::gone;
        if (received->outcome == Received::Outcome::nothing_yet) {
            if (page != nullptr && !page->is_alive()) // its socket may live on in a child
                return LinkFault::gone;
            const auto now = Clock::now();
            if (now >= deadline)
                return LinkFault::silent;
            (void)socket.wait_readable(std::min(deadline, now + kLookAgain));
            continue;
        }
        if (received->size > buffer.size())
            return LinkFault::out_of_order;
        const auto header = wire::header_of(buffer.first(received->size));
        if (!header)
            return LinkFault::other_release;
        if (header->serial == serial)
            return LinkFault::none;
        if (Clock::now() >= deadline)
            return LinkFault::silent;
    }
}

/// Says who we are, and takes the answer.
LinkFault greet(LocalProcess &self, const ProcessId &peer, Clock::time_point deadline,
                GreetedSocket &greeted)
{
    auto hello = hello_of(self);
    hello.serial = 1;
    const int page = self.page().fd();
    (void)greeted.socket.send(wire::bytes_of(hello), {&page, 1}); // a refusal may be there already
    std::byte buffer[sizeof(wire::HelloReply)];
    Received received;
    if (const LinkFault fault =
            receive_answer(greeted.socket, hello.serial, nullptr, buffer, deadline, &received);
        fault != LinkFault::none)
        return fault;
    const auto reply = wire::take<wire::HelloReply>({buffer, received.size});
    if (!reply)
        return LinkFault::other_release; // another wire format
    if (const LinkFault fault = fault_of(reply->status); fault != LinkFault::none)
        return fault;
    if (received.has_lost_fds)
        return LinkFault::no_resources;
    if (!(reply->process == peer) || received.num_fds != 1)
        return LinkFault::out_of_order;
    greeted.page = PeerPage::map(received.fds[0].get(), peer);
    return greeted.page == nullptr ? LinkFault::out_of_order : LinkFault::none;
}

} // namespace

std::optional<GreetedSocket> greet_agent(LocalProcess &self, const ProcessId &peer,
                                         Clock::time_point deadline, LinkFault *fault)
{
    GreetedSocket greeted{connect_to_agent(self.registration().directory(), peer, deadline, fault),
                          0, nullptr};
    if (!greeted.socket.is_open())
        return std::nullopt;
    const auto credentials = greeted.socket.peer();
    *fault = LinkFault::gone;
    if (!credentials)
        return std::nullopt;
    greeted.pid = credentials->pid;
    *fault = greet(self, peer, deadline, greeted);
    if (*fault != LinkFault::none)
        return std::nullopt;
    return greeted;
}

std::shared_ptr<PeerLink> PeerLink::open(LocalProcess &self, const ProcessId &peer,
                                         Clock::time_point deadline, LinkFault *fault)
{
    auto greeted = greet_agent(self, peer, deadline, fault);
    if (!greeted)
        return nullptr;
    std::shared_ptr<PeerLink> link(
        new PeerLink(std::move(greeted->socket), peer, greeted->pid, std::move(greeted->page)));
    if (!self.agent().watch(link)) {
        *fault = LinkFault::no_resources;
        return nullptr;
    }
    return link;
}

LinkFault PeerLink::exchange(std::span<const std::byte> request, std::span<std::byte> buffer,
                             Clock::time_point deadline, Received *received)
{
    if (!socket_.send(request))
        return errno == EAGAIN ? LinkFault::silent : LinkFault::gone;
    return receive_answer(socket_, serial_, page_.get(), buffer, deadline, received);
}

int PeerLink::memory_fd(pid_t thread, std::uint64_t id_addr) noexcept
{
    const std::scoped_lock lock(dialogue_);
    if (memory_.is_open())
        return memory_.get();
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/mem", thread);
    ProcessFd memory(::open(path, O_RDONLY | O_CLOEXEC));
    ProcessId seen;
    if (!memory.is_open() ||
        ::pread(memory.get(), &seen, sizeof seen, static_cast<off_t>(id_addr)) != sizeof seen ||
        !(seen == peer_)) // /proc may be of another PID namespace
        return -1;
    memory_ = std::move(memory);
    return memory_.get();
}

} // namespace softdoca
