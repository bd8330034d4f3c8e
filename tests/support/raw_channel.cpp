// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/raw_channel.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace softdoca::test::raw {

namespace {

constexpr std::uint32_t kChannelMagic = 0x48434653; // "SFCH"
constexpr std::uint32_t kQueueMagic = 0x51524653;   // "SFRQ"
constexpr std::size_t kToServer = 128, kToClient = 384;

std::size_t round_up(std::size_t num)
{
    std::size_t power = 1;
    while (power < num)
        power *= 2;
    return power;
}

std::size_t slot_size_of(const ChannelConfig &client, const ChannelConfig &server)
{
    const std::size_t max = std::min(client.max_msg_size, server.max_msg_size);
    return (24 + max + 1 + 63) / 64 * 64;
}

std::size_t num_slots_of(const ChannelConfig &sender, const ChannelConfig &receiver)
{
    return round_up(std::size_t{sender.num_sends} + receiver.recv_queue + 256);
}

std::string bytes_of_hex(const std::string &hex)
{
    std::string bytes;
    for (const std::size_t half : {std::size_t{0}, std::size_t{16}}) { // two numbers
        const std::uint64_t number = std::stoull(hex.substr(half, 16), nullptr, 16);
        bytes += Bytes().u64(number).str();
    }
    return bytes;
}

std::string line_of(const std::string &text, const std::string &title)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind(title + ' ', 0) == 0)
            return line.substr(title.size() + 1);
    return {};
}

std::string hex_of(const std::string &name)
{
    std::string hex;
    for (const char c : name) {
        hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return hex;
}

/// FNV-1a of the two texts, each with an end that no byte is.
std::uint64_t hash(std::uint64_t seed, const std::string &scope, const std::string &name)
{
    std::uint64_t sum = 0xcbf29ce484222325 ^ seed;
    for (const std::string *const text : {&scope, &name}) {
        for (std::size_t i = 0; i + 1 < text->size(); i += 2)
            sum = (sum ^ std::stoul(text->substr(i, 2), nullptr, 16)) * 0x100000001b3;
        sum = (sum ^ 0x100) * 0x100000001b3;
    }
    return sum;
}

} // namespace

Mapping::Mapping(int fd, std::size_t size) : size_(size)
{
    void *const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        throw std::runtime_error("memory cannot be mapped");
    data_ = static_cast<unsigned char *>(data);
}

Mapping::~Mapping()
{
    if (data_ != nullptr)
        ::munmap(data_, size_);
}

std::uint32_t Mapping::get32(std::size_t offset) const
{
    return __atomic_load_n(reinterpret_cast<std::uint32_t *>(data_ + offset), __ATOMIC_SEQ_CST);
}

std::uint64_t Mapping::get64(std::size_t offset) const
{
    return __atomic_load_n(reinterpret_cast<std::uint64_t *>(data_ + offset), __ATOMIC_SEQ_CST);
}

void Mapping::put16(std::size_t offset, std::uint64_t value) const
{
    __atomic_store_n(reinterpret_cast<std::uint16_t *>(data_ + offset),
                     static_cast<std::uint16_t>(value), __ATOMIC_SEQ_CST);
}

void Mapping::put32(std::size_t offset, std::uint64_t value) const
{
    __atomic_store_n(reinterpret_cast<std::uint32_t *>(data_ + offset),
                     static_cast<std::uint32_t>(value), __ATOMIC_SEQ_CST);
}

void Mapping::put64(std::size_t offset, std::uint64_t value) const
{
    __atomic_store_n(reinterpret_cast<std::uint64_t *>(data_ + offset), value, __ATOMIC_SEQ_CST);
}

Mapping shared_memory(std::size_t size, Fd *fd)
{
    *fd = memory_file(size, kSealSize);
    return {fd->get(), size};
}

Bell::Bell() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))
{
    block_ = shared_memory(kBellSize, &memory_fd_);
}

Bell::Bell(Fd &&memory, Fd &&event)
    : memory_fd_(std::move(memory)), event_(std::move(event)), block_(memory_fd_.get(), kBellSize)
{
}

