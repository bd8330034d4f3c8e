// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/pcap.hpp"

#include "base/log_sink.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

LOG_SOURCE("MODEL::PCAP");

namespace softdoca {

namespace {

/// How a file begins. Numbers are in the byte order of the machine, which readers see by the magic.
struct PcapHeader {
    std::uint32_t magic = 0xa1b2c3d4; // stamps in microseconds
    std::uint16_t version_major = 2;
    std::uint16_t version_minor = 4;
    std::int32_t zone = 0;
    std::uint32_t accuracy = 0;
    std::uint32_t max_len = 65535; // of a frame
    std::uint32_t link_type = 1;   // Ethernet

    bool operator==(const PcapHeader &) const = default;
};
static_assert(sizeof(PcapHeader) == 24);

/// What stands in front of each frame.
struct PcapRecord {
    std::uint32_t seconds;
    std::uint32_t microseconds;
    std::uint32_t captured_len;
    std::uint32_t whole_len;
};
static_assert(sizeof(PcapRecord) == 16);

/// Writes all of it, or says why not. A pipe that its reader has left raises no signal, and a file
/// that takes only a part has none of it.
const char *write_whole(int fd, std::span<const iovec> parts) noexcept
{
    std::size_t len = 0;
    for (const iovec &part : parts)
        len += part.iov_len;
    struct stat before {};
    sigset_t broken_pipe, others, pending;
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &others);
    (void)::flock(fd, LOCK_EX); // so that what is cut off is our own
    const bool is_file = ::fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    const ssize_t num_written = ::writev(fd, parts.data(), static_cast<int>(parts.size()));
    const int error = errno;
    const bool is_whole = num_written == static_cast<ssize_t>(len);
    if (!is_whole && num_written > 0 && is_file)
        (void)!::ftruncate(fd, before.st_size);
    (void)::flock(fd, LOCK_UN);
    const timespec at_once{};
    if (num_written < 0 && error == EPIPE && ::sigismember(&pending, SIGPIPE) == 0)
        (void)::sigtimedwait(&broken_pipe, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &others, nullptr);
    if (is_whole)
        return nullptr;
    return num_written < 0 ? std::strerror(error) : "there is no room";
}

constexpr const char *kNoPcap = "it holds something else than Ethernet frames of a pcap file";

/// Does the file begin as ours do? One that may be written but not read is taken at its word.
bool is_pcap(const std::string &path) noexcept
{
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd.is_open())
        return true;
    PcapHeader found{};
    PcapHeader wanted{};
    const bool is_whole = ::pread(fd.get(), &found, sizeof found, 0) == sizeof found;
    wanted.zone = found.zone;
    wanted.accuracy = found.accuracy;
    wanted.max_len = found.max_len;
    return is_whole && found == wanted;
}

/// Makes the file begin with a header; nullptr, or why it cannot. Of several processes that append
/// to a new file one writes it.
const char *begin_file(int fd, const std::string &path) noexcept
{
    struct stat status {};
    (void)::flock(fd, LOCK_EX);
    const char *fault = ::fstat(fd, &status) != 0 ? std::strerror(errno) : nullptr;
    if (fault == nullptr && status.st_size == 0) {
        PcapHeader header{};
        const iovec part{&header, sizeof header};
        fault = write_whole(fd, {&part, 1});
    } else if (fault == nullptr && !is_pcap(path)) {
        fault = kNoPcap;
    }
    (void)::flock(fd, LOCK_UN);
    return fault;
}

PcapRecord record_of(std::size_t len) noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return {static_cast<std::uint32_t>(now.tv_sec), static_cast<std::uint32_t>(now.tv_nsec / 1000),
            static_cast<std::uint32_t>(len), static_cast<std::uint32_t>(len)};
}

} // namespace

PcapFile::PcapFile(const std::string &path) : path_(path)
{
    if (path.empty())
        return;
    // Without waiting: a named pipe that nobody reads is a file that cannot be written.
    fd_ = UniqueFd(::open(path.c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
    const char *const fault = fd_.is_open() ? begin_file(fd_.get(), path) : std::strerror(errno);
    if (fault == nullptr)
        is_wanted_.store(true, std::memory_order_relaxed);
    else
        give_up(fault);
}

PcapFile::~PcapFile()
{
    log_forget(this);
}

void PcapFile::give_up(const char *why) noexcept
{
    is_wanted_.store(false, std::memory_order_relaxed);
    LOG_ONCE(
        LogLevel::warning, this,
        "SOFTDOCA_MODEL_PCAP=%.200s: frames are not written there: %s; name a file that can be "
        "written, or unset the variable",
        path_.c_str(), why);
}

void PcapFile::append(std::span<const std::byte> frame) noexcept
{
    if (!is_wanted())
        return;
    PcapRecord record = record_of(frame.size());
    iovec parts[] = {{&record, sizeof record},
                     {const_cast<std::byte *>(frame.data()), frame.size()}};
    if (const char *const fault = write_whole(fd_.get(), parts); fault != nullptr)
        give_up(fault);
}

} // namespace softdoca
