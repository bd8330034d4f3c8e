// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "pair.hpp"

#include <deque>
#include <string>
#include <string_view>

namespace softdoca::tool {

/// Joins what two programs write into one stream of lines, each with its program's name in front,
/// and writes it to stdout; words of our own go to stderr, in the same order. A line is written
/// whole. One that does not end for a while (a prompt) is written as far as it goes; should the
/// other program speak then, it is broken and goes on behind a name of its own.
///
/// Nothing here blocks: write_some() is called when the descriptor it names is ready.
class LineMerger {
public:
    explicit LineMerger(const std::array<SidePlan, 2> &sides);

    void add(std::size_t side, std::string_view bytes);
    /// A program's output has ended: what is left of its last line is a line.
    void finish(std::size_t side);
    /// A line of our own.
    void say(const std::string &text);

    /// Lets go of lines that have waited for their end long enough.
    void flush_prompts();
    /// Until flush_prompts() has something to do; -1: it has not.
    int ms_to_flush() const;

    bool has_output() const { return !queue_.empty(); }
    bool is_full() const;
    int fd() const { return queue_.front().fd; } ///< where the next bytes go
    /// Writes a piece that a pipe takes at once. False: nobody reads any more.
    bool write_some();

private:
    struct Chunk {
        int fd;
        std::string bytes;
    };
    struct Pending {
        std::string line; ///< no end yet
        Clock::time_point since;
        std::string prefix;
    };

    void put_line(std::size_t side, std::string_view line);
    void put(int fd, std::string_view bytes);
    void end_open_line();

    std::array<Pending, 2> pending_;
    std::string own_prefix_;
    std::optional<std::size_t> open_; ///< whose line stands there without an end
    std::deque<Chunk> queue_;
    std::size_t queued_ = 0; ///< bytes
};

} // namespace softdoca::tool
