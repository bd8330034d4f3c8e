// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Memory that another process can reach: what is exported, and mmaps made from such exports. How
// the bytes get across is in src/fabric/window*.cpp.

#include "common/mmap_export.hpp"

#include "base/api_guard.hpp"
#include "base/handle.hpp"
#include "base/log_sink.hpp"
#include "fabric/local_process.hpp"

#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

LOG_SOURCE("CORE::MMAP_EXPORT");

namespace {

constexpr std::uint32_t kPciAccess =
    DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

doca_error_t check(const char *call, const doca_mmap *mmap) noexcept
{
    return softdoca::check_handle(LOG_SITE, call, "mmap", mmap);
}

/// What both kinds of export look at first.
doca_error_t check_export_args(const char *call, const doca_mmap *mmap, const doca_dev *dev,
                               const void **export_desc, const size_t *export_desc_len) noexcept
{
    if (const doca_error_t bad = check(call, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, call, dev); bad != DOCA_SUCCESS)
        return bad;
    if (export_desc == nullptr || export_desc_len == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, mmap, "%s: an out-parameter is NULL", call);
    return DOCA_SUCCESS;
}

doca_error_t answer(const char *call, const doca_mmap *mmap, std::uint8_t *out,
                    bool (*is_so)(const doca_mmap &) noexcept) noexcept
{
    if (const doca_error_t bad = check(call, mmap); bad != DOCA_SUCCESS)
        return bad;
    if (const doca_error_t bad = softdoca::check_out(LOG_SITE, call, out); bad != DOCA_SUCCESS)
        return bad;
    *out = is_so(*mmap) ? 1 : 0;
    return DOCA_SUCCESS;
}

doca_error_t import(const doca_data *user_data, std::span<const std::byte> descriptor,
                    doca_dev &dev, doca_mmap **out)
{
    softdoca::ImportFault fault;
    auto window = softdoca::Window::import(descriptor, dev.function(), &fault);
    if (window == nullptr) {
        softdoca::LogSite site = LOG_SITE;
        site.cause = static_cast<int>(std::hash<std::string_view>()(fault.text));
        return softdoca::log_refusal(site, fault.code, &dev,
                                     "doca_mmap_create_from_export with %s: %s", dev.name(),
                                     fault.text);
    }
    LOG_INF("import of pid %d (%s), %llu bytes, route: %s%s%s", window->exporter_pid(),
            window->exporter_side(), static_cast<unsigned long long>(window->len()),
            to_string(window->route()),
            *window->reason() == '\0' ? "" : "; no better one, because: ", window->reason());
    auto mmap = std::make_unique<doca_mmap>(std::move(window), dev);
    if (user_data != nullptr)
        mmap->set_imported_user_data(*user_data);
    *out = mmap.release();
    return DOCA_SUCCESS;
}

} // namespace

doca_mmap::doca_mmap(std::unique_ptr<softdoca::Window> window, doca_dev &dev)
    : base_(reinterpret_cast<std::byte *>(window->addr())), len_(window->len()),
      window_(std::move(window)), is_started_(true),
      is_writable_((window_->permissions() & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0),
      was_started_(true), permissions_(window_->permissions())
{
    devs_.push_back(std::make_unique<softdoca::DeviceHold>(dev, "import", this));
}

doca_error_t doca_mmap::check_export(const doca_dev &dev) const noexcept
{
    if (window_ != nullptr)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p was made from an export; only its owner can export the memory",
                           static_cast<const void *>(this));
    if (!is_started_)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p is not started; export it after doca_mmap_start",
                           static_cast<const void *>(this));
    if (!has(dev))
        return LOG_REFUSED(DOCA_ERROR_NOT_FOUND, this,
                           "mmap %p does not have device %s; call doca_mmap_add_dev before "
                           "doca_mmap_start",
                           static_cast<const void *>(this), dev.name());
    if ((permissions_ & kPciAccess) == 0)
        return LOG_REFUSED(DOCA_ERROR_NOT_PERMITTED, this,
                           "mmap %p has permissions 0x%x, none of them for PCI; set "
                           "DOCA_ACCESS_FLAG_PCI_READ_ONLY or PCI_READ_WRITE before it is started",
                           static_cast<const void *>(this), permissions_);
    if (dev.function().card.empty())
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, this,
                           "device %s is not of a DPU's card; nobody is on its other side "
                           "(doca_mmap_cap_is_export_pci_supported)",
                           dev.name());
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap::export_pci(const doca_dev &dev, const void **desc, std::size_t *len)
{
    if (const doca_error_t bad = check_export(dev); bad != DOCA_SUCCESS)
        return bad;
    for (const auto &known : exports_)
        if (known->dev == &dev) {
            *desc = &known->descriptor;
            *len = sizeof known->descriptor;
            return DOCA_SUCCESS;
        }
    std::string why;
    softdoca::LocalProcess *const self = softdoca::LocalProcess::get(&why);
    if (self == nullptr)
        return LOG_REFUSED(DOCA_ERROR_DRIVER, &dev, "mmap %p cannot be exported with %s: %s",
                           static_cast<void *>(this), dev.name(), why.c_str());
    exports_.reserve(exports_.size() + 1);
    auto made = std::make_unique<softdoca::MmapExport>();
    const auto handle =
        self->exports().open({base_, len_, permissions_, &dev.function(), memory_fd_.get()});
    if (!handle)
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, this,
                           "mmap %p cannot be exported: this process has %u exports, the limit; "
                           "stop those that are not needed (doca_mmap_stop)",
                           static_cast<void *>(this), softdoca::kMaxWindows);
    made->dev = &dev;
    made->handle = *handle;
    softdoca::ExportDescriptor &descriptor = made->descriptor;
    descriptor.exporter = self->id();
    descriptor.key = handle->key;
    descriptor.addr = reinterpret_cast<std::uintptr_t>(base_);
    descriptor.len = len_;
    descriptor.permissions = permissions_;
    descriptor.pid = ::getpid();
    descriptor.side = self->node().side == softdoca::Side::dpu ? 1 : 0;
    softdoca::wire::put_text(descriptor.node, self->node().name.c_str());
    softdoca::wire::put_text(descriptor.pci, dev.name());
    descriptor.seal();
    exports_.push_back(std::move(made));
    *desc = &descriptor;
    *len = sizeof descriptor;
    LOG_INF("mmap %p: [%p, %zu bytes] exported with %s", static_cast<void *>(this),
            static_cast<void *>(base_), len_, dev.name());
    return DOCA_SUCCESS;
}

