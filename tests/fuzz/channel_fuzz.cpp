// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Either end of what agents say to each other about channels, and of the memory of one: a peer that
// knows the format, the service and the numbers says and writes what it likes. What comes of it
// must be within the bounds that this side has agreed on.

#include "fuzz_fabric.hpp"

#include "fabric/agent_session.hpp"
#include "fabric/channel.hpp"
#include "fabric/local_process.hpp"
#include "fabric/receive_queue.hpp"
#include "fabric/service.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace softdoca;
using fuzz::is_odd;
using fuzz::must;

namespace {

constexpr wire::ChannelConfig kConfig{4, 4, 100, 0};
constexpr std::uint32_t kNumSlots = 4;

/// This process: a member that serves a name, and hears of clients.
struct Member {
    LocalProcess &process = *LocalProcess::get();
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
    std::shared_ptr<Service> service;
    ProcessId peer = ProcessId::make();
    ProcessFd peer_page;
    std::shared_ptr<const PeerPage> page;
    std::unique_ptr<OwnBell> bell;
    CopyMark mark;
    std::vector<int> fds; // in order for some purpose, see below; then odd ones
    static constexpr std::size_t kBell = 0, kEvent = 1, kQueue = 2, kChannel = 3, kWindow = 4;

    Member()
    {
        Service::Fault fault{};
        ServiceRecord holder;
        service = Service::open(process, topology().find("host")->devices.front().function, "fuzz",
                                kConfig, {mailbox, 1}, &fault, &holder);
        must(service != nullptr && mark.acquire(process.page()));
        auto memory = SharedMemory::create("peer", sizeof(StatusPage), 0, &peer_page);
        auto &content = *reinterpret_cast<StatusPage *>(memory.data());
        content.magic = StatusPage::kMagic;
        content.version = StatusPage::kVersion;
        content.process = peer;
        page = PeerPage::map(peer_page.get(), peer);
        bell = OwnBell::create(peer);
        must(page != nullptr && bell != nullptr);
        constexpr int kSize = F_SEAL_SHRINK | F_SEAL_GROW;
        fds = {fuzz::memory_file(sizeof(BellBlock), kSize), ::eventfd(0, EFD_CLOEXEC),
               fuzz::memory_file(ReceiveQueue::memory_size(kNumSlots), kSize),
               fuzz::memory_file(1 << 20, kSize)};
        const auto &odd = fuzz::descriptors(peer_page.get());
        fds.insert(fds.end(), odd.begin() + 1, odd.end());
    }
};

Member &member()
{
    (void)fuzz::own_fabric();
    static auto &made = *new Member;
    return made;
}

/// The peer's side of some memory.
class PeerMemory {
public:
    explicit PeerMemory(int fd)
    {
        struct stat about {};
        must(::fstat(fd, &about) == 0);
        memory_ = SharedMemory::map(fd, 0, static_cast<std::size_t>(about.st_size),
                                    SharedMemory::Access::read_write);
        must(memory_.is_valid());
    }