void Bell::ring(std::uint32_t bit) const
{
    const auto set = [this](std::size_t offset, std::uint32_t number) {
        __atomic_fetch_or(reinterpret_cast<std::uint64_t *>(block_.at(offset)),
                          std::uint64_t{1} << (number % 64), __ATOMIC_SEQ_CST);
    };
    set(kWords + bit / 64 * 8, bit);
    set(kSummary, bit / 64);
    if (take_order())
        wake();
}

bool Bell::take_order() const
{
    return __atomic_exchange_n(reinterpret_cast<std::uint32_t *>(block_.at(kIsArmed)), 0,
                               __ATOMIC_SEQ_CST) != 0;
}

void Bell::wake() const
{
    const std::uint64_t one = 1;
    (void)!::write(event_.get(), &one, sizeof one);
}

void Bell::jam() const
{
    const std::uint64_t much = ~std::uint64_t{0} - 1;
    if (::fcntl(event_.get(), F_SETFL, 0) != 0 ||
        ::write(event_.get(), &much, sizeof much) != static_cast<ssize_t>(sizeof much))
        throw std::runtime_error("the bell cannot be jammed");
}

void Bell::let_reads_wait() const
{
    ::fcntl(event_.get(), F_SETFL, 0);
}

void Bell::set_right() const
{
    ::fcntl(event_.get(), F_SETFL, O_NONBLOCK);
    std::uint64_t count;
    (void)!::read(event_.get(), &count, sizeof count);
    wake(); // whoever reads
}

void Ring::fill(std::uint64_t count, const RawMessage &message) const
{
    const std::size_t begin = slot(count);
    memory_->put32(begin + 8, message.len);
    memory_->put16(begin + 12, message.kind);
    memory_->put32(begin + 16, message.id);
    std::memcpy(memory_->at(begin + 24), message.payload.data(),
                std::min(message.payload.size(), slot_size_ - 24));
    memory_->put64(begin, message.number.value_or(number(count, kFilled)));
}

std::optional<RawMessage> Ring::take(std::uint64_t count) const
{
    const std::size_t begin = slot(count);
    if (memory_->get64(begin) != number(count, kFilled))
        return std::nullopt;
    RawMessage message;
    message.len = memory_->get32(begin + 8);
    message.kind = static_cast<std::uint16_t>(memory_->get32(begin + 12));
    message.id = memory_->get32(begin + 16);
    message.payload.assign(reinterpret_cast<char *>(memory_->at(begin + 24)),
                           std::min<std::size_t>(message.len, slot_size_ - 24));
    memory_->put64(begin, number(count + num_slots_, kPosted));
    return message;
}

std::size_t ChannelMemory::size(const ChannelConfig &client, const ChannelConfig &server)
{
    return kHeaderSize + slot_size_of(client, server) *
                             (num_slots_of(client, server) + num_slots_of(server, client));
}

ChannelMemory::ChannelMemory(const ChannelConfig &client, const ChannelConfig &server, Fd *fd)
    : memory(shared_memory(size(client, server), fd))
{
    memory.put32(0, kChannelMagic);
    memory.put32(4, 1);
    place_rings(client, server);
}

ChannelMemory::ChannelMemory(const ChannelConfig &client, const ChannelConfig &server, int fd)
    : memory(fd, size(client, server))
{
    place_rings(client, server);
}

void ChannelMemory::place_rings(const ChannelConfig &client, const ChannelConfig &server)
{
    const std::size_t slot_size = slot_size_of(client, server);
    const std::size_t num = num_slots_of(client, server);
    to_server = Ring(memory, kToServer, kHeaderSize, slot_size, num);
    to_client = Ring(memory, kToClient, kHeaderSize + num * slot_size, slot_size,
                     num_slots_of(server, client));
}

QueueMemory::QueueMemory(std::size_t num_slots, Fd *fd)
    : memory(shared_memory(size(num_slots), fd)), num_slots_(num_slots)
{
    memory.put32(0, kQueueMagic);
    memory.put32(4, 1);
}

QueueMemory::QueueMemory(std::size_t num_slots, int fd)
    : memory(fd, size(num_slots)), num_slots_(num_slots)
{
}

