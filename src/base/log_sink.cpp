// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "base/log_sink.hpp"

#include "base/once_table.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string_view>
#include <type_traits>

#include <fcntl.h>
#include <pthread.h>
#include <strings.h>
#include <unistd.h>

namespace softdoca {

// Constructors of the program with priority 101 log before ours have run, and threads may still log
// while the process exits: so all state is constant-initialised and nothing is destroyed.
constinit std::atomic<std::uint32_t> log_verbosity{static_cast<std::uint32_t>(LogLevel::trace)};

namespace {

using namespace std::chrono_literals;

constinit std::atomic<const LogSource *> newest_source{nullptr};
constinit std::atomic<LogSinkFn> sdk_sink{nullptr};
constinit OnceTable spoken;
static_assert(std::is_trivially_destructible_v<OnceTable>);

constexpr std::chrono::nanoseconds kWaitPeriod = 10s;

/// The log leaves errno as it found it: programs log before they look at it, and print it with %m.
class ErrnoKeeper {
public:
    ErrnoKeeper() noexcept : saved_(errno) {}
    ~ErrnoKeeper() { errno = saved_; }
    ErrnoKeeper(const ErrnoKeeper &) = delete;
    ErrnoKeeper &operator=(const ErrnoKeeper &) = delete;

private:
    int saved_;
};

/// What SOFTDOCA_QUIET and SOFTDOCA_LOG ask for.
struct Environment {
    bool is_quiet = false;
    bool has_sink = false;
    int sink_fd = STDERR_FILENO;
    std::uint32_t sink_level = 0;

