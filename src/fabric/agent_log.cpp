// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/agent_log.hpp"

#include "base/fork_safe_lock.hpp"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>

LOG_SOURCE("FABRIC::AGENT");

namespace softdoca {

namespace {

struct Line {
    LogLevel level;
    char text[240];
};

constexpr std::size_t kMaxLines = 32; // what comes above is lost
constinit ForkSafeLock lines_lock;
constinit std::array<Line, kMaxLines> lines{};
constinit std::atomic<std::size_t> num_lines{0};

} // namespace

void agent_say(LogLevel level, const char *format, ...) noexcept
{
    const std::scoped_lock lock(lines_lock);
    const std::size_t num = num_lines.load(std::memory_order_relaxed);
    if (num == kMaxLines)
        return;
    std::va_list values;
    va_start(values, format);
    lines[num].level = level;
    std::vsnprintf(lines[num].text, sizeof lines[num].text, format, values);
    va_end(values);
    num_lines.store(num + 1, std::memory_order_release);
}

void pass_on_agent_log() noexcept
{
    if (num_lines.load(std::memory_order_acquire) == 0)
        return;
    std::array<Line, kMaxLines> taken;
    std::size_t num;
    {
        const std::scoped_lock lock(lines_lock);
        num = num_lines.exchange(0, std::memory_order_relaxed);
        taken = lines;
    }
    for (std::size_t i = 0; i < num; ++i)
        if (log_enabled(taken[i].level))
            log_write(taken[i].level, LOG_SITE, "%s", taken[i].text);
}

} // namespace softdoca
