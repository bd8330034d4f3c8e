// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "fabric/random_id.hpp"
#include "fabric/wire.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace softdoca {

class Channel;
class PairLink;
class Service;

/// The channels of this process, for the agent, which knows them by number. Threads: any.
class __attribute__((visibility("default"))) ChannelTable {
public:
    void add(const std::shared_ptr<Channel> &channel);
    /// The channel of that number, if it is one with the peer of this link.
    std::shared_ptr<Channel> find(std::uint64_t number, const PairLink &link) const;
    std::vector<std::shared_ptr<Channel>> all() const;
    /// The link has ended, and so have its channels.
    void lose(const PairLink &link);

private:
    mutable ForkSafeLock lock_;
    std::map<std::uint64_t, std::weak_ptr<Channel>> channels_;
};

/// The services of this process. Threads: any.
class __attribute__((visibility("default"))) ServiceTable {
public:
    void add(const std::shared_ptr<Service> &service);
    std::shared_ptr<Service> find(const RandomId &key) const;
    std::shared_ptr<Service> find(const std::string &scope, const std::string &name) const;
    /// For softdoca ls, with the numbers of clients among the connections that rows has.
    void add_rows(std::vector<wire::ListRow> &rows) const;

private:
    mutable ForkSafeLock lock_;
    std::vector<std::weak_ptr<Service>> services_;
};

} // namespace softdoca
