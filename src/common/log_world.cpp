// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "common/log_world.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <syslog.h> // last: its LOG_ERR hides ours, which this file does not need

using softdoca::LogBand;
using softdoca::LogEnd;
using softdoca::LogLevel;
using softdoca::LogLimit;
using softdoca::LogLine;
using softdoca::LogWorld;

LOG_SOURCE("CORE::LOG");

namespace {

std::uint32_t number_of(LogLevel level) noexcept
{
    return static_cast<std::uint32_t>(level);
}

struct FileBackend final : doca_log_backend {
public:
    FileBackend(std::FILE *file, LogBand band) noexcept : doca_log_backend(band), file_(file) {}

    /// Flushed at once: the line is in its place among those of other streams, also after a crash.
    void write(const LogLine &line) noexcept override
    {
        const std::string_view text = line.whole();
        ::flockfile(file_);
        (void)::fwrite_unlocked(text.data(), 1, text.size(), file_);
        (void)::fflush_unlocked(file_);
        ::funlockfile(file_);
    }

private:
    std::FILE *const file_; // the program's
};

struct FdBackend final : doca_log_backend {
public:
    explicit FdBackend(int fd) noexcept : fd_(fd) {}

    void write(const LogLine &line) noexcept override { line.write_to(fd_); }

private:
    const int fd_; // the program's
};

/// Is this thread inside a handler? Then its lines pass by all backends with handlers: it would
/// call itself for ever, and two handlers that log in two threads would wait for each other.
constinit thread_local bool is_in_handler = false;

struct BufBackend final : doca_log_backend {
public:
    BufBackend(char *buf, std::size_t capacity, log_flush_callback handler) noexcept
        : buf_(buf), capacity_(capacity), handler_(handler)
    {
    }

    void write(const LogLine &line) noexcept override
    {
        const std::string_view text = line.whole();
        if (is_in_handler)
            return;
        if (text.size() >= capacity_) {
            LOG_ONCE(LogLevel::warning, this,
                     "log backend %p: records are lost, for one has %zu bytes and its buffer %zu; "
                     "give it room for the longest line and a NUL",
                     static_cast<void *>(this), text.size(), capacity_);
            return;
        }
        is_in_handler = true;
        {
            const std::lock_guard lock(mutex_);
            buf_[text.copy(buf_, text.size())] = '\0';
            handler_(buf_);
        }
        is_in_handler = false;
    }

private:
    softdoca::ForkSafeLock mutex_; // the buffer, until the handler is done with it
    char *const buf_;              // the program's
    const std::size_t capacity_;
    const log_flush_callback handler_;
};

/// The ident belongs to the whole process, but each backend has its own.
constinit softdoca::ForkSafeLock syslog_mutex;

struct SyslogBackend final : doca_log_backend {
public:
    explicit SyslogBackend(const char *name) : name_(name) {}

    /// Without the time, which the system log adds.
    void write(const LogLine &line) noexcept override
    {
        std::string_view text = line.after_time();
        text.remove_suffix(1); // the newline
        const std::lock_guard lock(syslog_mutex);
        ::openlog(name_.c_str(), LOG_PID, LOG_USER);
        ::syslog(priority_of(line.level()), "%.*s", static_cast<int>(text.size()), text.data());
    }

private:
    static int priority_of(LogLevel level) noexcept
    {
        switch (level) {
        case LogLevel::crit:
            return LOG_CRIT;
        case LogLevel::error:
            return LOG_ERR;
        case LogLevel::warning:
            return LOG_WARNING;
        case LogLevel::info:
            return LOG_INFO;
        case LogLevel::debug:
        case LogLevel::trace:
            break;
        }
        return LOG_DEBUG;
    }

    const std::string name_; // openlog keeps the pointer
};

} // namespace

bool LogLimit::may_be(std::uint32_t level) const noexcept
{
    if (!pin_.has_value())
        return true;
    return end_ == LogEnd::lower ? level >= *pin_ : level <= *pin_;
}

void LogLimit::set(std::uint32_t level) noexcept
{
    level_.store(may_be(level) ? level : *pin_, std::memory_order_relaxed);
}

bool doca_log_backend::shows(std::uint32_t level) const noexcept
{
    return level <= lower_.level() && level >= upper_.level() && level >= band_.least_verbose &&
           level <= band_.most_verbose;
}

