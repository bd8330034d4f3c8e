// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model/settings.hpp"

#include "base/log_sink.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

LOG_SOURCE("MODEL::SETTINGS");

namespace softdoca {

namespace {

constexpr std::uint32_t kMostBufs = 1u << 20; // a Context gets room for all when it is created

void read_order(ModelSettings &settings) noexcept
{
    static constexpr char kName[] = "SOFTDOCA_MODEL_ORDER";
    const char *const value = model_variable(kName);
    if (value == nullptr)
        return;
    settings.may_dangle = std::strcmp(value, "dangle") == 0;
    if (!settings.may_dangle && std::strcmp(value, "refuse") != 0)
        LOG_ONCE(LogLevel::warning, kName,
                 "%s=%.64s is ignored; it takes refuse (a parent with children is not released) or "
                 "dangle (they die with the Context)",
                 kName, value);
}

/// A number of decimal digits, up to max.
template <typename Number>
void read_number(const char *name, const char *unit, Number max, Number &out) noexcept
{
    const char *const value = model_variable(name);
    if (value == nullptr)
        return;
    const char *const end = value + std::strlen(value);
    Number number = 0;
    const auto [stop, fault] = std::from_chars(value, end, number);
    if (fault == std::errc() && stop == end && number <= max)
        out = number;
    else
        LOG_ONCE(LogLevel::warning, name,
                 "%s=%.64s is ignored; it takes a number of %s in decimal digits, at most %llu",
                 name, value, unit, static_cast<unsigned long long>(max));
}

} // namespace

const char *model_variable(const char *name) noexcept
{
    const char *const value = ::secure_getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
}

ModelSettings read_model_settings()
{
    ModelSettings settings;
    read_order(settings);
    read_number("SOFTDOCA_MODEL_MAX_MEM", "bytes", ModelSettings::kNoLimit, settings.max_mem_len);
    read_number("SOFTDOCA_MODEL_MAX_BUF", "Buffers", kMostBufs, settings.max_num_bufs);
    if (const char *const path = model_variable("SOFTDOCA_MODEL_PCAP"); path != nullptr)
        settings.pcap_path = path;
    return settings;
}

} // namespace softdoca
