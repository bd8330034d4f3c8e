// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_log.h>

#include "base/fork_safe_lock.hpp"
#include "base/log_sink.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace softdoca {

/// The two ends of the levels that a backend shows: lower is the most verbose level (the largest
/// number), upper the least verbose one.
enum class LogEnd { lower, upper };

/// The levels that a backend may ever show, whatever its limits are.
struct LogBand {
    std::uint32_t least_verbose = DOCA_LOG_LEVEL_CRIT;
    std::uint32_t most_verbose = DOCA_LOG_LEVEL_TRACE;
};

/// One end. Once pinned, it moves outwards only: more is shown, never less.
/// Threads: any may read; the others hold the lock of the backend's world.
class LogLimit {
public:
    LogLimit(LogEnd end, std::uint32_t level) noexcept : end_(end), level_(level) {}

    std::uint32_t level() const noexcept { return level_.load(std::memory_order_relaxed); }
    bool may_be(std::uint32_t level) const noexcept;
    void set(std::uint32_t level) noexcept; // as far as the pin allows
    void pin() noexcept { pin_ = level(); }

private:
    const LogEnd end_;
    // Relaxed: a line that is written while a limit changes may go either way.
    std::atomic<std::uint32_t> level_;
    std::optional<std::uint32_t> pin_;
};

} // namespace softdoca

/// Something that takes lines. Whose lines, decides the world that it is added to; then it lives
/// for ever, so that lines are written without a lock around them.
struct doca_log_backend {
public:
    explicit doca_log_backend(softdoca::LogBand band = {}) noexcept : band_(band) {}
    virtual ~doca_log_backend() = default;
    doca_log_backend(const doca_log_backend &) = delete;
    doca_log_backend &operator=(const doca_log_backend &) = delete;

    bool shows(std::uint32_t level) const noexcept;
    virtual void write(const softdoca::LogLine &line) noexcept = 0; // any thread

    softdoca::LogLimit &limit(softdoca::LogEnd end) noexcept
    {
        return end == softdoca::LogEnd::lower ? lower_ : upper_;
    }

private:
    const softdoca::LogBand band_;
    softdoca::LogLimit lower_{softdoca::LogEnd::lower, DOCA_LOG_LEVEL_INFO};
    softdoca::LogLimit upper_{softdoca::LogEnd::upper, DOCA_LOG_LEVEL_CRIT};
};

namespace softdoca {

std::unique_ptr<doca_log_backend> make_file_backend(std::FILE *file, LogBand band = {});
std::unique_ptr<doca_log_backend> make_fd_backend(int fd);
std::unique_ptr<doca_log_backend> make_buf_backend(char *buf, std::size_t capacity,
                                                   log_flush_callback handler);
std::unique_ptr<doca_log_backend> make_syslog_backend(const char *name);

/// The backends of one world, the application's or the library's (SDK), and their global limits.
/// Threads: any. Changes take a lock, under which no line is written and no user code runs.
class LogWorld {
public:
    static constexpr std::size_t kMaxBackends = 16;

    /// Told under the lock, after a change, the most verbose level that a backend shows.
    using ChangeFn = void (*)(std::uint32_t most_verbose) noexcept;

    constexpr explicit LogWorld(ChangeFn on_change = nullptr) noexcept : on_change_(on_change) {}

    /// Takes over all of them, with the global limits, or none. Gives the number of backends that
    /// were there before, or nothing if there is no room.
    std::optional<std::size_t> add(std::span<std::unique_ptr<doca_log_backend>> backends);
    bool has(const doca_log_backend *backend) const noexcept;
    bool is_empty() const noexcept { return backends().empty(); }

    bool shows(std::uint32_t level) const noexcept;
    void write(const LogLine &line) const noexcept;

    std::uint32_t global_limit(LogEnd end) const noexcept { return global(end).load(); }
    void set_global_limit(LogEnd end, std::uint32_t level); // of the present and future backends
    [[nodiscard]] doca_error_t set_limit(doca_log_backend &backend, LogEnd end,
                                         std::uint32_t level); // NOT_PERMITTED: a pin forbids it
    void pin_limit(doca_log_backend &backend, LogEnd end);

private:
    const std::atomic<std::uint32_t> &global(LogEnd end) const noexcept
    {
        return end == LogEnd::lower ? lower_ : upper_;
    }
    std::span<doca_log_backend *const> backends() const noexcept;
    void tell_change() const noexcept;

    const ChangeFn on_change_;
    ForkSafeLock mutex_;
    std::array<doca_log_backend *, kMaxBackends> backends_{}; // filled in order, never emptied
    std::atomic<std::size_t> num_backends_{0};
    std::atomic<std::uint32_t> lower_{DOCA_LOG_LEVEL_INFO};
    std::atomic<std::uint32_t> upper_{DOCA_LOG_LEVEL_CRIT};
};

/// The two worlds. Both are used before main and while the process exits.
extern LogWorld application_log;
extern LogWorld sdk_log;

/// Has the program made a backend for its own messages?
[[gnu::visibility("default")]] bool has_application_backend() noexcept;

bool is_log_level(std::uint32_t level) noexcept;
[[nodiscard]] doca_error_t refuse_log_level(std::uint32_t level) noexcept;

} // namespace softdoca
