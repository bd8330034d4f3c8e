// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/shared_memory.hpp"
#include "base/unix_socket.hpp"
#include "fabric/descriptor.hpp"
#include "fabric/inspect.hpp"
#include "fabric/peer_link.hpp"
#include "fabric/status_page.hpp"

#include <doca_error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

/// Memory of another process, as its importer sees it. Addresses are always the exporter's.
///
///     route    bytes move by                              chosen when
///     mapped   the importer's own loads and stores        the memory is a sealed memfd
///     cross    process_vm_readv and _writev               the kernel lets us (probed at import)
///     agent    the exporter's agent, through staging      otherwise
///
/// Whatever the route, a copy counts only if is_valid() said yes before and after it, under a copy
/// mark (see StatusPage).
namespace softdoca {

/// A part of a copy: memory of ours, and where it is in the exporter.
struct CopyPiece {
    std::byte *near;
    std::uint64_t far;
    std::size_t len;
};

/// Why an import failed.
struct ImportFault {
    doca_error_t code = DOCA_SUCCESS;
    char text[400] = "";
};

class __attribute__((visibility("default"))) Window {
public:
    /// Asks the exporter, at most five seconds long. nullptr with *fault.
    /// function: the one of this process that imports. Throws std::bad_alloc.
    static std::unique_ptr<Window> import(std::span<const std::byte> descriptor,
                                          const Function &function, ImportFault *fault);
    ~Window();
    Window(const Window &) = delete;
    Window &operator=(const Window &) = delete;

    Route route() const noexcept { return route_; }
    /// Differs from that of every other window of this process: an address may come again.
    std::uint64_t serial() const noexcept { return serial_; }
    /// Expires with it.
    std::weak_ptr<const void> life() const noexcept { return life_; }
    std::uint64_t addr() const noexcept { return addr_; }
    std::uint64_t len() const noexcept { return len_; }
    std::uint32_t permissions() const noexcept { return permissions_; }
    pid_t exporter_pid() const noexcept { return pid_; }
    const char *exporter_side() const noexcept { return to_string(side_); }
    const char *reason() const noexcept { return reason_; }

    /// Does the exporter live, and still export? Two loads in its status page.
    bool is_valid() const noexcept
    {
        return generation_now_->load(std::memory_order_acquire) == generation_ &&
               PeerPage::is_alive(*death_word_) && !link_->is_gone();
    }
    /// Must a copy mark be set with a fence? (One side has no membarrier.)
    bool needs_fence() const noexcept { return needs_fence_; }
    /// What has to be added to an address of the exporter to reach it here; mapped only.
    std::ptrdiff_t distance() const noexcept { return distance_; }

    /// Cross only: copies the pieces in order by one system call. How many bytes were copied; fewer
    /// than asked for means that the piece there is not accessible (the reason in errno).
    std::size_t copy_across(bool is_write, std::span<const CopyPiece> pieces) const noexcept;
    static constexpr std::size_t kMaxPieces = wire::kMaxPieces;
    /// Cross only: the same for one piece; false unless all of it was copied. A short read goes
    /// through the exporter's /proc/PID/mem, the cheapest call for it.
    bool copy_one_across(bool is_write, const CopyPiece &piece) const noexcept;
    static constexpr std::size_t kShortRead = 4096; ///< bytes; the gain is gone at two pages

    /// Why is_valid() says no.
    void describe_end(std::span<char> text) const noexcept;
    wire::ListRow row() const noexcept;

private:
    friend class AgentChannel;

    Window();
    bool open(LocalProcess &self, const ExportDescriptor &descriptor, const Function &function,
              ImportFault *fault);
    bool check_sides(LocalProcess &self, const wire::WindowReply &reply, const Function &function,
                     ImportFault *fault) const;
    bool choose_route(const wire::WindowReply &reply, Received &received, ImportFault *fault);
    bool try_mapped(const wire::WindowReply &reply, Received &received) noexcept;
    bool try_cross(const wire::WindowReply &reply) noexcept;
    bool is_traceable(std::uint64_t probe_addr) noexcept;

    std::shared_ptr<PeerLink> link_;
    const std::atomic<std::uint64_t> *generation_now_ = nullptr; // in the link's page,
    const std::atomic<std::uint32_t> *death_word_ = nullptr;     // like this
    std::uint64_t generation_ = 0;
    std::uint64_t addr_ = 0;
    std::uint64_t len_ = 0;
    std::ptrdiff_t distance_ = 0;
    pid_t pid_ = 0;
    pid_t traced_ = 0;     // cross: a thread of the exporter, whose memory is its memory
    int short_reads_ = -1; // the link's PeerLink::memory_fd(), of the same memory
    Route route_ = Route::agent;
    bool needs_fence_ = false;

    const std::uint64_t serial_;
    const std::shared_ptr<const void> life_;
    std::uint32_t slot_ = 0;
    std::uint32_t permissions_ = 0;
    Side side_ = Side::host;
    ExportKey key_;
    SharedMemory memory_; // mapped
    LocalProcess *self_ = nullptr;
    char pci_[wire::kPciSize]{};     // of the importing function
    char reason_[wire::kNodeSize]{}; // why the route is no better one
};

/// A connection of one context to the exporter's agent, with memory through which both sides pass
/// what they copy. Never waits. Threads: one at a time.
class __attribute__((visibility("default"))) AgentChannel {
public:
    /// Connects; what the agent says about it comes with the first answer. nullptr if this process
    /// lacks something, or the exporter has gone. Throws std::bad_alloc.
    static std::unique_ptr<AgentChannel> open(const Window &window);
    ~AgentChannel();

    static constexpr std::size_t kStagingSize = 512 * 1024; ///< a copy of more is made in parts
    static_assert(kStagingSize <= wire::kMaxStaging);
    /// Room for what one request copies, in this process.
    std::span<std::byte> staging() const noexcept;
    /// Becomes readable when an answer comes, or the exporter ends.
    int fd() const noexcept { return socket_.fd(); }
    const Window &window() const noexcept { return window_; }

    /// Asks for a copy between the pieces, far memory only, and staging. False: the connection is
    /// broken.
    bool start(bool is_write, std::span<const CopyPiece> pieces) noexcept;
    enum class Answer { pending, arrived, broken };
    /// When it has arrived: how many whole pieces were copied, from the first.
    Answer poll(std::size_t *num_done) noexcept;

private:
    AgentChannel(const Window &window, UnixSocket &&socket, SharedMemory &&staging) noexcept
        : window_(window), socket_(std::move(socket)), staging_(std::move(staging))
    {
    }
    bool introduce(int staging_fd) noexcept;
    bool check_setup(std::span<const std::byte> message, const Received &received) const noexcept;

    const Window &window_;
    UnixSocket socket_;
    SharedMemory staging_;
    std::uint32_t num_setup_left_ = 3; // answers to hello, window, staging
    std::uint32_t serial_ = 0;
};

} // namespace softdoca
