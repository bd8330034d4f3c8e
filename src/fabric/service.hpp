// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/process_fd.hpp"
#include "fabric/channel.hpp"
#include "fabric/random_id.hpp"
#include "fabric/topology.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Services by name: in the fabric directory, s/<hash of function and name> is the record of one,
/// locked by its server's process for as long as it serves. A record that is not locked is left
/// over.
namespace softdoca {

class LocalProcess;

/// The names of one host function's services are apart from those of all others.
[[gnu::visibility("default")]] std::string service_scope(const Function &function);
/// That function, for people: its PCI address, and of an SF its number.
[[gnu::visibility("default")]] std::string function_of_scope(std::string_view scope);

/// What a record says.
struct ServiceRecord {
    ProcessId process;
    pid_t pid = 0;
    RandomId key;      ///< of this start of it
    std::string scope; ///< see service_scope()
    std::string name;  ///< any bytes
};

/// The service of that name which somebody serves now.
[[gnu::visibility("default")]] std::optional<ServiceRecord>
find_service(const std::string &fabric, std::string_view scope, std::string_view name);
/// All that are served.
[[gnu::visibility("default")]] std::vector<ServiceRecord> list_services(const std::string &fabric);
/// Names (s/...) of records that are left over.
std::vector<std::string> service_leftovers(const std::string &fabric);
/// Removes a record if nobody holds it: by now its name may be that of one which is served.
void remove_stale_service(const std::string &path);

/// A service of this process. Ends with the object. Threads: any.
class __attribute__((visibility("default"))) Service {
public:
    enum class Fault { none, exists, no_resources };
    /// nullptr with *fault. owner: hears of clients that want to connect. *holder: who serves it.
    static std::shared_ptr<Service> open(LocalProcess &process, const Function &function,
                                         std::string_view name, const wire::ChannelConfig &config,
                                         const ChannelListener &owner, Fault *fault,
                                         ServiceRecord *holder);
    ~Service();
    Service(const Service &) = delete;
    Service &operator=(const Service &) = delete;

    const RandomId &key() const noexcept { return record_.key; }
    const wire::ChannelConfig &config() const noexcept { return config_; }
    const ServiceRecord &record() const noexcept { return record_; }
    std::uint32_t max_clients() const noexcept { return max_clients_; }
    bool is_ended() const noexcept
    {
        const std::scoped_lock lock(lock_);
        return is_ended_;
    }
    bool is_called(const std::string &scope, const std::string &name) const noexcept
    {
        return record_.scope == scope && record_.name == name;
    }

    /// From now on there is no such service; clients at the door are turned away.
    void end() noexcept;

    /// For the agent: a client is at the door.
    void add(std::shared_ptr<Channel> channel);
    /// Those who came since the last call.
    std::vector<std::shared_ptr<Channel>> take_arrivals();

private:
    Service(const wire::ChannelConfig &config, std::uint32_t max_clients,
            const ChannelListener &owner) noexcept
        : config_(config), max_clients_(max_clients), owner_(owner)
    {
    }
    Fault enter(const std::string &fabric, mode_t mode, ServiceRecord *holder);

    const wire::ChannelConfig config_;
    const std::uint32_t max_clients_;
    const ChannelListener owner_;
    ServiceRecord record_;
    std::string path_;
    ProcessFd file_; // locked
    static void turn_away(Channel &channel) noexcept;

    mutable ForkSafeLock lock_;
    bool is_ended_ = false;
    std::vector<std::shared_ptr<Channel>> arrivals_;
};

} // namespace softdoca
