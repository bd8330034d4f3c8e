// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/agent_session.hpp"

#include "fabric/agent_log.hpp"
#include "fabric/local_process.hpp"
#include "fabric/release.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace softdoca {

namespace {

/// Is it memory that answers at once? A pipe, a device or a slow file system could stop the agent;
/// so could a file of any size, which its owner may be about to fill. The seals come first: of
/// other file systems even the size may take for ever.
bool is_memory(int fd, std::uint64_t size) noexcept
{
    constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
    struct stat about;
    const int seals = seals_of(fd);
    return seals >= 0 && (seals & kSeals) == kSeals && ::fstat(fd, &about) == 0 &&
           about.st_size >= 0 && static_cast<std::uint64_t>(about.st_size) == size;
}

} // namespace

AgentSession::AgentSession(LocalProcess &process, UnixSocket &&socket, const ucred &peer,
                           Clock::time_point hello_deadline)
    : process_(process), link_(std::make_shared<PairLink>(std::move(socket), peer.pid)),
      peer_(peer), hello_deadline_(hello_deadline)
{
}

AgentSession::AgentSession(LocalProcess &process, std::shared_ptr<PairLink> link)
    : process_(process), link_(std::move(link)), peer_{link_->peer_pid(), ::geteuid(), 0},
      has_greeted_(true)
{
    begin_channels();
}

AgentSession::~AgentSession()
{
    link_->hang_up();
    if (has_channels_)
        process_.channels().lose(*link_);
    socket().drain();
    for (const Grant &grant : grants_)
        process_.exports().forget(grant.slot, grant.generation, page().get(), grant.is_channel);
}

bool AgentSession::serve(CopyMark &mark)
{
    constexpr int kMessagesInARow = 8;
    std::byte buffer[sizeof(wire::Copy)]; // the longest request
    for (int i = 0; i < kMessagesInARow && !is_blocked(); ++i) {
        Received received = socket().receive(buffer);
        if (received.outcome == Received::Outcome::nothing_yet)
            return true;
        if (received.outcome == Received::Outcome::closed)
            return false;
        if (received.size > sizeof buffer || !handle({buffer, received.size}, received, mark)) {
            if (!has_hung_up_)
                agent_say(LogLevel::warning,
                          "connection of process %d ends: it sent what no importer of this release "
                          "sends, or takes no answer",
                          peer_.pid);
            return false;
        }
    }
    return true;
}

bool AgentSession::handle(Bytes message, Received &received, CopyMark &mark)
{
    const auto header = wire::header_of(message);
    if (!header)
        return false;
    if (header->type == wire::Type::hello)
        return !has_greeted_ && greet(message, received);
    if (!has_greeted_)
        return false;
    switch (header->type) {
    case wire::Type::list:
        return list(message);
    case wire::Type::open_window:
        return page() != nullptr && open_window(message);
    case wire::Type::close_window:
        return close_window(message);
    case wire::Type::attach_staging:
        return attach_staging(message, received);
    case wire::Type::copy:
        return copy(message, mark);
    case wire::Type::announce_bell:
    case wire::Type::retire_bell:
    case wire::Type::open_channel:
    case wire::Type::channel_opened:
    case wire::Type::channel_bell:
    case wire::Type::attach_queue:
    case wire::Type::close_channel:
        return page() != nullptr && handle_channel(*header, message, received);
    default:
        return false; // our own answers, and what does not exist
    }
}

/// The directory keeps others out unless the topology opens it to a group.
wire::Status AgentSession::check_user() const noexcept
{
    const bool is_known = peer_.uid == ::geteuid() || peer_.uid == 0 || !topology().group.empty();
    return is_known ? wire::Status::ok : wire::Status::other_user;
}

