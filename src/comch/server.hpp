// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch/control_context.hpp"
#include "common/dev_rep.hpp"
#include "fabric/service.hpp"

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

/// Serves a name on a host function; each client is a connection. A client is admitted by the turn
/// that delivers its connect event. Threads: that of the progress engine.
struct doca_comch_server final : softdoca::ControlContext {
public:
    doca_comch_server(doca_dev &dev, doca_dev_rep &rep, const char *name);
    ~doca_comch_server() override;

    doca_dev_rep &rep() const noexcept { return rep_; }
    [[nodiscard]] doca_error_t
    set_connection_cbs(doca_comch_event_connection_status_changed_cb_t on_connect,
                       doca_comch_event_connection_status_changed_cb_t on_disconnect) noexcept;
    [[nodiscard]] doca_error_t disconnect(doca_comch_connection *handle) noexcept;

private:
    using Handle = const doca_comch_connection *;

    std::shared_ptr<doca_comch_connection> find_connection(Handle handle) noexcept override;
    bool on_peer_gone(doca_comch_connection &connection, bool was_lost) noexcept override;
    void on_bell() noexcept override;
    doca_error_t check_start() const noexcept override;
    doca_error_t on_start() override;
    bool on_turn() noexcept override;
    bool has_event() const noexcept override
    {
        return !arrivals_.empty() || ControlContext::has_event();
    }
    doca_error_t check_stop() const noexcept override;
    bool stops_at_once() const noexcept override { return connections_.empty(); }
    void on_stop() noexcept override;
    bool is_drained() noexcept override;
    void on_idle() noexcept override { close_common(); }
    void report_unfinished() noexcept override;

    bool waits_for_goodbyes() noexcept;
    bool admit_next() noexcept;
    bool admit(std::shared_ptr<softdoca::Channel> channel) noexcept;
    bool refuse(std::shared_ptr<softdoca::Channel> channel) noexcept;
    void answer(softdoca::Channel &channel, softdoca::Admission admission) noexcept;
    void remove(doca_comch_connection &connection) noexcept;

    doca_dev_rep &rep_;
    const softdoca::RepresentorHold rep_hold_;
    doca_comch_event_connection_status_changed_cb_t on_connect_ = nullptr;
    doca_comch_event_connection_status_changed_cb_t on_disconnect_ = nullptr;
    std::shared_ptr<softdoca::Service> service_; // while RUNNING
    std::deque<std::shared_ptr<softdoca::Channel>> arrivals_;
    std::uint32_t num_waits_ = 0; // turns that the first one has waited for goodbyes
    std::unordered_map<Handle, std::shared_ptr<doca_comch_connection>> connections_;
    // Those that the server has ended, until the peer's queue has taken what was sent before.
    std::vector<std::shared_ptr<doca_comch_connection>> leaving_;
    // The last ones that ended, so that a stale handle is not at once a new connection's.
    std::deque<std::shared_ptr<doca_comch_connection>> ended_;
};
