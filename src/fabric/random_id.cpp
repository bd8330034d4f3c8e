// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/random_id.hpp"

#include <sys/random.h>

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace softdoca {

RandomId RandomId::make() noexcept
{
    RandomId id;
    if (getrandom(&id, sizeof id, 0) != sizeof id)
        std::abort(); // 16 bytes cannot fail on any kernel that runs us
    return id;
}

std::string RandomId::text() const
{
    char text[33];
    std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, high, low);
    return text;
}

std::optional<RandomId> RandomId::parse(std::string_view text) noexcept
{
    RandomId id;
    if (text.size() != 32)
        return std::nullopt;
    const char *const middle = text.data() + 16;
    const auto first = std::from_chars(text.data(), middle, id.high, 16);
    const auto second = std::from_chars(middle, middle + 16, id.low, 16);
    if (first.ec != std::errc() || first.ptr != middle || second.ec != std::errc() ||
        second.ptr != middle + 16)
        return std::nullopt;
    return id;
}

} // namespace softdoca
