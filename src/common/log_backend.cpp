// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/api_guard.hpp"
#include "common/log_world.hpp"
#include "common/version.hpp"

#include <doca_log.h>
#include <doca_version.h>

#include <array>
#include <atomic>
#include <memory>

#include <fcntl.h>

using softdoca::api_guard;
using softdoca::application_log;
using softdoca::LogEnd;
using softdoca::LogWorld;
using softdoca::sdk_log;

LOG_SOURCE("CORE::LOG_BACKEND");

namespace {

constinit std::atomic<bool> has_standard{false};

const char *name_of(const LogWorld &world) noexcept
{
    return &world == &sdk_log ? "SDK" : "application";
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
    if (&world == &sdk_log && *num_before == 0)
        LOG_INF("DOCA version %s (SoftDOCA %s)", doca_version_runtime(), softdoca::release());
    LOG_DBG("log backend %p (%s): made, %zu of %zu", static_cast<void *>(handle), name_of(world),
            *num_before + 1, LogWorld::kMaxBackends);
    return DOCA_SUCCESS;
}

doca_error_t create_with_file(LogWorld &world, FILE *fptr, doca_log_backend **backend)
{
    if (fptr == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &world,
                           "log backend with file: neither file %p nor backend %p may be NULL",
                           static_cast<void *>(fptr), static_cast<void *>(backend));
    return api_guard(LOG_SITE, __func__, [&] {
        return add_backend(world, softdoca::make_file_backend(fptr), backend);
    });
}

doca_error_t create_with_fd(LogWorld &world, int fd, doca_log_backend **backend)
{
    if (backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &world,
                           "log backend with fd: backend must not be NULL");
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &world,
                           "log backend with fd: descriptor %d is not open for writing", fd);
    return api_guard(LOG_SITE, __func__,
                     [&] { return add_backend(world, softdoca::make_fd_backend(fd), backend); });
}

doca_error_t create_with_buf(LogWorld &world, char *buf, std::size_t capacity,
                             log_flush_callback handler, doca_log_backend **backend)
{
    if (buf == nullptr || capacity == 0 || handler == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &world,
                           "log backend with buffer: neither buffer %p, handler, nor backend %p "
                           "may be NULL, nor the capacity %zu be 0",
                           static_cast<void *>(buf), static_cast<void *>(backend), capacity);
    return api_guard(LOG_SITE, __func__, [&] {
        return add_backend(world, softdoca::make_buf_backend(buf, capacity, handler), backend);
    });
}

doca_error_t create_with_syslog(LogWorld &world, const char *name, doca_log_backend **backend)
{
    if (name == nullptr || backend == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &world,
                           "log backend with syslog: neither name nor backend may be NULL");
    return api_guard(LOG_SITE, __func__, [&] {
        return add_backend(world, softdoca::make_syslog_backend(name), backend);
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
    if (!softdoca::is_log_level(level))
        return softdoca::refuse_log_level(level);
    return api_guard(LOG_SITE, __func__, [&] {
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
    LogWorld &world = sdk_log.has(backend) ? sdk_log : application_log;
    if (!world.has(backend))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, backend, "%p is no log backend",
                           static_cast<void *>(backend));
    return api_guard(LOG_SITE, __func__, [&] {
        world.pin_limit(*backend, end);
        return DOCA_SUCCESS;
    });
}

} // namespace

extern "C" doca_error_t doca_log_backend_create_standard(void)
{
    return api_guard(LOG_SITE, __func__, [] {
        std::array made{
            softdoca::make_file_backend(stdout, {.least_verbose = DOCA_LOG_LEVEL_INFO}),
            softdoca::make_file_backend(stderr, {.most_verbose = DOCA_LOG_LEVEL_WARNING})};
        if (has_standard.exchange(true)) // asked for by a library, too: one pair serves all
            return DOCA_SUCCESS;
        if (application_log.add(made).has_value())
            return DOCA_SUCCESS;
        has_standard.store(false);
        return LOG_REFUSED(DOCA_ERROR_NO_MEMORY, &application_log,
                           "no room for the two standard log backends: the limit is %zu "
                           "application backends a process",
                           LogWorld::kMaxBackends);
    });
}

extern "C" doca_error_t doca_log_backend_create_with_file(FILE *fptr, doca_log_backend **backend)
{
    return create_with_file(application_log, fptr, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr,
                                                              doca_log_backend **backend)
{
    return create_with_file(sdk_log, fptr, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_fd(int fd, doca_log_backend **backend)
{
    return create_with_fd(application_log, fd, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_fd_sdk(int fd, doca_log_backend **backend)
{
    return create_with_fd(sdk_log, fd, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                                         log_flush_callback handler,
                                                         doca_log_backend **backend)
{
    return create_with_buf(application_log, buf, capacity, handler, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                             log_flush_callback handler,
                                                             doca_log_backend **backend)
{
    return create_with_buf(sdk_log, buf, capacity, handler, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                            doca_log_backend **backend)
{
    return create_with_syslog(application_log, name, backend);
}

extern "C" doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                                doca_log_backend **backend)
{
    return create_with_syslog(sdk_log, name, backend);
}

extern "C" doca_error_t doca_log_backend_set_level_lower_limit(doca_log_backend *backend,
                                                               uint32_t level)
{
    return set_limit(application_log, backend, LogEnd::lower, level);
}

extern "C" doca_error_t doca_log_backend_set_level_upper_limit(doca_log_backend *backend,
                                                               uint32_t upper_limit)
{
    return set_limit(application_log, backend, LogEnd::upper, upper_limit);
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
    return set_limit(sdk_log, backend, LogEnd::lower, level);
}
