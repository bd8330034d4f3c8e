// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/raw_peer.hpp"
#include "support/two_process.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// The part of the protocol that channels use, written down a second time: messages, and what lies
/// in shared memory.
namespace softdoca::test::raw {

enum ChannelType : std::uint16_t {
    kAnnounceBell = 12,
    kRetireBell = 13,
    kOpenChannel = 14,
    kChannelOpened = 15,
    kChannelBell = 16,
    kAttachQueue = 17,
    kCloseChannel = 18,
};

enum MessageKind : std::uint16_t {
    kData = 1,
    kNewConsumer = 2,
    kExpiredConsumer = 3,
    kGoodbye = 4,
};

enum PayloadKind : std::uint16_t { kEager = 1, kStaged = 2, kDirect = 3 };

/// What a slot's number says beside its round.
enum Use : std::uint64_t { kPosted = 0, kFilled = 1, kWithdrawn = 2, kEmpty = 3 };

enum Admission : std::uint32_t { kWaiting = 0, kAccepted = 1, kRefused = 2 };

inline constexpr std::uint32_t kBitsPerBell = 4096;
inline constexpr std::size_t kBellSize = 768;

/// Memory of several processes, as this one maps it.
class Mapping {
public:
    Mapping() = default;
    Mapping(int fd, std::size_t size);
    Mapping(Mapping &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(other.size_)
    {
    }
    Mapping &operator=(Mapping &&other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Mapping();

    std::size_t size() const { return size_; }
    unsigned char *at(std::size_t offset) const { return data_ + offset; }
    std::uint32_t get32(std::size_t offset) const;
    std::uint64_t get64(std::size_t offset) const;
    void put16(std::size_t offset, std::uint64_t value) const;
    void put32(std::size_t offset, std::uint64_t value) const;
    void put64(std::size_t offset, std::uint64_t value) const;

private:
    unsigned char *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Does something again and again in a thread of its own, until the end of the object.
class Meanwhile {
public:
    explicit Meanwhile(const std::function<void()> &again)
        : thread_([this, again] {
              while (!is_over_)
                  again();
          })
    {
    }
    ~Meanwhile()
    {
        is_over_ = true;
        thread_.join();
    }
    Meanwhile(const Meanwhile &) = delete;
    Meanwhile &operator=(const Meanwhile &) = delete;

private:
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

/// New memory whose size is sealed, mapped; its descriptor goes to *fd.
Mapping shared_memory(std::size_t size, Fd *fd);

/// How a side's bell is rung: its memory and its eventfd.
class Bell {
public:
    /// A new one, or one that came with these descriptors.
    Bell();
    Bell(Fd &&memory, Fd &&event);

    void ring(std::uint32_t bit) const;
    /// Without a bit.
    void wake() const;
    /// From now on whoever wakes it has to wait, unless he says for himself that he does not.
    void jam() const;
    /// The same for its owner, who reads it.
    void let_reads_wait() const;
    void set_right() const; ///< after either
    /// True if a wake-up was wanted; it is not any more.
    bool take_order() const;
    int memory_fd() const { return memory_fd_.get(); }
    int event_fd() const { return event_.get(); }
    const Mapping &block() const { return block_; }
    static constexpr std::size_t kSummary = 0, kIsArmed = 128, kWords = 256;

private:
    Fd memory_fd_, event_;
    Mapping block_;
};

/// What a side may send and takes.
struct ChannelConfig {
    std::uint32_t num_sends = 64, recv_queue = 64, max_msg_size = 4080;

    Bytes bytes() const { return Bytes().u32(num_sends).u32(recv_queue).u32(max_msg_size).u32(0); }
};

/// What is in a slot of a ring of messages. The number: nothing is the right one.
struct RawMessage {
    std::uint16_t kind = kData;
    std::uint32_t id = 0;
    std::uint32_t len = 0;
    std::string payload = {};
    std::optional<std::uint64_t> number = {};

    static RawMessage of(std::string_view text)
    {
        return {kData, 0, static_cast<std::uint32_t>(text.size()), std::string(text), {}};
    }
    static RawMessage notice(MessageKind kind, std::uint32_t id) { return {kind, id, 0, {}, {}}; }
};

/// One direction of a channel.
class Ring {
public:
    Ring() = default;
    Ring(const Mapping &memory, std::size_t direction, std::size_t slots, std::size_t slot_size,
         std::size_t num_slots)
        : memory_(&memory), direction_(direction), slots_(slots), slot_size_(slot_size),
          num_slots_(num_slots)
    {
    }

    std::size_t num_slots() const { return num_slots_; }
    std::size_t slot_size() const { return slot_size_; }
    std::size_t slot(std::uint64_t count) const
    {
        return slots_ + (count & (num_slots_ - 1)) * slot_size_;
    }
    std::uint64_t number(std::uint64_t count, Use use) const
    {
        return 4 * (count / num_slots_) + use;
    }
    void fill(std::uint64_t count, const RawMessage &message) const;
    /// The message of that count, if it has come; its slot is given back.
    std::optional<RawMessage> take(std::uint64_t count) const;
    bool is_free(std::uint64_t count) const
    {
        return memory_->get64(slot(count)) == number(count, kPosted);
    }
    void set_num_taken(std::uint64_t value) const { memory_->put64(direction_, value); }
    void set_mode(std::uint32_t value) const { memory_->put32(direction_ + 8, value); }
    bool is_looked_at() const { return memory_->get32(direction_ + 8) != 0; }
    void set_wants_bell(std::uint32_t value) const { memory_->put32(direction_ + 128, value); }
    bool wants_bell() const { return memory_->get32(direction_ + 128) != 0; }

private:
    const Mapping *memory_ = nullptr;
    std::size_t direction_ = 0, slots_ = 0, slot_size_ = 0, num_slots_ = 0;
};

/// The memory of a channel.
class ChannelMemory {
public:
    /// Of a server: new memory.
    ChannelMemory(const ChannelConfig &client, const ChannelConfig &server, Fd *fd);
    /// Of a client: memory that has come.
    ChannelMemory(const ChannelConfig &client, const ChannelConfig &server, int fd);
    ChannelMemory(const ChannelMemory &) = delete;
    ChannelMemory &operator=(const ChannelMemory &) = delete;

    static std::size_t size(const ChannelConfig &client, const ChannelConfig &server);
    static constexpr std::size_t kAdmission = 640, kHeaderSize = 768;
    std::uint32_t admission() const { return memory.get32(kAdmission); }
    void set_admission(std::uint32_t value) const { memory.put32(kAdmission, value); }

    Mapping memory;
    Ring to_server, to_client;

private:
    void place_rings(const ChannelConfig &client, const ChannelConfig &server);
};

/// The memory of a consumer: posted receives, and staging behind them.
class QueueMemory {
public:
    static constexpr std::size_t kSlots = 512, kSlotSize = 320, kEagerSize = 256;
    static constexpr std::size_t kStagingSize = 1 << 20;
    static std::size_t size(std::size_t num_slots)
    {
        return kSlots + num_slots * kSlotSize + kStagingSize;
    }

    /// New memory, or such that has come.
    QueueMemory(std::size_t num_slots, Fd *fd);
    QueueMemory(std::size_t num_slots, int fd);

    std::size_t num_slots() const { return num_slots_; }
    std::size_t slot(std::uint64_t count) const
    {
        return kSlots + (count & (num_slots_ - 1)) * kSlotSize;
    }
    std::uint64_t number(std::uint64_t count, Use use) const
    {
        return 4 * (count / num_slots_ + 1) + use;
    }
    bool is(std::uint64_t count, Use use) const
    {
        return memory.get64(slot(count)) == number(count, use);
    }
    void set_number(std::uint64_t count, std::uint64_t value) const
    {
        memory.put64(slot(count), value);
    }
    void set(std::uint64_t count, Use use) const { set_number(count, number(count, use)); }

    /// The consumer's part of a slot; the receive is posted.
    void post(std::uint64_t count, std::uint32_t capacity, std::uint64_t place = 0) const;
    /// The producer's part; the message is there.
    struct Fill {
        std::uint16_t kind = kEager;
        std::uint32_t len = 0;
        std::uint64_t place = 0;
        std::uint16_t imm_len = 0;
        std::string payload = {};
    };
    void fill(std::uint64_t count, const Fill &fill) const;
    std::uint32_t len(std::uint64_t count) const { return memory.get32(slot(count) + 12); }

    void set_is_stopping(std::uint32_t value) const { memory.put32(132, value); }
    void set_num_unstaged(std::uint64_t value) const { memory.put64(136, value); }
    void set_num_staged(std::uint64_t value) const { memory.put64(256, value); }
    std::uint64_t num_staged() const { return memory.get64(256); }
    void ask_for_bell(std::uint64_t bell_id, std::uint32_t bit) const;
    bool is_known() const { return memory.get32(384) != 0; }
    void set_is_known(std::uint32_t value) const { memory.put32(384, value); }

    Mapping memory;

private:
    std::size_t num_slots_;
};

/// The content of AttachQueue.
struct QueueOffer {
    std::uint64_t channel = 0, bell_id = 1, window_offset = 0, window_len = 0;
    std::uint32_t bit = 0, id = 1, num_slots = 4, max_imm_len = 32;

    std::string bytes() const;
};

/// A consumer's memory that the other side has attached.
struct AttachedQueue {
    std::uint32_t id, bit;
    std::uint64_t bell_id;
    QueueMemory memory;
    Fd window;
};

/// A service of the fabric, by its record.
struct ServiceRecord {
    std::string process;     ///< 16 bytes
    std::string key;         ///< 16 bytes
    std::string scope, name; ///< in hex, as they are written there

    /// Of the service of that name, once there is one.
    static ServiceRecord find(const std::string &name = "svc");
    /// One that another process could have in its scope.
    ServiceRecord of_another(const std::string &process, const std::string &name) const;
    std::string text(std::uint64_t pid) const;
    /// The path of its record.
    std::string path() const;
};

/// One end of a connection that channels share, spoken by the bytes. Sets right only what it is
/// asked to.
class Talker {
public:
    explicit Talker(Socket &&connection) : socket(std::move(connection)) {}
    Talker(const Talker &) = delete;
    Talker &operator=(const Talker &) = delete;

    void send(std::uint16_t type, const Bytes &content, const std::vector<int> &fds = {}) const
    {
        socket.send(message(type, content), fds);
    }
    /// The next message of that type. Bells and queues that come before it are kept.
    std::optional<Answer> await(std::uint16_t type);
    /// Takes what has come: bells and queues.
    void listen();
    /// False if the other side has hung up.
    bool announce(std::uint64_t id, const Bell &bell) const;
    void ring(std::uint64_t bell_id, std::uint32_t bit) const;
    AttachedQueue *queue(std::uint32_t id);
    /// Waits for one.
    AttachedQueue *await_queue();

    Socket socket;
    std::map<std::uint64_t, std::unique_ptr<Bell>> bells;           ///< of the other side
    std::map<std::uint32_t, std::unique_ptr<AttachedQueue>> queues; ///< likewise

private:
    void keep(Answer &&answer);
};

/// A client that goes as far as it is told to.
class Client : public Talker {
public:
    explicit Client(ServiceRecord service, ChannelConfig config = {});
    /// One that says it is that process.
    Client(ServiceRecord service, ChannelConfig config, std::string process);

    std::string hello() const;
    bool greet();
    /// greet(), and its bell, number 1.
    bool introduce();
    Bytes open_channel() const;
    /// introduce(), and a channel, which has not been accepted yet.
    bool open();
    /// Waits until the server's program has accepted it.
    bool is_accepted();
    /// All of it, with a new client.
    static std::unique_ptr<Client> connected(const ServiceRecord &service,
                                             const ChannelConfig &config = {});

    /// Puts a message into the ring, and rings.
    void say(const RawMessage &message);
    void say(std::string_view text) { say(RawMessage::of(text)); }
    /// The next message; nothing if there is none in time.
    std::optional<RawMessage> hear(Milliseconds limit = patience());
    void ring_server() const { ring(server_bell, server_bit); }
    /// Attaches the memory of a consumer, and says so in the ring.
    bool attach(const QueueOffer &offer, const std::vector<int> &fds);

    const ServiceRecord service;
    const ChannelConfig config;
    const std::string process;
    const StatusPage page;
    Bell bell;
    std::uint64_t number = 1; ///< of the channel
    ChannelConfig server_config;
    std::unique_ptr<ChannelMemory> channel;
    std::uint64_t server_number = 0, server_bell = 0;
    std::uint32_t server_bit = 0, server_room_bit = 0;
    std::uint64_t num_said = 0, num_heard = 0;
};

} // namespace softdoca::test::raw
