// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/api_guard.hpp"
#include "common/log_backend.hpp"
#include "common/version.hpp"

#include <doca_log.h>
#include <doca_version.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <fcntl.h>

using softdoca::api_guard;
using softdoca::LogEnd;
using softdoca::LogLevel;
using softdoca::LogLine;
using softdoca::LogWorld;

LOG_SOURCE("CORE::LOG");

namespace {

void write_to_sdk(const LogLine &line) noexcept;

// Both are used before main and while the process exits: constant-initialised, never destroyed.
constinit LogWorld application;
constinit LogWorld sdk{[](std::uint32_t most_verbose) noexcept {
    softdoca::log_set_sink(write_to_sdk, most_verbose);
}};
constinit std::atomic<bool> has_standard{false};
static_assert(std::is_trivially_destructible_v<LogWorld>);

void write_to_sdk(const LogLine &line) noexcept
{
    sdk.write(line);
}

const char *name_of(const LogWorld &world) noexcept
{
    return &world == &sdk ? "SDK" : "application";
}

bool is_level(std::uint32_t level) noexcept
{
    return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

/// The source names, each once. An entry lives for ever; its id is its place in the list.
class SourceList {
public:
    /// The id of the name.
    int add(const char *name);
    bool has(int id) const noexcept { return id >= 0 && id < num_.load(); }

private:
    static constexpr std::size_t kMaxNameLen = 255; // longer ones are cut

    struct Entry {
        std::array<char, kMaxNameLen + 1> name{};
        Entry *next = nullptr;
        int id = 0;
    };

    std::mutex mutex_;
    Entry *newest_ = nullptr;
    std::atomic<int> num_{0};
};
constinit SourceList sources;
static_assert(std::is_trivially_destructible_v<SourceList>);

int SourceList::add(const char *name)
{
    auto made = std::make_unique<Entry>();
    std::memcpy(made->name.data(), name, ::strnlen(name, kMaxNameLen));
    const std::lock_guard lock(mutex_);
    for (const Entry *entry = newest_; entry != nullptr; entry = entry->next) {
        if (entry->name == made->name)
            return entry->id;
    }
    made->next = newest_;
    made->id = num_.load();
    newest_ = made.release();
    num_.store(newest_->id + 1);
    return newest_->id;
}

/// The end of every create function.
doca_error_t add_backend(LogWorld &world, std::unique_ptr<doca_log_backend> made,
                         doca_log_backend **backend)
{
    doca_log_backend *const handle = made.get();
    const auto num_before = world.add({&made, 1});
    if (!num_before.has_value())
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, &world,
                           "no more log backends: the limit is %zu %s backends a process",
                           LogWorld::kMaxBackends, name_of(world));
    *backend = handle; // before anything is logged: the backend's handler may want to know it
    if (&world == &sdk && *num_before == 0)
        LOG_INF("DOCA version %s (SoftDOCA %s)", doca_version_runtime(), softdoca::release());
    LOG_DBG("log backend %p (%s): made, %zu of %zu", static_cast<void *>(handle), name_of(world),
            *num_before + 1, LogWorld::kMaxBackends);
    return DOCA_SUCCESS;
}

doca_error_t create_with_file(LogWorld &world, FILE *fptr, doca_log_backend **backend)
{
    if (fptr == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log backend with file: neither file %p nor backend %p may be NULL",
                           static_cast<void *>(fptr), static_cast<void *>(backend));
    return api_guard(
        [&] { return add_backend(world, softdoca::make_file_backend(fptr), backend); });
}

doca_error_t create_with_fd(LogWorld &world, int fd, doca_log_backend **backend)
{
    if (backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log backend with fd: backend must not be NULL");
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log backend with fd: descriptor %d is not open for writing", fd);
    return api_guard([&] { return add_backend(world, softdoca::make_fd_backend(fd), backend); });
}

doca_error_t create_with_buf(LogWorld &world, char *buf, std::size_t capacity,
                             log_flush_callback handler, doca_log_backend **backend)
{
    if (buf == nullptr || capacity == 0 || handler == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log backend with buffer: neither buffer %p, handler, nor backend %p "
                           "may be NULL, nor the capacity %zu be 0",
                           static_cast<void *>(buf), static_cast<void *>(backend), capacity);
    return api_guard([&] {
        return add_backend(world, softdoca::make_buf_backend(buf, capacity, handler), backend);
    });
}

doca_error_t create_with_syslog(LogWorld &world, const char *name, doca_log_backend **backend)
{
    if (name == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log backend with syslog: neither name nor backend may be NULL");
    return api_guard(
        [&] { return add_backend(world, softdoca::make_syslog_backend(name), backend); });
}

doca_error_t refuse_level(std::uint32_t level)
{
    return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                       "%u is no log level: they are 10 (disable), 20 (crit), 30 (error), 40 "
                       "(warning), 50 (info), 60 (debug), 70 (trace)",
                       level);
}

doca_error_t set_global_limit(LogWorld &world, LogEnd end, std::uint32_t level)
{
    if (!is_level(level))
        return refuse_level(level);
    return api_guard([&] {
        world.set_global_limit(end, level);
        return DOCA_SUCCESS;
    });
}

doca_error_t set_limit(LogWorld &world, doca_log_backend *backend, LogEnd end, std::uint32_t level)
{
    if (!world.has(backend))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, backend,
                           "%p is no %s log backend: application backends take "
                           "doca_log_backend_set_level_*, SDK backends "
                           "doca_log_backend_set_sdk_level",
                           static_cast<void *>(backend), name_of(world));
    if (!is_level(level))
        return refuse_level(level);
    return api_guard([&] {
        const doca_error_t result = world.set_limit(*backend, end, level);
        if (result == DOCA_ERROR_NOT_PERMITTED)
            return LOG_REFUSED(result, backend,
                               "log backend %p: its limit is strict, level %u would show less",
                               static_cast<void *>(backend), level);
        return result;
    });
}

doca_error_t pin_limit(doca_log_backend *backend, LogEnd end)
{
    LogWorld &world = sdk.has(backend) ? sdk : application;
    if (!world.has(backend))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, backend, "%p is no log backend",
                           static_cast<void *>(backend));
    return api_guard([&] {
        world.pin_limit(*backend, end);
        return DOCA_SUCCESS;
    });
}

} // namespace