void QueueMemory::post(std::uint64_t count, std::uint32_t capacity, std::uint64_t place) const
{
    memory.put32(slot(count) + 8, capacity);
    memory.put64(slot(count) + 16, place);
    set(count, kPosted);
}

void QueueMemory::fill(std::uint64_t count, const Fill &fill) const
{
    const std::size_t begin = slot(count);
    memory.put32(begin + 12, fill.len);
    memory.put64(begin + 16, fill.place);
    memory.put32(begin + 24, 7); // the producer's number
    memory.put16(begin + 28, fill.kind);
    memory.put16(begin + 30, fill.imm_len);
    std::memcpy(memory.at(begin + 64), fill.payload.data(),
                std::min(fill.payload.size(), kEagerSize));
    set(count, kFilled);
}

void QueueMemory::ask_for_bell(std::uint64_t bell_id, std::uint32_t bit) const
{
    memory.put32(268, bit);
    memory.put64(272, bell_id);
    memory.put32(264, 1);
}

std::string QueueOffer::bytes() const
{
    return Bytes()
        .u64(channel)
        .u64(bell_id)
        .u64(window_offset)
        .u64(window_len)
        .u32(bit)
        .u32(id)
        .u32(num_slots)
        .u32(max_imm_len)
        .str();
}

ServiceRecord ServiceRecord::find(const std::string &name)
{
    const std::string directory = std::string(std::getenv("SOFTDOCA_FABRIC")) + "/s";
    ServiceRecord record;
    const bool is_found = comes_true([&] {
        std::error_code none_yet;
        for (const auto &entry : std::filesystem::directory_iterator(directory, none_yet)) {
            std::ifstream file(entry.path());
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            if (line_of(text, "name") != hex_of(name) || line_of(text, "key").size() != 32)
                continue;
            record.process = bytes_of_hex(line_of(text, "process"));
            record.key = bytes_of_hex(line_of(text, "key"));
            record.scope = line_of(text, "scope");
            record.name = hex_of(name);
            return true;
        }
        return false;
    });
    if (!is_found)
        throw std::runtime_error("no service of the name " + name);
    return record;
}

ServiceRecord ServiceRecord::of_another(const std::string &of, const std::string &called) const
{
    ServiceRecord record;
    record.process = of;
    record.key = random_bytes(16);
    record.scope = scope;
    record.name = hex_of(called);
    return record;
}

std::string ServiceRecord::text(std::uint64_t pid) const
{
    return "process " + name_of(process) + "\npid " + std::to_string(pid) + "\nkey " +
           name_of(key) + "\nscope " + scope + "\nname " + name + "\n";
}

std::string ServiceRecord::path() const
{
    const std::string id =
        Bytes().u64(hash(0, scope, name)).u64(hash(0x9e3779b97f4a7c15, scope, name)).str();
    return std::string(std::getenv("SOFTDOCA_FABRIC")) + "/s/" + name_of(id);
}

std::optional<Answer> Talker::await(std::uint16_t type)
{
    for (;;) {
        auto answer = socket.receive();
        if (!answer || answer->type() == type)
            return answer;
        keep(std::move(*answer));
    }
}

void Talker::listen()
{
    while (auto answer = socket.receive(Milliseconds(0)))
        keep(std::move(*answer));
}

void Talker::keep(Answer &&answer)
{
    const auto number = [&](std::size_t offset, std::size_t size) {
        return number_at(answer.bytes, kHeaderSize + offset, size);
    };
    if (answer.type() == kAnnounceBell && answer.fds.size() == 2)
        bells[number(0, 8)] =
            std::make_unique<Bell>(std::move(answer.fds[0]), std::move(answer.fds[1]));
    if (answer.type() != kAttachQueue || answer.fds.empty())
        return;
    const auto id = static_cast<std::uint32_t>(number(36, 4));
    queues[id] = std::unique_ptr<AttachedQueue>(
        new AttachedQueue{id, static_cast<std::uint32_t>(number(32, 4)), number(8, 8),
                          QueueMemory(number(40, 4), answer.fds[0].get()),
                          answer.fds.size() == 2 ? std::move(answer.fds[1]) : Fd()});
}