    bool has_stderr_sink() const noexcept { return has_sink && sink_fd == STDERR_FILENO; }
    std::uint32_t most_verbose(bool has_sdk_sink) const noexcept
    {
        const bool is_loud = !has_sdk_sink && !is_quiet && !has_stderr_sink();
        const auto loud = static_cast<std::uint32_t>(LogLevel::warning);
        return std::max(has_sink ? sink_level : 0, is_loud ? loud : 0);
    }
};

struct LevelName {
    std::string_view name;
    std::string_view number;
    std::uint32_t level;
};
constexpr std::array kLevelNames = {
    LevelName{"disable", "10", 10}, LevelName{"crit", "20", 20}, LevelName{"error", "30", 30},
    LevelName{"warning", "40", 40}, LevelName{"info", "50", 50}, LevelName{"debug", "60", 60},
    LevelName{"trace", "70", 70},
};

bool is_same_word(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

const LevelName *find_level(std::string_view word) noexcept
{
    const auto *found =
        std::find_if(kLevelNames.begin(), kLevelNames.end(), [word](const LevelName &entry) {
            return is_same_word(word, entry.name) || word == entry.number;
        });
    return found == kLevelNames.end() ? nullptr : found;
}

/// For what is wrong with the environment: nothing can be asked of it yet.
[[gnu::format(printf, 2, 3)]] void warn_on_stderr(int line, const char *format, ...) noexcept
{
    std::va_list args;
    va_start(args, format);
    LogLine(LogLevel::warning, __FILE__, line, nullptr, format, args).write_to(STDERR_FILENO);
    va_end(args);
}

void read_sink(const char *value, Environment &environment) noexcept
{
    const char *colon = std::strchr(value, ':');
    const std::string_view text = value;
    const LevelName *level = find_level(text.substr(0, text.find(':')));
    if (level == nullptr || (colon != nullptr && colon[1] == '\0')) {
        if (!environment.is_quiet)
            warn_on_stderr(__LINE__,
                           "SOFTDOCA_LOG=%s is ignored; it takes LEVEL or LEVEL:FILE, and LEVEL is "
                           "disable (10), crit (20), error (30), warning (40), info (50), debug "
                           "(60) or trace (70)",
                           value);
        return;
    }
    environment.has_sink = true;
    environment.sink_level = level->level;
    if (colon == nullptr)
        return;
    const int fd =
        ::open(colon + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd >= 0)
        environment.sink_fd = fd;
    else if (!environment.is_quiet)
        warn_on_stderr(__LINE__, "SOFTDOCA_LOG=%s: %s; the log goes to stderr", value,
                       std::strerror(errno));
}

Environment read_environment() noexcept
{
    const ErrnoKeeper errno_keeper;
    Environment environment;
    const char *quiet = ::secure_getenv("SOFTDOCA_QUIET");
    environment.is_quiet = quiet != nullptr && *quiet != '\0' && std::strcmp(quiet, "0") != 0;
    const char *log = ::secure_getenv("SOFTDOCA_LOG");
    if (log != nullptr && *log != '\0')
        read_sink(log, environment);
    log_verbosity.store(environment.most_verbose(false), std::memory_order_relaxed);
    return environment;
}

const Environment &environment() noexcept
{
    static const Environment read_once = read_environment();
    return read_once;
}

/// What the table of things said knows a place in the code by.
std::uint64_t place_of(LogSite site) noexcept
{
    return static_cast<std::uint64_t>(site.cause) << 32 | static_cast<std::uint32_t>(site.line);
}

/// The environment must have been read before log_enabled can answer.
bool is_shown(LogLevel level) noexcept
{
    (void)environment();
    return log_enabled(level);
}

[[gnu::format(printf, 3, 0)]] void deliver(LogLevel level, LogSite site, const char *format,
                                           std::va_list args) noexcept
{
    const ErrnoKeeper errno_keeper;
    const LogLine line(level, site.file, site.line, nullptr, format, args);
    const Environment &wanted = environment();
    if (wanted.has_sink && static_cast<std::uint32_t>(level) <= wanted.sink_level)
        line.write_to(wanted.sink_fd);
    // Pairs with the release store in log_set_sink: the backends behind the sink are complete.
    const LogSinkFn sink = sdk_sink.load(std::memory_order_acquire);
    if (sink != nullptr)
        sink(line);
    else if (!site.is_hint && !wanted.is_quiet && !wanted.has_stderr_sink() &&
             level <= LogLevel::warning)
        line.write_to(STDERR_FILENO);
}

std::int64_t now_ns() noexcept
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// libc converts times under a lock of its own. None of our threads may be in there when the process
// is forked: the child could never log.
constinit std::mutex local_time_mutex;

[[gnu::constructor]] void keep_local_time_over_forks()
{
    const auto unlock = [] { local_time_mutex.unlock(); };
    ::pthread_atfork([] { local_time_mutex.lock(); }, unlock, unlock);
}

std::tm local_time(std::time_t now) noexcept
{
    const std::lock_guard lock(local_time_mutex);
    std::tm local{};
    ::localtime_r(&now, &local);
    return local;
}

const char *tag_of(LogLevel level) noexcept
{
    switch (level) {
    case LogLevel::crit:
        return "CRT";
    case LogLevel::error:
        return "ERR";
    case LogLevel::warning:
        return "WRN";
    case LogLevel::info:
        return "INF";
    case LogLevel::debug:
        return "DBG";
    case LogLevel::trace:
        return "TRC";
    }
    return "???";
}

const char *base_name_of(const char *path) noexcept
{
    const char *slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

} // namespace

LogSource::LogSource(const char *name) noexcept : name_(name), next_(newest_source.load())
{
    while (!newest_source.compare_exchange_weak(next_, this)) {
    }
}

const LogSource *LogSource::first() noexcept
{
    return newest_source.load();
}

LogLine::LogLine(LogLevel level, const char *file, int line, const char *function,
                 const char *format, std::va_list args) noexcept
    : level_(level)
{
    append_prefix(file, line, function);
    append(format, args);
    text_[size_++] = '\n';
}

void LogLine::append_prefix(const char *file, int line, const char *function) noexcept
{
    const ErrnoKeeper errno_keeper;
    std::timespec now{};
    std::timespec_get(&now, TIME_UTC);
    const std::tm local = local_time(now.tv_sec);
    append("[%02d:%02d:%02d:%06ld]", local.tm_hour, local.tm_min, local.tm_sec, now.tv_nsec / 1000);
    append("[%d][DOCA][%s][%s:%d]", static_cast<int>(::gettid()), tag_of(level_),
           base_name_of(file), line);
    if (function != nullptr)
        append("[%s]", function);
    append(" ");
}

void LogLine::append(const char *format, ...) noexcept
{
    std::va_list args;
    va_start(args, format);
    append(format, args);
    va_end(args);
}

void LogLine::append(const char *format, std::va_list args) noexcept
{
    const std::size_t room = kMaxSize - 1 - size_; // the newline has its place
    const int len = std::vsnprintf(text_.data() + size_, room, format, args);
    if (len > 0) // else empty, or text that cannot be converted
        size_ += std::min(static_cast<std::size_t>(len), room - 1);
}

void LogLine::write_to(int fd) const noexcept
{
    const ErrnoKeeper errno_keeper;
    while (::write(fd, text_.data(), size_) < 0 && errno == EINTR) {
    }
}

void log_set_sink(LogSinkFn sink, std::uint32_t most_verbose) noexcept
{
    const Environment &wanted = environment(); // first: reading it sets log_verbosity, too
    // Pairs with the acquire load in deliver().
    sdk_sink.store(sink, std::memory_order_release);
    log_verbosity.store(std::max(most_verbose, wanted.most_verbose(true)),
                        std::memory_order_relaxed);
}

bool log_is_unasked() noexcept
{
    const Environment &wanted = environment();
    return sdk_sink.load() == nullptr && !wanted.is_quiet && !wanted.has_sink;
}

void log_write(LogLevel level, LogSite site, const char *format, ...) noexcept
{
    if (!is_shown(level))
        return;
    std::va_list args;
    va_start(args, format);
    deliver(level, site, format, args);
    va_end(args);
}

void log_once(LogLevel level, LogSite site, const void *object, const char *format, ...) noexcept
{
    if (!is_shown(level) || !spoken.claim(object, site.file, place_of(site), now_ns()))
        return;
    std::va_list args;
    va_start(args, format);
    deliver(level, site, format, args);
    va_end(args);
}

doca_error_t log_refusal(LogSite site, doca_error_t code, const void *object, const char *format,
                         ...) noexcept
{
    if (!is_shown(LogLevel::error) || !spoken.claim(object, site.file, place_of(site), now_ns()))
        return code;
    std::va_list args;
    va_start(args, format);
    deliver(LogLevel::error, site, format, args);
    va_end(args);
    return code;
}

void log_wait(LogSite site, const void *object, const char *format, ...) noexcept
{
    if (!is_shown(LogLevel::warning) ||
        !spoken.claim(object, site.file, place_of(site), now_ns(), kWaitPeriod.count()))
        return;
    std::va_list args;
    va_start(args, format);
    deliver(LogLevel::warning, site, format, args);
    va_end(args);
}

void log_forget(const void *object) noexcept
{
    spoken.forget(object);
}

} // namespace softdoca
