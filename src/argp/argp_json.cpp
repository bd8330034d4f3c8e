// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp/argp_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace softdoca {

namespace {

using Json = nlohmann::json;

/// Told by the parser what it meets, builds the values. A function that returns false ends the
/// parse. Of the values only the innermost open one grows, so the pointers in open_ stay good.
class JsonBuilder {
public:
    JsonBuilder(std::string_view text, JsonValue &root, std::string &complaint)
        : text_(text), root_(root), complaint_(complaint)
    {
    }

    // NOLINTBEGIN(readability-identifier-naming): the names are the library's
    bool null() { return put(JsonValue::Kind::null, false); }
    bool boolean(bool value) { return put(JsonValue::Kind::boolean, value); }
    bool number_integer(std::int64_t value) { return put(JsonValue::Kind::integer, value); }
    bool number_unsigned(std::uint64_t value)
    {
        constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
        if (value > static_cast<std::uint64_t>(kMax))
            return put(JsonValue::Kind::real, static_cast<double>(value));
        return put(JsonValue::Kind::integer, static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string &)
    {
        return put(JsonValue::Kind::real, value);
    }
    bool string(std::string &value) { return put(JsonValue::Kind::text, std::move(value)); }
    bool binary(Json::binary_t &) { return false; } // not in texts
    bool start_object(std::size_t) { return enter(JsonValue::Kind::object); }
    bool key(std::string &name)
    {
        key_ = std::move(name);
        return true;
    }
    bool end_object() { return leave(); }
    bool start_array(std::size_t) { return enter(JsonValue::Kind::list); }
    bool end_array() { return leave(); }
    bool parse_error(std::size_t position, const std::string &, const std::exception &)
    {
        const auto end =
            text_.begin() + static_cast<std::ptrdiff_t>(std::min(position, text_.size()));
        complaint_ = "line " + std::to_string(1 + std::count(text_.begin(), end, '\n')) +
                     " is where it stops to be valid JSON";
        return false;
    }
    // NOLINTEND(readability-identifier-naming)

private:
    JsonValue &next()
    {
        if (open_.empty())
            return root_;
        JsonValue &value = open_.back()->items.emplace_back();
        if (open_.back()->kind == JsonValue::Kind::object)
            value.name = std::move(key_);
        return value;
    }

    template <typename Scalar>
    bool put(JsonValue::Kind kind, Scalar scalar)
    {
        JsonValue &value = next();
        value.kind = kind;
        value.scalar = std::move(scalar);
        return true;
    }

    bool enter(JsonValue::Kind kind)
    {
        if (open_.size() == kMaxJsonDepth) {
            complaint_ = "it is nested more than " + std::to_string(kMaxJsonDepth) + " levels deep";
            return false;
        }
        JsonValue &value = next();
        value.kind = kind;
        open_.push_back(&value);
        return true;
    }

    bool leave()
    {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    JsonValue &root_;
    std::string &complaint_;
    std::vector<JsonValue *> open_; // from the root to the innermost
    std::string key_;
};

} // namespace

const JsonValue *JsonValue::find(std::string_view member) const noexcept
{
    const auto found = std::find_if(items.begin(), items.end(),
                                    [&](const JsonValue &item) { return item.name == member; });
    return found == items.end() ? nullptr : &*found;
}

bool parse_json(std::string_view text, JsonValue &root, std::string &complaint)
{
    JsonBuilder builder(text, root, complaint);
    return Json::sax_parse(text.begin(), text.end(), &builder, Json::input_format_t::json,
                           true /* nothing may follow */, true /* comments */);
}

} // namespace softdoca