bool AgentSession::greet(Bytes message, Received &received)
{
    const auto hello = wire::take<wire::Hello>(message);
    if (!hello)
        return false;
    auto reply = wire::make<wire::HelloReply>(hello->serial);
    reply.process = process_.id();
    wire::put_text(reply.release, kRelease);
    reply.status = check_user();
    const bool is_tool = hello->process == ProcessId{};
    if (reply.status == wire::Status::ok && !is_tool) {
        if (std::strncmp(hello->release, reply.release, sizeof reply.release) != 0)
            reply.status = wire::Status::other_release;
        else if (!process_.registration().may_be(hello->process, peer_.pid))
            reply.status = wire::Status::not_permitted;
        else if (received.num_fds == 1)
            link_->set_peer(hello->process, PeerPage::map(received.fds[0].get(), hello->process));
        if (reply.status == wire::Status::ok && page() == nullptr)
            reply.status = received.has_lost_fds ? wire::Status::busy : wire::Status::bad_memory;
    }
    has_greeted_ = reply.status == wire::Status::ok;
    const int own_page = process_.page().fd();
    const bool is_sent = has_greeted_ && !is_tool ? send(reply, {&own_page, 1}) : send(reply);
    if (has_greeted_)
        return is_sent;
    agent_say(LogLevel::warning, "process %d (user %u) was refused: %s", peer_.pid, peer_.uid,
              reply.status == wire::Status::other_user
                  ? "it belongs to another user (see [fabric] group in the topology)"
              : reply.status == wire::Status::other_release ? "its libraries are of another release"
              : reply.status == wire::Status::not_permitted
                  ? "it says that it is another process of this fabric"
              : reply.status == wire::Status::busy
                  ? "this process has no descriptors left (ulimit -n)"
                  : "its status page is not in order");
    return is_sent; // the peer reads the reason and closes; until then the deadline holds
}

bool AgentSession::open_window(Bytes message)
{
    const auto request = wire::take<wire::OpenWindow>(message);
    if (!request)
        return false;
    auto reply = wire::make<wire::WindowReply>(request->serial);
    if (grants_.size() == wire::kMaxGrants) {
        reply.status = wire::Status::busy;
        return send(reply);
    }
    grants_.reserve(grants_.size() + 1);
    const bool is_channel = request->is_channel != 0;
    const auto window = process_.exports().grant(request->key, page(), is_channel);
    if (!window) {
        reply.status = wire::Status::no_such_key;
        return send(reply);
    }
    grants_.push_back({window->slot, window->generation, is_channel});
    reply.slot = window->slot;
    reply.generation = window->generation;
    reply.addr = window->addr;
    reply.len = window->len;
    reply.permissions = window->permissions;
    reply.side = process_.node().side == Side::dpu ? 1 : 0;
    wire::put_text(reply.node, process_.node().name.c_str());
    wire::put_text(reply.pci, window->pci.text().data());
    reply.probe_addr = reinterpret_cast<std::uintptr_t>(&process_.page().page().process);
    if (request->wants_tracing != 0)
        process_.agent().allow_tracer(peer_.pid);
    if (window->backing == nullptr || is_channel)
        return send(reply);
    reply.offset = window->backing->offset;
    const int memory = window->backing->fd.get();
    return send(reply, {&memory, 1});
}

bool AgentSession::close_window(Bytes message)
{
    const auto request = wire::take<wire::CloseWindow>(message);
    if (!request)
        return false;
    const auto found = std::find_if(grants_.begin(), grants_.end(), [&](const Grant &each) {
        return each.slot == request->slot && each.generation == request->generation;
    });
    if (found == grants_.end())
        return false;
    process_.exports().forget(found->slot, found->generation, page().get(), found->is_channel);
    grants_.erase(found);
    return true;
}

bool AgentSession::attach_staging(Bytes message, Received &received)
{
    const auto request = wire::take<wire::AttachStaging>(message);
    if (!request || staging_.is_valid())
        return false;
    auto reply = wire::make<wire::Reply>(request->serial);
    if (request->staging_len <= wire::kMaxStaging && received.num_fds == 1 &&
        is_memory(received.fds[0].get(), request->staging_len)) {
        staging_ = SharedMemory::map(received.fds[0].get(), 0, request->staging_len,
                                     SharedMemory::Access::read_write);
        staging_fd_ = std::move(received.fds[0]);
    }
    if (!staging_.is_valid())
        reply.status = wire::Status::bad_memory;
    return send(reply);
}

