// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Row cpp: what the C++ layer adds to a copy.

#include "call_counter.hpp"
#include "harness.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <softdoca/doca.hpp>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace softdoca::bench {

namespace {

constexpr std::size_t kDepth = 32;
constexpr std::size_t kLen = 64;
constexpr std::uint64_t kNumCounted = 10'000;

struct Pair {
    doca::Buffer src, dst;
};

/// As many pairs of buffers as tasks in flight.
class CppRig {
public:
    CppRig()
        : memory_(kDepth * kLen), device_(std::string("03:00.0")),
          mmap_(device_, bytes(memory_.src(), memory_.dst() + memory_.area_len())),
          inventory_(2 * kDepth), dma_(device_, engine_, {.num_tasks = kDepth}), executor_(engine_)
    {
        for (std::size_t i = 0; i < kDepth; ++i) {
            char *const src = memory_.src() + i * kLen, *const dst = memory_.dst() + i * kLen;
            pairs_.push_back({inventory_.by_data(mmap_, bytes(src, src + kLen)),
                              inventory_.by_addr(mmap_, bytes(dst, dst + kLen))});
        }
    }

    /// A coroutine for each pair, which copies over and over.
    void loop(std::uint64_t num_ops)
    {
        for (Pair &pair : pairs_)
            executor_.spawn(copy_many(dma_, pair, (num_ops + kDepth - 1) / kDepth));
        executor_.run();
    }
    /// A coroutine for each copy.
    void one_each(std::uint64_t num_ops)
    {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (Pair &pair : pairs_)
                executor_.spawn(copy_many(dma_, pair, 1));
            executor_.run();
        }
    }
    /// Callbacks in place of coroutines.
    void callbacks(std::uint64_t num_ops)
    {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (Pair &pair : pairs_) {
                pair.dst.reset_data();
                dma_.memcpy(pair.src, pair.dst, [](doca::result<void> end) {
                    require(static_cast<bool>(end), "a copy");
                    ++num_completed;
                });
            }
            for (std::size_t i = 0; i < kDepth; ++i)
                engine_.progress();
        }
    }

private:
    static std::span<std::byte> bytes(char *begin, char *end)
    {
        return std::as_writable_bytes(std::span(begin, end));
    }
    static doca::Coroutine<> copy_many(doca::Dma &dma, Pair &pair, std::uint64_t num)
    {
        for (std::uint64_t i = 0; i < num; ++i) {
            pair.dst.reset_data();
            co_await dma.memcpy(pair.src, pair.dst);
        }
    }

    Memory memory_;
    doca::Device device_;
    doca::Mmap mmap_;
    doca::BufferInventory inventory_;
    doca::ProgressEngine engine_;
    doca::Dma dma_;
    std::vector<Pair> pairs_;
    doca::Executor executor_;
};

Line cost_line(const char *what, const std::vector<double> &ours_ns,
               const std::vector<double> &reference_ns, Goal goal)
{
    return {.number = "cpp",
            .what = what,
            .unit = "ns",
            .ours = spread_of(ours_ns).median,
            .reference = spread_of(reference_ns).median,
            .ratio = spread_of(ratios(ours_ns, reference_ns)),
            .goal = goal,
            .note = ""};
}

void run_times(Report &report)
{
    Rig rig(kDepth * kLen, kDepth, count_completion);
    std::deque<ReusedTask> tasks;
    for (std::size_t i = 0; i < kDepth; ++i)
        tasks.push_back(rig.make_task(i * kLen, i * kLen, kLen));
    CppRig cpp;

    const Body reference = [&](std::uint64_t num_ops) {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (const ReusedTask &task : tasks)
                submit_again(task);
            for (std::size_t i = 0; i < kDepth; ++i)
                doca_pe_progress(rig.engine.get());
        }
    };
    const Body loop = [&](std::uint64_t num_ops) { cpp.loop(num_ops); };
    const Body one_each = [&](std::uint64_t num_ops) { cpp.one_each(num_ops); };
    const Body callbacks = [&](std::uint64_t num_ops) { cpp.callbacks(num_ops); };
    const Rounds rounds = alternate(report.options(), {loop, one_each, callbacks, reference});
    const Goal goal{Goal::Kind::at_most, 1.3, Goal::Judges::ratio};
    report.line(cost_line("64 B co_await in a loop; C loop", rounds[0], rounds[3], goal));
    report.line(cost_line("64 B a coroutine for each copy; C loop", rounds[1], rounds[3], {}));
    report.line(cost_line("64 B with a lambda; C loop", rounds[2], rounds[3], {}));
}

void run_counts(Report &report)
{
    const std::string what =
        "calls of " + std::to_string(3 * kNumCounted) + " copies by the C++ layer";
    if (const char *reason = why_calls_are_not_counted(); reason != nullptr)
        return report.skip("cpp", what, reason);
    Calls calls;
    run_watched([&] {
        CppRig cpp;
        const auto all = [&](std::uint64_t num) {
            cpp.loop(num);
            cpp.one_each(num);
            cpp.callbacks(num);
        };
        all(kDepth); // whatever is done once, at the first use, is done here
        calls = count_calls([&] { all(kNumCounted); });
    });
    report.line(calls_line("cpp", what, calls));
}

} // namespace

void run_cpp_rows(Report &report)
{
    if (!report.wants("cpp"))
        return;
    run_times(report);
    run_counts(report);
}

} // namespace softdoca::bench
