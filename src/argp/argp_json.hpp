// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace softdoca {

/// A value of a JSON text. Members stand in the order of the text, also if a name comes twice.
///
/// The document class of the JSON library is not used: it sorts the members, its destructor
/// allocates, and it puts no bound on the depth.
struct JsonValue {
    enum class Kind { null, boolean, integer, real, text, list, object };

    const JsonValue *find(std::string_view member) const noexcept;

    std::string name; // if it is a member
    Kind kind = Kind::null;
    std::variant<bool, std::int64_t, double, std::string> scalar;
    std::vector<JsonValue> items; // of a list or an object
};

constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxJsonDepth = 32;

/// Reads one value that takes up the whole text. Comments (// and /* */) count as blanks outside
/// of strings. If it cannot be read, complaint says why and where.
[[nodiscard]] bool parse_json(std::string_view text, JsonValue &root, std::string &complaint);

} // namespace softdoca
