// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/window_export.hpp"

#include "base/membarrier.hpp"
#include "base/unix_socket.hpp"

#include <doca_types.h>

#include <algorithm>
#include <ctime>
#include <mutex>

namespace softdoca {

namespace {

constexpr auto kCopyPatience = std::chrono::seconds(1);

void wait_a_moment() noexcept
{
    const timespec moment{0, 20'000};
    nanosleep(&moment, nullptr);
}

/// Waits until the copies end that a process had under way; false if it does not end in time.
bool wait_for_copies_of(const StatusPage &page, const PeerPage *peer,
                        Clock::time_point deadline) noexcept
{
    const std::uint32_t num_marks =
        std::min(page.num_copy_marks.load(std::memory_order_acquire), kMaxCopyMarks);
    for (std::uint32_t i = 0; i < num_marks; ++i) {
        const auto &mark = page.copy_marks[i].value;
        const std::uint64_t seen = mark.load(std::memory_order_acquire); // pairs with end()
        if (seen % 2 == 0)
            continue;
        while (mark.load(std::memory_order_acquire) == seen) {
            if (peer != nullptr && !peer->is_alive())
                return true;
            if (Clock::now() >= deadline)
                return false;
            wait_a_moment();
        }
    }
    return true;
}

} // namespace

std::optional<ExportTable::Handle> ExportTable::open(const WindowOffer &offer)
{
    Export made;
    made.window.addr = reinterpret_cast<std::uintptr_t>(offer.addr);
    made.window.len = offer.len;
    made.window.permissions = offer.permissions;
    made.window.pci = offer.function->pci;
    if (auto backing = find_backing(offer))
        made.window.backing = std::make_shared<const BackingMemory>(std::move(*backing));
    made.handle.key = ExportKey::make();

    const std::scoped_lock lock(lock_);
    exports_.reserve(exports_.size() + 1);
    free_slots_.reserve(num_slots_ + 1); // so that close() need not allocate
    if (!free_slots_.empty()) {
        made.handle.slot = free_slots_.back();
        free_slots_.pop_back();
    } else if (num_slots_ < kMaxWindows) {
        made.handle.slot = num_slots_++;
    } else {
        return std::nullopt;
    }
    auto &generation = page_.page().generations[made.handle.slot];
    made.handle.generation = generation.load(std::memory_order_relaxed) + 1;
    generation.store(made.handle.generation, std::memory_order_release);
    made.window.slot = made.handle.slot;
    made.window.generation = made.handle.generation;
    exports_.push_back(std::move(made));
    return exports_.back().handle;
}

std::vector<ExportTable::Importer> ExportTable::take(const Handle &handle)
{
    const std::scoped_lock lock(lock_);
    const auto found = std::find_if(exports_.begin(), exports_.end(), [&](const Export &each) {
        return each.handle.slot == handle.slot && each.handle.generation == handle.generation;
    });
    if (found == exports_.end())
        return {};
    page_.page().generations[handle.slot].store(handle.generation + 1, std::memory_order_seq_cst);
    std::vector<Importer> importers = std::move(found->importers);
    *found = std::move(exports_.back());
    exports_.pop_back();
    return importers;
}

std::size_t ExportTable::close(const Handle &handle) noexcept
{
    const std::vector<Importer> importers = take(handle);
    const std::size_t num_busy = wait_for_copies(importers);
    const std::scoped_lock lock(lock_);
    free_slots_.push_back(handle.slot);
    return num_busy;
}

/// Everybody who set a mark before this fence is seen; everybody who sets one later sees the new
/// generation.
std::size_t ExportTable::wait_for_copies(const std::vector<Importer> &importers) const noexcept
{
    const auto deadline = Clock::now() + kCopyPatience;
    if (!fence_all_processes())
        std::atomic_thread_fence(std::memory_order_seq_cst); // then importers fence themselves
    std::size_t num_busy = 0;
    for (const Importer &importer : importers)
        if (!importer.is_channel &&
            !wait_for_copies_of(importer.page->page(), importer.page.get(), deadline))
            ++num_busy;
    if (!wait_for_copies_of(page_.page(), nullptr, deadline)) // our own agent
        ++num_busy;
    return num_busy;
}

std::optional<GrantedWindow> ExportTable::grant(const ExportKey &key,
                                                const std::shared_ptr<const PeerPage> &importer,
                                                bool is_channel)
{
    const std::scoped_lock lock(lock_);
    for (Export &each : exports_) {
        if (!each.handle.key.is_equal_secret(key))
            continue;
        Importer *const known = find(each.importers, importer.get(), is_channel);
        if (known != nullptr)
            ++known->num_imports;
        else
            each.importers.push_back({importer, is_channel, 1});
        return each.window;
    }
    return std::nullopt;
}

void ExportTable::forget(std::uint32_t slot, std::uint64_t generation, const PeerPage *importer,
                         bool is_channel) noexcept
{
    const std::scoped_lock lock(lock_);
    Export *const known = const_cast<Export *>(find(slot, generation));
    if (known == nullptr)
        return;
    Importer *const found = find(known->importers, importer, is_channel);
    if (found != nullptr && --found->num_imports == 0)
        known->importers.erase(known->importers.begin() + (found - known->importers.data()));
}

ExportTable::Importer *ExportTable::find(std::vector<Importer> &importers, const PeerPage *page,
                                         bool is_channel) noexcept
{
    const auto found = std::find_if(importers.begin(), importers.end(), [&](const Importer &each) {
        return each.page.get() == page && each.is_channel == is_channel;
    });
    return found == importers.end() ? nullptr : &*found;
}

const ExportTable::Export *ExportTable::find(std::uint32_t slot,
                                             std::uint64_t generation) const noexcept
{
    const auto found = std::find_if(exports_.begin(), exports_.end(), [&](const Export &each) {
        return each.handle.slot == slot && each.handle.generation == generation;
    });
    return found == exports_.end() ? nullptr : &*found;
}

bool ExportTable::allows(std::uint32_t slot, std::uint64_t generation, std::uint64_t addr,
                         std::uint64_t len, bool is_write) const noexcept
{
    const std::scoped_lock lock(lock_);
    const Export *const known = find(slot, generation);
    if (known == nullptr ||
        (is_write && (known->window.permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0))
        return false;
    const std::uint64_t offset = addr - known->window.addr;
    return offset <= known->window.len && len <= known->window.len - offset;
}

std::vector<ExportTable::Row> ExportTable::rows() const
{
    std::vector<Row> rows;
    const std::scoped_lock lock(lock_);
    for (const Export &each : exports_) {
        std::uint32_t num_imports = 0;
        for (const Importer &one : each.importers)
            num_imports += one.is_channel ? 0 : one.num_imports;
        rows.push_back({each.window, num_imports});
    }
    return rows;
}

} // namespace softdoca
