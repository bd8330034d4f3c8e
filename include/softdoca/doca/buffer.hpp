// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Buffers: pieces of mapped memory, with the part of each that holds data.

#pragma once

#include "memory.hpp"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>

#include <cstddef>
#include <span>

namespace doca {

/// One reference to a buffer, or to the head of a list of them. Goes back to its inventory or pool,
/// which must still be there, as must be its map. Threads: one at a time.
class Buffer {
public:
    /// Takes over one reference.
    explicit Buffer(doca_buf *buf) noexcept : buf_(buf) {}

    doca_buf *get() const noexcept { return buf_.get(); }
    /// Gives the reference away.
    doca_buf *release() noexcept { return buf_.release(); }

    /// The whole piece.
    result<std::span<std::byte>> memory(std::nothrow_t) const noexcept
    {
        void *head = nullptr;
        std::size_t len = 0;
        doca_error_t code = doca_buf_get_head(buf_.get(), &head);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_get_head"};
        code = doca_buf_get_len(buf_.get(), &len);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_get_len"};
        return std::span(static_cast<std::byte *>(head), len);
    }
    std::span<std::byte> memory() const { return memory(std::nothrow).value(); }

    /// The part that holds data.
    result<std::span<std::byte>> data(std::nothrow_t) const noexcept
    {
        void *data = nullptr;
        std::size_t len = 0;
        doca_error_t code = doca_buf_get_data(buf_.get(), &data);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_get_data"};
        code = doca_buf_get_data_len(buf_.get(), &len);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_get_data_len"};
        return std::span(static_cast<std::byte *>(data), len);
    }
    std::span<std::byte> data() const { return data(std::nothrow).value(); }

    /// Says which part holds data. Data outside memory() fails when it is used, not here.
    result<void> set_data(std::nothrow_t, std::span<std::byte> data) noexcept
    {
        return detail::checked(doca_buf_set_data(buf_.get(), data.data(), data.size()),
                               "doca_buf_set_data");
    }
    void set_data(std::span<std::byte> data) { set_data(std::nothrow, data).value(); }

    /// No data: the next copy writes from the beginning of what was the data.
    result<void> reset_data(std::nothrow_t) noexcept
    {
        return detail::checked(doca_buf_reset_data_len(buf_.get()), "doca_buf_reset_data_len");
    }
    void reset_data() { reset_data(std::nothrow).value(); }

    /// Hangs a list of buffers behind this one, which owns them then. On a failure the tail stays
    /// the caller's.
    result<void> chain(std::nothrow_t, Buffer &tail) noexcept
    {
        const doca_error_t code = doca_buf_chain_list(buf_.get(), tail.get());
        if (code == DOCA_SUCCESS)
            (void)tail.release();
        return detail::checked(code, "doca_buf_chain_list");
    }
    void chain(Buffer tail) { chain(std::nothrow, tail).value(); }

private:
    static doca_error_t give_back(doca_buf *buf) noexcept
    {
        return doca_buf_dec_refcount(buf, nullptr);
    }

    detail::Handle<doca_buf, give_back, "doca_buf_dec_refcount"> buf_;
};

/// A store of buffers, started. Must outlive them. Threads: as doca_buf_inventory.h says.
class BufferInventory {
public:
    static result<BufferInventory> create(std::nothrow_t, std::size_t num_buffers) noexcept
    {
        auto inventory = detail::make<Owner>("doca_buf_inventory_create", doca_buf_inventory_create,
                                             num_buffers);
        if (!inventory)
            return inventory.failure();
        const doca_error_t code = doca_buf_inventory_start(inventory->get());
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_inventory_start"};
        return BufferInventory(*std::move(inventory));
    }
    explicit BufferInventory(std::size_t num_buffers)
        : BufferInventory(create(std::nothrow, num_buffers).value())
    {
    }

    doca_buf_inventory *get() const noexcept { return inventory_.get(); }

    /// A buffer without data: a destination. DOCA_ERROR_NO_MEMORY when all are out.
    result<Buffer> by_addr(std::nothrow_t, const Mmap &mmap, std::span<std::byte> memory) noexcept
    {
        return get("doca_buf_inventory_buf_get_by_addr", mmap, memory, memory.first(0));
    }
    Buffer by_addr(const Mmap &mmap, std::span<std::byte> memory)
    {
        return by_addr(std::nothrow, mmap, memory).value();
    }
    /// A buffer full of data: a source.
    result<Buffer> by_data(std::nothrow_t, const Mmap &mmap, std::span<std::byte> memory) noexcept
    {
        return get("doca_buf_inventory_buf_get_by_data", mmap, memory, memory);
    }
    Buffer by_data(const Mmap &mmap, std::span<std::byte> memory)
    {
        return by_data(std::nothrow, mmap, memory).value();
    }

private:
    using Owner = detail::Handle<doca_buf_inventory, doca_buf_inventory_destroy,
                                 "doca_buf_inventory_destroy">;
    explicit BufferInventory(Owner inventory) noexcept : inventory_(std::move(inventory)) {}

    result<Buffer> get(const char *call, const Mmap &mmap, std::span<std::byte> memory,
                       std::span<std::byte> data) noexcept
    {
        doca_buf *buf = nullptr;
        const doca_error_t code =
            doca_buf_inventory_buf_get_by_args(inventory_.get(), mmap.get(), memory.data(),
                                               memory.size(), data.data(), data.size(), &buf);
        if (code != DOCA_SUCCESS)
            return Failure{code, call};
        return Buffer(buf);
    }

    Owner inventory_;
};

/// Buffers of one size over one map, started. Must outlive them. Keeps the map.
class BufferPool {
public:
    static result<BufferPool> create(std::nothrow_t, std::size_t num_buffers,
                                     std::size_t buffer_size, const Mmap &mmap) noexcept
    {
        auto pool = detail::make<Owner>("doca_buf_pool_create", doca_buf_pool_create, num_buffers,
                                        buffer_size, mmap.get());
        if (!pool)
            return pool.failure();
        const doca_error_t code = doca_buf_pool_start(pool->get());
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_pool_start"};
        return BufferPool(mmap.shared(), *std::move(pool));
    }
    BufferPool(std::size_t num_buffers, std::size_t buffer_size, const Mmap &mmap)
        : BufferPool(create(std::nothrow, num_buffers, buffer_size, mmap).value())
    {
    }

    doca_buf_pool *get() const noexcept { return pool_.get(); }

    /// Without data. DOCA_ERROR_EMPTY when all are out.
    result<Buffer> take(std::nothrow_t) noexcept
    {
        doca_buf *buf = nullptr;
        const doca_error_t code = doca_buf_pool_buf_alloc(pool_.get(), &buf);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_buf_pool_buf_alloc"};
        return Buffer(buf);
    }
    Buffer take() { return take(std::nothrow).value(); }

private:
    using Owner = detail::Handle<doca_buf_pool, doca_buf_pool_destroy, "doca_buf_pool_destroy">;
    BufferPool(std::shared_ptr<doca_mmap> mmap, Owner pool) noexcept
        : mmap_(std::move(mmap)), pool_(std::move(pool))
    {
    }

    std::shared_ptr<doca_mmap> mmap_; // goes after the pool
    Owner pool_;
};

} // namespace doca
