// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <string>
#include <string_view>

namespace softdoca::tool {

/// Is that descriptor a terminal, whose user has not asked for plain text (NO_COLOR)?
bool wants_colour(int fd);

/// The text, in that colour (the parameters of an SGR sequence) if it is wanted.
std::string coloured(std::string_view text, const char *colour, bool is_wanted);

/// Text from elsewhere, safe for a terminal: bytes that are not plain printable ones become '?'.
std::string printable(std::string_view text);

} // namespace softdoca::tool
