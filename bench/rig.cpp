// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "rig.hpp"

#include "harness.hpp"

#include <doca_error.h>

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace softdoca::bench {

namespace {

constexpr std::size_t kPage = 4096;

void fail_on_error_completion(doca_dma_task_memcpy *task, doca_data, doca_data)
{
    require(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "a copy");
}

} // namespace

std::uint64_t num_completed;

void count_completion(doca_dma_task_memcpy *, doca_data, doca_data)
{
    num_completed++;
}

void require(doca_error_t result, const char *call)
{
    if (result == DOCA_SUCCESS) [[likely]]
        return;
    require(false, (std::string(call) + ": " + doca_error_get_name(result)).c_str());
}

Memory::Memory(std::size_t len)
    : area_len_((len + kPage - 1) / kPage * kPage + 2 * kPage), distance_(area_len_ + 37 * kPage)
{
    void *addr = mmap(nullptr, distance_ + area_len_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(addr != MAP_FAILED, "memory");
    base_ = static_cast<char *>(addr);
    std::memset(base_, 1, distance_ + area_len_); // no page fault later
}

Memory::~Memory()
{
    munmap(base_, distance_ + area_len_);
}

Device::Device()
{
    doca_devinfo **list = nullptr;
    std::uint32_t num = 0;
    require(doca_devinfo_create_list(&list, &num), "doca_devinfo_create_list");
    for (std::uint32_t i = 0; i < num && dev_ == nullptr; ++i) {
        if (doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
            require(doca_dev_open(list[i], &dev_), "doca_dev_open");
    }
    doca_devinfo_destroy_list(list);
    require(dev_ != nullptr, "no device can do DMA");
}

Device::~Device()
{
    doca_dev_close(dev_);
}

Map::Map(const Device &device, void *addr, std::size_t len, std::uint32_t permissions)
{
    require(doca_mmap_create(&mmap_), "doca_mmap_create");
    require(doca_mmap_add_dev(mmap_, device.get()), "doca_mmap_add_dev");
    require(doca_mmap_set_permissions(mmap_, permissions), "doca_mmap_set_permissions");
    require(doca_mmap_set_memrange(mmap_, addr, len), "doca_mmap_set_memrange");
    require(doca_mmap_start(mmap_), "doca_mmap_start");
}

Map::~Map()
{
    doca_mmap_stop(mmap_);
    doca_mmap_destroy(mmap_);
}

Inventory::Inventory(std::size_t num_elements)
{
    require(doca_buf_inventory_create(num_elements, &inventory_), "doca_buf_inventory_create");
    require(doca_buf_inventory_start(inventory_), "doca_buf_inventory_start");
}

Inventory::~Inventory()
{
    doca_buf_inventory_stop(inventory_);
    doca_buf_inventory_destroy(inventory_);
}

ProgressEngine::ProgressEngine()
{
    require(doca_pe_create(&pe_), "doca_pe_create");
}

ProgressEngine::~ProgressEngine()
{
    doca_pe_destroy(pe_);
}

Dma::Dma(const Device &device, const ProgressEngine &engine, std::uint32_t num_tasks,
         doca_dma_task_memcpy_completion_cb_t on_done)
    : pe_(engine.get())
{
    require(doca_dma_create(device.get(), &dma_), "doca_dma_create");
    require(doca_dma_task_memcpy_set_conf(dma_, on_done, fail_on_error_completion, num_tasks),
            "doca_dma_task_memcpy_set_conf");
    require(doca_pe_connect_ctx(pe_, doca_dma_as_ctx(dma_)), "doca_pe_connect_ctx");
    require(doca_ctx_start(doca_dma_as_ctx(dma_)), "doca_ctx_start");
}

Dma::~Dma()
{
    doca_ctx *ctx = doca_dma_as_ctx(dma_);
    if (doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS) {
        doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
        while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
            doca_pe_progress(pe_);
    }
    require(doca_dma_destroy(dma_), "doca_dma_destroy");
}

ReusedTask::ReusedTask(const Dma &dma, const Inventory &inventory, doca_mmap *src_map,
                       char *src_addr, doca_mmap *dst_map, char *dst_addr, std::size_t len)
{
    require(doca_buf_inventory_buf_get_by_data(inventory.get(), src_map, src_addr, len, &src),
            "doca_buf_inventory_buf_get_by_data");
    require(doca_buf_inventory_buf_get_by_addr(inventory.get(), dst_map, dst_addr, len, &dst),
            "doca_buf_inventory_buf_get_by_addr");
    require(doca_dma_task_memcpy_alloc_init(dma.get(), src, dst, doca_data{}, &memcpy_task),
            "doca_dma_task_memcpy_alloc_init");
    task = doca_dma_task_memcpy_as_task(memcpy_task);
}

ReusedTask::~ReusedTask()
{
    if (task == nullptr)
        return;
    doca_task_free(task);
    doca_buf_dec_refcount(src, nullptr);
    doca_buf_dec_refcount(dst, nullptr);
}

ReusedTask::ReusedTask(ReusedTask &&other) noexcept
    : src(other.src), dst(other.dst), memcpy_task(other.memcpy_task),
      task(std::exchange(other.task, nullptr))
{
}

Rig::Rig(std::size_t memory_len, std::uint32_t num_tasks,
         doca_dma_task_memcpy_completion_cb_t on_done)
    : memory(memory_len), src_map(device, memory.src(), memory.area_len()),
      dst_map(device, memory.dst(), memory.area_len()), inventory(2 * std::size_t{num_tasks}),
      dma(device, engine, num_tasks, on_done)
{
}

ReusedTask Rig::make_task(std::size_t src_offset, std::size_t dst_offset, std::size_t len) const
{
    return ReusedTask(dma, inventory, src_map.get(), memory.src() + src_offset, dst_map.get(),
                      memory.dst() + dst_offset, len);
}

} // namespace softdoca::bench
