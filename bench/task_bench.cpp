// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Rows 1 to 3: how much the bookkeeping of small tasks costs.

#include "dpdk_reference.hpp"
#include "harness.hpp"
#include "probes/engine.hpp"
#include "rig.hpp"
#include "rows.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <thread>

namespace softdoca::bench {

namespace {

constexpr std::size_t kDepth = 32;
constexpr std::size_t kLen = 64;
constexpr std::size_t kWindow = 16384; ///< tasks walk over so much memory

double millions_per_second(double ns)
{
    return 1000 / ns;
}

/// A line about two rates; its ratio is ours through the reference's.
Line rate_line(const char *number, const char *what, const std::vector<double> &ours_ns,
               const std::vector<double> &reference_ns, Goal goal)
{
    return {.number = number,
            .what = what,
            .unit = "M/s",
            .ours = millions_per_second(spread_of(ours_ns).median),
            .reference = millions_per_second(spread_of(reference_ns).median),
            .ratio = spread_of(ratios(reference_ns, ours_ns)),
            .goal = goal,
            .note = ""};
}

// ---- the engine model ----

void model_count(probe::Op *, void *, probe::Engine *)
{
    num_completed++;
}

void model_give_back(probe::Op *op, void *, probe::Engine *engine)
{
    num_completed++;
    engine->buf_put(op->src);
    engine->buf_put(op->dst);
    engine->op_put(op);
}

/// The model's counterpart of what a program has set up.
struct Model {
    probe::Map src, dst;
    probe::Engine engine;
    std::size_t offset = 0;

    Model(const Memory &memory, void (*callback)(probe::Op *, void *, probe::Engine *))
        : src{memory.src(), memory.area_len(), 0}, dst{memory.dst(), memory.area_len(), 0},
          engine(kDepth, callback)
    {
    }

    probe::Op *make_op()
    {
        probe::Buf *from, *to;
        probe::Op *op = nullptr;
        if (engine.buf_get(&src, src.base + offset, kLen, &from) != 0 ||
            engine.buf_get(&dst, dst.base + offset, kLen, &to) != 0 ||
            engine.buf_set_data(from, src.base + offset, kLen) != 0 ||
            engine.op_get(from, to, nullptr, &op) != 0)
            require(false, "the engine model");
        offset = (offset + kLen) & (kWindow - 1);
        return op;
    }

    void submit(probe::Op *op)
    {
        if (engine.submit(op) != 0)
            require(false, "a submit of the engine model");
    }
};

// ---- row 1: task and buffers reused ----

void run_reused(Report &report)
{
    Rig rig(kWindow, kDepth, count_completion);
    std::deque<ReusedTask> tasks;
    Model model(rig.memory, model_count);
    std::array<probe::Op *, kDepth> ops;
    for (std::size_t i = 0; i < kDepth; ++i) {
        tasks.push_back(rig.make_task(i * kLen, i * kLen, kLen));
        ops[i] = model.make_op();
    }

    const Body ours = [&](std::uint64_t num_ops) {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (const ReusedTask &task : tasks)
                submit_again(task);
            for (std::size_t i = 0; i < kDepth; ++i)
                doca_pe_progress(rig.engine.get());
        }
    };
    const Body reference = [&](std::uint64_t num_ops) {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (probe::Op *op : ops) {
                model.engine.buf_reset_data_len(op->dst);
                model.submit(op);
            }
            for (std::size_t i = 0; i < kDepth; ++i)
                model.engine.progress();
        }
    };
    const Rounds rounds = alternate(report.options(), {ours, reference});
    report.line(
        rate_line("1", "64 B reused, depth 32; engine model", rounds[0], rounds[1], at_least(0.5)));
}

// ---- rows 2 and 3: everything fresh ----

/// What a program remembers of a task under way, found again by the task's user data.
struct Slot {
    doca_buf *src, *dst;
    doca_task *task;
};

void give_back(doca_dma_task_memcpy *, doca_data task_user_data, doca_data)
{
    const Slot &slot = *static_cast<Slot *>(task_user_data.ptr);
    num_completed++;
    doca_task_free(slot.task);
    if (doca_buf_dec_refcount(slot.src, nullptr) != DOCA_SUCCESS ||
        doca_buf_dec_refcount(slot.dst, nullptr) != DOCA_SUCCESS) [[unlikely]]
        require(false, "doca_buf_dec_refcount");
}

