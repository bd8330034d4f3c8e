// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/fork_safe_lock.hpp"
#include "base/log_sink.hpp"
#include "common/ctx.hpp"
#include "common/pe.hpp"
#include "model/device.hpp"
#include "model/memory.hpp"
#include "model/pcap.hpp"
#include "model/settings.hpp"

#include <doca_buf_inventory.h>
#include <softdoca/model.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace softdoca {

/// Guards the one Context and its tables. Held for a few instructions and the copy of a frame,
/// never while something is logged: a log backend may be the program's own code.
extern ForkSafeLock model_lock;

/// A base class, so that the engine outlives the context on it.
struct OwnEngine {
    doca_pe engine;
};

/// The Context of the process: owner of everything that is alive below it, and the table of these
/// handles. The process holds one reference, each call another one while it lasts; whoever gives
/// back the last releases what is left. Nothing of a Context that was destroyed is found in its
/// tables. Threads: any.
struct ModelContext final : private OwnEngine, doca_ctx {
public:
    /// Gets what a Context needs. Throws std::bad_alloc.
    [[nodiscard]] static doca_error_t make(std::shared_ptr<ModelContext> &out);
    explicit ModelContext(const ModelSettings &settings);
    ~ModelContext() override;

    doca_error_t check_driven_by_program(const char *call) const noexcept override;

    /// The first function with a network plane; nullptr if there is none.
    doca_devinfo *first_devinfo() const noexcept;
    /// The function behind one that the Context has; nullptr behind the last.
    doca_devinfo *next_devinfo(const doca_devinfo *info) const noexcept;
    bool has_devinfo(const doca_devinfo *info) const noexcept;

    [[nodiscard]] doca_error_t open(doca_devinfo *info, doca_dev **out);
    /// Nothing if the device is not the Context's.
    std::optional<doca_error_t> close(doca_dev *dev);
    [[nodiscard]] doca_error_t read_counters(const doca_dev *dev,
                                             softdoca_model_device_counters *out) noexcept;

    [[nodiscard]] doca_error_t reg(doca_dev *dev, void *addr, std::size_t len, std::uint32_t access,
                                   doca_mem **out);
    [[nodiscard]] doca_error_t unreg(doca_mem *mem);
    [[nodiscard]] doca_error_t read_addr(const doca_mem *mem, std::uint64_t *host_addr,
                                         std::uint64_t *device_addr) noexcept;

    [[nodiscard]] doca_error_t create_buf(doca_mem *mem, std::size_t offset, std::size_t len,
                                          doca_buf **out);
    [[nodiscard]] doca_error_t destroy_buf(doca_buf *buf);

    [[nodiscard]] doca_error_t submit(doca_buf *buf) noexcept;
    [[nodiscard]] doca_error_t receive(doca_buf *buf) noexcept;

    bool may_dangle() const noexcept { return settings_.may_dangle; }

    // Under model_lock.
    void set_live(bool is_live) noexcept { is_live_ = is_live; }
    std::size_t num_open_devices() const noexcept;
    std::size_t num_mems() const noexcept { return mems_.size(); }
    std::size_t num_bufs() const noexcept;
    const char *name_of_first_device() const noexcept;

    /// Says what is still alive, each thing once, at INFO. At the exit of the process.
    void list_alive();

private:
    class Reservation;

    // doca_ctx: no tasks, and nothing that a start would need.
    doca_error_t check_start() const noexcept override { return DOCA_SUCCESS; }
    doca_error_t on_start() override { return DOCA_SUCCESS; }
    doca_error_t check_task(const doca_task &) noexcept override
    {
        return DOCA_ERROR_NOT_SUPPORTED;
    }
    void run(doca_task &) noexcept override {}
    void flush(doca_task &, doca_error_t) noexcept override {}

    [[nodiscard]] doca_error_t acquire();
    /// Makes the state follow from the Devices: RUNNING with one, IDLE without.
    void settle() noexcept;
    void finish_close(doca_dev *dev, doca_error_t result);
    void release_bufs() noexcept;
    /// A Memory has ended, or came to nothing.
    void uncount_mem(OpenDevice &device, std::size_t len) noexcept;

    // Under model_lock.
    OpenDevice *find_device(const doca_dev *dev) noexcept; // one that is open
    doca_mem *find_mem(const doca_mem *mem) noexcept;
    doca_mem *find_mem_of(const doca_buf *buf) noexcept; // of a Buffer that is alive

    const ModelSettings settings_;
    PcapFile pcap_;
    doca_devinfo **devinfos_ = nullptr; // nullptr: there is no device at all
    std::uint32_t num_devinfos_ = 0;
    doca_buf_inventory *inventory_ = nullptr;

    // Below: under model_lock.
    bool is_live_ = false;
    bool is_settling_ = false; // somebody is, and looks again before he ends
    bool is_running_ = false;  // the state, or where it is going
    std::uint64_t mem_len_ = 0;
    std::list<OpenDevice> devices_;
    std::unordered_map<const doca_mem *, std::unique_ptr<doca_mem>> mems_;
    std::unordered_map<const doca_buf *, const doca_mem *> bufs_; // some may have been returned
};

/// The Context that is alive; nullptr if there is none.
std::shared_ptr<ModelContext> live_context() noexcept;
/// The same if ctx is it.
std::shared_ptr<ModelContext> live_context(const doca_ctx *ctx) noexcept;

/// Not in a process that was forked from one with a Context?
bool is_own_process() noexcept;

/// First step of each call: BAD_STATE in a process that was forked from one with a Context.
[[nodiscard]] doca_error_t check_own_process(LogSite site, const char *call) noexcept;

/// INVALID_VALUE for a handle that is not alive. kind is what the line calls it.
[[nodiscard]] doca_error_t refuse_dead(LogSite site, const char *call, const char *kind,
                                       const void *handle) noexcept;

/// The same for a pointer that must not be NULL; SUCCESS if it is not.
[[nodiscard]] doca_error_t check_not_null(LogSite site, const char *call, const char *what,
                                          const void *pointer) noexcept;

} // namespace softdoca
