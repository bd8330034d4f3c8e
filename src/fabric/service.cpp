// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/service.hpp"

#include "fabric/local_process.hpp"
#include "fabric/registry.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <utility>

namespace softdoca {

namespace {

constexpr std::size_t kMaxRecord = 2048;
constexpr std::size_t kMaxArrivals = 1024; // clients that the server's program has not seen yet

/// FNV-1a; two of them, begun differently, make a file name that no two services share by chance.
std::uint64_t hash(std::uint64_t seed, std::string_view scope, std::string_view name) noexcept
{
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t value = 0xcbf29ce484222325 ^ seed;
    const auto mix = [&](std::string_view text) {
        for (const char c : text)
            value = (value ^ static_cast<unsigned char>(c)) * kPrime;
        value = (value ^ 0x100) * kPrime; // which no byte is
    };
    mix(scope);
    mix(name);
    return value;
}

std::string file_name(std::string_view scope, std::string_view name)
{
    return RandomId{hash(0, scope, name), hash(0x9e3779b97f4a7c15, scope, name)}.text();
}

/// Names hold any bytes, records are text.
std::string to_hex(std::string_view bytes)
{
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += kDigits[static_cast<unsigned char>(c) >> 4];
        text += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::string from_hex(std::string_view text)
{
    std::string bytes;
    for (; text.size() >= 2; text.remove_prefix(2)) {
        unsigned value = 0;
        std::from_chars(text.data(), text.data() + 2, value, 16);
        bytes += static_cast<char>(value);
    }
    return bytes;
}

std::string text_of(const ServiceRecord &record)
{
    return "process " + record.process.text() + "\npid " + std::to_string(record.pid) + "\nkey " +
           record.key.text() + "\nscope " + to_hex(record.scope) + "\nname " + to_hex(record.name) +
           "\n";
}

std::string_view line_of(std::string_view text, std::string_view title) noexcept
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.size() > title.size() && line.starts_with(title) && line[title.size()] == ' ')
            return line.substr(title.size() + 1);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

std::optional<ServiceRecord> parse(std::string_view text)
{
    ServiceRecord record;
    const auto process = ProcessId::parse(line_of(text, "process"));
    const auto key = RandomId::parse(line_of(text, "key"));
    const std::string_view pid = line_of(text, "pid");
    std::from_chars(pid.data(), pid.data() + pid.size(), record.pid);
    if (!process || !key)
        return std::nullopt;
    record.process = *process;
    record.key = *key;
    record.scope = from_hex(line_of(text, "scope"));
    record.name = from_hex(line_of(text, "name"));
    return record;
}

/// Of an open file, whoever made it.
std::optional<ServiceRecord> read_record(int fd)
{
    struct stat about;
    char text[kMaxRecord];
    if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return std::nullopt;
    const ssize_t len = ::pread(fd, text, sizeof text, 0);
    return len <= 0 ? std::nullopt : parse({text, static_cast<std::size_t>(len)});
}

struct flock whole_file() noexcept
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

ProcessFd open_record(const std::string &path, int flags)
{
    return ProcessFd(::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

/// What is said of the device under which a function is represented.
std::uint32_t max_clients_of(const Node &node, const Function &function) noexcept
{
    for (const Device &device : node.devices)
        for (const Function &representor : device.representors)
            if (representor.vuid == function.vuid)
                return device.function.comch.max_clients;
    return 0;
}

/// A record whose process lives. Another user's cannot be read: none.
std::optional<ServiceRecord> read_live(const std::string &path)
{
    const ProcessFd fd = open_record(path, O_RDONLY);
    return fd.is_open() && is_record_locked(fd.get()) ? read_record(fd.get()) : std::nullopt;
}

} // namespace

std::string service_scope(const Function &function)
{
    return function.card + '/' + std::to_string(function.host_index) + '/' +
           function.pci.text().data() + '/' + std::to_string(function.type) + '/' +
           std::to_string(function.sf_index);
}

std::string function_of_scope(std::string_view scope)
{
    std::array<std::string_view, 3> parts; // the last ones, from the end
    for (std::string_view &part : parts) {
        part = scope.substr(scope.rfind('/') + 1); // npos + 1 is 0
        scope.remove_suffix(std::min(scope.size(), part.size() + 1));
    }
    const auto &[sf_index, type, pci] = parts;
    const bool is_sf = type == std::to_string(DOCA_PCI_FUNC_TYPE_SF);
    return std::string(pci) + (is_sf ? " SF " + std::string(sf_index) : std::string());
}

std::optional<ServiceRecord> find_service(const std::string &fabric, std::string_view scope,
                                          std::string_view name)
{
    auto record = read_live(fabric + "/s/" + file_name(scope, name));
    if (record && (record->scope != scope || record->name != name))
        record.reset();
    return record;
}

std::vector<ServiceRecord> list_services(const std::string &fabric)
{
    std::vector<ServiceRecord> records;
    for (const std::string &name : names_in_directory(fabric + "/s"))
        if (auto record = RandomId::parse(name) ? read_live(fabric + "/s/" + name) : std::nullopt)
            records.push_back(std::move(*record));
    return records;
}

std::vector<std::string> service_leftovers(const std::string &fabric)
{
    std::vector<std::string> left;
    for (const std::string &name : names_in_directory(fabric + "/s")) {
        const bool is_draft = name.starts_with('.');
        const std::string path = fabric + "/s/" + name;
        if (is_draft ? is_abandoned_draft(path, name) : RandomId::parse(name).has_value()) {
            const ProcessFd fd = open_record(path, O_RDONLY);
            if (fd.is_open() && !is_record_locked(fd.get()))
                left.push_back("s/" + name);
        }
    }
    return left;
}

/// Two who try must not remove a third one's: only who locks it may, and only while it has the
/// name.
void remove_stale_service(const std::string &path)
{
    const ProcessFd fd = open_record(path, O_RDWR);
    struct flock lock = whole_file();
    struct stat mine, named;
    if (fd.is_open() && ::fcntl(fd.get(), F_SETLK, &lock) == 0 && ::fstat(fd.get(), &mine) == 0 &&
        ::lstat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino)
        ::unlink(path.c_str());
}

std::shared_ptr<Service> Service::open(LocalProcess &process, const Function &function,
                                       std::string_view name, const wire::ChannelConfig &config,
                                       const ChannelListener &owner, Fault *fault,
                                       ServiceRecord *holder)
{
    std::shared_ptr<Service> service(
        new Service(config, max_clients_of(process.node(), function), owner));
    ServiceRecord &record = service->record_;
    record = {process.id(), ::getpid(), RandomId::make(), service_scope(function),
              std::string(name)};
    // The lock of this process cannot be seen by itself, and closing a record of its own would
    // drop it: those are told apart without the file.
    if (const auto known = process.services().find(record.scope, record.name)) {
        *holder = known->record_;
        *fault = Fault::exists;
        return nullptr;
    }
    const Registration &registration = process.registration();
    *fault = service->enter(registration.fabric(), registration.record_mode(), holder);
    if (*fault != Fault::none)
        return nullptr;
    process.services().add(service);
    return service;
}

/// The record gets its name only when it is locked.
Service::Fault Service::enter(const std::string &fabric, mode_t mode, ServiceRecord *holder)
{
    const std::string draft = fabric + "/s/." + record_.key.text();
    const std::string text = text_of(record_);
    path_ = fabric + "/s/" + file_name(record_.scope, record_.name);
    file_ = ProcessFd(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    struct flock lock = whole_file();
    Fault fault = Fault::no_resources;
    if (file_.is_open() &&
        ::write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fcntl(file_.get(), F_SETLK, &lock) == 0) {
        constexpr int kMaxTries = 100; // each of which somebody else has won
        for (int i = 0; i < kMaxTries && fault == Fault::no_resources; ++i) {
            if (::link(draft.c_str(), path_.c_str()) == 0)
                fault = Fault::none;
            else if (errno != EEXIST)
                break;
            else if (auto known = read_live(path_)) {
                *holder = std::move(*known);
                fault = Fault::exists;
            } else {
                remove_stale_service(path_);
            }
        }
    }
    ::unlink(draft.c_str());
    if (fault != Fault::none)
        path_.clear();
    return fault;
}

Service::~Service()
{
    end();
}

/// Whoever comes too late may find another server of the name.
void Service::turn_away(Channel &channel) noexcept
{
    channel.admission().store(static_cast<std::uint32_t>(Admission::too_late),
                              std::memory_order_release);
    channel.message_bell().ring();
}

void Service::end() noexcept
{
    const std::scoped_lock lock(lock_);
    if (!std::exchange(is_ended_, true) && !path_.empty() && file_.is_open())
        ::unlink(path_.c_str());
    file_.reset();
    for (const auto &channel : arrivals_)
        turn_away(*channel);
    arrivals_.clear();
}

void Service::add(std::shared_ptr<Channel> channel)
{
    {
        const std::scoped_lock lock(lock_);
        if (is_ended_ || arrivals_.size() == kMaxArrivals)
            return turn_away(*channel);
        arrivals_.push_back(std::move(channel));
    }
    owner_.mailbox->post(owner_.token);
}

std::vector<std::shared_ptr<Channel>> Service::take_arrivals()
{
    const std::scoped_lock lock(lock_);
    return std::exchange(arrivals_, {});
}

} // namespace softdoca
