// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "line_merger.hpp"

#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace softdoca::tool {

namespace {

constexpr Milliseconds kPromptDelay{100};
constexpr std::size_t kMaxLine = 64 * 1024; // of a longer one, pieces
constexpr std::size_t kMaxQueued = 1024 * 1024;
constexpr const char *kOwnLabel = "pair";

} // namespace

LineMerger::LineMerger(const std::array<SidePlan, 2> &sides)
{
    std::size_t width = std::string_view(kOwnLabel).size();
    for (const SidePlan &side : sides)
        width = std::max(width, side.label.size());
    const auto prefix = [width](std::string label, const char *colour, int fd) {
        label.resize(width, ' ');
        return coloured(label + " |", colour, wants_colour(fd)) + ' ';
    };

    for (std::size_t i = 0; i < sides.size(); ++i)
        pending_[i].prefix = prefix(sides[i].label, sides[i].colour, STDOUT_FILENO);
    own_prefix_ = prefix(kOwnLabel, "1", STDERR_FILENO);
}

void LineMerger::add(std::size_t side, std::string_view bytes)
{
    std::string &line = pending_[side].line;

    const bool was_empty = line.empty();
    line += bytes;
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find('\n', begin)) != std::string::npos; begin = end + 1)
        put_line(side, std::string_view(line).substr(begin, end + 1 - begin));
    line.erase(0, begin);
    if (was_empty || begin > 0)
        pending_[side].since = Clock::now();
    if (line.size() >= kMaxLine) {
        put_line(side, line);
        line.clear();
    }
}

void LineMerger::finish(std::size_t side)
{
    if (!pending_[side].line.empty())
        put_line(side, pending_[side].line);
    pending_[side].line.clear();
    if (open_ == side)
        end_open_line();
}

void LineMerger::say(const std::string &text)
{
    end_open_line();
    put(STDERR_FILENO, own_prefix_ + text + '\n');
}

void LineMerger::flush_prompts()
{
    for (std::size_t side = 0; side < pending_.size(); ++side) {
        Pending &pending = pending_[side];
        if (pending.line.empty() || Clock::now() < pending.since + kPromptDelay)
            continue;
        put_line(side, pending.line);
        pending.line.clear();
    }
}

int LineMerger::ms_to_flush() const
{
    int least = -1;

    for (const Pending &pending : pending_) {
        if (pending.line.empty())
            continue;
        const auto left =
            std::chrono::ceil<Milliseconds>(pending.since + kPromptDelay - Clock::now());
        const int ms = std::max(0, static_cast<int>(left.count()));
        least = least < 0 ? ms : std::min(least, ms);
    }
    return least;
}

bool LineMerger::is_full() const
{
    return queued_ > kMaxQueued;
}

bool LineMerger::write_some()
{
    Chunk &chunk = queue_.front();
    // What poll(2) promises room for in a pipe.
    const ssize_t len =
        write(chunk.fd, chunk.bytes.data(), std::min<std::size_t>(chunk.bytes.size(), PIPE_BUF));

    if (len < 0)
        return errno == EINTR || errno == EAGAIN;
    queued_ -= static_cast<std::size_t>(len);
    chunk.bytes.erase(0, static_cast<std::size_t>(len));
    if (chunk.bytes.empty())
        queue_.pop_front();
    return true;
}

void LineMerger::put_line(std::size_t side, std::string_view line)
{
    if (open_ && *open_ != side)
        end_open_line();
    if (!open_)
        put(STDOUT_FILENO, pending_[side].prefix);
    put(STDOUT_FILENO, line);
    if (line.back() == '\n')
        open_.reset();
    else
        open_ = side;
}

void LineMerger::put(int fd, std::string_view bytes)
{
    if (queue_.empty() || queue_.back().fd != fd || queue_.back().bytes.size() > kMaxLine)
        queue_.push_back({fd, {}});
    queue_.back().bytes += bytes;
    queued_ += bytes.size();
}

void LineMerger::end_open_line()
{
    if (open_)
        put(STDOUT_FILENO, "\n");
    open_.reset();
}

} // namespace softdoca::tool