bool Talker::announce(std::uint64_t id, const Bell &bell) const
{
    return socket.send(message(kAnnounceBell, Bytes().u64(id)),
                       {bell.memory_fd(), bell.event_fd()});
}

void Talker::ring(std::uint64_t bell_id, std::uint32_t bit) const
{
    if (const auto found = bells.find(bell_id); found != bells.end())
        found->second->ring(bit);
}

AttachedQueue *Talker::queue(std::uint32_t id)
{
    listen();
    const auto found = queues.find(id);
    return found == queues.end() ? nullptr : found->second.get();
}

AttachedQueue *Talker::await_queue()
{
    (void)comes_true([this] {
        listen();
        return !queues.empty();
    });
    return queues.empty() ? nullptr : queues.rbegin()->second.get();
}

Client::Client(ServiceRecord known, ChannelConfig own)
    : Client(std::move(known), own, random_bytes(16))
{
}

Client::Client(ServiceRecord known, ChannelConfig own, std::string id)
    : Talker(Socket::to(known.process)), service(std::move(known)), config(own),
      process(std::move(id)), page(process)
{
}

std::string Client::hello() const
{
    return message(kHello, Bytes().raw(process).text(SOFTDOCA_VERSION, 16));
}

bool Client::greet()
{
    socket.send(hello(), {page.fd()});
    const auto answer = await(kHelloReply);
    return answer && answer->status() == kOk;
}

bool Client::introduce()
{
    return greet() && announce(1, bell);
}

/// Bits 0 and 1 of its bell.
Bytes Client::open_channel() const
{
    return Bytes().raw(service.key).u64(number).u64(1).u32(0).u32(1).raw(config.bytes().str());
}

bool Client::open()
{
    if (!introduce())
        return false;
    send(kOpenChannel, open_channel());
    const auto answer = await(kChannelOpened);
    if (!answer || answer->fds.size() != 1 || number_at(answer->bytes, 32, 4) != kOk)
        return false;
    server_number = number_at(answer->bytes, 24, 8);
    server_config.num_sends = static_cast<std::uint32_t>(number_at(answer->bytes, 40, 4));
    server_config.recv_queue = static_cast<std::uint32_t>(number_at(answer->bytes, 44, 4));
    server_config.max_msg_size = static_cast<std::uint32_t>(number_at(answer->bytes, 48, 4));
    channel = std::make_unique<ChannelMemory>(config, server_config, answer->fds.front().get());
    return true;
}

bool Client::is_accepted()
{
    const auto answer = await(kChannelBell);
    if (!answer)
        return false;
    server_bell = number_at(answer->bytes, 24, 8);
    server_bit = static_cast<std::uint32_t>(number_at(answer->bytes, 32, 4));
    server_room_bit = static_cast<std::uint32_t>(number_at(answer->bytes, 36, 4));
    return comes_true([this] { return channel->admission() == kAccepted; });
}

std::unique_ptr<Client> Client::connected(const ServiceRecord &service, const ChannelConfig &config)
{
    auto client = std::make_unique<Client>(service, config);
    if (!client->open() || !client->is_accepted())
        throw std::runtime_error("the server does not accept a client that behaves");
    return client;
}

void Client::say(const RawMessage &message)
{
    channel->to_server.fill(num_said++, message);
    ring_server();
}

std::optional<RawMessage> Client::hear(Milliseconds limit)
{
    std::optional<RawMessage> heard;
    (void)comes_true(
        [&] {
            heard = channel->to_client.take(num_heard);
            return heard.has_value();
        },
        limit);
    if (heard) {
        channel->to_client.set_num_taken(++num_heard);
        ring(server_bell, server_room_bit);
    }
    return heard;
}

bool Client::attach(const QueueOffer &offer, const std::vector<int> &fds)
{
    const bool is_sent = socket.send(message(kAttachQueue, Bytes().raw(offer.bytes())), fds);
    say(RawMessage::notice(kNewConsumer, offer.id));
    return is_sent;
}

} // namespace softdoca::test::raw
