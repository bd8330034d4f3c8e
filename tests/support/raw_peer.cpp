// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/raw_peer.hpp"

#include "support/two_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace softdoca::test::raw {

namespace {

constexpr std::uint32_t kMagic = 0x4f444653;           // "SFDO"
constexpr std::uint32_t kDescriptorMagic = 0x58444653; // "SFDX"
constexpr std::uint32_t kPageMagic = 0x50444653;       // "SFDP"
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kMaxFds = 16;

std::string text_at(std::string_view bytes, std::size_t offset, std::size_t size)
{
    const std::string_view field = bytes.substr(offset, size);
    return std::string(field.substr(0, field.find('\0')));
}

std::uint64_t check_sum(std::string_view bytes) // FNV-1a
{
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const char c : bytes)
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return sum;
}

unsigned char *map(int fd, std::size_t size)
{
    void *const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        throw std::runtime_error("memory cannot be mapped");
    return static_cast<unsigned char *>(data);
}

} // namespace

Fd::~Fd()
{
    if (fd_ >= 0)
        ::close(fd_);
}

std::string lying_message(std::uint32_t magic, std::uint16_t version, std::uint16_t type,
                          std::uint32_t size, const Bytes &content)
{
    return Bytes().u32(magic).u16(version).u16(type).u32(size).u32(1).raw(content.str()).str();
}

std::string message(std::uint16_t type, const Bytes &content, std::uint32_t serial)
{
    return Bytes()
        .u32(kMagic)
        .u16(kVersion)
        .u16(type)
        .u32(kHeaderSize + content.str().size())
        .u32(serial)
        .raw(content.str())
        .str();
}

std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t size)
{
    std::uint64_t number = 0;
    if (offset + size <= bytes.size())
        std::memcpy(&number, bytes.data() + offset, size);
    return number;
}

Descriptor Descriptor::parse(std::string_view bytes)
{
    if (bytes.size() < 160 || number_at(bytes, 0, 4) != kDescriptorMagic ||
        number_at(bytes, 4, 2) != kVersion || number_at(bytes, 6, 2) != 160 ||
        number_at(bytes, 8, 8) != check_sum(bytes.substr(16, 144)))
        throw std::runtime_error("the descriptor is not as it was written down");
    Descriptor descriptor;
    descriptor.exporter = bytes.substr(16, 16);
    descriptor.key = bytes.substr(32, 16);
    descriptor.addr = number_at(bytes, 48, 8);
    descriptor.len = number_at(bytes, 56, 8);
    descriptor.permissions = static_cast<std::uint32_t>(number_at(bytes, 64, 4));
    descriptor.pid = static_cast<std::uint32_t>(number_at(bytes, 68, 4));
    descriptor.side = static_cast<std::uint32_t>(number_at(bytes, 72, 4));
    descriptor.node = text_at(bytes, 80, 64);
    descriptor.pci = text_at(bytes, 144, 16);
    return descriptor;
}

std::string Descriptor::bytes() const
{
    Bytes content;
    content.raw(exporter).raw(key).u64(addr).u64(len).u32(permissions).u32(pid).u32(side).u32(0);
    content.text(node, 64).text(pci, 16);
    return Bytes()
        .u32(kDescriptorMagic)
        .u16(kVersion)
        .u16(16 + content.str().size())
        .u64(check_sum(content.str()))
        .raw(content.str())
        .str();
}

std::string random_bytes(std::size_t size)
{
    std::string bytes(size, '\0');
    if (::getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size))
        throw std::runtime_error("no random bytes");
    return bytes;
}

std::string name_of(std::string_view process)
{
    std::string name;
    for (const std::size_t half : {std::size_t{0}, std::size_t{8}})
        for (std::size_t i = 8; i-- > 0;) {
            const auto byte = static_cast<unsigned char>(process[half + i]);
            name += "0123456789abcdef"[byte >> 4];
            name += "0123456789abcdef"[byte & 15];
        }
    return name;
}