    std::byte *data() const { return memory_.data(); }
    /// Most of what has a meaning lies at the begin of the memory or of its slots.
    void scribble(FuzzedDataProvider &data) const
    {
        for (int i = data.ConsumeIntegralInRange(0, 4); i > 0; --i) {
            const std::size_t place =
                is_odd(data, 4)
                    ? data.ConsumeIntegralInRange<std::size_t>(0, memory_.size() / 4 - 1)
                    : data.ConsumeIntegralInRange<std::size_t>(0, 400);
            const std::uint32_t value = is_odd(data, 4)
                                            ? data.ConsumeIntegral<std::uint32_t>()
                                            : data.ConsumeIntegralInRange<std::uint32_t>(0, 200);
            std::memcpy(memory_.data() + place * 4, &value, sizeof value);
        }
    }
    /// A message at the next slot of a ring, more or less.
    void fill(FuzzedDataProvider &data, std::size_t slots, std::size_t slot_size,
              std::uint64_t count, std::uint64_t number) const
    {
        const std::size_t begin = slots + count * slot_size;
        if (begin + slot_size > memory_.size())
            return;
        auto &slot = *reinterpret_cast<MessageSlot *>(memory_.data() + begin);
        slot.kind = static_cast<MessageKind>(is_odd(data, 8) ? data.ConsumeIntegral<std::uint16_t>()
                                                             : data.ConsumeIntegralInRange(0, 5));
        slot.id = data.ConsumeIntegralInRange<std::uint32_t>(0, 3);
        slot.len = is_odd(data, 8) ? data.ConsumeIntegral<std::uint32_t>()
                                   : data.ConsumeIntegralInRange<std::uint32_t>(0, 192);
        slot.number.store(is_odd(data, 8) ? data.ConsumeIntegral<std::uint64_t>() : number);
    }

private:
    SharedMemory memory_;
};

template <typename Message>
std::vector<std::uint8_t> finish(FuzzedDataProvider &data, const Message &message)
{
    auto bytes = fuzz::bytes_of(data, message);
    fuzz::mend_header(data, Message::kType, bytes);
    return bytes;
}

std::uint64_t some_id(FuzzedDataProvider &data)
{
    return is_odd(data, 16) ? data.ConsumeIntegral<std::uint64_t>()
                            : data.ConsumeIntegralInRange<std::uint64_t>(0, 3);
}

std::uint32_t some_bit(FuzzedDataProvider &data)
{
    return is_odd(data, 8) ? data.ConsumeIntegral<std::uint32_t>()
                           : data.ConsumeIntegralInRange<std::uint32_t>(0, kBitsPerBell);
}

wire::ChannelConfig some_config(FuzzedDataProvider &data)
{
    wire::ChannelConfig config = kConfig;
    if (is_odd(data, 2))
        config.num_sends = data.ConsumeIntegralInRange<std::uint32_t>(0, 1000);
    if (is_odd(data, 2))
        config.recv_queue = data.ConsumeIntegralInRange<std::uint32_t>(0, 1000);
    if (is_odd(data, 2))
        config.max_msg_size = data.ConsumeIntegralInRange<std::uint32_t>(0, 300);
    if (is_odd(data, 16))
        config = {data.ConsumeIntegral<std::uint32_t>(), data.ConsumeIntegral<std::uint32_t>(),
                  data.ConsumeIntegral<std::uint32_t>(), 0};
    return config;
}

/// What a peer sends, with the descriptors that belong to it.
struct Said {
    std::vector<std::uint8_t> bytes;
    std::vector<int> fds;
};

/// The numbers of channels of this process that it may know.
using Numbers = std::vector<std::uint64_t>;

std::uint64_t some_number(FuzzedDataProvider &data, const Numbers &numbers)
{
    if (numbers.empty() || is_odd(data, 8))
        return some_id(data);
    return numbers[data.ConsumeIntegralInRange<std::size_t>(0, numbers.size() - 1)];
}

Said some_queue(FuzzedDataProvider &data, const Member &own, const Numbers &numbers)
{
    auto message = fuzz::any<wire::AttachQueue>(data);
    message.channel = some_number(data, numbers);
    message.bell_id = some_id(data);
    message.bit = some_bit(data);
    message.id = static_cast<std::uint32_t>(some_id(data));
    message.num_slots = is_odd(data, 4) ? data.ConsumeIntegral<std::uint32_t>() : kNumSlots;
    message.window_len = is_odd(data, 2) ? fuzz::kMemorySize : some_id(data);
    if (is_odd(data, 8))
        message.window_offset = data.ConsumeIntegral<std::uint64_t>();
    Said said{finish(data, message), {own.fds[Member::kQueue]}};
    if (data.ConsumeBool())
        said.fds.push_back(own.fds[Member::kWindow]);
    return said;
}

Said some_opened(FuzzedDataProvider &data, const Member &own, const Numbers &numbers)
{
    auto message = fuzz::any<wire::ChannelOpened>(data);
    message.channel = some_number(data, numbers);
    message.peer_number = some_id(data);
    message.status = is_odd(data, 4)
                         ? static_cast<wire::Status>(data.ConsumeIntegral<std::uint32_t>())
                         : wire::Status::ok;
    message.config = some_config(data);
    return {finish(data, message), {own.fds[Member::kChannel]}};
}

Said some_message(FuzzedDataProvider &data, const Member &own, const Numbers &numbers)
{
    switch (data.ConsumeIntegralInRange(0, 8)) {
    case 0: {
        auto message = fuzz::any<wire::AnnounceBell>(data);
        message.bell_id = some_id(data);
        return {finish(data, message), {own.fds[Member::kBell], own.fds[Member::kEvent]}};
    }
    case 1: {
        auto message = fuzz::any<wire::RetireBell>(data);
        message.bell_id = some_id(data);
        return {finish(data, message), {}};
    }
    case 2:
    case 3: {
        auto message = fuzz::any<wire::OpenChannel>(data);
        if (!is_odd(data, 8))
            message.service = own.service->key();
        message.channel = some_id(data);
        message.bell_id = some_id(data);
        message.message_bit = some_bit(data);
        message.room_bit = some_bit(data);
        message.config = some_config(data);
        return {finish(data, message), {}};
    }
    case 4:
        return some_opened(data, own, numbers);
    case 5: {
        auto message = fuzz::any<wire::ChannelBell>(data);
        message.channel = some_number(data, numbers);
        message.bell_id = some_id(data);
        message.message_bit = some_bit(data);
        message.room_bit = some_bit(data);
        return {finish(data, message), {}};
    }
    case 6:
        return some_queue(data, own, numbers);
    case 7: {
        auto message = fuzz::any<wire::CloseChannel>(data);
        message.channel = some_number(data, numbers);
        return {finish(data, message), {}};
    }
    default: {
        auto bytes =
            data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange<std::size_t>(1, 80));
        if (bytes.empty())
            bytes.push_back(0);
        fuzz::mend_header(data, static_cast<wire::Type>(data.ConsumeIntegralInRange(0, 20)), bytes);
        return {bytes, {own.fds[Member::kBell]}};
    }
    }
}

