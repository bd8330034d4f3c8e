// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/raw_exporter.hpp"

#include "support/window_pair.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace softdoca::test::raw {

namespace {

/// A record that is locked, without which the socket would be taken for left over.
Fd locked_record(const std::string &path)
{
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    if (!fd.is_open() || ::write(fd.get(), "pid 1\n", 6) != 6 ||
        ::fcntl(fd.get(), F_SETLK, &lock) != 0)
        throw std::runtime_error("no record");
    return fd;
}

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

/// Until the other side is fed up.
void flood(const Socket &peer, const std::string &bytes)
{
    char byte;
    do
        while (peer.send(bytes))
            continue;
    while (::recv(peer.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN);
}

} // namespace

std::string WindowClaim::bytes() const
{
    Bytes content;
    content.u32(status).u32(slot).u64(generation).u64(addr).u64(len).u64(offset).u64(probe_addr);
    content.u32(permissions).u32(side).text(node, 64).text(pci, 16);
    return message(kWindowReply, content);
}

Exporter::Exporter(const std::string &node, const std::string &pci)
{
    const std::string fabric = std::getenv("SOFTDOCA_FABRIC");
    ::mkdir((fabric + "/p").c_str(), 0700);
    path_ = fabric + "/p/" + name_of(process);
    record_ = locked_record(path_);
    listener_ = listen_at(path_ + ".sock");
    void *const data = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    if (data == MAP_FAILED)
        throw std::runtime_error("memory cannot be mapped");
    data_ = static_cast<unsigned char *>(data);
    std::memcpy(data_, pattern(kSize, 1).data(), kSize);
    page.set_generation(0, 1);
    page.set_death_word(1);

    claim_.addr = reinterpret_cast<std::uintptr_t>(data_);
    claim_.len = kSize;
    claim_.probe_addr = reinterpret_cast<std::uintptr_t>(process.data());
    claim_.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
    claim_.side = node == "dpu" ? 1 : 0;
    claim_.node = node;
    claim_.pci = pci;

    Descriptor descriptor;
    descriptor.exporter = process;
    descriptor.key = random_bytes(16);
    descriptor.addr = claim_.addr;
    descriptor.len = claim_.len;
    descriptor.permissions = claim_.permissions;
    descriptor.pid = static_cast<std::uint32_t>(::getpid());
    descriptor.side = claim_.side;
    descriptor.node = node;
    descriptor.pci = pci;
    descriptor_ = descriptor.bytes();
}

Exporter::~Exporter()
{
    ::munmap(data_, kSize);
    ::unlink((path_ + ".sock").c_str());
    ::unlink(path_.c_str());
}

std::string Exporter::hello_reply(std::uint32_t status, std::string_view id) const
{
    return message(kHelloReply, Bytes().u32(status).u32(0).raw(id).text(SOFTDOCA_VERSION, 16));
}

Script Exporter::truth() const
{
    Script script;
    script.hello = hello_reply(kOk, process);
    script.hello_fds = {page.fd()};
    script.window = script.window_for_copies = claim_.bytes();
    script.window_fds = {memory.get()};
    script.staging = message(kReply, Bytes().u32(kOk).u32(0));
    script.copy = message(kCopyReply, Bytes().u32(kOk).u32(1));
    return script;
}

bool Exporter::answer(const Socket &peer, const Script &script) const
{
    const auto request = peer.receive(std::chrono::milliseconds(0));
    if (!request)
        return false;
    std::string bytes;
    std::vector<int> fds;
    switch (request->type()) {
    case kHello:
        bytes = script.hello;
        fds = script.hello_fds;
        break;
    case kOpenWindow:
        bytes = script.window_for_copies;
        if (number_at(request->bytes, 32, 4) == 0) {
            bytes = script.window;
            fds = script.window_fds;
        }
        break;
    case kAttachStaging:
        bytes = script.staging;
        break;
    case kCopy:
        bytes = script.copy;
        break;
    default:
        break;
    }
    const bool is_flood = request->type() == script.flooded;
    const std::uint32_t serial = request->serial() - (is_flood ? 1 : 0);
    if (bytes.size() >= raw::kHeaderSize)
        std::memcpy(bytes.data() + 12, &serial, sizeof serial);
    if (is_flood)
        flood(peer, bytes);
    return is_flood || bytes.empty() || peer.send(bytes, fds);
}

void Exporter::serve(const Script &script, const Line &line)
{
    while (!line.is_ready()) {
        std::vector<pollfd> ready{{listener_.get(), POLLIN, 0}};
        for (const Socket &peer : peers_)
            ready.push_back({peer.fd(), POLLIN, 0});
        if (::poll(ready.data(), ready.size(), 1) <= 0)
            continue;
        for (std::size_t i = ready.size(); i-- > 1;)
            if (ready[i].revents != 0 && !answer(peers_[i - 1], script))
                peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
        if (ready[0].revents != 0)
            if (Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); fd.is_open())
                peers_.emplace_back(std::move(fd));
    }
}

} // namespace softdoca::test::raw
