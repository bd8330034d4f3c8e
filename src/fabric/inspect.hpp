// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "fabric/topology.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// A look into the fabric from outside, for tools: who is there, and what they offer and use.
namespace softdoca {

/// How an import reaches the exporter's memory.
enum class Route : std::uint8_t { mapped, cross, agent };

[[gnu::visibility("default")]] const char *to_string(Route route) noexcept;

/// Memory that a process offers.
struct ExportRow {
    std::uint64_t addr = 0; ///< in the exporter
    std::uint64_t len = 0;
    std::uint32_t permissions = 0; ///< DOCA_ACCESS_FLAG_*
    std::string pci;               ///< of the function that it was exported with
    std::uint32_t num_imports = 0; ///< that were granted and still live
};

/// Memory of another process that a process uses.
struct ImportRow {
    std::uint64_t addr = 0; ///< in the exporter
    std::uint64_t len = 0;
    std::uint32_t permissions = 0;
    std::string pci; ///< of the function that it was imported with
    Route route = Route::agent;
    std::string reason; ///< why it is not a better route; empty for mapped
    pid_t exporter_pid = 0;
    bool is_alive = true; ///< false: the exporter has gone or has stopped the export
};

/// A Comch server that a process runs.
struct ServerRow {
    std::string name;     ///< any bytes
    std::string function; ///< the host function on which it serves
    /// Unknown (0) of a process that does not answer.
    std::uint32_t num_clients = 0, max_clients = 0;
};

/// A connection of a Comch client with its server, as the process of one of them sees it.
struct ConnectionRow {
    std::string service; ///< name of the server, any bytes; empty: it has stopped
    bool is_server = false;
    pid_t peer_pid = 0;
    bool is_accepted = false; ///< false: the server's program has not seen the client yet
    bool is_alive = true;     ///< false: the peer's process has ended
    std::uint32_t num_waiting_sends = 0; ///< for which the peer's receive queue has no room
};

/// A Comch consumer of a process, as the other side of its connection sees it.
struct ConsumerRow {
    std::uint32_t id = 0;
    std::string service;          ///< as in ConnectionRow
    pid_t peer_pid = 0;           ///< of that other side
    std::uint32_t num_posted = 0; ///< receives that no message has filled
    std::uint32_t num_slots = 0;  ///< that there can be of them
};

/// A process that takes part in the fabric. Processes that have neither exported nor imported
/// anything, nor started a Comch client or server, do not.
struct ProcessRow {
    std::string id; ///< 32 hex digits, random
    pid_t pid = 0;  ///< as its record says; of its own PID namespace
    Side side = Side::host;
    std::string node;
    std::string program; ///< file name of its executable
    std::string release; ///< of its libraries
    /// Else it is stopped, or of another release: there are only rows that others tell.
    bool is_answering = false;
    std::vector<ExportRow> exports;
    std::vector<ImportRow> imports;
    std::vector<ServerRow> servers; ///< also if it does not answer
    std::vector<ConnectionRow> connections;
    std::vector<ConsumerRow> consumers; ///< those that the other side answers for
};

/// The fabric directory of this process's environment; empty (and logged) if it cannot be used.
/// Does not create it. Throws std::bad_alloc.
[[gnu::visibility("default")]] std::string fabric_directory();

/// The processes that live in a fabric directory. Waits for each agent at most timeout_ms.
[[gnu::visibility("default")]] std::vector<ProcessRow> inspect_fabric(const std::string &directory,
                                                                      int timeout_ms);

/// Names (relative to the directory) of entries whose process has gone. Harmless: the next process
/// that uses the fabric removes them.
[[gnu::visibility("default")]] std::vector<std::string>
fabric_leftovers(const std::string &directory);

} // namespace softdoca