std::optional<std::size_t> LogWorld::add(std::span<std::unique_ptr<doca_log_backend>> backends)
{
    const std::lock_guard lock(mutex_);
    const std::size_t num_before = num_backends_.load();
    if (backends.size() > kMaxBackends - num_before)
        return std::nullopt;
    for (std::size_t i = 0; i < backends.size(); i++) {
        backends[i]->limit(LogEnd::lower).set(lower_.load());
        backends[i]->limit(LogEnd::upper).set(upper_.load());
        backends_[num_before + i] = backends[i].release();
    }
    // Pairs with the acquire load in backends().
    num_backends_.store(num_before + backends.size(), std::memory_order_release);
    tell_change();
    return num_before;
}

std::span<doca_log_backend *const> LogWorld::backends() const noexcept
{
    // Pairs with the release store in add(): the backends counted are complete.
    return {backends_.data(), num_backends_.load(std::memory_order_acquire)};
}

bool LogWorld::has(const doca_log_backend *backend) const noexcept
{
    const auto all = backends();
    return std::find(all.begin(), all.end(), backend) != all.end();
}

bool LogWorld::shows(std::uint32_t level) const noexcept
{
    const auto all = backends();
    return std::any_of(all.begin(), all.end(),
                       [level](const doca_log_backend *backend) { return backend->shows(level); });
}

void LogWorld::write(const LogLine &line) const noexcept
{
    for (doca_log_backend *backend : backends()) {
        if (backend->shows(number_of(line.level())))
            backend->write(line);
    }
}

void LogWorld::set_global_limit(LogEnd end, std::uint32_t level)
{
    const std::lock_guard lock(mutex_);
    (end == LogEnd::lower ? lower_ : upper_).store(level);
    for (doca_log_backend *backend : backends())
        backend->limit(end).set(level);
    tell_change();
}

doca_error_t LogWorld::set_limit(doca_log_backend &backend, LogEnd end, std::uint32_t level)
{
    const std::lock_guard lock(mutex_);
    if (!backend.limit(end).may_be(level))
        return DOCA_ERROR_NOT_PERMITTED;
    backend.limit(end).set(level);
    tell_change();
    return DOCA_SUCCESS;
}

void LogWorld::pin_limit(doca_log_backend &backend, LogEnd end)
{
    const std::lock_guard lock(mutex_);
    backend.limit(end).pin();
}

void LogWorld::tell_change() const noexcept
{
    if (on_change_ == nullptr || backends().empty())
        return;
    std::uint32_t most_verbose = DOCA_LOG_LEVEL_DISABLE;
    for (doca_log_backend *backend : backends())
        most_verbose = std::max(most_verbose, backend->limit(LogEnd::lower).level());
    on_change_(most_verbose);
}

std::unique_ptr<doca_log_backend> softdoca::make_file_backend(std::FILE *file, LogBand band)
{
    return std::make_unique<FileBackend>(file, band);
}

std::unique_ptr<doca_log_backend> softdoca::make_fd_backend(int fd)
{
    return std::make_unique<FdBackend>(fd);
}

std::unique_ptr<doca_log_backend> softdoca::make_buf_backend(char *buf, std::size_t capacity,
                                                             log_flush_callback handler)
{
    return std::make_unique<BufBackend>(buf, capacity, handler);
}

std::unique_ptr<doca_log_backend> softdoca::make_syslog_backend(const char *name)
{
    return std::make_unique<SyslogBackend>(name);
}

namespace softdoca {

namespace {

void write_to_sdk(const LogLine &line) noexcept
{
    sdk_log.write(line);
}

void set_sdk_sink(std::uint32_t most_verbose) noexcept
{
    log_set_sink(write_to_sdk, most_verbose);
}

} // namespace

// Constant-initialised and never destroyed.
constinit LogWorld application_log;
constinit LogWorld sdk_log{set_sdk_sink};
static_assert(std::is_trivially_destructible_v<LogWorld>);

bool has_application_backend() noexcept
{
    return !application_log.is_empty();
}

bool is_log_level(std::uint32_t level) noexcept
{
    return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

doca_error_t refuse_log_level(std::uint32_t level) noexcept
{
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                       "%u is no log level: they are 10 (disable), 20 (crit), 30 (error), 40 "
                       "(warning), 50 (info), 60 (debug), 70 (trace)",
                       level);
}

} // namespace softdoca