void send(FuzzedDataProvider &data, const UnixSocket &peer, Said said, const std::vector<int> &all)
{
    if (is_odd(data, 8))
        said.fds = fuzz::some_descriptors(data, all);
    said.fds.resize(
        std::min<std::size_t>(said.fds.size(), 2)); // as many as our sender has room for
    (void)peer.send(std::as_bytes(std::span(said.bytes)), said.fds);
}

void use_queue(Channel &channel, std::uint32_t id)
{
    const auto queue = channel.find_queue(id);
    if (queue == nullptr)
        return;
    must(queue->memory.size() >= ReceiveQueue::memory_size(queue->num_slots));
    must(!queue->window.is_valid() ||
         (queue->window.size() >= queue->window_len &&
          queue->window.size() - queue->window_len >= queue->window_offset));
    must(queue->bell.bit < kBitsPerBell);
    queue->bell.ring();
}

/// As an engine does: takes what has come, into exactly the room that the longest message needs.
void use(Channel &channel)
{
    std::vector<wire::ListRow> rows;
    channel.add_rows(rows);
    for (std::uint32_t id = 0; id < 4; ++id)
        use_queue(channel, id);
    if (!channel.has_memory() || !channel.has_peer_bell())
        return;
    must(channel.max_msg_size() <= kConfig.max_msg_size);
    const auto room = std::make_unique<std::byte[]>(channel.max_msg_size());
    ReceiveRing &in = channel.in();
    for (int i = 0; i < 8 && in.look() == ReceiveRing::State::message; ++i) {
        must(in.kind() >= MessageKind::data && in.kind() <= MessageKind::goodbye);
        must(in.len() <= channel.max_msg_size());
        if (in.kind() == MessageKind::expired_consumer)
            channel.drop_queue(in.id());
        in.take(room.get());
        in.note_taken(channel.room_bell(), channel.needs_fence());
    }
    (void)channel.out().num_taken();
    (void)channel.notify(MessageKind::new_consumer, 1);
    if (channel.out().push(MessageKind::data, 0, {room.get(), channel.max_msg_size()}))
        channel.out().tell(channel.message_bell());
    channel.admission().store(1);
}

