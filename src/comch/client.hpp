// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "comch/control_context.hpp"
#include "fabric/peer_link.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// Connects to the server of its name on its function. In STARTING it looks for the server's record
/// whenever the engine ticks, asks the server's agent for a channel, and waits until the server has
/// admitted it. Threads: that of the progress engine.
struct doca_comch_client final : softdoca::ControlContext {
public:
    doca_comch_client(doca_dev &dev, const char *name) : ControlContext(dev, "client", name) {}
    ~doca_comch_client() override;

    [[nodiscard]] doca_error_t get_connection(doca_comch_connection **out) const noexcept;

private:
    std::shared_ptr<doca_comch_connection>
    find_connection(const doca_comch_connection *handle) noexcept override;
    bool on_peer_gone(doca_comch_connection &connection, bool was_lost) noexcept override;
    doca_error_t check_start() const noexcept override;
    doca_error_t on_start() override;
    bool on_turn() noexcept override;
    doca_error_t check_stop() const noexcept override;
    bool stops_at_once() const noexcept override { return false; }
    void on_stop() noexcept override;
    bool is_drained() noexcept override;
    void on_idle() noexcept override;
    void report_unfinished() noexcept override;

    bool go_on_connecting() noexcept;
    std::string what_it_waits_for() const;
    bool take_answer() noexcept;
    void look_for_server();
    void give_up_channel() noexcept;
    bool is_too_late() noexcept;
    void stop_ticking() noexcept;

    std::string fabric_; // while it is not IDLE
    std::string scope_;
    bool is_ticking_ = false;
    bool has_slowed_ = false;
    std::chrono::steady_clock::time_point started_{};
    std::chrono::steady_clock::time_point next_look_{};
    softdoca::LinkFault fault_{};                       // of the last look
    std::optional<std::chrono::milliseconds> patience_; // SOFTDOCA_COMCH_TIMEOUT_MS
    std::shared_ptr<doca_comch_connection> connection_; // stays readable until the next start
};
