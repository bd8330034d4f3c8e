// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/buf.hpp"
#include "common/task.hpp"
#include "dma/copy_engine.hpp"
#include "fabric/window.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softdoca {

/// Why a copy that was in order failed all the same.
struct RemoteFault {
    enum class Cause {
        none,
        window_ended, ///< its exporter has gone, or stopped the export
        bad_address,  ///< memory there is not accessible
        no_channel,   ///< no connection to the exporter's agent
        no_resources, ///< of this process
    };

    Cause cause = Cause::none;
    const Window *window = nullptr;
    std::uint64_t addr = 0; ///< of the exporter, with bad_address
    int error = 0;          ///< errno, or 0
};

/// Copies with an import on one side or both, one task at a time. A list is cut into pieces; pieces
/// between this process and one window go there together, by one system call (cross) or one request
/// (agent), and so do tasks that follow in the queue and fit. Pieces between two windows go through
/// a buffer of ours.
///
///     step       pieces of one direction between near memory and one window
///     near       memory that this process reaches by loads and stores: its own, or mapped
///     far        memory behind a cross or agent window
class RemoteCopy {
public:
    explicit RemoteCopy(const CopyEngine &engine) noexcept : engine_(engine) {}

    enum class Outcome {
        done,
        pending, ///< ask again with the same task
        failed,  ///< see fault()
    };
    /// Carries out a checked copy of num_bytes. queue: the tasks behind it, of which the first
    /// num_extra_done() were carried out too when the outcome is done.
    Outcome copy(doca_pe &pe, const doca_task &task, std::uint64_t num_bytes,
                 const TaskQueue &queue) noexcept;
    std::size_t num_extra_done() const noexcept { return num_extra_done_; }
    const RemoteFault &fault() const noexcept { return fault_; }

    /// Is a copy under way that the exporter's agent carries out?
    bool is_pending() const noexcept { return current_ != nullptr; }
    /// Gives it up: what the agent still does has no effect here.
    void abandon() noexcept;
    /// The window that a pending copy waits for.
    const Window &awaited() const noexcept { return *step_.window; }

    /// A copy that CopyEngine::is_simple_import() said so of, at once, by as few steps as possible.
    /// False says nothing: the general way has to be gone.
    bool copy_simple(const doca_buf &src, doca_buf &dst, const TaskQueue &queue,
                     CopyEngine &engine) noexcept
    {
        const bool is_write = src.mmap()->window() == nullptr;
        const Window &window = *(is_write ? dst : src).mmap()->window();
        const bool is_mapped = window.route() == Route::mapped;
        if (!is_mapped && (window.route() != Route::cross || !queue.empty()))
            return false; // several go together
        if (!mark_.is_acquired())
            return false;
        const std::size_t len = src.data_len();
        std::byte *const from = src.data();
        std::byte *const to = dst.data() + dst.data_len();
        mark_.begin(window.needs_fence());
        bool is_done = window.is_valid();
        if (is_done && is_mapped) {
            engine.move(is_write ? to + window.distance() : to,
                        is_write ? from : from + window.distance(), len);
            std::atomic_thread_fence(std::memory_order_acquire); // then the second look
        } else if (is_done) {
            is_done = is_write ? window.copy_one_across(true, {from, number_of(to), len})
                               : window.copy_one_across(false, {to, number_of(from), len});
        }
        is_done = is_done && window.is_valid();
        mark_.end();
        if (is_done)
            dst.set_data_len(dst.data_len() + len);
        return is_done;
    }

    /// Copies between near memory of which some is mapped: as the engine does, but it counts only
    /// if the exporters live and export, before and after.
    bool copy_near(const doca_buf *src, doca_buf *dst, std::uint64_t num_bytes,
                   CopyEngine &engine) noexcept;

private:
    /// A place in a list: in the data of a source, in the tailroom of a destination.
    struct Cursor {
        const doca_buf *buf = nullptr;
        std::size_t offset = 0;
    };
    struct Step {
        const Window *window = nullptr;
        bool is_write = false;
        std::size_t num = 0;     // pieces
        std::size_t num_own = 0; // of them, those of the current task
        std::size_t size = 0;    // bytes
        std::array<CopyPiece, Window::kMaxPieces> pieces;
    };

    static std::uint64_t number_of(const std::byte *address) noexcept
    {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    Outcome copy_guarded(doca_pe &pe, const doca_task &task, std::uint64_t num_bytes,
                         const TaskQueue &queue);
    void begin(const doca_task &task, std::uint64_t num_bytes) noexcept;
    Outcome go_on(const TaskQueue &queue);
    bool build_step();
    bool add_piece(std::size_t len);
    bool add_bounce_read(const Window &window, std::size_t len);
    void add_bounce_write();
    bool move_near(std::size_t len);
    void add_queued(const TaskQueue &queue);
    bool is_companion(const doca_task &task) const noexcept;
    void advance(Cursor &cursor, std::size_t len) noexcept;
    Outcome execute();
    Outcome execute_across();
    Outcome start_agent();
    Outcome poll_agent();
    void stop_waiting() noexcept;
    Outcome finish(std::size_t num_done);
    Outcome fail(RemoteFault::Cause cause, int error = 0) noexcept;
    AgentChannel *channel_to(const Window &window);
    bool has_mark() noexcept;

    const CopyEngine &engine_;
    doca_pe *pe_ = nullptr; // of the context; its handle is to wake for answers
    CopyMark mark_;
    RemoteFault fault_;

    const doca_task *current_ = nullptr; // while pending
    Cursor src_, dst_;
    std::uint64_t num_left_ = 0; // not yet in a step
    Step step_;
    bool is_waiting_ = false; // for the agent's answer about step_
    std::size_t num_extra_done_ = 0;
    std::unique_ptr<std::byte[]> bounce_;
    std::size_t num_bounced_ = 0; // in bounce_, to be written

    struct Channel {
        std::uint64_t window_serial;
        std::weak_ptr<const void> window_life;
        std::unique_ptr<AgentChannel> channel;
    };
    std::vector<Channel> channels_;
    AgentChannel *channel_ = nullptr; // of step_
};

} // namespace softdoca
