// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/local_process.hpp"

#include "base/log_sink.hpp"
#include "fabric/agent_log.hpp"
#include "fabric/channel.hpp"
#include "fabric/pair_link.hpp"
#include "fabric/peer_link.hpp"
#include "fabric/role.hpp"
#include "fabric/window.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

LOG_SOURCE("FABRIC::PROCESS");

namespace softdoca {

namespace {

constinit ForkSafeLock entry_lock; // while this process becomes a member
constinit std::atomic<LocalProcess *> member{nullptr};

} // namespace

LocalProcess::LocalProcess(const ProcessId &id, const Node &node, std::unique_ptr<OwnPage> page,
                           std::unique_ptr<Registration> registration)
    : id_(id), node_(node), page_(std::move(page)), registration_(std::move(registration)),
      exports_(*page_), agent_(*this)
{
}

LocalProcess *LocalProcess::get(std::string *why)
{
    pass_on_agent_log();
    LocalProcess *known = member.load(std::memory_order_acquire);
    if (known != nullptr && !known->owner_.is_another())
        return known;
    std::string said = "this process belongs to no node of the topology (SOFTDOCA_ROLE)";
    const Node *const node = local_node();
    LocalProcess *const entered = node == nullptr ? nullptr : enter_once(*node, said);
    if (entered == nullptr && why != nullptr)
        *why = said;
    if (entered != nullptr) // without the lock: a log backend may be the program's own code
        LOG_INF("%s", said.c_str());
    return entered;
}

/// Several threads may come at once. why: what there is to say.
LocalProcess *LocalProcess::enter_once(const Node &node, std::string &why)
{
    const std::scoped_lock lock(entry_lock);
    LocalProcess *const known = member.load(std::memory_order_relaxed);
    if (known != nullptr && !known->owner_.is_another())
        return known;
    why.clear();
    std::unique_ptr<LocalProcess> entered = enter(node, why);
    if (entered == nullptr)
        return nullptr;
    if (known == nullptr)
        std::atexit(&LocalProcess::leave);
    why = "this process takes part in " + entered->registration_->directory() + " as " + node.name +
          " (" + entered->id_.text() + ")";
    entered->parents_ = known;
    member.store(entered.get(), std::memory_order_release);
    return entered.release();
}

std::unique_ptr<LocalProcess> LocalProcess::enter(const Node &node, std::string &why)
{
    const ProcessId id = ProcessId::make();
    auto page = OwnPage::create(id);
    if (page == nullptr) {
        why = std::string("there is no shared memory for peers: ") + std::strerror(errno);
        return nullptr;
    }
    auto registration = Registration::enter(id, node, why);
    if (registration == nullptr)
        return nullptr;
    std::unique_ptr<LocalProcess> entered(
        new LocalProcess(id, node, std::move(page), std::move(registration)));
    if (!entered->agent_.start()) {
        why = std::string("the thread that serves peers cannot be started: ") +
              std::strerror(errno) + " (ulimit -u, -n)";
        entered->registration_->leave();
        return nullptr;
    }
    entered->wait_until_agent_runs(); // peers must find the death word held
    return entered;
}

/// At a normal exit the names go at once; else the next process removes them.
void LocalProcess::leave() noexcept
{
    LocalProcess *const known = member.load(std::memory_order_acquire);
    if (known != nullptr && !known->owner_.is_another())
        known->registration_->leave();
}

void LocalProcess::tell_agent_runs() noexcept
{
    is_agent_running_.store(true, std::memory_order_release);
}

void LocalProcess::wait_until_agent_runs() noexcept
{
    while (!is_agent_running_.load(std::memory_order_acquire))
        sched_yield();
}

std::shared_ptr<PeerLink> LocalProcess::link_to(const ProcessId &peer, Clock::time_point deadline,
                                                LinkFault *fault)
{
    *fault = LinkFault::none;
    {
        const std::scoped_lock lock(lock_);
        const auto found = links_.find(peer.low);
        const auto known = found == links_.end() ? nullptr : found->second.lock();
        if (known != nullptr && known->peer() == peer && known->is_alive())
            return known;
    }
    auto link = PeerLink::open(*this, peer, deadline, fault); // two threads: both are good
    if (link == nullptr)
        return nullptr;
    const std::scoped_lock lock(lock_);
    std::erase_if(links_, [](const auto &each) { return each.second.expired(); });
    links_[peer.low] = link;
    return link;
}

std::shared_ptr<PairLink> LocalProcess::pair_with(const ProcessId &peer, Clock::time_point deadline,
                                                  LinkFault *fault)
{
    const std::scoped_lock one(pairing_);
    *fault = LinkFault::none;
    {
        const std::scoped_lock lock(lock_);
        for (const auto &each : pairs_)
            if (auto pair = each.lock();
                pair != nullptr && pair->peer() == peer && !pair->is_gone())
                return pair;
    }
    if (is_known_silent(peer)) {
        *fault = LinkFault::silent;
        return nullptr;
    }
    auto greeted = greet_agent(*this, peer, deadline, fault);
    note_silence(peer, *fault == LinkFault::silent);
    if (!greeted)
        return nullptr;
    auto pair = std::make_shared<PairLink>(std::move(greeted->socket), greeted->pid);
    pair->set_peer(peer, std::move(greeted->page));
    if (!agent_.serve_pair(pair)) {
        *fault = LinkFault::no_resources;
        return nullptr;
    }
    add_pair(pair);
    return pair;
}

/// Whoever asks a process that stands still waits for a while, and may be an engine's only thread:
/// so of those that were silent before one is asked in each pause, in turn.
bool LocalProcess::is_known_silent(const ProcessId &peer) const noexcept
{
    constexpr auto kTurn = std::chrono::seconds(1); // then nobody asks for the one whose turn it is
    if (std::find(silent_.begin(), silent_.end(), peer) == silent_.end())
        return false;
    const auto now = Clock::now();
    return now < next_probe_ || (!(silent_.front() == peer) && now < next_probe_ + kTurn);
}

void LocalProcess::note_silence(const ProcessId &peer, bool is_silent)
{
    constexpr auto kPause = std::chrono::seconds(2);
    std::erase(silent_, peer);
    if (!is_silent)
        return;
    silent_.push_back(peer);
    next_probe_ = Clock::now() + kPause;
}

void LocalProcess::add_pair(const std::shared_ptr<PairLink> &pair)
{
    const std::scoped_lock lock(lock_);
    std::erase_if(pairs_, [](const auto &each) { return each.expired(); });
    pairs_.push_back(pair);
}

void LocalProcess::retire(std::uint64_t bell_id) noexcept
{
    const std::scoped_lock lock(lock_);
    for (const auto &each : pairs_)
        if (const auto pair = each.lock())
            pair->retire(bell_id);
}

void LocalProcess::add(const Window &window)
{
    const std::scoped_lock lock(lock_);
    windows_.push_back(&window);
}

void LocalProcess::remove(const Window &window) noexcept
{
    const std::scoped_lock lock(lock_);
    std::erase(windows_, &window);
}

std::vector<wire::ListRow> LocalProcess::rows() const
{
    std::vector<wire::ListRow> rows;
    for (const ExportTable::Row &each : exports_.rows()) {
        wire::ListRow row;
        row.addr = each.window.addr;
        row.len = each.window.len;
        row.permissions = each.window.permissions;
        row.num_imports = each.num_imports;
        row.kind = wire::RowKind::exported;
        row.is_alive = 1;
        wire::put_text(row.pci, each.window.pci.text().data());
        rows.push_back(row);
    }
    {
        const std::scoped_lock lock(lock_);
        for (const Window *const window : windows_)
            rows.push_back(window->row());
    }
    for (const auto &channel : channels_.all())
        channel->add_rows(rows);
    services_.add_rows(rows);
    return rows;
}

} // namespace softdoca
