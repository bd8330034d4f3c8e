// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/dma_setup.hpp"
#include "support/handles.hpp"
#include "support/two_process.hpp"
#include "support/wait_until.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

/// A process that exports memory and one that imports it.
namespace softdoca::test {

/// The route to the memory, and the kind of memory that it takes.
enum class Via {
    mapped, ///< from softdoca_memory_alloc
    dmabuf, ///< a sealed file, mapped as well
    cross,
    agent,
};

inline constexpr Via kAllRoutes[] = {Via::mapped, Via::dmabuf, Via::cross, Via::agent};
/// One for each way of copying.
inline constexpr Via kEachRoute[] = {Via::mapped, Via::cross, Via::agent};
/// Those that read the exporter's memory where it is, so that it can be missing.
inline constexpr Via kUnmappedRoutes[] = {Via::cross, Via::agent};

/// As SOFTDOCA_WINDOW has it.
const char *route_of(Via via);
std::string name_of_route(const testing::TestParamInfo<Via> &info);

/// on_stage() with the route forced in each of its processes.
void on_stage(Via via, const std::function<void()> &body);

/// The functions that the role of this process sees.
std::string first_device();
std::string second_device();

/// Bytes that depend on their place and a seed, so that a shifted or stale copy differs.
std::vector<std::byte> pattern(std::size_t size, unsigned seed);
/// The first place where they differ; size if nowhere.
std::size_t first_difference(const void *left, const void *right, std::size_t size);

/// Zeroed memory of the kind that a route takes; whole pages.
class Region {
public:
    Region(Via via, std::size_t size);
    ~Region();
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

    std::byte *data() const { return data_; }
    std::byte *at(std::size_t offset) const { return data_ + offset; }
    std::size_t size() const { return size_; }
    void fill(unsigned seed) const;
    void expect_pattern(unsigned seed) const;
    /// From now on nobody can make a writable mapping: the condition for mapping a file that is
    /// exported for reading only. (What softdoca_memory_alloc gives does it by itself.)
    void close_to_writers() const;
    /// Sets it as the range of an mmap.
    doca_error_t give_to(doca_mmap *mmap, std::size_t len) const;

private:
    Via via_;
    std::size_t size_;
    int fd_ = -1;
    std::byte *data_;
};

/// The exporter's side: a started mmap over memory of its own.
class Exported {
public:
    Exported(Via via, std::size_t size, std::uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
             const std::string &pci_addr = first_device());

    /// Exports it, and copies the descriptor.
    std::string descriptor();

    Device device;
    Region region;
    Mmap mmap;
};

/// A peer of the other side that exports memory filled with pattern(size, 1), tells the descriptor
/// and then does what the test says; by default it waits until the line is hung up.
class Exporter : public Process {
public:
    using Act = std::function<void(Exported &exported, Line &line)>;

    Exporter(Via via, std::size_t size, std::uint32_t permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
             const Act &act = wait);
    Exporter(Via via, std::size_t size, const Act &act)
        : Exporter(via, size, DOCA_ACCESS_FLAG_PCI_READ_WRITE, act)
    {
    }

private:
    static void wait(Exported &exported, Line &line);
};

/// An mmap made from an export.
class Import : public Handle<doca_mmap, doca_mmap_destroy> {
public:
    Import(doca_dev *dev, std::string_view descriptor);

    std::byte *at(std::size_t offset) const { return base_ + offset; } ///< in the exporter
    std::size_t size() const { return size_; }

private:
    std::byte *base_ = nullptr;
    std::size_t size_ = 0;
};

doca_error_t try_import(doca_dev *dev, std::string_view descriptor, doca_mmap **import);
/// The code of an import; one that succeeds is destroyed again.
doca_error_t import_code(doca_dev *dev, std::string_view descriptor);

/// The importer's side: a RUNNING context that copies between an area of its own and imports.
class Importer {
public:
    explicit Importer(std::uint32_t num_tasks = 64, std::size_t area_len = std::size_t{64} * 1024,
                      const std::string &pci_addr = first_device());

    Import &import(std::string_view descriptor) { return imports.emplace_back(device, descriptor); }

    // Buffers; reclaim() returns them all.
    doca_buf *data(std::size_t offset, std::size_t len)
    {
        return inventory.by_data(area_mmap, area.at(offset), len);
    }
    doca_buf *room(std::size_t offset, std::size_t len)
    {
        return inventory.by_addr(area_mmap, area.at(offset), len);
    }
    doca_buf *data(const Import &import, std::size_t offset, std::size_t len)
    {
        return inventory.by_data(import, import.at(offset), len);
    }
    doca_buf *room(const Import &import, std::size_t offset, std::size_t len)
    {
        return inventory.by_addr(import, import.at(offset), len);
    }
    void reclaim() { inventory.take_back_all(); }

    /// How a task ended, by its number.
    struct End {
        std::uint64_t number;
        doca_error_t status;
        bool operator==(const End &) const = default;
    };
    /// The task is freed when it ends.
    void submit(doca_buf *src, doca_buf *dst, std::uint64_t number = 0);
    [[nodiscard]] bool wait_for_ends(std::size_t num, Milliseconds limit = patience())
    {
        return wait_until(
            pe, [&] { return ends.size() >= num; }, limit);
    }

    /// One copy between the same offset of both sides, from submit to its end, and the buffers
    /// back.
    doca_error_t read(const Import &import, std::size_t offset, std::size_t len);
    doca_error_t write(const Import &import, std::size_t offset, std::size_t len);
    doca_error_t copy(doca_buf *src, doca_buf *dst);
    /// After a failure: IDLE, the buffers back, and RUNNING again.
    [[nodiscard]] bool recover();

    // In the order of their creation.
    Device device;
    Memory area;
    Mmap area_mmap;
    std::list<Import> imports;
    Inventory inventory;
    Pe pe;
    DmaContext context;
    std::vector<End> ends; ///< in the order of the callbacks
};

void PrintTo(const Importer::End &end, std::ostream *out);

} // namespace softdoca::test
