// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/raw_channel.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softdoca::test::raw {

/// A client that has come to a raw server, which answers as far as it is told to.
class Visitor : public Talker {
public:
    Visitor(Socket &&connection, std::string server, const StatusPage &page);

    /// Takes the greeting; false if none comes.
    bool greets();
    std::string hello_reply(std::uint32_t status, std::string_view id) const;
    void answer_greeting() const { answer_greeting(kOk, server, {page.fd()}); }
    void answer_greeting(std::uint32_t status, std::string_view id,
                         const std::vector<int> &fds) const;
    /// Takes the question for a channel, and makes its memory.
    bool asks();
    Bytes opened(std::uint32_t status, const ChannelConfig &config) const;
    void open() const { open(opened(kOk, config), {channel_fd.get()}); }
    void open(const Bytes &content, const std::vector<int> &fds) const
    {
        send(kChannelOpened, content, fds);
    }
    void send_bell() const { send_bell(client_number, 1, 0, 1); }
    void send_bell(std::uint64_t channel, std::uint64_t bell_id, std::uint64_t message_bit,
                   std::uint64_t room_bit) const;
    void admit(std::uint32_t value) const;
    /// All of it.
    bool is_let_in();

    void say(const RawMessage &message);
    void ring_client() const { ring(client_bell, client_bit); }

    const std::string server;
    const StatusPage &page;
    Bell bell;
    ChannelConfig config, client_config;
    Fd channel_fd;
    std::unique_ptr<ChannelMemory> channel;
    std::uint64_t client_number = 0, client_bell = 0;
    std::uint32_t client_bit = 0, client_room_bit = 0;
    std::uint64_t num_said = 0;
};

/// A process of the fabric that serves a name, by its records and its socket.
class Server {
public:
    /// In the scope of a server that there is.
    Server(const std::string &name, const ServiceRecord &like);
    ~Server();
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    /// The next connection.
    std::unique_ptr<Visitor> await_visitor() const;
    /// One that is let in.
    std::unique_ptr<Visitor> let_in() const;

    const std::string process = random_bytes(16);
    const StatusPage page{process};

private:
    const ServiceRecord record_;
    const std::string process_path_;
    Fd process_record_, service_record_, listener_;
};

/// A file with this content, locked as records of those that live are.
Fd locked_file(const std::string &path, const std::string &content);

} // namespace softdoca::test::raw
