// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The command line of the benchmark and what it prints.

#include "call_counter.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/utsname.h>
#include <thread>

namespace softdoca::bench {

Line calls_line(const char *number, const std::string &what, const Calls &calls)
{
    return {.number = number,
            .what = what,
            .unit = "calls",
            .ours = static_cast<double>(calls.sum()),
            .reference = 0,
            .ratio = {},
            .goal = {Goal::Kind::at_most, 0, Goal::Judges::ours},
            .note = std::to_string(calls.allocations) + " allocations, " +
                    std::to_string(calls.locks) + " locks, " + std::to_string(calls.clock_reads) +
                    " clock reads, " + std::to_string(calls.system_calls) + " system calls"};
}

namespace {

constexpr const char *kUsage =
    "usage: softdoca_bench [--rows N,N,...] [--rounds N] [--csv FILE] [--detail] [--brief]\n"
    "  --rows    only these rows, for example 1,2,4,start\n"
    "  --rounds  measurements of each contestant (default 9)\n"
    "  --csv     write the lines to FILE too, with the parts of each row\n"
    "  --detail  print the parts of a row (each pair of page offsets) under it\n"
    "  --brief   small and quick, to see that it runs; the figures mean nothing\n";

[[noreturn]] void usage(std::FILE *to, int code)
{
    std::fputs(kUsage, to);
    std::exit(code);
}

std::vector<std::string> split(const std::string &list)
{
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        parts.push_back(list.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::string cpu_model()
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        if (line.rfind("model name", 0) == 0)
            return line.substr(line.find(':') + 2);
    }
    return "unknown CPU";
}

std::string compiler()
{
#if defined(__clang__)
    return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
    return "gcc " __VERSION__;
#endif
}

void print_head(const Options &options)
{
    utsname system{};
    uname(&system);
    std::printf(
        "softdoca_bench: %s, %u CPUs, %s %s, %s, build %s; pinned to CPU %d; %d rounds in turn, "
        "ratio of each round; page offsets of source and destination varied in rows 4, 5 "
        "and 16%s\n",
        cpu_model().c_str(), std::thread::hardware_concurrency(), system.sysname, system.release,
        compiler().c_str(), SOFTDOCA_BENCH_BUILD, measuring_cpu(), options.num_rounds,
        options.is_brief ? "; BRIEF: the figures mean nothing" : "");
    std::printf("%-6s %-46s %12s %12s  %-22s %-10s verdict\n", "row", "what", "ours", "reference",
                "ratio (min-max)", "goal");
    std::fflush(stdout);
}

std::string figure(double value, const char *unit)
{
    char text[48];
    std::snprintf(text, sizeof text, value < 100 ? "%.2f %s" : "%.0f %s", value, unit);
    return text;
}

std::string goal_text(const Line &line)
{
    const Goal &goal = line.goal;
    if (goal.kind == Goal::Kind::none)
        return "-";
    char text[48];
    std::snprintf(text, sizeof text, "%s %.4g%s%s",
                  goal.kind == Goal::Kind::at_least ? ">=" : "<=", goal.value,
                  goal.judges == Goal::Judges::ours ? " " : "",
                  goal.judges == Goal::Judges::ours ? line.unit : "");
    return text;
}

std::string verdict_of(const Line &line)
{
    const double value = line.goal.judges == Goal::Judges::ratio ? line.ratio.median : line.ours;
    switch (line.goal.kind) {
    case Goal::Kind::at_least:
        return value >= line.goal.value ? "met" : "short";
    case Goal::Kind::at_most:
        return value <= line.goal.value ? "met" : "short";
    case Goal::Kind::none:
        break;
    }
    return "-";
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const bool has_value = name == "--rows" || name == "--rounds" || name == "--csv";
        if (has_value && i + 1 == argc)
            usage(stderr, 2);
        if (name == "--rows")
            options.rows = split(argv[++i]);
        else if (name == "--rounds")
            options.num_rounds = std::atoi(argv[++i]);
        else if (name == "--csv")
            options.csv_path = argv[++i];
        else if (name == "--detail")
            options.has_detail = true;
        else if (name == "--brief")
            options.is_brief = true;
        else if (name == "--help" || name == "-h")
            usage(stdout, 0);
        else
            usage(stderr, 2);
    }
    if (options.num_rounds < 1)
        usage(stderr, 2);
    if (options.is_brief) {
        options.num_rounds = 1;
        options.min_ms = 0.1;
    }
    return options;
}

Report::Report(const Options &options) : options_(options)
{
    if (options_.csv_path != nullptr) {
        csv_ = std::fopen(options_.csv_path, "w");
        require(csv_ != nullptr, "the CSV file cannot be written");
        std::fputs("row,what,unit,ours,reference,ratio_median,ratio_min,ratio_max,goal,verdict,"
                   "note\n",
                   csv_);
    }
    print_head(options_);
}

Report::~Report()
{
    if (csv_ != nullptr)
        std::fclose(csv_);
}

bool Report::had_all_rows() const
{
    bool had_all = true;
    for (const std::string &row : options_.rows)
        if (!known_.contains(row)) {
            std::fprintf(stderr, "softdoca_bench: there is no row %s to ask for\n", row.c_str());
            had_all = false;
        }
    return had_all;
}

bool Report::wants(std::string_view number) const
{
    known_.emplace(number);
    return options_.rows.empty() ||
           std::find(options_.rows.begin(), options_.rows.end(), number) != options_.rows.end();
}

void Report::print(const Line &line, const std::string &verdict)
{
    char ratio[48] = "-";
    if (line.ratio.median > 0)
        std::snprintf(ratio, sizeof ratio, "%.3f (%.3f-%.3f)", line.ratio.median, line.ratio.min,
                      line.ratio.max);
    std::printf("%-6s %-46s %12s %12s  %-22s %-10s %s%s%s\n", line.number.c_str(),
                line.what.c_str(), figure(line.ours, line.unit).c_str(),
                line.reference > 0 ? figure(line.reference, line.unit).c_str() : "-", ratio,
                goal_text(line).c_str(), verdict.c_str(), line.note.empty() ? "" : "; ",
                line.note.c_str());
    std::fflush(stdout);
}

void Report::write_csv(const Line &line, const std::string &verdict)
{
    if (csv_ == nullptr)
        return;
    std::fprintf(csv_, "%s,\"%s\",%s,%.4f,%.4f,%.4f,%.4f,%.4f,%s,%s,\"%s\"\n", line.number.c_str(),
                 line.what.c_str(), line.unit, line.ours, line.reference, line.ratio.median,
                 line.ratio.min, line.ratio.max, goal_text(line).c_str(), verdict.c_str(),
                 line.note.c_str());
}

void Report::line(const Line &line)
{
    const std::string verdict = verdict_of(line);
    print(line, verdict);
    write_csv(line, verdict);
}

void Report::detail(const Line &line)
{
    if (options_.has_detail)
        print(line, "-");
    write_csv(line, "-");
}

void Report::skip(const std::string &number, const std::string &what, const std::string &reason)
{
    std::printf("%-6s %-46s %12s %12s  %-22s %-10s skipped: %s\n", number.c_str(), what.c_str(),
                "-", "-", "-", "-", reason.c_str());
    std::fflush(stdout);
    if (csv_ != nullptr)
        std::fprintf(csv_, "%s,\"%s\",,,,,,,,skipped,\"%s\"\n", number.c_str(), what.c_str(),
                     reason.c_str());
}

} // namespace softdoca::bench
