// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/api_guard.hpp"
#include "base/fork_safe_lock.hpp"
#include "common/log_world.hpp"

#include <doca_log.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>

using softdoca::api_guard;
using softdoca::application_log;
using softdoca::LogEnd;
using softdoca::LogLevel;
using softdoca::LogLine;
using softdoca::LogWorld;
using softdoca::sdk_log;

LOG_SOURCE("CORE::LOG");

namespace {

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

    softdoca::ForkSafeLock mutex_;
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

doca_error_t set_global_limit(LogWorld &world, LogEnd end, std::uint32_t level)
{
    if (!softdoca::is_log_level(level))
        return softdoca::refuse_log_level(level);
    return api_guard(LOG_SITE, __func__, [&] {
        world.set_global_limit(end, level);
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
    if (!softdoca::is_log_level(level) || level == DOCA_LOG_LEVEL_DISABLE)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_log at %s:%d: a line cannot have level %u, only 20 to 70 in tens",
                           fname, line, level);
    if (!sources.has(source))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "doca_log at %s:%d: source %d is not registered (DOCA_LOG_REGISTER)",
                           fname, line, source);
    if (!application_log.shows(level))
        return DOCA_SUCCESS;
    const int saved_errno = errno;
    std::va_list args;
    va_start(args, format);
    application_log.write(LogLine(static_cast<LogLevel>(level), fname, line, func, format, args));
    va_end(args);
    errno = saved_errno;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    if (source_name == nullptr || source == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, nullptr,
                           "log source: neither its name nor the place for its id may be NULL");
    return api_guard(LOG_SITE, __func__, [&] {
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

extern "C" doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
    return set_global_limit(application_log, LogEnd::lower, level);
}

extern "C" doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
    return set_global_limit(application_log, LogEnd::upper, upper_limit);
}

extern "C" doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
    return set_global_limit(sdk_log, LogEnd::lower, level);
}

extern "C" uint32_t doca_log_level_get_global_lower_limit(void)
{
    return application_log.global_limit(LogEnd::lower);
}

extern "C" uint32_t doca_log_level_get_global_upper_limit(void)
{
    return application_log.global_limit(LogEnd::upper);
}

extern "C" uint32_t doca_log_level_get_global_sdk_limit(void)
{
    return sdk_log.global_limit(LogEnd::lower);
}
