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

/// A process that takes part in the fabric. Processes that have neither exported nor imported
/// anything do not.
struct ProcessRow {
    std::string id; ///< 32 hex digits, random
    pid_t pid = 0;  ///< as its record says; of its own PID namespace
    Side side = Side::host;
    std::string node;
    std::string program;       ///< file name of its executable
    std::string release;       ///< of its libraries
    bool is_answering = false; ///< else it is stopped, or of another release; the rows are empty
    std::vector<ExportRow> exports;
    std::vector<ImportRow> imports;
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
