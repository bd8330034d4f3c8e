// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The library's own log: what SoftDOCA says about itself. The application's log (DOCA_LOG_*) is
/// another world and lives in common/log.cpp, which also owns the backends of both.
///
/// SOFTDOCA_LOG=LEVEL[:FILE] stands for an SDK backend of that level which the program did not
/// make; the program's calls do not change it. SOFTDOCA_QUIET=1 silences what would go to stderr
/// unasked.
///
/// Each .cpp names its source once, LOG_SOURCE("CORE::MMAP"), and uses the macros below. Levels:
/// ERR the call fails; WRN works, but surely not as meant, or waits; INF life cycle; DBG every
/// control call and state move; TRC per task. Without an SDK backend ERR and WRN go to stderr.
namespace softdoca {

/// Levels as in doca_log.h, which base/ does not include.
enum class LogLevel : std::uint32_t {
    crit = 20,
    error = 30,
    warning = 40,
    info = 50,
    debug = 60,
    trace = 70
};

/// The name under which a source file logs. Links itself into a list that lives for ever.
class LogSource {
public:
    [[gnu::visibility("default")]] explicit LogSource(const char *name) noexcept;
    LogSource(const LogSource &) = delete;
    LogSource &operator=(const LogSource &) = delete;

    const char *name() const noexcept { return name_; }
    const LogSource *next() const noexcept { return next_; }
    [[gnu::visibility("default")]] static const LogSource *first() noexcept; // newest first

private:
    const char *name_;
    const LogSource *next_;
};

/// Where a line of the library comes from.
struct LogSite {
    const LogSource &source;
    const char *file;
    int line;
    int cause = 0;        ///< tells apart what one place says for different reasons
    bool is_hint = false; ///< advice, not trouble: never on stderr unasked
};

/// The most verbose level that anything listens to; one relaxed load decides whether to format.
/// Everything is enabled until the first line, because that one reads the environment.
[[gnu::visibility("default")]] extern std::atomic<std::uint32_t> log_verbosity;

inline bool log_enabled(LogLevel level) noexcept
{
    return static_cast<std::uint32_t>(level) <= log_verbosity.load(std::memory_order_relaxed);
}

/// One line, ready to be written, the application's or the library's. Text that is too long is cut.
class LogLine {
public:
    /// The application's lines name a function, the library's do not (nullptr).
    [[gnu::format(printf, 6, 0)]] LogLine(LogLevel level, const char *file, int line,
                                          const char *function, const char *format,
                                          std::va_list args) noexcept;
    LogLine(const LogLine &) = delete;
    LogLine &operator=(const LogLine &) = delete;

    LogLevel level() const noexcept { return level_; }
    std::string_view whole() const noexcept { return {text_.data(), size_}; }
    std::string_view after_time() const noexcept { return whole().substr(kTimeSize); }

    /// One write(2); what the descriptor does not take is lost.
    void write_to(int fd) const noexcept;

    static constexpr std::size_t kMaxSize = 4096; // the newline included

private:
    void append_prefix(const char *file, int line, const char *function) noexcept;
    [[gnu::format(printf, 2, 3)]] void append(const char *format, ...) noexcept;
    [[gnu::format(printf, 2, 0)]] void append(const char *format, std::va_list args) noexcept;

    static constexpr std::size_t kTimeSize = sizeof("[hh:mm:ss:uuuuuu]") - 1;

    LogLevel level_;
    std::size_t size_ = 0;
    std::array<char, kMaxSize> text_;
};

/// Takes the library's lines to the SDK backends.
using LogSinkFn = void (*)(const LogLine &line) noexcept;

/// Called by the owner of the SDK backends, one thread at a time, whenever their number or a level
/// has changed. most_verbose: the largest level number that one of them shows.
void log_set_sink(LogSinkFn sink, std::uint32_t most_verbose) noexcept;

/// Do errors and warnings go to stderr only because nobody has said what is to become of them: no
/// SDK backend, no SOFTDOCA_LOG, no SOFTDOCA_QUIET?
[[gnu::visibility("default")]] bool log_is_unasked() noexcept;

/// Writes one line, if its level is shown.
[[gnu::visibility("default"), gnu::format(printf, 3, 4), gnu::cold]] void
log_write(LogLevel level, LogSite site, const char *format, ...) noexcept;

/// The same, but once for each object and place in the code (a bounded table; an entry that was
/// pushed out may speak again). An object that ends calls log_forget.
[[gnu::visibility("default"), gnu::format(printf, 4, 5), gnu::cold]] void
log_once(LogLevel level, LogSite site, const void *object, const char *format, ...) noexcept;

/// A refusal: log_once at ERROR, and gives the code back, so that it can stand behind `return`.
[[gnu::visibility("default"), gnu::format(printf, 4, 5), gnu::cold]] doca_error_t
log_refusal(LogSite site, doca_error_t code, const void *object, const char *format, ...) noexcept;

/// A wait: at WARNING, again for the same object and place when ten seconds have passed.
[[gnu::visibility("default"), gnu::format(printf, 3, 4), gnu::cold]] void
log_wait(LogSite site, const void *object, const char *format, ...) noexcept;

/// The object has ended: its address may come again and must be able to speak.
[[gnu::visibility("default")]] void log_forget(const void *object) noexcept;

} // namespace softdoca

#define LOG_SOURCE(name)                                                                           \
    namespace {                                                                                    \
    const ::softdoca::LogSource kLogSource{name};                                                  \
    }                                                                                              \
    static_assert(true)

#define LOG_SITE (::softdoca::LogSite{kLogSource, __FILE__, __LINE__})

#define LOG_AT(level, ...)                                                                         \
    (::softdoca::log_enabled(level) ? ::softdoca::log_write(level, LOG_SITE, __VA_ARGS__)          \
                                    : static_cast<void>(0))
#define LOG_ERR(...) LOG_AT(::softdoca::LogLevel::error, __VA_ARGS__)
#define LOG_WRN(...) LOG_AT(::softdoca::LogLevel::warning, __VA_ARGS__)
#define LOG_INF(...) LOG_AT(::softdoca::LogLevel::info, __VA_ARGS__)
#define LOG_DBG(...) LOG_AT(::softdoca::LogLevel::debug, __VA_ARGS__)
#define LOG_TRC(...) LOG_AT(::softdoca::LogLevel::trace, __VA_ARGS__)

/// An expression with the value of code: `return LOG_REFUSED(DOCA_ERROR_IN_USE, this, "...");`
#define LOG_REFUSED(code, object, ...) ::softdoca::log_refusal(LOG_SITE, code, object, __VA_ARGS__)
#define LOG_ONCE(level, object, ...)                                                               \
    (::softdoca::log_enabled(level) ? ::softdoca::log_once(level, LOG_SITE, object, __VA_ARGS__)   \
                                    : static_cast<void>(0))
#define LOG_WAIT(object, ...) ::softdoca::log_wait(LOG_SITE, object, __VA_ARGS__)
