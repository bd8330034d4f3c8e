// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/buf.hpp"

#include <doca_buf_inventory.h>

#include <atomic>
#include <memory>
#include <vector>

/// A stock of buffers for any started mmap. Threads: taking and giving back is safe from several.
struct doca_buf_inventory : softdoca::BufStore {
public:
    explicit doca_buf_inventory(std::size_t num_elements);
    ~doca_buf_inventory();

    void start() noexcept { is_started_.store(true, std::memory_order_relaxed); }
    void stop() noexcept { is_started_.store(false, std::memory_order_relaxed); }
    bool is_started() const noexcept { return is_started_.load(std::memory_order_relaxed); }
    [[nodiscard]] doca_error_t expand(std::uint32_t num_elements);
    [[nodiscard]] doca_error_t get(doca_mmap &mmap, void *addr, std::size_t len, void *data,
                                   std::size_t data_len, doca_buf **out) noexcept
    {
        if (!is_started() || !mmap.is_started() || mmap.is_inherited() ||
            !mmap.contains(addr, len) || !lies_in(data, data_len, addr, len)) [[unlikely]]
            return refuse_get(mmap, addr, len, data, data_len);
        if (!lock_.try_lock_as_owner()) [[unlikely]]
            return get_later(mmap, addr, len, data, data_len, out);
        doca_buf *const buf = take();
        lock_.unlock_as_owner();
        if (buf == nullptr) [[unlikely]]
            return report_empty();
        buf->set(mmap, addr, len, data, data_len);
        *out = buf;
        return DOCA_SUCCESS;
    }
    [[nodiscard]] doca_error_t dup(const doca_buf &src, doca_buf **dst) noexcept;

    doca_data user_data() const noexcept { return user_data_; }
    void set_user_data(doca_data user_data) noexcept { user_data_ = user_data; }

private:
    static bool lies_in(const void *data, std::size_t data_len, const void *addr,
                        std::size_t len) noexcept
    {
        const auto offset =
            reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(addr);
        return offset == 0 ? data_len <= len : offset <= len && data_len <= len - offset;
    }
    [[gnu::cold, gnu::noinline]] doca_error_t get_later(doca_mmap &mmap, void *addr,
                                                        std::size_t len, void *data,
                                                        std::size_t data_len,
                                                        doca_buf **out) noexcept;
    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t
    refuse_get(const doca_mmap &mmap, const void *addr, std::size_t len, const void *data,
               std::size_t data_len) const noexcept;
    [[nodiscard, gnu::cold, gnu::noinline]] doca_error_t report_empty() const noexcept;

    std::atomic<bool> is_started_{false};
    std::vector<std::unique_ptr<doca_buf[]>> chunks_;
    doca_data user_data_{};
};
