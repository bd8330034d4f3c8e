// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace softdoca {

/// 128 random bits: the name of a process in the fabric (process numbers come again), or the key of
/// an export.
struct RandomId {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    bool operator==(const RandomId &) const = default;

    /// From the kernel's generator.
    static RandomId make() noexcept;
    /// 32 hex digits.
    std::string text() const;
    static std::optional<RandomId> parse(std::string_view text) noexcept;
    /// Takes as long whatever differs: what is compared is a secret.
    bool is_equal_secret(const RandomId &other) const noexcept
    {
        return ((high ^ other.high) | (low ^ other.low)) == 0;
    }
};

using ProcessId = RandomId;
using ExportKey = RandomId;

} // namespace softdoca
