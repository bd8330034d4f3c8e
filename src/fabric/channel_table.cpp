// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/channel_table.hpp"

#include "fabric/channel.hpp"
#include "fabric/service.hpp"

#include <algorithm>
#include <mutex>

namespace softdoca {

void ChannelTable::add(const std::shared_ptr<Channel> &channel)
{
    const std::scoped_lock lock(lock_);
    std::erase_if(channels_, [](const auto &each) { return each.second.expired(); });
    channels_.emplace(channel->number(), channel);
}

std::shared_ptr<Channel> ChannelTable::find(std::uint64_t number, const PairLink &link) const
{
    const std::scoped_lock lock(lock_);
    const auto found = channels_.find(number);
    auto channel = found == channels_.end() ? nullptr : found->second.lock();
    return channel != nullptr && &channel->link() == &link ? channel : nullptr;
}

std::vector<std::shared_ptr<Channel>> ChannelTable::all() const
{
    std::vector<std::shared_ptr<Channel>> channels;
    const std::scoped_lock lock(lock_);
    for (const auto &each : channels_)
        if (auto channel = each.second.lock())
            channels.push_back(std::move(channel));
    return channels;
}

void ChannelTable::lose(const PairLink &link)
{
    for (const auto &channel : all())
        if (&channel->link() == &link)
            channel->lose();
}

void ServiceTable::add(const std::shared_ptr<Service> &service)
{
    const std::scoped_lock lock(lock_);
    std::erase_if(services_, [](const auto &each) { return each.expired(); });
    services_.push_back(service);
}

std::shared_ptr<Service> ServiceTable::find(const RandomId &key) const
{
    const std::scoped_lock lock(lock_);
    for (const auto &each : services_)
        if (auto service = each.lock();
            service != nullptr && service->key().is_equal_secret(key) && !service->is_ended())
            return service;
    return nullptr;
}

std::shared_ptr<Service> ServiceTable::find(const std::string &scope, const std::string &name) const
{
    const std::scoped_lock lock(lock_);
    for (const auto &each : services_)
        if (auto service = each.lock();
            service != nullptr && service->is_called(scope, name) && !service->is_ended())
            return service;
    return nullptr;
}

/// No service is held beyond the lock: if its context lets go of it meanwhile, it ends here, before
/// another one of its name can be looked for.
void ServiceTable::add_rows(std::vector<wire::ListRow> &rows) const
{
    const auto is_client = [](const wire::ListRow &row, const RandomId &key) {
        return row.kind == wire::RowKind::connection && row.is_alive != 0 &&
               row.comch.is_server != 0 && row.comch.is_accepted != 0 && row.comch.service == key;
    };
    const std::scoped_lock lock(lock_);
    for (const auto &each : services_) {
        const auto service = each.lock();
        if (service == nullptr)
            continue;
        wire::ListRow row;
        row.kind = wire::RowKind::server;
        row.is_alive = 1;
        row.comch.service = service->key();
        row.comch.num = static_cast<std::uint32_t>(
            std::count_if(rows.begin(), rows.end(), [&](const wire::ListRow &other) {
                return is_client(other, service->key());
            }));
        row.comch.max_num = service->max_clients();
        rows.push_back(row);
    }
}

} // namespace softdoca