Fd memory_file(std::size_t size, int seals)
{
    Fd fd(::memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.is_open() || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 ||
        ::fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
        throw std::runtime_error("no memory file");
    return fd;
}

StatusPage::StatusPage(std::string_view process)
    : fd_(memory_file(kSize, kSealSize)), data_(map(fd_.get(), kSize))
{
    set_magic(kPageMagic);
    set_version(1);
    std::memcpy(data_ + 8, process.data(), 16);
}

StatusPage::~StatusPage()
{
    ::munmap(data_, kSize);
}

void StatusPage::put32(std::size_t offset, std::uint32_t value) const
{
    __atomic_store_n(reinterpret_cast<std::uint32_t *>(data_ + offset), value, __ATOMIC_SEQ_CST);
}

void StatusPage::put64(std::size_t offset, std::uint64_t value) const
{
    __atomic_store_n(reinterpret_cast<std::uint64_t *>(data_ + offset), value, __ATOMIC_SEQ_CST);
}

Socket Socket::to(std::string_view process)
{
    Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const std::string path =
        std::string(std::getenv("SOFTDOCA_FABRIC")) + "/p/" + name_of(process) + ".sock";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        fd.close();
    return Socket(std::move(fd));
}

bool Socket::send(std::string_view bytes, const std::vector<int> &fds) const
{
    iovec part{const_cast<char *>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
    if (!fds.empty()) {
        const std::size_t size = sizeof(int) * fds.size();
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(size);
        cmsghdr *const rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(rights), fds.data(), size);
    }
    return ::sendmsg(fd(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(bytes.size());
}

std::optional<Answer> Socket::receive() const
{
    return receive(patience());
}

std::optional<Answer> Socket::receive(std::chrono::milliseconds limit) const
{
    pollfd ready{fd(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(limit.count())) <= 0)
        return std::nullopt;
    Answer answer;
    answer.bytes.resize(65536);
    iovec part{answer.bytes.data(), answer.bytes.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(fd(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size <= 0)
        return std::nullopt;
    answer.bytes.resize(static_cast<std::size_t>(size));
    for (cmsghdr *each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each))
        for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= each->cmsg_len; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
            answer.fds.emplace_back(fd);
        }
    return answer;
}

bool Socket::is_ended() const
{
    return is_ended(patience());
}

bool Socket::is_ended(std::chrono::milliseconds limit) const
{
    return comes_true(
        [&] {
            char dropped[64];
            const ssize_t size = ::recv(fd(), dropped, sizeof dropped, MSG_DONTWAIT);
            return size == 0 || (size < 0 && errno != EAGAIN);
        },
        limit);
}

Importer::Importer(const Descriptor &known)
    : descriptor(known), process(random_bytes(16)), page(process),
      socket(Socket::to(known.exporter))
{
}

Importer::~Importer()
{
    if (staging != nullptr)
        ::munmap(staging, kStaging);
}

std::string Importer::hello() const
{
    return message(kHello, Bytes().raw(process).text(SOFTDOCA_VERSION, 16));
}

std::optional<std::uint32_t> Importer::status_of(std::uint16_t type) const
{
    const auto answer = socket.receive();
    if (!answer || answer->type() != type)
        return std::nullopt;
    return answer->status();
}

std::optional<std::uint32_t> Importer::greet() const
{
    return greet_with({page.fd()});
}

std::optional<std::uint32_t> Importer::greet_with(const std::vector<int> &fds) const
{
    socket.send(hello(), fds);
    return status_of(kHelloReply);
}

std::optional<Answer> Importer::open(std::string_view key, bool is_channel) const
{
    socket.send(message(kOpenWindow, Bytes().raw(key).u32(is_channel ? 1 : 0).u32(0)));
    return socket.receive();
}

std::optional<std::uint32_t> Importer::attach(std::uint64_t len, const std::vector<int> &fds) const
{
    socket.send(message(kAttachStaging, Bytes().u64(len)), fds);
    return status_of(kReply);
}

bool Importer::begin_copies()
{
    if (greet() != kOk)
        return false;
    const auto window = open(descriptor.key, true);
    if (!window || window->bytes.size() != kWindowReplySize || window->status() != kOk)
        return false;
    slot = static_cast<std::uint32_t>(number_at(window->bytes, 20, 4));
    generation = number_at(window->bytes, 24, 8);
    staging_fd_ = memory_file(kStaging, kSealSize);
    staging = map(staging_fd_.get(), kStaging);
    return attach(kStaging, {staging_fd_.get()}) == kOk;
}

std::string Importer::copy_message(bool is_write, const std::vector<Piece> &pieces,
                                   std::uint64_t staging_offset) const
{
    Bytes content;
    content.u32(slot).u32(is_write ? 1 : 0).u64(generation).u64(staging_offset);
    content.u32(pieces.size()).u32(0);
    for (std::size_t i = 0; i < kMaxPieces; ++i)
        content.u64(i < pieces.size() ? pieces[i].addr : 0)
            .u64(i < pieces.size() ? pieces[i].len : 0);
    return message(kCopy, content);
}

std::optional<std::uint32_t> Importer::copy(bool is_write, const std::vector<Piece> &pieces,
                                            std::uint64_t staging_offset) const
{
    socket.send(copy_message(is_write, pieces, staging_offset));
    return status_of(kCopyReply);
}

} // namespace softdoca::test::raw
