// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace softdoca::tool {

bool wants_colour(int fd)
{
    const char *const no_colour = std::getenv("NO_COLOR");
    const char *const terminal = std::getenv("TERM");

    if (no_colour != nullptr && *no_colour != '\0')
        return false;
    return isatty(fd) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string coloured(std::string_view text, const char *colour, bool is_wanted)
{
    if (!is_wanted)
        return std::string(text);
    return std::string("\033[") + colour + 'm' + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text)
{
    std::string result(text);

    for (char &c : result)
        if (c < ' ' || c > '~')
            c = '?';
    return result;
}

} // namespace softdoca::tool
