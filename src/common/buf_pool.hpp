// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/buf.hpp"

#include <doca_buf_pool.h>

#include <memory>

/// Buffers of one size that divide the range of one mmap among them. Threads: as BufStore.
struct doca_buf_pool : softdoca::BufStore {
public:
    doca_buf_pool(std::size_t num_elements, std::size_t element_size, doca_mmap &mmap);
    ~doca_buf_pool();

    [[nodiscard]] doca_error_t start() noexcept;
    [[nodiscard]] doca_error_t stop() noexcept;
    [[nodiscard]] doca_error_t alloc(doca_buf **buf) noexcept;
    [[nodiscard]] doca_error_t set_element_alignment(std::size_t alignment) noexcept;
    [[nodiscard]] doca_error_t set_user_data(doca_data user_data) noexcept;
    /// DOCA_SUCCESS, or IN_USE while buffers are out.
    [[nodiscard]] doca_error_t check_all_back(const char *call) const noexcept;

    std::size_t element_alignment() const noexcept { return alignment_; }
    doca_data user_data() const noexcept { return user_data_; }

private:
    [[nodiscard]] doca_error_t lay_out() noexcept;

    bool is_started_ = false;
    doca_mmap &mmap_;
    std::size_t element_size_;
    std::size_t alignment_ = 1;
    std::unique_ptr<doca_buf[]> bufs_;
    std::byte *first_element_ = nullptr; // since start
    std::size_t stride_ = 0;             // bytes from one element to the next
    doca_data user_data_{};
};
