// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/fault.hpp"

#include "base/fork_safe_lock.hpp"
#include "base/log_sink.hpp"
#include "model/settings.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include <strings.h>

LOG_SOURCE("MODEL::FAULT");

namespace softdoca {

namespace {

constexpr char kName[] = "SOFTDOCA_MODEL_FAULT";
constexpr std::array kPoints = {std::string_view("create"), std::string_view("open"),
                                std::string_view("reg"), std::string_view("buf"),
                                std::string_view("submit")};
constexpr std::array kCalls = {"doca_ctx_create", "doca_dev_open", "doca_mem_reg",
                               "doca_buf_create", "doca_task_submit"};

/// "submit:again:3": each third submit gives AGAIN.
struct FaultRule {
    FaultPoint point;
    doca_error_t code;
    std::uint32_t period;
    std::uint32_t num_calls = 0;
};

/// A fixed number, so that reading them allocates nothing.
struct FaultRules {
    static constexpr std::size_t kMaxRules = 32;

    std::array<FaultRule, kMaxRules> rules;
    std::size_t num = 0;
};

constinit ForkSafeLock fault_lock; // what follows; nothing is logged under it
constinit FaultRules active{};
constexpr std::size_t kMaxText = 1024; // of a value; longer ones are not taken
constinit std::array<char, kMaxText> active_text{};

bool is_same_word(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<FaultPoint> parse_point(std::string_view word) noexcept
{
    for (std::size_t i = 0; i < kPoints.size(); ++i)
        if (is_same_word(word, kPoints[i]))
            return static_cast<FaultPoint>(i);
    return std::nullopt;
}

/// "no_memory" or "DOCA_ERROR_NO_MEMORY".
std::optional<doca_error_t> parse_code(std::string_view word) noexcept
{
    constexpr std::string_view kPrefix = "DOCA_ERROR_";
    for (int i = DOCA_SUCCESS + 1; i <= DOCA_ERROR_DEVICE_FATAL_ERROR; ++i) {
        const auto code = static_cast<doca_error_t>(i);
        const std::string_view whole = doca_error_get_name(code);
        if (is_same_word(word, whole) || is_same_word(word, whole.substr(kPrefix.size())))
            return code;
    }
    return std::nullopt;
}

/// The text before the separator, which is taken off with it; all of it if there is none.
std::string_view take_word(std::string_view &text, char separator) noexcept
{
    const std::size_t len = text.find(separator);
    const std::string_view word = text.substr(0, len);
    text.remove_prefix(len == std::string_view::npos ? text.size() : len + 1);
    return word;
}

std::optional<FaultRule> parse_rule(std::string_view text) noexcept
{
    const auto point = parse_point(take_word(text, ':'));
    const auto code = parse_code(take_word(text, ':'));
    std::uint32_t period = 0;
    const char *const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, period);
    if (!point || !code || fault != std::errc() || stop != end || period == 0)
        return std::nullopt;
    return FaultRule{*point, *code, period};
}

/// Nothing if one of the rules is malformed, or there are too many.
std::optional<FaultRules> parse_rules(std::string_view text) noexcept
{
    FaultRules parsed{};
    if (text.ends_with(','))
        return std::nullopt;
    while (!text.empty()) {
        const auto rule = parse_rule(take_word(text, ','));
        if (!rule || parsed.num == FaultRules::kMaxRules)
            return std::nullopt;
        parsed.rules[parsed.num++] = *rule;
    }
    return parsed;
}

} // namespace

void read_model_faults() noexcept
{
    const char *const value = model_variable(kName);
    const std::string_view text = value == nullptr ? "" : value;
    const auto parsed = text.size() < kMaxText ? parse_rules(text) : std::nullopt;
    {
        const std::scoped_lock lock(fault_lock);
        if (parsed && text == active_text.data())
            return;
        active = parsed.value_or(FaultRules{});
        active_text[text.copy(active_text.data(), parsed ? text.size() : 0)] = '\0';
    }
    if (parsed && parsed->num != 0)
        LOG_ONCE(LogLevel::warning, &active,
                 "%s=%.128s: calls fail that would not; each says so at SOFTDOCA_LOG=INFO", kName,
                 value);
    if (!parsed)
        LOG_ONCE(LogLevel::warning, kName,
                 "%s=%.128s is ignored; it takes CALL:CODE:N behind one another, with commas: CALL "
                 "is create, open, reg, buf or submit, CODE an error like again or no_memory, and "
                 "each N-th call gives it",
                 kName, value);
}

doca_error_t model_fault(FaultPoint point) noexcept
{
    doca_error_t code = DOCA_SUCCESS;
    std::uint32_t num_calls = 0;
    {
        const std::scoped_lock lock(fault_lock);
        for (std::size_t i = 0; i < active.num; ++i) {
            FaultRule &rule = active.rules[i];
            if (rule.point != point || ++rule.num_calls % rule.period != 0 || code != DOCA_SUCCESS)
                continue;
            code = rule.code;
            num_calls = rule.num_calls;
        }
    }
    if (code != DOCA_SUCCESS)
        LOG_INF("%s: call %u gives %s without effect, as %s asks for",
                kCalls[static_cast<std::size_t>(point)], num_calls, doca_error_get_name(code),
                kName);
    return code;
}

} // namespace softdoca
