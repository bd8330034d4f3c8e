// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/raw_server.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace softdoca::test::raw {

namespace {

Fd listen_at(const std::string &path)
{
    Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), 16) != 0)
        throw std::runtime_error("no socket");
    return fd;
}

} // namespace

Fd locked_file(const std::string &path, const std::string &content)
{
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    if (!fd.is_open() || ::fcntl(fd.get(), F_SETLK, &lock) != 0 ||
        ::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
        throw std::runtime_error("no record");
    return fd;
}

Visitor::Visitor(Socket &&connection, std::string id, const StatusPage &of_server)
    : Talker(std::move(connection)), server(std::move(id)), page(of_server)
{
}

bool Visitor::greets()
{
    return await(kHello).has_value();
}

std::string Visitor::hello_reply(std::uint32_t status, std::string_view id) const
{
    return message(kHelloReply, Bytes().u32(status).u32(0).raw(id).text(SOFTDOCA_VERSION, 16));
}

void Visitor::answer_greeting(std::uint32_t status, std::string_view id,
                              const std::vector<int> &fds) const
{
    socket.send(hello_reply(status, id), fds);
}

bool Visitor::asks()
{
    const auto question = await(kOpenChannel);
    if (!question)
        return false;
    const auto number = [&](std::size_t offset, std::size_t size) {
        return number_at(question->bytes, kHeaderSize + offset, size);
    };
    client_number = number(16, 8);
    client_bell = number(24, 8);
    client_bit = static_cast<std::uint32_t>(number(32, 4));
    client_room_bit = static_cast<std::uint32_t>(number(36, 4));
    client_config.num_sends = static_cast<std::uint32_t>(number(40, 4));
    client_config.recv_queue = static_cast<std::uint32_t>(number(44, 4));
    client_config.max_msg_size = static_cast<std::uint32_t>(number(48, 4));
    channel = std::make_unique<ChannelMemory>(client_config, config, &channel_fd);
    return true;
}

Bytes Visitor::opened(std::uint32_t status, const ChannelConfig &says) const
{
    return Bytes().u64(client_number).u64(1).u32(status).u32(0).raw(says.bytes().str());
}

void Visitor::send_bell(std::uint64_t number, std::uint64_t bell_id, std::uint64_t message_bit,
                        std::uint64_t room_bit) const
{
    send(kChannelBell, Bytes().u64(number).u64(bell_id).u32(message_bit).u32(room_bit));
}

void Visitor::admit(std::uint32_t value) const
{
    channel->set_admission(value);
    ring_client();
}

bool Visitor::is_let_in()
{
    if (!greets())
        return false;
    answer_greeting();
    if (!asks())
        return false;
    open();
    (void)announce(1, bell);
    send_bell();
    admit(kAccepted);
    return true;
}

void Visitor::say(const RawMessage &message)
{
    channel->to_client.fill(num_said++, message);
    ring_client();
}

Server::Server(const std::string &name, const ServiceRecord &like)
    : record_(like.of_another(process, name)),
      process_path_(std::string(std::getenv("SOFTDOCA_FABRIC")) + "/p/" + name_of(process)),
      process_record_(locked_file(process_path_, "pid 1\n")),
      service_record_(
          locked_file(record_.path(), record_.text(static_cast<std::uint64_t>(::getpid())))),
      listener_(listen_at(process_path_ + ".sock"))
{
    page.set_death_word(1);
}

Server::~Server()
{
    ::unlink(record_.path().c_str());
    ::unlink((process_path_ + ".sock").c_str());
    ::unlink(process_path_.c_str());
}

std::unique_ptr<Visitor> Server::await_visitor() const
{
    pollfd ready{listener_.get(), POLLIN, 0};
    (void)::poll(&ready, 1, static_cast<int>(patience().count()));
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd.is_open())
        throw std::runtime_error("no client comes");
    return std::make_unique<Visitor>(Socket(std::move(fd)), process, page);
}

std::unique_ptr<Visitor> Server::let_in() const
{
    auto visitor = await_visitor();
    if (!visitor->is_let_in())
        throw std::runtime_error("no client that asks comes");
    return visitor;
}

} // namespace softdoca::test::raw
