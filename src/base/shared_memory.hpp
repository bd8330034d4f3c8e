// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process.hpp"
#include "base/process_fd.hpp"

#include <cstddef>
#include <utility>

namespace softdoca {

/// Memory that more than one process maps (a memfd), as this process maps it. Invalid after a
/// failure, with the reason in errno. A forked child does not have it.
class __attribute__((visibility("default"))) SharedMemory {
public:
    SharedMemory() = default;
    SharedMemory(SharedMemory &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(other.size_), owner_(other.owner_)
    {
    }
    SharedMemory &operator=(SharedMemory &&other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(owner_, other.owner_);
        return *this;
    }
    ~SharedMemory();

    enum class Access { read, read_write };

    /// Makes size bytes of zeros. The size is sealed at once; seals (F_SEAL_*) come on top, after
    /// the memory has been mapped here for writing. The descriptor goes to *fd.
    static SharedMemory create(const char *name, std::size_t size, int seals, ProcessFd *fd);
    /// Maps size bytes, from offset on, of a descriptor that may come from anybody. Refuses
    /// (EINVAL) what is no memory of at least that size, or may be truncated under us.
    static SharedMemory map(int fd, std::size_t offset, std::size_t size, Access access);

    bool is_valid() const noexcept { return data_ != nullptr; }
    std::byte *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

private:
    SharedMemory(std::byte *data, std::size_t size) noexcept : data_(data), size_(size) {}

    std::byte *data_ = nullptr;
    std::size_t size_ = 0;
    OwnerProcess owner_;
};

/// The seals of a descriptor, or -1 if it is no memory that can have any.
int seals_of(int fd) noexcept;

} // namespace softdoca
