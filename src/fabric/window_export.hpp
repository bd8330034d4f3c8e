// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/process_fd.hpp"
#include "fabric/random_id.hpp"
#include "fabric/status_page.hpp"
#include "fabric/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softdoca {

/// Memory of this process that importers who know its key may reach, from open to close.
struct WindowOffer {
    std::byte *addr = nullptr;
    std::size_t len = 0;
    std::uint32_t permissions = 0; ///< DOCA_ACCESS_FLAG_*
    const Function *function = nullptr;
    int memory_fd = -1; ///< of the memory, if the program has told us (not kept)
};

/// Where the memory of an export can be had as pages, for the mapped route.
struct BackingMemory {
    ProcessFd fd; ///< of our own; for reading only if the export is
    std::uint64_t offset = 0;
};

/// Finds the sealed memfd behind a range, nothing if there is none or it must not be mapped.
[[gnu::visibility("default")]] std::optional<BackingMemory> find_backing(const WindowOffer &offer);

/// What the importer of a key gets to know.
struct GrantedWindow {
    std::uint32_t slot = 0;
    std::uint64_t generation = 0;
    std::uint64_t addr = 0;
    std::uint64_t len = 0;
    std::uint32_t permissions = 0;
    PciAddress pci;
    std::shared_ptr<const BackingMemory> backing; ///< or nullptr
};

/// The exports of this process. Threads: any; the lock is held for a few instructions.
class ExportTable {
public:
    explicit ExportTable(OwnPage &page) : page_(page) {}

    struct Handle {
        std::uint32_t slot = 0;
        std::uint64_t generation = 0;
        ExportKey key;
    };
    /// Nothing if all slots are taken.
    std::optional<Handle> open(const WindowOffer &offer);
    /// Ends the export. When it returns, no importer is copying and none can begin, except those
    /// that did not end within a second: their number is returned.
    std::size_t close(const Handle &handle) noexcept;

    /// For the agent. An importer showed a key: nothing if no export has it (any more). Its page is
    /// remembered until forget().
    std::optional<GrantedWindow>
    grant(const ExportKey &key, const std::shared_ptr<const PeerPage> &importer, bool is_channel);
    /// The importer has closed this window, or has gone.
    void forget(std::uint32_t slot, std::uint64_t generation, const PeerPage *importer,
                bool is_channel) noexcept;
    /// Is [addr, addr + len) part of that window, and may it be written if is_write?
    bool allows(std::uint32_t slot, std::uint64_t generation, std::uint64_t addr, std::uint64_t len,
                bool is_write) const noexcept;
    bool is_open(std::uint32_t slot, std::uint64_t generation) const noexcept
    {
        return page_.page().generations[slot].load(std::memory_order_acquire) == generation;
    }

    struct Row {
        GrantedWindow window;
        std::uint32_t num_imports;
    };
    std::vector<Row> rows() const;

private:
    struct Importer { // one of each connection
        std::shared_ptr<const PeerPage> page;
        bool is_channel;
        std::uint32_t num_imports;
    };
    struct Export {
        Handle handle;
        GrantedWindow window;
        std::vector<Importer> importers;
    };
    const Export *find(std::uint32_t slot, std::uint64_t generation) const noexcept;
    static Importer *find(std::vector<Importer> &importers, const PeerPage *page,
                          bool is_channel) noexcept;
    std::vector<Importer> take(const Handle &handle);
    std::size_t wait_for_copies(const std::vector<Importer> &importers) const noexcept;

    OwnPage &page_;
    mutable ForkSafeLock lock_;
    std::vector<Export> exports_;
    std::vector<std::uint32_t> free_slots_;
    std::uint32_t num_slots_ = 0; // ever used
};

} // namespace softdoca
