// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/unix_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace softdoca {

namespace {

constexpr int kBacklog = 64;

/// The address of DIRECTORY/NAME. A path that is too long for an address goes through the open
/// directory, which the caller keeps until it has used the address.
struct Address {
    sockaddr_un address{};
    ProcessFd directory;
    bool is_valid = false;

    Address(const std::string &directory_path, const std::string &name)
    {
        address.sun_family = AF_UNIX;
        std::string path = directory_path + '/' + name;
        if (path.size() >= sizeof address.sun_path) {
            directory = ProcessFd(::open(directory_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
            path = "/proc/self/fd/" + std::to_string(directory.get()) + '/' + name;
        }
        is_valid = path.size() < sizeof address.sun_path;
        std::memcpy(address.sun_path, path.c_str(),
                    std::min(path.size() + 1, sizeof address.sun_path));
        if (!is_valid)
            errno = ENAMETOOLONG;
    }

    const sockaddr *get() const noexcept { return reinterpret_cast<const sockaddr *>(&address); }
};

int new_socket() noexcept
{
    return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// Room for the descriptors of one message. What it does not hold the kernel would drop in our
/// thread, which may wait for it (see defuse()): all of them are taken.
constexpr std::size_t kMaxFds = 253; // SCM_MAX_FD
union Control {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * kMaxFds) + CMSG_SPACE(sizeof(ucred))];
};

/// A connection that lingers for its data would hold whoever closes it last.
void defuse(int fd) noexcept
{
    const linger off{};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof off); // what is no socket refuses
}

} // namespace

UnixSocket UnixSocket::listen_at(const std::string &directory, const std::string &name, mode_t mode)
{
    const Address address(directory, name);
    UnixSocket socket(new_socket());
    if (!address.is_valid || !socket.is_open() ||
        ::bind(socket.fd(), address.get(), sizeof address.address) != 0 ||
        ::chmod(address.address.sun_path, mode) != 0 || ::listen(socket.fd(), kBacklog) != 0)
        return {};
    return socket;
}

UnixSocket UnixSocket::connect_to(const std::string &directory, const std::string &name)
{
    const Address address(directory, name);
    UnixSocket socket(new_socket());
    if (!address.is_valid || !socket.is_open() ||
        ::connect(socket.fd(), address.get(), sizeof address.address) != 0)
        return {};
    return socket;
}

UnixSocket UnixSocket::accept() const noexcept
{
    return UnixSocket(::accept4(fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

std::optional<ucred> UnixSocket::peer() const noexcept
{
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(fd(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
        return std::nullopt;
    return credentials;
}

bool UnixSocket::send(std::span<const std::byte> message, std::span<const int> fds) const noexcept
{
    iovec part{const_cast<std::byte *>(message.data()), message.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    Control control;
    std::memset(&control, 0, sizeof control); // all of it goes to the kernel, gaps too
    if (!fds.empty()) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr *const rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
    }
    ssize_t sent;
    do
        sent = ::sendmsg(fd(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(message.size());
}

void UnixSocket::drain() const noexcept
{
    if (!is_open())
        return;
    const int on = 1; // from now on every message comes with something, even an empty one
    ::setsockopt(fd(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    ::shutdown(fd(), SHUT_RD); // the peer cannot send any more
    std::byte dropped[1];
    for (int num_ends = 0; num_ends < 2;) // an error that is told once is not the end
        num_ends += receive(dropped).has_control ? 0 : 1;
}

Received UnixSocket::receive(std::span<std::byte> buffer) const noexcept
{
    iovec part{buffer.data(), buffer.size()};
    Control control;
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = &control;
    header.msg_controllen = sizeof control;
    ssize_t size;
    do
        size = ::recvmsg(fd(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC);
    while (size < 0 && errno == EINTR);

    Received received;
    if (size < 0) {
        received.outcome =
            errno == EAGAIN ? Received::Outcome::nothing_yet : Received::Outcome::closed;
        return received;
    }
    for (cmsghdr *rights = CMSG_FIRSTHDR(&header); rights != nullptr;
         rights = CMSG_NXTHDR(&header, rights)) {
        if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t num = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < num; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(rights) + i * sizeof fd, sizeof fd);
            defuse(fd);
            ProcessFd taken(fd); // closed here if there are more than anybody sends
            if (received.num_fds < received.fds.size())
                received.fds[received.num_fds++] = std::move(taken);
        }
    }
    received.size = static_cast<std::size_t>(size);
    received.has_control = header.msg_controllen != 0;
    received.has_lost_fds = (header.msg_flags & MSG_CTRUNC) != 0;
    if (size > 0) // a message of no bytes is never sent: it is the end
        received.outcome = Received::Outcome::message;
    return received;
}

bool UnixSocket::has_hung_up() const noexcept
{
    pollfd state{fd(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP)) != 0;
}

bool UnixSocket::wait_readable(Clock::time_point deadline) const noexcept
{
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd interest{fd(), POLLIN, 0};
        const int result =
            ::poll(&interest, 1, static_cast<int>(std::clamp<long>(left, 0, 60'000)));
        if (result > 0)
            return true;
        if (result == 0 || errno != EINTR)
            return false;
    }
}

} // namespace softdoca
