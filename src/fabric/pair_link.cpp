// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/pair_link.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <mutex>

namespace softdoca {

namespace {

/// Bells that a peer may announce, one for each of its engines: each costs a descriptor here, and
/// other peers need some too.
std::size_t max_bells() noexcept
{
    constexpr std::size_t kShare = 2, kMin = 16, kMax = 4096;
    rlimit descriptors{};
    ::getrlimit(RLIMIT_NOFILE, &descriptors);
    return std::clamp<std::size_t>(descriptors.rlim_cur / kShare, kMin, kMax);
}

} // namespace

void PairLink::hang_up() noexcept
{
    is_gone_.store(true, std::memory_order_release);
    ::shutdown(socket_.fd(), SHUT_RDWR); // a context may hold this object for long
}

bool PairLink::announce(const OwnBell &bell)
{
    const std::scoped_lock lock(lock_); // also keeps later messages behind it
    if (std::find(announced_.begin(), announced_.end(), bell.id()) != announced_.end())
        return true;
    announced_.reserve(announced_.size() + 1);
    auto message = wire::make<wire::AnnounceBell>();
    message.bell_id = bell.id();
    const int fds[] = {bell.memory_fd(), bell.event_fd()};
    if (!tell(message, fds))
        return false;
    announced_.push_back(bell.id());
    return true;
}

void PairLink::retire(std::uint64_t bell_id) noexcept
{
    const std::scoped_lock lock(lock_);
    if (std::erase(announced_, bell_id) == 0)
        return;
    auto message = wire::make<wire::RetireBell>();
    message.bell_id = bell_id;
    (void)tell(message); // if it cannot be told, the peer keeps a little memory until we part
}

bool PairLink::add_bell(std::shared_ptr<PeerBell> bell)
{
    const std::scoped_lock lock(lock_);
    return bells_.size() < max_bells() && bells_.emplace(bell->id(), std::move(bell)).second;
}

void PairLink::remove_bell(std::uint64_t id) noexcept
{
    const std::scoped_lock lock(lock_);
    bells_.erase(id);
}

std::shared_ptr<PeerBell> PairLink::find_bell(std::uint64_t id) const noexcept
{
    const std::scoped_lock lock(lock_);
    const auto found = bells_.find(id);
    return found == bells_.end() ? nullptr : found->second;
}

} // namespace softdoca