extern "C" doca_error_t doca_log(uint32_t level, int source, const char *fname, int line,
                                 const char *func, const char *format, ...)
{
    if (fname == nullptr || func == nullptr || format == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_log: file, function and format must not be NULL");
    if (!is_level(level) || level == DOCA_LOG_LEVEL_DISABLE)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_log at %s:%d: a line cannot have level %u, only 20 to 70 in tens",
                           fname, line, level);
    if (!sources.has(source))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_log at %s:%d: source %d is not registered (DOCA_LOG_REGISTER)",
                           fname, line, source);
    if (!application.shows(level))
        return DOCA_SUCCESS;
    const int saved_errno = errno;
    std::va_list args;
    va_start(args, format);
    application.write(LogLine(static_cast<LogLevel>(level), fname, line, func, format, args));
    va_end(args);
    errno = saved_errno;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    if (source_name == nullptr || source == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log source: neither its name nor the place for its id may be NULL");
    return api_guard([&] {
        *source = sources.add(source_name);
        return DOCA_SUCCESS;
    });
}

/// A source stays registered: other files may use the same name, and so the same id.
extern "C" doca_error_t doca_log_unregister_source(int source)
{
    if (!sources.has(source))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log source %d cannot be unregistered: it is not registered", source);
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_log_backend_create_standard(void)
{
    return api_guard([] {
        std::array made{
            softdoca::make_file_backend(stdout, {.least_verbose = DOCA_LOG_LEVEL_INFO}),
            softdoca::make_file_backend(stderr, {.most_verbose = DOCA_LOG_LEVEL_WARNING})};
        if (has_standard.exchange(true)) // asked for by a library, too: one pair serves all
            return DOCA_SUCCESS;
        if (application.add(made).has_value())
            return DOCA_SUCCESS;
        has_standard.store(false);
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, &application,
                           "no room for the two standard log backends: the limit is %zu "
                           "application backends a process",
                           LogWorld::kMaxBackends);
    });
}

extern "C" doca_error_t doca_log_backend_create_with_file(FILE *fptr, doca_log_backend **backend)
{
    return create_with_file(application, fptr, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr,
                                                              doca_log_backend **backend)
{
    return create_with_file(sdk, fptr, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_fd(int fd, doca_log_backend **backend)
{
    return create_with_fd(application, fd, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_fd_sdk(int fd, doca_log_backend **backend)
{
    return create_with_fd(sdk, fd, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                                         log_flush_callback handler,
                                                         doca_log_backend **backend)
{
    return create_with_buf(application, buf, capacity, handler, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                             log_flush_callback handler,
                                                             doca_log_backend **backend)
{
    return create_with_buf(sdk, buf, capacity, handler, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                            doca_log_backend **backend)
{
    return create_with_syslog(application, name, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                                doca_log_backend **backend)
{
    return create_with_syslog(sdk, name, backend);
}

extern "C" doca_error_t doca_log_backend_set_level_lower_limit(doca_log_backend *backend,
                                                               uint32_t level)
{
    return set_limit(application, backend, LogEnd::lower, level);
}

extern "C" doca_error_t doca_log_backend_set_level_upper_limit(doca_log_backend *backend,
                                                               uint32_t upper_limit)
{
    return set_limit(application, backend, LogEnd::upper, upper_limit);
}

extern "C" doca_error_t doca_log_backend_set_level_lower_limit_strict(doca_log_backend *backend)
{
    return pin_limit(backend, LogEnd::lower);
}

extern "C" doca_error_t doca_log_backend_set_level_upper_limit_strict(doca_log_backend *backend)
{
    return pin_limit(backend, LogEnd::upper);
}

extern "C" doca_error_t doca_log_backend_set_sdk_level(doca_log_backend *backend, uint32_t level)
{
    return set_limit(sdk, backend, LogEnd::lower, level);
}

extern "C" doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
    return set_global_limit(application, LogEnd::lower, level);
}

extern "C" doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
    return set_global_limit(application, LogEnd::upper, upper_limit);
}

extern "C" doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
    return set_global_limit(sdk, LogEnd::lower, level);
}

extern "C" uint32_t doca_log_level_get_global_lower_limit(void)
{
    return application.global_limit(LogEnd::lower);
}

extern "C" uint32_t doca_log_level_get_global_upper_limit(void)
{
    return application.global_limit(LogEnd::upper);
}

extern "C" uint32_t doca_log_level_get_global_sdk_limit(void)
{
    return sdk.global_limit(LogEnd::lower);
}
