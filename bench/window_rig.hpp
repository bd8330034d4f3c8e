// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "hot_copy.hpp"
#include "rig.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The importing side of copies between two processes.
namespace softdoca::bench {

/// An mmap made from an export, by a route: mapped, cross or agent.
class Import {
public:
    /// trouble() tells whether and why there is none.
    Import(const Device &device, const std::string &descriptor, const char *route);
    ~Import();
    Import(const Import &) = delete;
    Import &operator=(const Import &) = delete;

    const std::string &trouble() const { return trouble_; }
    doca_mmap *get() const { return mmap_; }
    char *addr() const { return addr_; } ///< in the exporter

private:
    std::string trouble_;
    doca_mmap *mmap_ = nullptr;
    char *addr_ = nullptr;
};

/// Where this process has mapped the memory of an import; nullptr if nowhere.
const char *mapping_of_shared_memory();

/// Everything between an import and tasks that read it into memory of this process. If the import
/// has trouble there is only that.
struct WindowRig {
    WindowRig(const std::string &descriptor, const char *route, std::size_t memory_len,
              std::uint32_t num_tasks);

    ReusedTask make_task(Offsets at, std::size_t len) const;
    /// So many tasks, each with a page or more of its own.
    std::vector<ReusedTask> make_tasks(std::size_t num_tasks, std::size_t len) const;

    Memory memory; ///< its dst
    Device device;
    Import import;
    Map dst_map;
    Inventory inventory;
    ProgressEngine engine;
    Dma dma;
};

/// Submits tasks, then makes turns until all are completed.
void run_all(const WindowRig &rig, const std::vector<ReusedTask> &tasks);

} // namespace softdoca::bench
