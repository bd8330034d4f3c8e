// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/registry.hpp"

#include "fabric/release.hpp"
#include "fabric/service.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace softdoca {

namespace {

constexpr std::string_view kSocketSuffix = ".sock";
constexpr std::size_t kMaxRecord = 1024;

/// Who may enter the directory, and use the sockets in it.
struct Rights {
    mode_t directory = 0700;
    mode_t socket = 0600;
    mode_t record = 0600;
    std::optional<gid_t> group;
};

/// False: the topology names a group that this machine does not have.
bool find_rights(Rights &rights)
{
    const std::string &name = topology().group;
    if (name.empty())
        return true;
    std::FILE *const groups = std::fopen("/etc/group", "re"); // static programs have no getgrnam()
    if (groups == nullptr)
        return false;
    group entry;
    group *found = nullptr;
    std::vector<char> room(65536);
    while (fgetgrent_r(groups, &entry, room.data(), room.size(), &found) == 0)
        if (name == entry.gr_name)
            break;
    std::fclose(groups);
    if (found == nullptr)
        return false;
    rights = {02770, 0660, 0640, entry.gr_gid}; // what is made below belongs to the group too
    return true;
}

bool is_usable_parent(const char *path) noexcept
{
    return ::access(path, W_OK | X_OK) == 0;
}

/// Not through a link, and nobody else's.
bool is_trusted(const std::string &path, const Rights &rights, std::string &why)
{
    struct stat about;
    if (::lstat(path.c_str(), &about) != 0)
        why = std::strerror(errno);
    else if (!S_ISDIR(about.st_mode))
        why = "it is not a directory (links are not followed)";
    else if (about.st_uid != ::geteuid() && about.st_uid != 0 &&
             (!rights.group || about.st_gid != *rights.group)) // only its members can give it away
        why = "it belongs to another user";
    else if ((about.st_mode & 0777 & ~rights.directory) != 0)
        why = "others may enter it (chmod 0700)";
    return why.empty();
}

/// Makes one level, with exactly these rights.
bool make_directory(const std::string &path, const Rights &rights, std::string &why)
{
    if (::mkdir(path.c_str(), 0700) == 0) {
        if (rights.group && ::chown(path.c_str(), static_cast<uid_t>(-1), *rights.group) != 0)
            why = std::string("it cannot be given to the group: ") + std::strerror(errno);
        else if (::chmod(path.c_str(), rights.directory) != 0)
            why = std::strerror(errno);
    } else if (errno != EEXIST) {
        why = std::strerror(errno);
    }
    return why.empty() && is_trusted(path, rights, why);
}

bool make_fabric(const std::string &fabric, const Rights &rights, std::string &why)
{
    return make_directory(fabric, rights, why) && make_directory(fabric + "/p", rights, why) &&
           make_directory(fabric + "/s", rights, why);
}

std::string program_name()
{
    char path[PATH_MAX];
    const ssize_t len = ::readlink("/proc/self/exe", path, sizeof path);
    if (len <= 0)
        return "?";
    const std::string_view whole(path, static_cast<std::size_t>(len));
    return std::string(whole.substr(whole.rfind('/') + 1)).substr(0, 60);
}

/// Lines of "name value".
std::string text_of(const ProcessRecord &record)
{
    return "release " + record.release + "\npid " + std::to_string(record.pid) + "\nside " +
           (record.side == Side::dpu ? "dpu" : "host") + "\nnode " + record.node + "\nprogram " +
           record.program + "\n";
}

/// The value of a line, without what would disturb a terminal.
std::string value_of(std::string_view text, std::string_view name)
{
    const std::string key = std::string(name) + ' ';
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(key)) {
            std::string value(line.substr(key.size(), 64));
            for (char &c : value)
                c = c >= 0x20 && c < 0x7f ? c : '?';
            return value;
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

ProcessRecord parse_record(const ProcessId &id, std::string_view text)
{
    ProcessRecord record;
    record.id = id;
    record.release = value_of(text, "release");
    record.side = value_of(text, "side") == "dpu" ? Side::dpu : Side::host;
    record.node = value_of(text, "node");
    record.program = value_of(text, "program");
    const std::string pid = value_of(text, "pid");
    std::from_chars(pid.data(), pid.data() + pid.size(), record.pid);
    return record;
}

/// A record's process lives: reads the record. Nothing: it has gone, or another user's.
std::optional<ProcessRecord> read_live(const std::string &path, const ProcessId &id, bool &is_dead)
{
    const ProcessFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about;
    if (!fd.is_open() || ::fstat(fd.get(), &about) != 0 || !S_ISREG(about.st_mode))
        return std::nullopt;
    is_dead = !is_record_locked(fd.get());
    char text[kMaxRecord];
    const ssize_t len = is_dead ? 0 : ::read(fd.get(), text, sizeof text);
    if (len <= 0)
        return std::nullopt;
    return parse_record(id, {text, static_cast<std::size_t>(len)});
}

} // namespace

bool is_record_locked(int fd) noexcept
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return ::fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Registration::may_be(const ProcessId &id, pid_t pid) const
{
    const std::string name = id.text();
    if (name == name_) // not to be opened: closing it would drop the lock
        return false;
    const std::string path = processes_ + '/' + name;
    const ProcessFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return !fd.is_open() || ::fcntl(fd.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK ||
           lock.l_pid == pid;
}

std::vector<std::string> names_in_directory(const std::string &directory)
{
    std::vector<std::string> names;
    DIR *const opened = ::opendir(directory.c_str());
    if (opened == nullptr)
        return names;
    while (const dirent *const entry = ::readdir(opened))
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            names.emplace_back(entry->d_name);
    ::closedir(opened);
    return names;
}

bool is_abandoned_draft(const std::string &path, std::string_view name)
{
    constexpr std::time_t kDraftSeconds = 10;
    struct stat about;
    return name.starts_with('.') && ProcessId::parse(name.substr(1)) &&
           ::lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
           std::time(nullptr) - about.st_mtime > kDraftSeconds;
}

std::string socket_name(const ProcessId &id)
{
    return id.text().append(kSocketSuffix);
}

std::string wanted_fabric_directory()
{
    const char *const named = std::getenv("SOFTDOCA_FABRIC");
    if (named != nullptr && *named != '\0')
        return named;
    const std::string name = "/softdoca-" + std::to_string(::geteuid());
    return (is_usable_parent("/dev/shm") ? "/dev/shm" : "/tmp") + name;
}

FabricContents read_fabric(const std::string &fabric, const ProcessId &skip)
{
    FabricContents contents;
    const std::string directory = fabric + "/p/";
    const std::vector<std::string> names = names_in_directory(directory);
    std::vector<ProcessId> dead;
    for (const std::string &name : names) {
        const auto id = ProcessId::parse(name);
        if (!id && is_abandoned_draft(directory + name, name))
            contents.leftovers.push_back("p/" + name);
        if (!id)
            continue;
        bool is_dead = false;
        if (*id != skip)
            if (auto record = read_live(directory + name, *id, is_dead))
                contents.processes.push_back(std::move(*record));
        if (is_dead) {
            contents.leftovers.push_back("p/" + name);
            dead.push_back(*id);
        }
    }
    for (const std::string &name : names) { // a socket without a live record
        if (!name.ends_with(kSocketSuffix))
            continue;
        const auto id =
            ProcessId::parse(std::string_view(name).substr(0, name.size() - kSocketSuffix.size()));
        if (!id)
            continue;
        // The record was there before the socket, but perhaps not yet when names were read.
        struct stat about;
        const bool has_record = ::lstat((directory + id->text()).c_str(), &about) == 0;
        if (!has_record || std::find(dead.begin(), dead.end(), *id) != dead.end())
            contents.leftovers.push_back("p/" + name);
    }
    for (std::string &name : service_leftovers(fabric))
        contents.leftovers.push_back(std::move(name));
    return contents;
}

/// The record appears under its name only when it is locked: until then it has another name, so
/// that nobody takes it for a dead process's.
bool Registration::write_record(const ProcessRecord &record, mode_t mode)
{
    const std::string text = text_of(record);
    const std::string draft = processes_ + "/." + name_;
    record_ = ProcessFd(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return record_.is_open() &&
           ::write(record_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
           ::fcntl(record_.get(), F_SETLK, &lock) == 0 &&
           ::rename(draft.c_str(), (processes_ + '/' + name_).c_str()) == 0;
}

std::unique_ptr<Registration> Registration::enter(const ProcessId &id, const Node &node,
                                                  std::string &why)
{
    const std::string fabric = wanted_fabric_directory();
    if (!fabric.starts_with('/')) { // processes that start elsewhere would never be met
        why = "SOFTDOCA_FABRIC=" + fabric + " is not an absolute path";
        return nullptr;
    }
    Rights rights;
    if (!find_rights(rights)) {
        why = "the topology opens the fabric to the group \"" + topology().group +
              "\", which this machine does not have";
        return nullptr;
    }
    if (!make_fabric(fabric, rights, why)) {
        why = "the fabric directory " + fabric + " cannot be used: " + why +
              " (SOFTDOCA_FABRIC names another one)";
        return nullptr;
    }
    for (const std::string &name : read_fabric(fabric, id).leftovers) {
        const std::string path = fabric + '/' + name;
        if (name.starts_with("s/"))
            remove_stale_service(path);
        else
            ::unlink(path.c_str()); // names of processes are not used twice
    }

    std::unique_ptr<Registration> entered(new Registration);
    entered->fabric_ = fabric;
    entered->processes_ = fabric + "/p";
    entered->record_mode_ = rights.record;
    entered->name_ = id.text();
    // First the record: a socket without a record is taken for left over.
    if (entered->write_record({id, ::getpid(), node.side, node.name, program_name(), kRelease},
                              rights.record))
        entered->listener_ =
            UnixSocket::listen_at(entered->processes_, socket_name(id), rights.socket);
    if (entered->listener_.is_open())
        return entered;
    why = "it cannot enter the fabric directory " + fabric + ": " + std::strerror(errno) +
          " (SOFTDOCA_FABRIC names another one)";
    entered->leave();
    return nullptr;
}

void Registration::leave() noexcept
{
    for (const char *const form : {"%s/%s", "%s/%s.sock", "%s/.%s"}) { // the last: a draft
        char path[PATH_MAX];
        std::snprintf(path, sizeof path, form, processes_.c_str(), name_.c_str());
        ::unlink(path);
    }
}

} // namespace softdoca