/// A peer that may be a client of ours or our server, and what this process has with it.
class Scene {
public:
    explicit Scene(FuzzedDataProvider &data) : data_(data), own_(member())
    {
        int ends[2];
        must(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
        peer_ = UnixSocket(ends[0]);
        UnixSocket socket(ends[1]);
        if (data_.ConsumeBool()) {
            begin_as_client(std::move(socket));
        } else {
            session_ = std::make_unique<AgentSession>(own_.process, std::move(socket),
                                                      ucred{::getpid(), ::geteuid(), 0},
                                                      Clock::now() + std::chrono::seconds(1));
            auto hello = wire::make<wire::Hello>();
            hello.process = own_.peer;
            wire::put_text(hello.release, SOFTDOCA_VERSION);
            const int page = own_.peer_page.get();
            (void)peer_.send(wire::bytes_of(hello), {&page, 1});
        }
        auto announcement = wire::make<wire::AnnounceBell>(); // mostly it has one
        announcement.bell_id = 1;
        const int fds[] = {own_.fds[Member::kBell], own_.fds[Member::kEvent]};
        if (!is_odd(data_, 8))
            (void)peer_.send(wire::bytes_of(announcement), fds);
    }
    ~Scene()
    {
        session_.reset();
        for (const auto &channel : channels_)
            must(channel->is_lost());
    }

    void run()
    {
        while (session_->serve(own_.mark)) {
            take_arrivals();
            listen();
            for (int i = data_.ConsumeIntegralInRange(0, 3); i > 0 && !channels_.empty(); --i) {
                for (const PeerMemory &memory : memories_)
                    write(memory);
                for (const auto &channel : channels_)
                    use(*channel);
            }
            if (data_.remaining_bytes() == 0)
                return;
            send(data_, peer_, some_message(data_, own_, numbers_), own_.fds);
        }
    }

private:
    void begin_as_client(UnixSocket &&socket)
    {
        auto link = std::make_shared<PairLink>(std::move(socket), ::getpid());
        link->set_peer(own_.peer, own_.page);
        session_ = std::make_unique<AgentSession>(own_.process, link);
        channels_.push_back(Channel::of_client(std::move(link), kConfig));
        numbers_.push_back(channels_.back()->number());
        must(channels_.back()->ask(RandomId::make(), *own_.bell, 0, 1));
        memories_.emplace_back(own_.fds[Member::kChannel]);
        auto &begin = *reinterpret_cast<ChannelMemory *>(memories_.back().data());
        begin.magic = ChannelMemory::kMagic;
        begin.version = wire::kVersion;
    }
    void take_arrivals()
    {
        for (auto &channel : own_.service->take_arrivals()) {
            numbers_.push_back(channel->number());
            must(channel->tell_bell(*own_.bell, 0, 1));
            channels_.push_back(std::move(channel));
        }
    }
    /// The memory of channels that were opened.
    void listen()
    {
        std::array<std::byte, sizeof(wire::Copy)> buffer;
        for (;;) {
            const Received received = peer_.receive(buffer);
            if (received.outcome != Received::Outcome::message)
                return;
            const std::span message(buffer.data(), received.size);
            must(wire::header_of(message).has_value());
            if (wire::take<wire::ChannelOpened>(message) && received.num_fds == 1 &&
                memories_.size() < 4)
                memories_.emplace_back(received.fds[0].get());
        }
    }
    void write(const PeerMemory &memory)
    {
        const auto &channel = *channels_.front();
        if (is_odd(data_, 2))
            memory.scribble(data_);
        const std::size_t slot_size =
            (sizeof(MessageSlot) + channel.max_msg_size() + 1 + 63) / 64 * 64;
        for (std::uint64_t count = 0; count < 4; ++count)
            if (is_odd(data_, 3))
                memory.fill(data_, sizeof(ChannelMemory), slot_size, count, 1);
    }

    FuzzedDataProvider &data_;
    Member &own_;
    UnixSocket peer_;
    std::unique_ptr<AgentSession> session_;
    std::vector<std::shared_ptr<Channel>> channels_;
    Numbers numbers_;
    std::vector<PeerMemory> memories_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size)
{
    FuzzedDataProvider data(bytes, size);
    (void)member();
    Scene(data).run();
    (void)member().service->take_arrivals();
    return 0;
}
