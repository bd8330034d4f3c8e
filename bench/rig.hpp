// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// DOCA objects as a program sets them up, for the rows to measure; released at the end of a scope.
namespace softdoca::bench {

/// Ends the program, naming the call, unless it answered SUCCESS.
void require(doca_error_t result, const char *call);

/// Touched memory for a source and a destination, `len` bytes each and some room for page offsets,
/// never a large power of two apart (that alone halves the speed of a copy on some processors).
class Memory {
public:
    explicit Memory(std::size_t len);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    char *src() const { return base_; }
    char *dst() const { return base_ + distance_; }
    std::size_t area_len() const { return area_len_; } ///< of each of the two

private:
    std::size_t area_len_;
    std::size_t distance_;
    char *base_;
};

/// The first device that can do DMA.
class Device {
public:
    Device();
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    doca_dev *get() const { return dev_; }

private:
    doca_dev *dev_ = nullptr;
};

/// A started mmap over a range.
class Map {
public:
    Map(const Device &device, void *addr, std::size_t len,
        std::uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    ~Map();
    Map(const Map &) = delete;
    Map &operator=(const Map &) = delete;

    doca_mmap *get() const { return mmap_; }

private:
    doca_mmap *mmap_ = nullptr;
};

class Inventory {
public:
    explicit Inventory(std::size_t num_elements);
    ~Inventory();
    Inventory(const Inventory &) = delete;
    Inventory &operator=(const Inventory &) = delete;

    doca_buf_inventory *get() const { return inventory_; }

private:
    doca_buf_inventory *inventory_ = nullptr;
};

class ProgressEngine {
public:
    ProgressEngine();
    ~ProgressEngine();
    ProgressEngine(const ProgressEngine &) = delete;
    ProgressEngine &operator=(const ProgressEngine &) = delete;

    doca_pe *get() const { return pe_; }

private:
    doca_pe *pe_ = nullptr;
};

/// A running DMA context on a progress engine.
class Dma {
public:
    Dma(const Device &device, const ProgressEngine &engine, std::uint32_t num_tasks,
        doca_dma_task_memcpy_completion_cb_t on_done);
    ~Dma();
    Dma(const Dma &) = delete;
    Dma &operator=(const Dma &) = delete;

    doca_dma *get() const { return dma_; }

private:
    doca_dma *dma_ = nullptr;
    doca_pe *pe_;
};

/// A task with its two buffers, made once and submitted again and again.
struct ReusedTask {
    doca_buf *src = nullptr;
    doca_buf *dst = nullptr;
    doca_dma_task_memcpy *memcpy_task = nullptr;
    doca_task *task = nullptr;

    ReusedTask(const Dma &dma, const Inventory &inventory, doca_mmap *src_map, char *src_addr,
               doca_mmap *dst_map, char *dst_addr, std::size_t len);
    ~ReusedTask();
    ReusedTask(ReusedTask &&other) noexcept;
    ReusedTask &operator=(ReusedTask &&) = delete;
};

/// Submits the task once more, as a program that reuses its objects does.
inline void submit_again(const ReusedTask &reused)
{
    if (doca_buf_reset_data_len(reused.dst) != DOCA_SUCCESS ||
        doca_task_submit(reused.task) != DOCA_SUCCESS) [[unlikely]]
        require(DOCA_ERROR_UNEXPECTED, "submit of a reused task");
}

/// Everything between a device and `num_tasks` tasks of two buffers each.
struct Rig {
    Rig(std::size_t memory_len, std::uint32_t num_tasks,
        doca_dma_task_memcpy_completion_cb_t on_done);

    ReusedTask make_task(std::size_t src_offset, std::size_t dst_offset, std::size_t len) const;

    Memory memory;
    Device device;
    Map src_map, dst_map;
    Inventory inventory;
    ProgressEngine engine;
    Dma dma;
};

/// Counts completions and does nothing else.
extern std::uint64_t num_completed;
void count_completion(doca_dma_task_memcpy *task, doca_data task_user_data,
                      doca_data ctx_user_data);

} // namespace softdoca::bench
