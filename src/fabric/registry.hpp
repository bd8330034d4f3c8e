// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process_fd.hpp"
#include "base/unix_socket.hpp"
#include "fabric/random_id.hpp"
#include "fabric/topology.hpp"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Who takes part: a directory on this machine, the fabric. Below it, p/<id> is a process's record,
/// locked for as long as the process lives, and p/<id>.sock the socket of its agent. The kernel
/// frees the lock however the process ends (a forked child does not inherit it), so a record that
/// is not locked is left over, and whoever comes next removes it. s/ holds services, see
/// service.hpp.
namespace softdoca {

/// The directory that this process uses: SOFTDOCA_FABRIC, else /dev/shm/softdoca-<euid>, else
/// /tmp/softdoca-<euid>.
std::string wanted_fabric_directory();

/// What a process says about itself in its record.
struct ProcessRecord {
    ProcessId id;
    pid_t pid = 0;
    Side side = Side::host;
    std::string node;
    std::string program;
    std::string release;
};

/// This process's entry.
class Registration {
public:
    /// Makes the directory if it is not there, removes what dead processes left, and enters this
    /// process. nullptr if that cannot be done, and why.
    static std::unique_ptr<Registration> enter(const ProcessId &id, const Node &node,
                                               std::string &why);

    const std::string &fabric() const noexcept { return fabric_; }
    const std::string &directory() const noexcept { return processes_; } ///< with the sockets
    /// The rights that records of this fabric have.
    mode_t record_mode() const noexcept { return record_mode_; }
    const UnixSocket &listener() const noexcept { return listener_; }
    /// Could a peer of that pid be who it says it is? No, if the record is locked by another one.
    bool may_be(const ProcessId &id, pid_t pid) const;

    /// Removes the names, at a normal exit.
    void leave() noexcept;

private:
    Registration() = default;
    bool write_record(const ProcessRecord &record, mode_t mode);

    std::string fabric_;
    std::string processes_;
    std::string name_;
    mode_t record_mode_ = 0600;
    ProcessFd record_; // never opened a second time here: closing that would drop the lock
    UnixSocket listener_;
};

/// The name of a process's socket below Registration::directory().
std::string socket_name(const ProcessId &id);

/// The records of live processes in a fabric, and the names of entries of dead ones. skip: this
/// process itself, whose lock it cannot see.
struct FabricContents {
    std::vector<ProcessRecord> processes;
    std::vector<std::string> leftovers;
};
FabricContents read_fabric(const std::string &fabric, const ProcessId &skip);

/// Does the process live whose record this is?
bool is_record_locked(int fd) noexcept;
std::vector<std::string> names_in_directory(const std::string &directory);
/// A record that was never finished: its process was killed within a few microseconds. Only what
/// has the name of one: it is shown to people, and removed.
bool is_abandoned_draft(const std::string &path, std::string_view name);

} // namespace softdoca
