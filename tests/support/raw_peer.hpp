// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

/// The protocol between processes, spoken byte by byte and written down a second time: a peer that
/// can say anything, and a check that the format has not changed unnoticed.
namespace softdoca::test::raw {

enum Type : std::uint16_t {
    kHello = 1,
    kHelloReply = 2,
    kOpenWindow = 3,
    kWindowReply = 4,
    kCloseWindow = 5,
    kAttachStaging = 6,
    kReply = 7,
    kCopy = 8,
    kCopyReply = 9,
    kList = 10,
    kListReply = 11,
};

enum Status : std::uint32_t {
    kOk = 0,
    kOtherRelease = 1,
    kOtherUser = 2,
    kNoSuchKey = 3,
    kNotPermitted = 4,
    kBadMemory = 5,
    kBadAddress = 6,
    kBusy = 7,
};

inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::size_t kHelloReplySize = 56;
inline constexpr std::size_t kWindowReplySize = 152;
inline constexpr std::size_t kListReplySize = 24 + 100 * 112;
inline constexpr std::size_t kMaxPieces = 64;
inline constexpr std::uint32_t kMaxWindows = 4096;
inline constexpr std::uint32_t kMaxCopyMarks = 1024;

/// A file descriptor; copies share it.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
    Fd &operator=(Fd &&other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd();

    int get() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }
    void close() { *this = Fd(); }

private:
    int fd_ = -1;
};

/// Numbers one behind another, little-endian.
class Bytes {
public:
    Bytes &u16(std::uint64_t value) { return number(value, 2); }
    Bytes &u32(std::uint64_t value) { return number(value, 4); }
    Bytes &u64(std::uint64_t value) { return number(value, 8); }
    Bytes &raw(std::string_view bytes)
    {
        bytes_ += bytes;
        return *this;
    }
    Bytes &text(std::string_view value, std::size_t size)
    {
        bytes_ += value.substr(0, size);
        bytes_.resize(bytes_.size() + size - std::min(size, value.size()), '\0');
        return *this;
    }
    const std::string &str() const { return bytes_; }

private:
    Bytes &number(std::uint64_t value, std::size_t size)
    {
        for (std::size_t i = 0; i < size; ++i)
            bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
        return *this;
    }
    std::string bytes_;
};

/// A whole message: the header, then this content.
std::string message(std::uint16_t type, const Bytes &content, std::uint32_t serial = 1);
/// One whose header may lie.
std::string lying_message(std::uint32_t magic, std::uint16_t version, std::uint16_t type,
                          std::uint32_t size, const Bytes &content);
/// The number of that many bytes at this place; 0 beyond the end.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t size);

/// What an export descriptor holds.
struct Descriptor {
    std::string exporter; ///< the 16 bytes of the process id
    std::string key;      ///< and of the key
    std::uint64_t addr = 0, len = 0;
    std::uint32_t permissions = 0, pid = 0, side = 0;
    std::string node, pci;

    static Descriptor parse(std::string_view bytes);
    std::string bytes() const; ///< with size and check sum
};

/// Random bytes; the name of a process in the fabric directory, as its 16 bytes are written there.
std::string random_bytes(std::size_t size);
std::string name_of(std::string_view process);

/// The memory of size bytes and some seals, 0 for none.
Fd memory_file(std::size_t size, int seals);
inline constexpr int kSealSize = 0x2 | 0x4; ///< F_SEAL_SHRINK | F_SEAL_GROW

/// What a process tells its peers without a message; ours may be written at any time.
class StatusPage {
public:
    static constexpr std::size_t kSize = 384 + 8 * kMaxWindows + 128 * kMaxCopyMarks;

    explicit StatusPage(std::string_view process);
    ~StatusPage();
    StatusPage(const StatusPage &) = delete;
    StatusPage &operator=(const StatusPage &) = delete;

    int fd() const { return fd_.get(); }
    void set_magic(std::uint32_t value) const { put32(0, value); }
    void set_version(std::uint32_t value) const { put32(4, value); }
    void set_death_word(std::uint32_t value) const { put32(128, value); }
    void set_num_marks(std::uint32_t value) const { put32(256, value); }
    void set_generation(std::uint32_t slot, std::uint64_t value) const
    {
        put64(384 + std::size_t{8} * slot, value);
    }
    void set_mark(std::uint32_t index, std::uint64_t value) const
    {
        put64(384 + 8 * kMaxWindows + std::size_t{128} * index, value);
    }

private:
    void put32(std::size_t offset, std::uint32_t value) const;
    void put64(std::size_t offset, std::uint64_t value) const;

    Fd fd_;
    unsigned char *data_;
};

struct Answer {
    std::string bytes;
    std::vector<Fd> fds;

    std::uint16_t type() const { return static_cast<std::uint16_t>(number_at(bytes, 6, 2)); }
    std::uint32_t serial() const { return static_cast<std::uint32_t>(number_at(bytes, 12, 4)); }
    std::uint32_t status() const { return static_cast<std::uint32_t>(number_at(bytes, 16, 4)); }
};

/// A connection to another process.
class Socket {
public:
    explicit Socket(Fd &&fd) : fd_(std::move(fd)) {}
    /// To the agent of a process of this fabric.
    static Socket to(std::string_view process);

    int fd() const { return fd_.get(); }
    bool is_open() const { return fd_.is_open(); }
    /// False if the other side has gone, or takes nothing now.
    bool send(std::string_view bytes, const std::vector<int> &fds = {}) const;
    /// The next message; nothing if the other side hangs up, or says nothing for so long.
    std::optional<Answer> receive(std::chrono::milliseconds limit) const;
    std::optional<Answer> receive() const;
    /// Does the other side hang up? What it still says is dropped.
    bool is_ended(std::chrono::milliseconds limit) const;
    bool is_ended() const;

private:
    Fd fd_;
};

/// An importer that knows a descriptor.
class Importer {
public:
    explicit Importer(const Descriptor &descriptor);

    std::string hello() const;
    /// hello, with a page that is in order; the status of the answer, nothing if there is none.
    std::optional<std::uint32_t> greet() const;
    std::optional<std::uint32_t> greet_with(const std::vector<int> &fds) const;
    /// open_window; the whole answer.
    std::optional<Answer> open(std::string_view key, bool is_channel) const;
    std::optional<std::uint32_t> attach(std::uint64_t len, const std::vector<int> &fds) const;
    /// Hello, window and staging of kStaging bytes: ready to copy. False if one was refused.
    bool begin_copies();
    static constexpr std::size_t kStaging = 64 * 1024;

    struct Piece {
        std::uint64_t addr, len;
    };
    std::string copy_message(bool is_write, const std::vector<Piece> &pieces,
                             std::uint64_t staging_offset = 0) const;
    /// The status; nothing if the connection ended.
    std::optional<std::uint32_t> copy(bool is_write, const std::vector<Piece> &pieces,
                                      std::uint64_t staging_offset = 0) const;

    const Descriptor descriptor;
    const std::string process; ///< that we say we are
    const StatusPage page;
    Socket socket;
    std::uint32_t slot = 0;       ///< of the window that was opened last
    std::uint64_t generation = 0; ///< dito
    unsigned char *staging = nullptr;

    Importer(const Importer &) = delete;
    Importer &operator=(const Importer &) = delete;
    ~Importer();

private:
    std::optional<std::uint32_t> status_of(std::uint16_t type) const;

    Fd staging_fd_;
};

} // namespace softdoca::test::raw
