// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <set>
#include <vector>

/// What every row of the benchmark needs: options, fair timing in turns, and one line a row.
///
/// A figure means little on a shared machine, a ratio of two things measured in turn means much. So
/// a row times its contestants A B A B ..., takes a ratio for each round, and is judged on the
/// median of these ratios.
namespace softdoca::bench {

struct Options {
    std::vector<std::string> rows; ///< numbers to run; empty: all
    int num_rounds = 9;
    double min_ms = 10;    ///< one measurement lasts at least this long
    bool is_brief = false; ///< small and quick: shows that it runs, the figures mean nothing
    bool has_detail = false;
    const char *csv_path = nullptr;
};

/// Reads the command line; prints the usage and exits if it makes no sense.
Options parse_options(int argc, char **argv);

struct Spread {
    double median;
    double min;
    double max;
};

Spread spread_of(std::vector<double> values);

inline double median(const std::vector<double> &values)
{
    return spread_of(values).median;
}

inline double gb_per_second(std::size_t len, double ns)
{
    return static_cast<double>(len) / ns;
}

/// Something to time: does `num_ops` operations.
using Body = std::function<void(std::uint64_t num_ops)>;

/// Which time counts. Processor time of this thread leaves out what other programs take from a
/// shared CPU; wall time is for contestants that work on more than one thread.
enum class Clock { processor, wall };

/// Nanoseconds for each operation, [contestant][round].
using Rounds = std::vector<std::vector<double>>;

/// Runs all contestants in turn, round by round, after one warm-up of each.
Rounds alternate(const Options &options, const std::vector<Body> &bodies,
                 Clock clock = Clock::processor);

/// One measurement of `num_ops` operations, and the number of them that lasts `min_ms`.
double ns_per_op(const Body &body, std::uint64_t num_ops, Clock clock = Clock::processor);
std::uint64_t calibrate(const Body &body, double min_ms, Clock clock = Clock::processor);

/// above[i] / below[i] for each round.
std::vector<double> ratios(const std::vector<double> &above, const std::vector<double> &below);

/// What a row promises; of the ratio, or of our own figure.
struct Goal {
    enum class Kind { at_least, at_most, none };
    enum class Judges { ratio, ours };

    Kind kind = Kind::none;
    double value = 0;
    Judges judges = Judges::ratio;
};

constexpr Goal at_least(double ratio)
{
    return {Goal::Kind::at_least, ratio};
}

struct Line {
    std::string number;
    std::string what;
    const char *unit = "";
    double ours = 0;
    double reference = 0; ///< 0: there is none
    Spread ratio{};       ///< median 0: there is none
    Goal goal;
    std::string note; ///< whatever else is worth saying, behind the verdict
};

/// Prints the head and one line a row, and writes the same as CSV if asked.
struct Calls;
/// A line about calls that were counted: there must be none.
Line calls_line(const char *number, const std::string &what, const Calls &calls);

class Report {
public:
    explicit Report(const Options &options);
    ~Report();
    Report(const Report &) = delete;
    Report &operator=(const Report &) = delete;

    const Options &options() const { return options_; }
    bool wants(std::string_view number) const;
    void line(const Line &line);
    /// Part of a row: shown with --detail only, always in the CSV.
    void detail(const Line &line);
    void skip(const std::string &number, const std::string &what, const std::string &reason);
    /// Once all rows have had their turn: complains of those that were asked for and do not exist.
    bool had_all_rows() const;

private:
    void print(const Line &line, const std::string &verdict);
    void write_csv(const Line &line, const std::string &verdict);

    Options options_;
    mutable std::set<std::string> known_; ///< rows that somebody has measured, or could
    std::FILE *csv_ = nullptr;
};

/// The CPU that all one-thread measurements are pinned to, and another one (-1 if there is none).
int measuring_cpu();
int other_cpu();
void pin_to(int cpu);

/// Ends the program if a call failed that has to work for the row to mean anything.
void require(bool is_fine, const char *what);

/// Keeps the compiler from dropping or reordering memory work.
inline void clobber()
{
    asm volatile("" : : : "memory");
}

} // namespace softdoca::bench
