// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/process.hpp"
#include "base/unique_fd.hpp"
#include "common/dev.hpp"

#include <doca_mmap.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softdoca {

class Window;
struct MmapExport;

} // namespace softdoca

/// A range of memory that devices may reach: the program's own, which it may export to the other
/// side, or another process's, made from its export. Its configuration is fixed while it is
/// started; one that was made from an export is started for life, and its addresses are the
/// exporter's. Threads: one may configure; once started, any number may read. The count of buffers
/// is exact for one thread; several need doca_mmap_enable_thread_safety, which turns the counting
/// off.
struct __attribute__((visibility("default"))) doca_mmap {
public:
    doca_mmap();
    /// Made from an export: memory behind the window, for use with dev.
    doca_mmap(std::unique_ptr<softdoca::Window> window, doca_dev &dev);
    ~doca_mmap();

    // Configuration and life cycle: cold.
    [[nodiscard]] doca_error_t set_memrange(void *addr, std::size_t len) noexcept;
    [[nodiscard]] doca_error_t set_permissions(std::uint32_t access_mask) noexcept;
    [[nodiscard]] doca_error_t set_free_cb(doca_mmap_memrange_free_cb_t *callback,
                                           void *cookie) noexcept;
    [[nodiscard]] doca_error_t set_user_data(doca_data user_data) noexcept;
    [[nodiscard]] doca_error_t set_max_num_devices(std::uint32_t max_num_devices) noexcept;
    [[nodiscard]] doca_error_t enable_thread_safety() noexcept;
    [[nodiscard]] doca_error_t add_dev(doca_dev &dev);
    [[nodiscard]] doca_error_t rm_dev(doca_dev &dev) noexcept;
    [[nodiscard]] doca_error_t start() noexcept;
    [[nodiscard]] doca_error_t stop() noexcept;
    [[nodiscard]] doca_error_t check_destroy() const noexcept;
    /// The memory is that of this descriptor, which is kept open.
    void keep_memory_fd(softdoca::UniqueFd &&fd) noexcept { memory_fd_ = std::move(fd); }
    void set_imported_user_data(doca_data user_data) noexcept { user_data_ = user_data; }
    /// Describes the memory for the other side of dev. The bytes live until stop.
    [[nodiscard]] doca_error_t export_pci(const doca_dev &dev, const void **desc, std::size_t *len);

    /// What is to be called when the mmap has been destroyed; callback is nullptr for nothing.
    struct FreeCall {
        doca_mmap_memrange_free_cb_t *callback;
        void *addr;
        std::size_t len;
        void *cookie;
    };
    FreeCall due_free_call() const noexcept;

    bool is_inherited() const noexcept { return owner_.is_another(); }
    bool has_range() const noexcept { return base_ != nullptr; }
    std::byte *base() const noexcept { return base_; }
    std::size_t len() const noexcept { return len_; }
    std::uint32_t permissions() const noexcept { return permissions_; }
    doca_data user_data() const noexcept { return user_data_; }
    std::uint32_t max_num_devices() const noexcept { return max_num_devices_; }
    std::uint32_t num_bufs() const noexcept { return num_bufs_.load(std::memory_order_relaxed); }

    // Hot path.
    bool is_started() const noexcept { return is_started_; }
    /// May devices of this process write? Consumers' memory says so by PCI_READ_WRITE alone.
    bool is_writable() const noexcept { return is_writable_; }
    bool contains(const void *addr, std::size_t len) const noexcept
    {
        const auto offset =
            reinterpret_cast<std::uintptr_t>(addr) - reinterpret_cast<std::uintptr_t>(base_);
        return offset <= len_ && len <= len_ - offset;
    }
    bool has(const doca_dev &dev) const noexcept;
    bool is_exported() const noexcept { return !exports_.empty(); }
    /// What it was made from; nullptr: memory of this process.
    const softdoca::Window *window() const noexcept { return window_.get(); }
    /// The device that was added first, while started: true for it means usable in one comparison,
    /// and memory of this process.
    bool is_first_usable(const doca_dev &dev) const noexcept { return usable_dev_ == &dev; }

    /// A buffer into this range came to be, or went. False: buffers are not counted here.
    bool count_buf() noexcept
    {
        if (is_thread_safe_)
            return false;
        add_to_count(1);
        return true;
    }
    void uncount_buf() noexcept { add_to_count(-1u); }

private:
    /// NOT_PERMITTED for what cannot be done with an mmap that was made from an export.
    [[nodiscard]] doca_error_t check_own(const char *what) const noexcept;
    [[nodiscard]] doca_error_t check_export(const doca_dev &dev) const noexcept;
    /// No importer is copying when it returns (or a warning was given).
    void end_exports() noexcept;

    /// One thread writes, so no locked instruction; atomic, so that misuse is not undefined.
    void add_to_count(std::uint32_t delta) noexcept
    {
        num_bufs_.store(num_bufs_.load(std::memory_order_relaxed) + delta,
                        std::memory_order_relaxed);
    }

    // Read for each task.
    std::byte *base_ = nullptr; // the user's memory, not ours
    std::size_t len_ = 0;
    const doca_dev *usable_dev_ = nullptr; // while started, own memory: the first device
    std::unique_ptr<softdoca::Window> window_;
    bool is_started_ = false;
    bool is_writable_ = true;
    bool is_thread_safe_ = false;
    std::atomic<std::uint32_t> num_bufs_{0};

    bool was_started_ = false;
    bool is_free_cb_due_ = false; // set since the last set_free_cb by a start
    std::uint32_t permissions_ =
        DOCA_ACCESS_FLAG_LOCAL_READ_WRITE; // until set: local read and write
    std::uint32_t max_num_devices_ = 8;
    std::vector<std::unique_ptr<softdoca::DeviceHold>> devs_;
    doca_mmap_memrange_free_cb_t *free_cb_ = nullptr;
    void *free_cookie_ = nullptr;
    doca_data user_data_{};
    softdoca::OwnerProcess owner_;
    std::vector<std::unique_ptr<softdoca::MmapExport>> exports_; // one for each device
    softdoca::UniqueFd memory_fd_;
};
