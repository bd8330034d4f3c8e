// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/channel.hpp"

#include "fabric/local_process.hpp"
#include "fabric/receive_queue.hpp"

#include <fcntl.h>

#include <algorithm>
#include <mutex>

namespace softdoca {

namespace {

constexpr std::size_t kMaxQueues = 4096; // of one peer on one channel, those in passing included

std::uint64_t next_number() noexcept
{
    static std::atomic<std::uint64_t> num_made{0};
    return ++num_made;
}

/// Posted receives that no message has filled. Slots are posted in order: none is behind the first
/// that never was, whose memory need not be touched.
std::uint32_t num_posted(const AttachedQueue &queue) noexcept
{
    const ReceiveSlot *const slots = reinterpret_cast<ReceiveQueue *>(queue.memory.data())->slots();
    std::uint32_t num = 0;
    for (std::uint32_t i = 0; i < queue.num_slots; ++i) {
        const std::uint64_t number = slots[i].number.load(std::memory_order_relaxed);
        if (number == 0)
            break;
        num += number % 4 == slot_number(0, SlotUse::posted);
    }
    return num;
}

} // namespace

bool is_sane(const wire::ChannelConfig &config) noexcept
{
    constexpr std::uint32_t kMaxMessage = 1u << 20;
    return config.num_sends <= RingShape::kMaxNum && config.recv_queue != 0 &&
           config.recv_queue <= RingShape::kMaxNum && config.max_msg_size != 0 &&
           config.max_msg_size <= kMaxMessage;
}

Channel::Channel(std::shared_ptr<PairLink> link, const wire::ChannelConfig &own, bool is_server)
    : number_(next_number()), link_(std::move(link)), own_(own), is_server_(is_server),
      needs_fence_(!link_->page()->joins_fences() || !LocalProcess::get()->page().joins_fences())
{
}

std::shared_ptr<Channel> Channel::of_client(std::shared_ptr<PairLink> link,
                                            const wire::ChannelConfig &own)
{
    std::shared_ptr<Channel> channel(new Channel(std::move(link), own, false));
    LocalProcess::get()->channels().add(channel);
    return channel;
}

std::shared_ptr<Channel> Channel::of_server(std::shared_ptr<PairLink> link,
                                            const wire::ChannelConfig &own,
                                            const wire::OpenChannel &request, ProcessFd *memory)
{
    std::shared_ptr<Channel> channel(new Channel(std::move(link), own, true));
    const auto bell = channel->link_->find_bell(request.bell_id);
    if (bell == nullptr)
        return nullptr;
    channel->message_bell_ = {bell, request.message_bit};
    channel->room_bell_ = {bell, request.room_bit};
    channel->peer_number_ = request.channel;
    channel->service_ = request.service;
    channel->agree_with(request.config);
    channel->memory_ = SharedMemory::create("softdoca-channel", channel->shape_.memory_size(),
                                            F_SEAL_SEAL, memory);
    if (!channel->memory_.is_valid())
        return nullptr;
    channel->memory().magic = ChannelMemory::kMagic;
    channel->memory().version = wire::kVersion;
    channel->open_rings();
    channel->has_memory_.store(true, std::memory_order_release);
    channel->has_peer_bell_.store(true, std::memory_order_release);
    LocalProcess::get()->channels().add(channel);
    return channel;
}

void Channel::agree_with(const wire::ChannelConfig &peer) noexcept
{
    const RingShape to_peer = RingShape::of(own_.num_sends, peer.recv_queue);
    const RingShape from_peer = RingShape::of(peer.num_sends, own_.recv_queue);
    shape_.to_client = is_server_ ? to_peer : from_peer;
    shape_.to_server = is_server_ ? from_peer : to_peer;
    shape_.max_msg_size = std::min(own_.max_msg_size, peer.max_msg_size);
}

MessageSlots Channel::slots(bool to_server) const noexcept
{
    const RingShape &ring = to_server ? shape_.to_server : shape_.to_client;
    const std::size_t num_before = to_server ? 0 : shape_.to_server.num_slots;
    return {memory_.data() + sizeof(ChannelMemory) + num_before * shape_.slot_size(), shape_, ring};
}

void Channel::open_rings() noexcept
{
    out_.open(is_server_ ? memory().to_client : memory().to_server, slots(!is_server_));
    in_.open(is_server_ ? memory().to_server : memory().to_client, slots(is_server_));
}

void Channel::listen(const ChannelListener &listener)
{
    const std::scoped_lock lock(lock_);
    listeners_.push_back(listener);
}

void Channel::unlisten(std::uint64_t token) noexcept
{
    const std::scoped_lock lock(lock_);
    std::erase_if(listeners_, [token](const auto &each) { return each.token == token; });
}

/// A mailbox takes no lock of ours, so the order is safe.
void Channel::post() noexcept
{
    const std::scoped_lock lock(lock_);
    for (const ChannelListener &each : listeners_)
        each.mailbox->post(each.token);
}

std::shared_ptr<AttachedQueue> Channel::find_queue(std::uint32_t id) const noexcept
{
    const std::scoped_lock lock(lock_);
    const auto found = queues_.find(id);
    return found == queues_.end() ? nullptr : found->second;
}

void Channel::drop_queue(std::uint32_t id) noexcept
{
    const std::scoped_lock lock(lock_);
    queues_.erase(id);
}

bool Channel::ask(const RandomId &service, const OwnBell &bell, std::uint32_t message_bit,
                  std::uint32_t room_bit)
{
    auto message = wire::make<wire::OpenChannel>();
    message.service = service;
    message.channel = number_;
    message.bell_id = bell.id();
    message.message_bit = message_bit;
    message.room_bit = room_bit;
    message.config = own_;
    {
        const std::scoped_lock lock(lock_);
        service_ = service;
    }
    return link_->announce(bell) && link_->tell(message);
}

bool Channel::tell_bell(const OwnBell &bell, std::uint32_t message_bit, std::uint32_t room_bit)
{
    auto message = wire::make<wire::ChannelBell>();
    message.channel = peer_number_;
    message.bell_id = bell.id();
    message.message_bit = message_bit;
    message.room_bit = room_bit;
    return link_->announce(bell) && link_->tell(message);
}

bool Channel::take_opened(const wire::ChannelOpened &message, const ProcessFd &memory)
{
    if (is_server_ || has_memory() || !is_sane(message.config))
        return false;
    agree_with(message.config);
    memory_ =
        SharedMemory::map(memory.get(), 0, shape_.memory_size(), SharedMemory::Access::read_write);
    if (!memory_.is_valid() || this->memory().magic != ChannelMemory::kMagic ||
        this->memory().version != wire::kVersion)
        return false;
    peer_number_ = message.peer_number;
    open_rings();
    has_memory_.store(true, std::memory_order_release);
    post();
    return true;
}

bool Channel::take_bell(const wire::ChannelBell &message)
{
    auto bell = link_->find_bell(message.bell_id);
    if (is_server_ || has_peer_bell() || bell == nullptr || message.message_bit >= kBitsPerBell ||
        message.room_bit >= kBitsPerBell)
        return false;
    message_bell_ = {bell, message.message_bit};
    room_bell_ = {bell, message.room_bit};
    has_peer_bell_.store(true, std::memory_order_release);
    post();
    return true;
}

bool Channel::take_queue(std::shared_ptr<AttachedQueue> queue)
{
    {
        const std::scoped_lock lock(lock_);
        if (queues_.size() >= kMaxQueues)
            return false;
        const std::uint32_t id = queue->id;
        if (!queues_.emplace(id, std::move(queue)).second)
            return false;
    }
    post();
    return true;
}

void Channel::set_closed_by_peer()
{
    is_closed_by_peer_.store(true, std::memory_order_release);
    post();
}

void Channel::set_rejected()
{
    is_rejected_.store(true, std::memory_order_release);
    post();
}

void Channel::lose()
{
    is_lost_.store(true, std::memory_order_release);
    post();
}

// ---- softdoca ls: numbers of a moment, some of which the peer may have falsified ----

/// Those behind what the peer's queue has taken and has room for. Slots are filled in order, so the
/// last one can be searched for; what the sender itself knows is its thread's.
std::uint32_t Channel::num_waiting_sends() const noexcept
{
    const MessageSlots out = slots(!is_server_);
    const std::uint64_t first =
        out_.num_taken() + out_.recv_queue() + num_notices_.load(std::memory_order_relaxed);
    std::uint32_t num = 0;
    for (std::uint32_t step = out.shape.num_slots / 2; step != 0; step /= 2) {
        const std::uint64_t count = first + num + step - 1;
        if (out.at(count).number.load(std::memory_order_relaxed) >
            out.number(count, SlotUse::posted))
            num += step;
    }
    return num;
}

void Channel::add_rows(std::vector<wire::ListRow> &rows) const
{
    std::vector<std::shared_ptr<AttachedQueue>> queues;
    wire::ListRow row;
    row.kind = wire::RowKind::connection;
    row.is_alive = !is_lost();
    {
        const std::scoped_lock lock(lock_);
        if (listeners_.empty())
            return;
        row.comch.service = service_;
        for (const auto &each : queues_)
            queues.push_back(each.second);
    }
    row.comch.peer = link_->peer();
    row.comch.peer_pid = link_->peer_pid();
    row.comch.is_server = is_server_;
    if (has_memory()) {
        row.comch.is_accepted = admission().load(std::memory_order_relaxed) ==
                                static_cast<std::uint32_t>(Admission::accepted);
        row.comch.num = num_waiting_sends();
    }
    rows.push_back(row);
    row.kind = wire::RowKind::consumer;
    for (const auto &queue : queues) {
        const auto &memory = *reinterpret_cast<ReceiveQueue *>(queue->memory.data());
        if (is_lost() || memory.consumer.is_stopping.load(std::memory_order_relaxed) != 0)
            continue;
        row.comch.id = queue->id;
        row.comch.num = num_posted(*queue);
        row.comch.max_num = queue->num_slots;
        rows.push_back(row);
    }
}

} // namespace softdoca
