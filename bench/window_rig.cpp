// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "window_rig.hpp"

#include "exporter.hpp"
#include "harness.hpp"

#include <cstdlib>
#include <cstring>
#include <doca_error.h>
#include <fstream>

namespace softdoca::bench {

Import::Import(const Device &device, const std::string &descriptor, const char *route)
{
    setenv("SOFTDOCA_WINDOW", route, 1);
    const doca_error_t result = doca_mmap_create_from_export(
        nullptr, descriptor.data(), descriptor.size(), device.get(), &mmap_);
    unsetenv("SOFTDOCA_WINDOW");
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        trouble_ = std::string("the ") + route + " route cannot be had here (softdoca doctor)";
    if (!trouble_.empty())
        return;
    require(result, "doca_mmap_create_from_export");
    void *addr = nullptr;
    std::size_t len = 0;
    require(doca_mmap_get_memrange(mmap_, &addr, &len), "doca_mmap_get_memrange");
    addr_ = static_cast<char *>(addr);
}

Import::~Import()
{
    if (mmap_ != nullptr)
        doca_mmap_destroy(mmap_);
}

const char *mapping_of_shared_memory()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0, end = 0;
        if (line.find("/memfd:softdoca-memory") != std::string::npos &&
            std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 &&
            end - begin >= Exporter::kSharedLen)
            return reinterpret_cast<const char *>(begin);
    }
    return nullptr;
}

WindowRig::WindowRig(const std::string &descriptor, const char *route, std::size_t memory_len,
                     std::uint32_t num_tasks)
    : memory(memory_len), import(device, descriptor, route),
      dst_map(device, memory.dst(), memory.area_len()), inventory(2 * std::size_t{num_tasks}),
      dma(device, engine, num_tasks, count_completion)
{
}

ReusedTask WindowRig::make_task(Offsets at, std::size_t len) const
{
    return ReusedTask(dma, inventory, import.get(), import.addr() + at.src, dst_map.get(),
                      memory.dst() + at.dst, len);
}

std::vector<ReusedTask> WindowRig::make_tasks(std::size_t num_tasks, std::size_t len) const
{
    std::vector<ReusedTask> tasks;
    for (std::size_t i = 0; i < num_tasks; ++i)
        tasks.push_back(make_task({i * len, i * len}, len));
    return tasks;
}

void run_all(const WindowRig &rig, const std::vector<ReusedTask> &tasks)
{
    const std::uint64_t end = num_completed + tasks.size();
    for (const ReusedTask &task : tasks)
        submit_again(task);
    while (num_completed != end)
        doca_pe_progress(rig.engine.get());
}

} // namespace softdoca::bench