/// The kernel touches the program's memory for us: if it is not there we get an error. By the bare
/// calls, because sanitizers look at the memory in libc's.
bool AgentSession::move(bool is_write, std::uint64_t addr, std::uint64_t len,
                        std::uint64_t staging_offset) const noexcept
{
    const auto move_part = [&](std::uint64_t done) -> long {
        const iovec staging{staging_.data() + staging_offset + done, len - done};
        const iovec memory{reinterpret_cast<void *>(addr + done), len - done};
        const long num = ::syscall(is_write ? SYS_process_vm_writev : SYS_process_vm_readv,
                                   ::gettid(), &staging, 1L, &memory, 1L, 0L);
        if (num >= 0 || (errno != EPERM && errno != ENOSYS))
            return num;
        // A sandbox. Not at first, because these wait for others that use the file.
        return ::syscall(is_write ? SYS_pread64 : SYS_pwrite64, staging_fd_.get(), memory.iov_base,
                         memory.iov_len, staging_offset + done);
    };
    for (std::uint64_t done = 0; done < len;) {
        const long num = move_part(done);
        if (num < 0 && errno == EINTR)
            continue;
        if (num <= 0)
            return false;
        done += static_cast<std::uint64_t>(num);
    }
    return true;
}

/// The window may be stopped at any moment: each piece is guarded like an importer's copy.
wire::Status AgentSession::copy_piece(const wire::Copy &request, const wire::Piece &piece,
                                      std::uint64_t staging_offset, CopyMark &mark) const noexcept
{
    const bool is_write = request.is_write != 0;
    if (!process_.exports().allows(request.slot, request.generation, piece.addr, piece.len,
                                   is_write))
        return process_.exports().is_open(request.slot, request.generation)
                   ? wire::Status::not_permitted
                   : wire::Status::no_such_key;
    mark.begin(true);
    wire::Status status = wire::Status::no_such_key;
    if (process_.exports().is_open(request.slot, request.generation))
        status = move(is_write, piece.addr, piece.len, staging_offset) ? wire::Status::ok
                                                                       : wire::Status::bad_address;
    mark.end();
    return status;
}

bool AgentSession::copy(Bytes message, CopyMark &mark)
{
    const auto request = wire::take<wire::Copy>(message);
    if (!request || !staging_.is_valid() || request->num_pieces > wire::kMaxPieces ||
        request->slot >= kMaxWindows || request->staging_offset > staging_.size())
        return false;
    const bool is_granted = std::any_of(grants_.begin(), grants_.end(), [&](const Grant &each) {
        return each.slot == request->slot && each.generation == request->generation;
    });
    if (request->is_write != 0 && socket().has_hung_up()) { // whoever asked has given it up
        has_hung_up_ = true;
        return false;
    }
    auto reply = wire::make<wire::CopyReply>(request->serial);
    reply.status = is_granted ? wire::Status::ok : wire::Status::not_permitted;
    std::uint64_t offset = request->staging_offset;
    for (std::uint32_t i = 0; i < request->num_pieces && reply.status == wire::Status::ok; ++i) {
        const wire::Piece &piece = request->pieces[i];
        if (piece.len > staging_.size() - offset)
            return false;
        reply.status = copy_piece(*request, piece, offset, mark);
        offset += piece.len;
        if (reply.status == wire::Status::ok)
            ++reply.num_done;
    }
    return send(reply);
}

bool AgentSession::list(Bytes message)
{
    const auto request = wire::take<wire::List>(message);
    if (!request)
        return false;
    const std::vector<wire::ListRow> rows = process_.rows();
    const std::size_t first = std::min<std::size_t>(request->first_row, rows.size());
    const std::size_t num = std::min<std::size_t>(rows.size() - first, wire::kRowsPerList);
    auto reply = wire::make<wire::ListReply>(request->serial);
    reply.num_rows = static_cast<std::uint32_t>(num);
    reply.num_total = static_cast<std::uint32_t>(rows.size() - first);
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(first), num, reply.rows);
    return send(reply);
}

} // namespace softdoca
