// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process_fd.hpp"
#include "base/shared_memory.hpp"
#include "base/unix_socket.hpp"
#include "fabric/registry.hpp"
#include "fabric/status_page.hpp"
#include "fuzz_fabric.hpp"

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace softdoca::fuzz {

/// What a fuzzed peer says: one line for each thing that it is asked.
struct Line {
    std::vector<std::uint8_t> bytes;
    std::vector<int> fds;
    bool has_right_serial;
};

/// A thread that stands for the agent of another process. It answers the next request with the next
/// line, over whatever connection, and hangs up when it has no more or nobody asks.
class FuzzedExporter {
public:
    FuzzedExporter()
        : listener_(UnixSocket::listen_at(processes_directory(), socket_name(id), 0600)),
          thread_([this] { serve(); })
    {
        must(listener_.is_open());
        auto memory = SharedMemory::create("exporter", sizeof(StatusPage), 0, &page_fd);
        page_ = std::move(memory);
        page().magic = StatusPage::kMagic;
        page().version = StatusPage::kVersion;
        page().process = id;
        thread_.detach(); // until the end of the process
    }

    static const std::string &processes_directory()
    {
        static const std::string path = [] {
            std::string made = own_fabric() + "/p";
            (void)::mkdir(made.c_str(), 0700);
            return made;
        }();
        return path;
    }

    void set_lines(std::deque<Line> lines)
    {
        const std::scoped_lock lock(lock_);
        lines_ = std::move(lines);
    }
    StatusPage &page() { return *reinterpret_cast<StatusPage *>(page_.data()); }

    const ProcessId id = ProcessId::make();
    ProcessFd page_fd;

private:
    static constexpr int kPatienceMs = 4;

    /// Several connections may be open at once; a dialogue of either kind is never interleaved.
    void serve()
    {
        std::vector<pollfd> ready{{listener_.fd(), POLLIN, 0}};
        for (;;) {
            const int num = ::poll(ready.data(), ready.size(), ready.size() > 1 ? kPatienceMs : -1);
            for (std::size_t i = ready.size(); i-- > 1;)
                if (num == 0 || (ready[i].revents != 0 && !answer(ready[i].fd))) {
                    ::close(ready[i].fd);
                    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
                }
            if ((ready[0].revents & POLLIN) != 0)
                if (const int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
                    fd >= 0)
                    ready.push_back({fd, POLLIN, 0});
        }
    }

    bool answer(int fd)
    {
        wire::Header request{};
        char whole[4096]{};
        const auto size = ::recv(fd, whole, sizeof whole, MSG_DONTWAIT);
        if (size <= 0)
            return false;
        std::memcpy(&request, whole, sizeof request);
        Line line;
        {
            const std::scoped_lock lock(lock_);
            if (lines_.empty())
                return false;
            line = std::move(lines_.front());
            lines_.pop_front();
        }
        if (line.has_right_serial && line.bytes.size() >= sizeof request)
            std::memcpy(line.bytes.data() + offsetof(wire::Header, serial), &request.serial,
                        sizeof request.serial);
        return send(fd, line);
    }

    static bool send(int fd, const Line &line)
    {
        iovec part{const_cast<std::uint8_t *>(line.bytes.data()), line.bytes.size()};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)]{};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        if (!line.fds.empty()) {
            const std::size_t size = line.fds.size() * sizeof(int);
            header.msg_control = control;
            header.msg_controllen = CMSG_SPACE(size);
            cmsghdr *const rights = CMSG_FIRSTHDR(&header);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(size);
            std::memcpy(CMSG_DATA(rights), line.fds.data(), size);
        }
        return ::sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
    }

    UnixSocket listener_;
    SharedMemory page_;
    std::mutex lock_;
    std::deque<Line> lines_;
    std::thread thread_;
};

/// A line of that content, with a header that is mostly in order.
template <typename Message>
Line line_of(FuzzedDataProvider &data, const Message &message)
{
    Line line;
    line.bytes = bytes_of(data, message);
    mend_header(data, Message::kType, line.bytes);
    line.has_right_serial = !is_odd(data, 16);
    return line;
}

/// The answer to a greeting.
inline Line hello_line(FuzzedDataProvider &data, const FuzzedExporter &exporter)
{
    auto message = any<wire::HelloReply>(data);
    if (!is_odd(data, 16))
        message.status = wire::Status::ok;
    if (!is_odd(data, 16))
        message.process = exporter.id;
    Line line = line_of(data, message);
    line.fds = some_descriptors(data, descriptors(exporter.page_fd.get()));
    if (line.fds.empty() && !is_odd(data, 16))
        line.fds.push_back(exporter.page_fd.get());
    return line;
}

/// A line that answers nothing.
inline Line odd_line(FuzzedDataProvider &data)
{
    Line line;
    line.bytes = data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange<std::size_t>(1, 200));
    if (line.bytes.empty())
        line.bytes.push_back(0);
    mend_header(data, static_cast<wire::Type>(data.ConsumeIntegral<std::uint16_t>()), line.bytes);
    line.has_right_serial = data.ConsumeBool();
    return line;
}

} // namespace softdoca::fuzz