class FreshTasks {
public:
    FreshTasks() : rig_(kWindow, kDepth, give_back) {}

    const Memory &memory() const { return rig_.memory; }

    void operator()(std::uint64_t num_ops)
    {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (Slot &slot : slots_)
                submit(slot);
            for (std::size_t i = 0; i < kDepth; ++i)
                doca_pe_progress(rig_.engine.get());
        }
    }

private:
    void submit(Slot &slot)
    {
        char *const src = rig_.memory.src() + offset_;
        char *const dst = rig_.memory.dst() + offset_;
        doca_dma_task_memcpy *task = nullptr;
        if (doca_buf_inventory_buf_get_by_addr(rig_.inventory.get(), rig_.src_map.get(), src, kLen,
                                               &slot.src) != DOCA_SUCCESS ||
            doca_buf_inventory_buf_get_by_addr(rig_.inventory.get(), rig_.dst_map.get(), dst, kLen,
                                               &slot.dst) != DOCA_SUCCESS ||
            doca_buf_set_data(slot.src, src, kLen) != DOCA_SUCCESS ||
            doca_dma_task_memcpy_alloc_init(rig_.dma.get(), slot.src, slot.dst, {.ptr = &slot},
                                            &task) != DOCA_SUCCESS) [[unlikely]]
            require(false, "a fresh task");
        slot.task = doca_dma_task_memcpy_as_task(task);
        if (doca_task_submit(slot.task) != DOCA_SUCCESS) [[unlikely]]
            require(false, "a submit of a fresh task");
        offset_ = (offset_ + kLen) & (kWindow - 1);
    }

    Rig rig_;
    std::array<Slot, kDepth> slots_{};
    std::size_t offset_ = 0;
};

void run_fresh(Report &report, const char *what, Goal goal)
{
    FreshTasks fresh;
    Model model(fresh.memory(), model_give_back);
    const Body ours = [&](std::uint64_t num_ops) { fresh(num_ops); };
    const Body reference = [&](std::uint64_t num_ops) {
        for (std::uint64_t done = 0; done < num_ops; done += kDepth) {
            for (std::size_t i = 0; i < kDepth; ++i)
                model.submit(model.make_op());
            for (std::size_t i = 0; i < kDepth; ++i)
                model.engine.progress();
        }
    };
    const Rounds rounds = alternate(report.options(), {ours, reference});
    report.line(rate_line("2", what, rounds[0], rounds[1], goal));
}

} // namespace

void run_task_rows(Report &report)
{
    if (report.wants("1"))
        run_reused(report);
    if (report.wants("2"))
        run_fresh(report, "64 B all objects fresh, depth 32; engine model", at_least(0.5));
}

void run_threaded_rows(Report &report)
{
    if (!report.wants("2"))
        return;
    // From now on this process counts as one with threads, which take buffers from one inventory.
    std::thread([] {}).join();
    run_fresh(report, "64 B fresh in a program with threads; model", Goal{});
}

void run_dpdk_rows(Report &report)
{
    if (!report.wants("3"))
        return;
    const char *const what = "64 B all objects fresh; DPDK dmadev skeleton";
    if (report.options().is_brief)
        return report.skip("3", what, "--brief");
    DpdkReference dpdk(report.options().min_ms);
    if (!dpdk.trouble().empty())
        return report.skip("3", what, dpdk.trouble());

    // By wall time, as the copies of the reference are made by a second thread.
    FreshTasks fresh;
    const Body ours = [&](std::uint64_t num_ops) { fresh(num_ops); };
    const std::uint64_t num_ops = calibrate(ours, report.options().min_ms, Clock::wall);
    std::vector<double> ours_ns, reference_ns;
    for (int round = 0; round < report.options().num_rounds; ++round) {
        ours_ns.push_back(ns_per_op(ours, num_ops, Clock::wall));
        reference_ns.push_back(dpdk.measure_ns());
        if (!dpdk.trouble().empty())
            return report.skip("3", what, dpdk.trouble());
    }
    report.line(rate_line("3", what, ours_ns, reference_ns, at_least(1.2)));
}

} // namespace softdoca::bench
