// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/intrusive_list.hpp"
#include "base/process.hpp"
#include "base/unique_fd.hpp"
#include "fabric/status_page.hpp"

#include <doca_pe.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace softdoca {

class BellTarget;
class Doorbells;
class OwnBell;
struct RandomId;

// The lists of a progress engine that a context can be in.
struct ConnectedList; ///< all of its contexts
struct ReadyList;     ///< those that have something to deliver
struct PolledList;    ///< those whose task another process is carrying out
struct WaitingList;   ///< those in STARTING or STOPPING, or polled

} // namespace softdoca

/// Executes tasks and delivers what happened, one thing a call. A context that has something to
/// deliver puts itself on the ready list, so a turn costs the same whatever the number of contexts.
/// Threads: one at a time, the caller's; all callbacks run in it.
struct __attribute__((visibility("default"))) doca_pe {
public:
    doca_pe() noexcept;
    ~doca_pe();
    doca_pe(const doca_pe &) = delete;
    doca_pe &operator=(const doca_pe &) = delete;

    /// One turn; 1 if a completion, event or state change was delivered.
    std::uint8_t progress() noexcept;

    [[nodiscard]] doca_error_t connect(doca_ctx &ctx) noexcept;
    [[nodiscard]] doca_error_t check_destroy() const noexcept;
    std::size_t num_inflight_tasks() const noexcept;
    bool is_inherited() const noexcept { return owner_.is_another(); }

    [[nodiscard]] doca_error_t notification_handle(int *handle) noexcept;
    [[nodiscard]] doca_error_t request_notification() noexcept;
    [[nodiscard]] doca_error_t clear_notification() noexcept;

    // For contexts.
    void make_ready(doca_ctx &ctx) noexcept;
    /// The context at the front stays ready but others come first.
    void rotate_ready() noexcept { ready_.rotate(); }
    void add_waiting(doca_ctx &ctx) noexcept;
    /// Gets a turn in each progress call, until it is ready or leaves by itself.
    void add_polled(doca_ctx &ctx) noexcept;
    /// The engine's handle becomes readable whenever this descriptor is. Until unwatch(), or until
    /// it is closed.
    [[nodiscard]] bool watch(int fd) noexcept;
    void unwatch(int fd) noexcept;
    bool is_in_callback() const noexcept { return is_in_callback_; }
    /// What wakes this engine; made at the first call. Throws std::bad_alloc.
    softdoca::Doorbells &doorbells();
    /// Its bell for that peer; nullptr with errno. Throws std::bad_alloc.
    softdoca::OwnBell *bell_for(const softdoca::RandomId &peer);
    /// Gives a bit back; the last one ends the bell, so that peers who have gone cost nothing.
    void release_bit(softdoca::OwnBell &bell, std::uint32_t bit) noexcept;
    /// Doorbells::start_ticking(), and wakes for it too.
    [[nodiscard]] bool start_ticking(softdoca::BellTarget &target);
    void stop_ticking(softdoca::BellTarget &target) noexcept;
    /// For copies that this engine's thread makes into memory of peers; nullptr: there are no marks
    /// left, or this process is no member of a fabric.
    softdoca::CopyMark *copy_mark();
    /// A call that was in vain, to be repeated: counts like an empty turn.
    std::uint8_t empty_turn() noexcept;

    /// Lives while a call of the program, outside of turns, may run callbacks.
    class CallbackScope {
    public:
        explicit CallbackScope(doca_pe &pe) noexcept : pe_(pe), outer_(pe.is_in_callback_)
        {
            pe_.is_in_callback_ = true;
        }
        ~CallbackScope() { pe_.is_in_callback_ = outer_; }
        CallbackScope(const CallbackScope &) = delete;
        CallbackScope &operator=(const CallbackScope &) = delete;

    private:
        doca_pe &pe_;
        const bool outer_;
    };

private:
    [[gnu::cold, gnu::noinline]] void make_polled_ready() noexcept;
    [[gnu::noinline]] void look_at_doorbells() noexcept;
    bool watch_doorbells() noexcept;
    bool add_to_handle(int fd, std::uint32_t events) noexcept;
    void yield_and_report() noexcept;
    void report_waits() noexcept;
    void wake() noexcept;
    [[nodiscard]] doca_error_t open_handle() noexcept;
    [[nodiscard]] doca_error_t drain() noexcept;

    softdoca::IntrusiveList<doca_ctx, softdoca::ReadyList> ready_;
    softdoca::IntrusiveList<doca_ctx, softdoca::PolledList> polled_;
    softdoca::OwnerProcess owner_;
    std::uint32_t num_busy_turns_ = 0;
    std::unique_ptr<softdoca::Doorbells> doorbells_; // nullptr: no peer was ever met
    bool is_in_callback_ = false;                    // or may be: in a turn
    bool has_suspended_ = false;                     // this turn, a task
    bool is_armed_ = false;        // the next context that becomes ready makes the handle readable
    bool may_be_readable_ = false; // the handle

    softdoca::CopyMark copy_mark_;
    softdoca::IntrusiveList<doca_ctx, softdoca::ConnectedList> connected_;
    softdoca::IntrusiveList<doca_ctx, softdoca::WaitingList> waiting_;
    softdoca::UniqueFd handle_; // an epoll descriptor, so that more than one thing can wake
    softdoca::UniqueFd event_;  // an eventfd in it: the engine's own wake-ups
};
