// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Row 22 of Comch: what sending and receiving call, counted, in turns that find work. The peer
// sleeps while it is counted: it has posted enough before, or has sent everything.

#include "call_counter.hpp"
#include "comch_rig.hpp"
#include "harness.hpp"
#include "rows.hpp"

#include <deque>
#include <functional>
#include <string>

namespace softdoca::bench {

namespace {

constexpr std::uint64_t kNumMessages = 1000;
constexpr ControlSizes kSizes{.num_send_tasks = kNumMessages, .recv_queue_size = 4096};

/// A step of the peer, from its beginning to its end.
void let(const ComchPeer &peer, const char *activity)
{
    peer.begin(activity + std::string(" ") + std::to_string(kNumMessages));
    peer.finish();
}

/// Counts the second of two runs of the loop: whatever is done once is done in the first.
Calls count_second(const std::function<void()> &before, const std::function<void()> &loop,
                   const std::function<void()> &after)
{
    Calls calls;
    run_watched([&] {
        for (int run = 0; run < 2; ++run) {
            before();
            calls = count_calls(loop);
            after();
        }
    });
    return calls;
}

void report_calls(Report &report, const std::string &what, const Calls &calls)
{
    report.line(calls_line("22", "calls of " + std::to_string(kNumMessages) + " " + what, calls));
}

void count_data(Report &report, Placement placement, std::size_t len)
{
    ComchRig rig;
    rig.serve(1);
    rig.open_data({placement, len, kNumMessages, 1});
    DataEnd &data = *rig.data;
    const auto nothing = [] {};
    const std::string what = std::to_string(len) + " B, " + name_of(placement);

    report_calls(
        report, "sends of " + what,
        count_second(
            nothing, [&] { data.sender().send(kNumMessages); }, [&] { let(rig.peer, "receive"); }));
    report_calls(report, "receives of " + what,
                 count_second([&] { let(rig.peer, "send"); },
                              [&] { data.receiver().receive(kNumMessages); }, nothing));
}

void count_control(Report &report)
{
    ComchRig rig(kSizes);
    rig.serve(1);
    std::deque<Message> messages;
    for (std::uint64_t i = 0; i < kNumMessages; ++i)
        messages.emplace_back(rig.link(), 64);
    const auto nothing = [] {};

    report_calls(report, "control sends",
                 count_second(
                     nothing, [&] { send_all(rig.control.get(), rig.link(), messages); },
                     [&] { let(rig.peer, "take"); }));
    report_calls(report, "control receives",
                 count_second([&] { let(rig.peer, "tell"); },
                              [&] { take(rig.control.get(), rig.link(), kNumMessages); }, nothing));
}

} // namespace

void run_comch_count_rows(Report &report)
{
    if (!report.wants("22"))
        return;
    if (const char *reason = why_calls_are_not_counted(); reason != nullptr)
        return report.skip("22", "calls of Comch", reason);
    count_data(report, Placement::mapped, 256);
    count_data(report, Placement::heap, 256);
    count_data(report, Placement::mapped, 4096);
    count_control(report);
}

} // namespace softdoca::bench