void doca_mmap::end_exports() noexcept
{
    std::size_t num_busy = 0;
    for (const auto &each : exports_)
        num_busy += softdoca::LocalProcess::get()->exports().close(each->handle);
    exports_.clear();
    if (num_busy != 0)
        LOG_WRN("mmap %p: %zu peers are still copying from or to it after a second (stopped by a "
                "debugger?); their copies will fail, but do not free the memory yet",
                static_cast<void *>(this), num_busy);
}

extern "C" doca_error_t doca_mmap_export_pci(doca_mmap *mmap, const doca_dev *dev,
                                             const void **export_desc, size_t *export_desc_len)
{
    if (const doca_error_t bad =
            check_export_args(__func__, mmap, dev, export_desc, export_desc_len);
        bad != DOCA_SUCCESS)
        return bad;
    return softdoca::api_guard(
        LOG_SITE, __func__, [&] { return mmap->export_pci(*dev, export_desc, export_desc_len); });
}

extern "C" doca_error_t doca_mmap_export_rdma(doca_mmap *mmap, const doca_dev *dev,
                                              const void **export_desc, size_t *export_desc_len)
{
    if (const doca_error_t bad =
            check_export_args(__func__, mmap, dev, export_desc, export_desc_len);
        bad != DOCA_SUCCESS)
        return bad;
    return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, mmap,
                       "%s: this release has no RDMA; see doca_mmap_export_pci", __func__);
}

extern "C" doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
                                                     const void *export_desc,
                                                     size_t export_desc_len, doca_dev *dev,
                                                     doca_mmap **mmap)
{
    if (const doca_error_t bad = softdoca::check_open(LOG_SITE, __func__, dev); bad != DOCA_SUCCESS)
        return bad;
    if (export_desc == nullptr || export_desc_len == 0 || mmap == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "%s: the descriptor is NULL or empty, or mmap is NULL", __func__);
    if (dev->function().card.empty())
        return LOG_REFUSED(DOCA_ERROR_NOT_SUPPORTED, dev,
                           "device %s is not of a DPU's card; nobody is on its other side "
                           "(doca_mmap_cap_is_create_from_export_pci_supported)",
                           dev->name());
    const std::span bytes(static_cast<const std::byte *>(export_desc), export_desc_len);
    return softdoca::api_guard(LOG_SITE, __func__,
                               [&] { return import(user_data, bytes, *dev, mmap); });
}

extern "C" doca_error_t doca_mmap_get_exported(const doca_mmap *mmap, uint8_t *exported)
{
    return answer(__func__, mmap, exported,
                  [](const doca_mmap &each) noexcept { return each.is_exported(); });
}

extern "C" doca_error_t doca_mmap_get_from_export(const doca_mmap *mmap, uint8_t *from_export)
{
    return answer(__func__, mmap, from_export,
                  [](const doca_mmap &each) noexcept { return each.window() != nullptr; });
}
