// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Memory that devices, and the other side of the PCIe link, may reach.

#pragma once

#include "device.hpp"

#include <doca_mmap.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace doca {

/// A started mmap over memory of the program, or over memory that the other side has exported.
/// The memory is not owned: it must be there until the map has been destroyed. Keeps its devices
/// open. Threads: as doca_mmap.h says.
class Mmap {
public:
    Mmap(Mmap &&) noexcept = default;
    Mmap &operator=(Mmap &&) noexcept = default;

    /// permissions are flags of doca_access_flag.
    static result<Mmap> create(std::nothrow_t, std::initializer_list<const Device *> devices,
                               std::span<std::byte> memory, std::uint32_t permissions) noexcept
    {
        auto mmap = detail::make<Owner>("doca_mmap_create", doca_mmap_create);
        if (!mmap)
            return mmap.failure();
        const auto configured = configure(**mmap, devices, memory, permissions);
        if (!configured)
            return configured.failure();
        const doca_error_t code = doca_mmap_start(mmap->get());
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_start"};
        return own(*std::move(mmap), devices);
    }
    static result<Mmap> create(std::nothrow_t, const Device &device, std::span<std::byte> memory,
                               std::uint32_t permissions) noexcept
    {
        return create(std::nothrow, {&device}, memory, permissions);
    }
    /// Memory of the other side, from the bytes of its descriptor (export_pci).
    static result<Mmap> from_export(std::nothrow_t, const Device &device,
                                    std::span<const std::byte> descriptor) noexcept
    {
        auto mmap =
            detail::make<Owner>("doca_mmap_create_from_export", doca_mmap_create_from_export,
                                nullptr, descriptor.data(), descriptor.size(), device.get());
        if (!mmap)
            return mmap.failure();
        return own(*std::move(mmap), {&device});
    }

    Mmap(const Device &device, std::span<std::byte> memory,
         std::uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
        : Mmap(create(std::nothrow, device, memory, permissions).value())
    {
    }
    Mmap(std::initializer_list<const Device *> devices, std::span<std::byte> memory,
         std::uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
        : Mmap(create(std::nothrow, devices, memory, permissions).value())
    {
    }
    static Mmap from_export(const Device &device, std::span<const std::byte> descriptor)
    {
        return from_export(std::nothrow, device, descriptor).value();
    }

    doca_mmap *get() const noexcept { return mmap_.get(); }
    /// For objects that need it.
    const std::shared_ptr<doca_mmap> &shared() const noexcept { return mmap_; }

    /// All of it. Of an export: addresses of the exporter, to aim buffers at; not to be read.
    result<std::span<std::byte>> memory(std::nothrow_t) const noexcept
    {
        void *addr = nullptr;
        std::size_t len = 0;
        const doca_error_t code = doca_mmap_get_memrange(mmap_.get(), &addr, &len);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_get_memrange"};
        return std::span(static_cast<std::byte *>(addr), len);
    }
    std::span<std::byte> memory() const { return memory(std::nothrow).value(); }

    /// The descriptor for the other side, at most 512 bytes. The bytes are the map's.
    result<std::span<const std::byte>> export_pci(std::nothrow_t,
                                                  const Device &device) const noexcept
    {
        const void *descriptor = nullptr;
        std::size_t len = 0;
        const doca_error_t code =
            doca_mmap_export_pci(mmap_.get(), device.get(), &descriptor, &len);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_export_pci"};
        return std::span(static_cast<const std::byte *>(descriptor), len);
    }
    std::span<const std::byte> export_pci(const Device &device) const
    {
        return export_pci(std::nothrow, device).value();
    }

private:
    using Owner = detail::Handle<doca_mmap, doca_mmap_destroy, "doca_mmap_destroy">;
    struct Parts {
        std::vector<std::shared_ptr<doca_dev>> devices; // close after the map has gone
        Owner mmap;
    };
    explicit Mmap(const std::shared_ptr<Parts> &parts) noexcept : mmap_(parts, parts->mmap.get()) {}

    static result<Mmap> own(Owner mmap, std::initializer_list<const Device *> devices) noexcept
    {
        return detail::no_throw([&]() -> result<Mmap> {
            auto parts = std::make_shared<Parts>();
            for (const Device *device : devices)
                parts->devices.push_back(device->shared());
            parts->mmap = std::move(mmap);
            return Mmap(parts);
        });
    }

    static result<void> configure(doca_mmap &mmap, std::initializer_list<const Device *> devices,
                                  std::span<std::byte> memory, std::uint32_t permissions) noexcept
    {
        doca_error_t code = doca_mmap_set_permissions(&mmap, permissions);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_set_permissions"};
        code = doca_mmap_set_memrange(&mmap, memory.data(), memory.size());
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_set_memrange"};
        code = doca_mmap_set_max_num_devices(&mmap, static_cast<std::uint32_t>(devices.size()));
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_mmap_set_max_num_devices"};
        for (const Device *device : devices) {
            code = doca_mmap_add_dev(&mmap, device->get());
            if (code != DOCA_SUCCESS)
                return Failure{code, "doca_mmap_add_dev"};
        }
        return {};
    }

    std::shared_ptr<doca_mmap> mmap_; // a reference to its parts
};

} // namespace doca
