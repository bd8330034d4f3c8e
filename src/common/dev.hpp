// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/intrusive_list.hpp"
#include "base/log_sink.hpp"
#include "base/process.hpp"
#include "fabric/topology.hpp"

#include <doca_dev.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace softdoca {

struct DevinfoList;
struct DevinfoEntry;

/// Marks a device as used by an object for as long as it lives; doca_dev_close refuses meanwhile.
class __attribute__((visibility("default"))) DeviceHold : private ListHook<DeviceHold> {
public:
    /// What the holder is doing, for log lines.
    using StateText = const char *(*)(const void *holder) noexcept;

    /// kind is what log lines call the holder ("DMA", "mmap"); it and holder must outlive this.
    DeviceHold(doca_dev &dev, const char *kind, const void *holder,
               StateText state = nullptr) noexcept;
    ~DeviceHold();
    DeviceHold(const DeviceHold &) = delete;
    DeviceHold &operator=(const DeviceHold &) = delete;

    doca_dev &dev() const noexcept { return dev_; }

private:
    friend struct ::doca_dev;
    friend class IntrusiveList<DeviceHold, DeviceHold>;

    doca_dev &dev_;
    const char *kind_;
    const void *holder_;
    StateText state_;
};

/// The function that a devinfo describes; nullptr if it is NULL or its list or device has gone.
[[gnu::visibility("default")]] const Function *function_of(const doca_devinfo *devinfo) noexcept;

/// The same with its representors.
const Device *device_of(const doca_devinfo *devinfo) noexcept;

/// First step of calls on a device: INVALID_VALUE unless it is open, BAD_STATE in a forked child.
[[gnu::visibility("default"), nodiscard]] doca_error_t check_open(LogSite site, const char *call,
                                                                  const doca_dev *dev) noexcept;

/// Is this a device, open or not, rather than a pointer to something else?
[[gnu::visibility("default")]] bool is_device(const doca_dev *dev) noexcept;

/// Is the device open more often than num times?
[[gnu::visibility("default")]] bool is_open_more_often(const doca_dev &dev,
                                                       std::uint32_t num) noexcept;

/// The entry behind a devinfo, checked against all lists and open devices; nullptr as above.
const DevinfoEntry *entry_of(const doca_devinfo *devinfo) noexcept;

/// INVALID_VALUE in the name of the public function call, for a devinfo that is NULL or stale.
[[nodiscard]] doca_error_t refuse_devinfo(const char *call, const doca_devinfo *devinfo) noexcept;

/// PCI addresses behind one another, for log lines; "..." stands for those that do not fit.
struct AddressText {
    char text[256] = "";

    void add(const Function &function) noexcept
    {
        constexpr std::size_t kRoom = sizeof ", 0000:00:00.0" + sizeof ", ...";
        const std::size_t len = std::strlen(text);
        const bool has_room = sizeof text - len > kRoom;
        if (has_room || !std::string_view(text).ends_with("..."))
            std::snprintf(text + len, sizeof text - len, "%s%s", len == 0 ? "" : ", ",
                          has_room ? function.pci.text().data() : "...");
    }
};

/// All that a node sees.
AddressText addresses_of(const Node &node) noexcept;

/// Copies text into the caller's buffer, which must have min_size bytes, and fills the rest with
/// zeros; refuses in the name of the public function call.
[[nodiscard]] doca_error_t copy_text(const char *call, const std::string &text, char *out,
                                     std::uint32_t size, std::uint32_t min_size) noexcept;

/// One answer of a list or of an open device. Members of a list know it, to notice a search that
/// found nothing.
struct DevinfoEntry {
    const Device *device = nullptr;
    DevinfoList *list = nullptr;
};

} // namespace softdoca

struct doca_devinfo : softdoca::DevinfoEntry {};

namespace softdoca {

/// The addresses that a program compares with those of a list, to tell which one is not there.
/// Threads: any.
class AddressSearch {
public:
    void note(const PciAddress &wanted, bool is_equal) noexcept
    {
        wanted_ = kIsSet | std::uint64_t{wanted.domain} << 24 | std::uint64_t{wanted.bus} << 16 |
                  std::uint64_t{wanted.device} << 8 | wanted.function;
        if (is_equal)
            was_found_ = true;
    }
    bool has_failed() const noexcept { return wanted_ != 0 && !was_found_; }
    /// The last one.
    PciAddress wanted() const noexcept
    {
        const std::uint64_t packed = wanted_;
        return {static_cast<std::uint16_t>(packed >> 24), static_cast<std::uint8_t>(packed >> 16),
                static_cast<std::uint8_t>(packed >> 8), static_cast<std::uint8_t>(packed)};
    }

private:
    static constexpr std::uint64_t kIsSet = std::uint64_t{1} << 40;

    std::atomic<std::uint64_t> wanted_{0}; ///< packed, so that it is one value
    std::atomic<bool> was_found_{false};
};

/// What doca_devinfo_create_list hands out: the array of pointers that the program sees, and the
/// entries behind it.
struct DevinfoList {
    std::vector<doca_devinfo> entries;
    std::vector<doca_devinfo *> pointers;
    AddressSearch search;
};

} // namespace softdoca

/// A device of this node. There is one object for each, made at the first open and kept for ever,
/// so that a stale pointer is recognised. Open while references are held. Threads: any.
struct doca_dev {
public:
    explicit doca_dev(const softdoca::Device &device) noexcept;

    const softdoca::Device &device() const noexcept { return device_; }
    const softdoca::Function &function() const noexcept { return device_.function; }
    /// "0000:03:00.0", for log lines.
    const char *name() const noexcept { return name_.data(); }
    doca_devinfo *devinfo() noexcept { return &devinfo_; }

    [[nodiscard]] doca_error_t open() noexcept;
    [[nodiscard]] doca_error_t close() noexcept;
    bool is_open() const noexcept;
    bool is_inherited() const noexcept;

private:
    friend class softdoca::DeviceHold;
    friend bool softdoca::is_open_more_often(const doca_dev &dev, std::uint32_t num) noexcept;
    [[nodiscard]] doca_error_t
    refuse_close(std::unique_lock<softdoca::ForkSafeLock> &lock) noexcept;

    const softdoca::Device &device_;
    std::array<char, 13> name_;
    doca_devinfo devinfo_;
    // Below: under the device lock.
    std::uint32_t num_refs_ = 0;
    softdoca::OwnerProcess owner_;
    softdoca::IntrusiveList<softdoca::DeviceHold, softdoca::DeviceHold> holds_;
};
