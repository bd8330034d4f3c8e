// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/random_id.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

/// Every byte that goes from one process to another over a socket. All numbers are little-endian
/// (as both processors that we build for are). What a peer sends is copied out first and then
/// checked; nothing in a message is trusted.
///
///     importer                              exporter's agent
///        | -- Hello (+ status page) ----------> |   who we are
///        | <- HelloReply (+ status page) ------ |
///        | -- OpenWindow (key) ---------------> |   for each import
///        | <- WindowReply (+ memory) ---------- |
///        | -- CloseWindow --------------------> |   no reply
///     and over a connection of its own, where copies go through the agent:
///        | -- Hello, OpenWindow as above        |
///        | -- AttachStaging (+ memory) -------> |
///        | <- Reply --------------------------- |
///        | -- Copy ---------------------------> |   any number
///        | <- CopyReply ----------------------- |
///     and over one for all channels of the pair, which both agents serve (see Channel):
///        client                                   server
///        | -- Hello, HelloReply as above        |
///        | -- AnnounceBell (+ memory, eventfd)  |   either side, before it is referred to
///        | -- OpenChannel (key) --------------> |
///        | <- ChannelOpened (+ memory) -------- |
///        | <- ChannelBell --------------------- |   when the server's program has seen it
///        | -- AttachQueue (+ memory) ---------> |   either side, for each consumer
///        | -- CloseChannel -------------------> |   given up before it was accepted
///        | -- RetireBell                        |   either side
namespace softdoca::wire {

inline constexpr std::uint32_t kMagic = 0x4f444653; // "SFDO"
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kReleaseSize = 16;
inline constexpr std::size_t kNodeSize = 64;
inline constexpr std::size_t kPciSize = 16;
inline constexpr std::size_t kProgramSize = 64;
inline constexpr std::size_t kMaxGrants = 4096;       ///< windows that one connection opens
inline constexpr std::uint32_t kMaxPieces = 64;       ///< of one Copy
inline constexpr std::uint32_t kRowsPerList = 100;    ///< of one ListReply
inline constexpr std::uint64_t kMaxStaging = 1 << 20; ///< bytes that a peer may offer for copies

enum class Type : std::uint16_t {
    hello = 1,
    hello_reply,
    open_window,
    window_reply,
    close_window,
    attach_staging,
    reply,
    copy,
    copy_reply,
    list,
    list_reply,
    announce_bell,
    retire_bell,
    open_channel,
    channel_opened,
    channel_bell,
    attach_queue,
    close_channel,
};

enum class Status : std::uint32_t {
    ok,
    other_release,
    other_user,
    no_such_key, ///< or not any more
    not_permitted,
    bad_memory,  ///< a descriptor that is not what it must be
    bad_address, ///< memory that is not there
    busy,        ///< too many of something
};

struct Header {
    std::uint32_t magic = kMagic;
    std::uint16_t version = kVersion;
    Type type{};
    std::uint32_t size = 0;   ///< of the whole message
    std::uint32_t serial = 0; ///< of the request; its reply has the same
};

struct Hello : Header {
    static constexpr Type kType = Type::hello;
    ProcessId process; ///< all zeros: a tool that only looks; sends no status page
    char release[kReleaseSize]{};
};

struct HelloReply : Header {
    static constexpr Type kType = Type::hello_reply;
    Status status{};
    std::uint32_t unused = 0;
    ProcessId process;
    char release[kReleaseSize]{};
};

struct OpenWindow : Header {
    static constexpr Type kType = Type::open_window;
    ExportKey key;
    std::uint32_t is_channel = 0;    ///< 1: a second connection of an import, for copies
    std::uint32_t wants_tracing = 0; ///< 1: the importer would like to read our memory itself
};

struct WindowReply : Header {
    static constexpr Type kType = Type::window_reply;
    Status status{};
    std::uint32_t slot = 0; ///< of its generation in the status page
    std::uint64_t generation = 0;
    std::uint64_t addr = 0; ///< in the exporter
    std::uint64_t len = 0;
    std::uint64_t offset = 0;      ///< of addr in the memory that comes with this, if it does
    std::uint64_t probe_addr = 0;  ///< where the exporter's process id can be read, for a test
    std::uint32_t permissions = 0; ///< DOCA_ACCESS_FLAG_*
    std::uint32_t side = 0;        ///< 0 host, 1 DPU
    char node[kNodeSize]{};
    char pci[kPciSize]{}; ///< of the function that it was exported with
};

struct CloseWindow : Header {
    static constexpr Type kType = Type::close_window;
    std::uint32_t slot = 0;
    std::uint32_t unused = 0;
    std::uint64_t generation = 0;
};

struct AttachStaging : Header {
    static constexpr Type kType = Type::attach_staging;
    std::uint64_t staging_len = 0; ///< of the memory that comes with this, whose size is sealed
};

struct Reply : Header {
    static constexpr Type kType = Type::reply;
    Status status{};
    std::uint32_t unused = 0;
};

/// Consecutive pieces lie behind one another in the staging memory, from staging_offset on.
struct Piece {
    std::uint64_t addr = 0; ///< in the exporter
    std::uint64_t len = 0;
};

struct Copy : Header {
    static constexpr Type kType = Type::copy;
    std::uint32_t slot = 0;
    std::uint32_t is_write = 0; ///< 1: from staging into the window
    std::uint64_t generation = 0;
    std::uint64_t staging_offset = 0;
    std::uint32_t num_pieces = 0;
    std::uint32_t unused = 0;
    Piece pieces[kMaxPieces]{};
};

struct CopyReply : Header {
    static constexpr Type kType = Type::copy_reply;
    Status status{};
    std::uint32_t num_done = 0; ///< whole pieces, from the first
};

struct AnnounceBell : Header {
    static constexpr Type kType = Type::announce_bell;
    std::uint64_t bell_id = 0; ///< of the sender's; comes with its memory and its eventfd
};

struct RetireBell : Header {
    static constexpr Type kType = Type::retire_bell;
    std::uint64_t bell_id = 0;
};

/// What a side may send and takes, in numbers of messages and bytes.
struct ChannelConfig {
    std::uint32_t num_sends = 0;
    std::uint32_t recv_queue = 0;
    std::uint32_t max_msg_size = 0;
    std::uint32_t unused = 0;
};

struct OpenChannel : Header {
    static constexpr Type kType = Type::open_channel;
    RandomId service;
    std::uint64_t channel = 0; ///< the client's number of it
    std::uint64_t bell_id = 0; ///< the client's
    std::uint32_t message_bit = 0;
    std::uint32_t room_bit = 0;
    ChannelConfig config; ///< the client's
};

struct ChannelOpened : Header {
    static constexpr Type kType = Type::channel_opened;
    std::uint64_t channel = 0;     ///< the client's number
    std::uint64_t peer_number = 0; ///< the server's
    Status status{};               ///< no_such_key: the server has gone
    std::uint32_t unused = 0;
    ChannelConfig config; ///< the server's; comes with the memory
};

struct ChannelBell : Header {
    static constexpr Type kType = Type::channel_bell;
    std::uint64_t channel = 0; ///< the client's number
    std::uint64_t bell_id = 0; ///< the server's
    std::uint32_t message_bit = 0;
    std::uint32_t room_bit = 0;
};

/// A consumer's memory; comes with it, and with that of its buffers if both sides can map it.
struct AttachQueue : Header {
    static constexpr Type kType = Type::attach_queue;
    std::uint64_t channel = 0;       ///< the receiver's number
    std::uint64_t bell_id = 0;       ///< the consumer's
    std::uint64_t window_offset = 0; ///< of its buffers in the second memory
    std::uint64_t window_len = 0;
    std::uint32_t bit = 0;
    std::uint32_t id = 0; ///< of the consumer
    std::uint32_t num_slots = 0;
    std::uint32_t max_imm_len = 0;
};

struct CloseChannel : Header {
    static constexpr Type kType = Type::close_channel;
    std::uint64_t channel = 0; ///< the receiver's number
};

struct List : Header {
    static constexpr Type kType = Type::list;
    std::uint32_t first_row = 0;
    std::uint32_t unused = 0;
};

enum class RowKind : std::uint16_t { imported, exported, server, connection, consumer };

/// What a row of a Comch object has. Names are not in it: the service's record has them.
struct ComchRow {
    RandomId service;           ///< the key of its start
    ProcessId peer;             ///< the other side; a consumer is that process's
    std::int32_t peer_pid = 0;  ///< likewise
    std::uint32_t num = 0;      ///< server: clients; connection: waiting sends; consumer: receives
    std::uint32_t max_num = 0;  ///< that there may be of them
    std::uint32_t id = 0;       ///< of a consumer
    std::uint8_t is_server = 0; ///< connection: the process that is asked is the server
    std::uint8_t is_accepted = 0;
    std::uint8_t unused[14]{};
};

/// Something that the process which is asked has.
struct ListRow {
    std::uint64_t addr = 0; ///< this and what has no remark: of an import or export
    std::uint64_t len = 0;
    std::uint32_t permissions = 0;
    std::uint32_t num_imports = 0; ///< of an export
    std::int32_t exporter_pid = 0; ///< of an import
    std::uint8_t route = 0;        ///< of an import
    std::uint8_t is_alive = 0;     ///< of each kind
    RowKind kind{};
    char pci[kPciSize]{};
    union {
        ComchRow comch{};       ///< of a server, connection or consumer
        char reason[kNodeSize]; ///< of an import
    };
};

struct ListReply : Header {
    static constexpr Type kType = Type::list_reply;
    std::uint32_t num_rows = 0;  ///< in this message
    std::uint32_t num_total = 0; ///< from List::first_row on, these included
    ListRow rows[kRowsPerList]{};
};

inline constexpr std::size_t kMaxMessage = sizeof(ListReply);

static_assert(sizeof(Header) == 16 && sizeof(Hello) == 48 && sizeof(HelloReply) == 56);
static_assert(sizeof(OpenWindow) == 40 && sizeof(WindowReply) == 152 && sizeof(Copy) == 1072);
static_assert(sizeof(OpenChannel) == 72 && sizeof(ChannelOpened) == 56 &&
              sizeof(AttachQueue) == 64);
static_assert(sizeof(ListRow) == 112 && sizeof(ComchRow) == kNodeSize && sizeof(CopyReply) == 24 &&
              sizeof(Reply) == 24);

/// A message of that type, ready to be filled in.
template <typename Message>
Message make(std::uint32_t serial = 0) noexcept
{
    Message message{};
    Header &header = message; // a field of the message may not hide one of these
    header.type = Message::kType;
    header.size = sizeof message;
    header.serial = serial;
    return message;
}

template <typename Message>
std::span<const std::byte> bytes_of(const Message &message) noexcept
{
    static_assert(std::is_trivially_copyable_v<Message>);
    return std::as_bytes(std::span(&message, 1));
}

/// The header of what was received, if it is a message of ours at all.
inline std::optional<Header> header_of(std::span<const std::byte> received) noexcept
{
    Header header;
    if (received.size() < sizeof header)
        return std::nullopt;
    std::memcpy(&header, received.data(), sizeof header);
    if (header.magic != kMagic || header.version != kVersion || header.size != received.size())
        return std::nullopt;
    return header;
}

/// The message, if it is of this type and of its exact size.
template <typename Message>
std::optional<Message> take(std::span<const std::byte> received) noexcept
{
    static_assert(std::is_trivially_copyable_v<Message>);
    const auto header = header_of(received);
    if (!header || header->type != Message::kType || received.size() != sizeof(Message))
        return std::nullopt;
    Message message;
    std::memcpy(&message, received.data(), sizeof message);
    return message;
}

/// Text in a field of fixed size. Cut if too long; always ends with NUL.
template <std::size_t size>
void put_text(char (&field)[size], const char *text) noexcept
{
    const std::size_t len = strnlen(text, size - 1);
    std::memcpy(field, text, len);
    field[len] = '\0';
}

/// The same back: what a peer sent need not end.
template <std::size_t size>
std::array<char, size + 1> get_text(const char (&field)[size]) noexcept
{
    std::array<char, size + 1> text{};
    const std::size_t len = strnlen(field, size);
    for (std::size_t i = 0; i < len; ++i) // it may end in a terminal
        text[i] = field[i] >= 0x20 && field[i] < 0x7f ? field[i] : '?';
    return text;
}

} // namespace softdoca::wire
