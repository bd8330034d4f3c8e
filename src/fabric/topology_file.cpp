// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/topology_file.hpp"

#include "base/unique_fd.hpp"
#include "fabric/topology_draft.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace softdoca {

namespace {

TopologyFault with_file(TopologyFault fault, const std::string &file)
{
    fault.file = file;
    return fault;
}

TopologyFault unreadable(const std::string &file, int error)
{
    return {file, {}, "cannot be read: " + std::generic_category().message(error)};
}

/// Appends to text until the end of the file, or until it is too long. An errno, or 0.
int read_all(int fd, std::string &text)
{
    char block[16384];
    while (text.size() <= kMaxTopologyFileSize) {
        const ssize_t num = ::read(fd, block, sizeof block);
        if (num < 0 && errno == EINTR)
            continue;
        if (num <= 0)
            return num == 0 ? 0 : errno;
        text.append(block, static_cast<std::size_t>(num));
    }
    return 0;
}

} // namespace

std::string TopologyFault::text() const
{
    std::string line = file;
    if (place.line != 0)
        line += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
    line += ": " + reason;
    for (char &c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '?';
    return line;
}

TopologyResult parse_topology(std::string_view text, const std::string &file)
{
    if (text.size() > kMaxTopologyFileSize)
        return TopologyFault{file, {}, "is longer than a topology file may be (1 MiB)"};
    const auto draft = draft_of_toml(text);
    if (const auto *const fault = std::get_if<TopologyFault>(&draft))
        return with_file(*fault, file);
    auto world = build_topology(std::get<TopologyDraft>(draft));
    if (auto *const fault = std::get_if<TopologyFault>(&world))
        return with_file(std::move(*fault), file);
    return std::get<Topology>(std::move(world));
}

TopologyResult read_topology(const std::string &file)
{
    // Not blocking: the name may be that of a pipe, which is refused below.
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status;
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0)
        return unreadable(file, errno);
    if (!S_ISREG(status.st_mode))
        return TopologyFault{file, {}, "is not a regular file"};
    std::string text;
    if (const int error = read_all(fd.get(), text); error != 0)
        return unreadable(file, error);
    return parse_topology(text, file);
}

} // namespace softdoca
