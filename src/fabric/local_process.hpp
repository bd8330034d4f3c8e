// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "fabric/agent.hpp"
#include "fabric/channel_table.hpp"
#include "fabric/registry.hpp"
#include "fabric/status_page.hpp"
#include "fabric/window_export.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace softdoca {

class PairLink;
class PeerLink;
class Window;
enum class LinkFault : std::uint8_t;

/// This process as a member of the fabric: its name, record, status page, agent, what it exports
/// and whom it is connected to. Made when something is exported or imported first, and never
/// destroyed: threads of the program may use it until the end. A forked child that exports or
/// imports becomes a member of its own.
class __attribute__((visibility("default"))) LocalProcess {
public:
    /// Makes this process a member at the first call. nullptr if that is impossible, and why.
    /// Throws std::bad_alloc.
    static LocalProcess *get(std::string *why = nullptr);

    const ProcessId &id() const noexcept { return id_; }
    const Node &node() const noexcept { return node_; }
    Registration &registration() noexcept { return *registration_; }
    OwnPage &page() noexcept { return *page_; }
    ExportTable &exports() noexcept { return exports_; }
    Agent &agent() noexcept { return agent_; }
    ChannelTable &channels() noexcept { return channels_; }
    ServiceTable &services() noexcept { return services_; }

    /// The link to a peer, made if there is none that lives. nullptr with *fault.
    std::shared_ptr<PeerLink> link_to(const ProcessId &peer, Clock::time_point deadline,
                                      LinkFault *fault);

    /// The link for channels with a server's process, likewise.
    std::shared_ptr<PairLink> pair_with(const ProcessId &peer, Clock::time_point deadline,
                                        LinkFault *fault);
    /// An engine's bell has ended.
    void retire(std::uint64_t bell_id) noexcept;
    /// For the agent: a link for channels lives from its first message to its end.
    void add_pair(const std::shared_ptr<PairLink> &pair);

    void add(const Window &window);
    void remove(const Window &window) noexcept;
    /// What softdoca ls shows.
    std::vector<wire::ListRow> rows() const;

    /// By the agent thread, once its death word is held.
    void tell_agent_runs() noexcept;

private:
    bool is_known_silent(const ProcessId &peer) const noexcept;
    void note_silence(const ProcessId &peer, bool is_silent);
    LocalProcess(const ProcessId &id, const Node &node, std::unique_ptr<OwnPage> page,
                 std::unique_ptr<Registration> registration);
    static LocalProcess *enter_once(const Node &node, std::string &why);
    static std::unique_ptr<LocalProcess> enter(const Node &node, std::string &why);
    static void leave() noexcept;
    void wait_until_agent_runs() noexcept;

    const ProcessId id_;
    const Node &node_;
    std::unique_ptr<OwnPage> page_;
    std::unique_ptr<Registration> registration_;
    ExportTable exports_;
    ChannelTable channels_;
    ServiceTable services_;
    Agent agent_;
    std::atomic<bool> is_agent_running_{false};
    LocalProcess *parents_ = nullptr; // of the process that forked this one; for leak checkers
    OwnerProcess owner_;

    mutable ForkSafeLock lock_;                              // guards what follows
    std::map<std::uint64_t, std::weak_ptr<PeerLink>> links_; // by the low half of the peer's id
    std::vector<std::weak_ptr<PairLink>> pairs_;
    std::vector<const Window *> windows_;
    ForkSafeLock pairing_;          // one at a time connects; guards what follows
    std::vector<ProcessId> silent_; // that did not greet in time
    std::chrono::steady_clock::time_point next_probe_{};
};

} // namespace softdoca
