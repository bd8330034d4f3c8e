// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/comch_context.hpp"
#include "support/handles.hpp"
#include "support/lifecycle_matrix.hpp"

#include <doca_ctx.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

/// What a call answers in each state of a Comch context: the lines that all four kinds share.
namespace softdoca::test {

enum ComchState { never_started, idle_again, starting, running, stopping, kNumColumns };
inline constexpr std::array kColumnNames = {"IdleNeverStarted", "IdleAgain", "Starting", "Running",
                                            "Stopping"};

/// A context in one of the states. In RUNNING and STOPPING the program holds one of its two tasks,
/// which in IdleAgain it has freed before.
struct ComchScene {
    static constexpr std::size_t kNumStates = kNumColumns;
    static constexpr std::array kStateNames = kColumnNames;
    using State = ComchState;

    virtual ~ComchScene() = default;
    virtual ComchContext &context() = 0;
    virtual const Device &device() = 0;
    virtual doca_error_t alloc() = 0;

    doca_ctx *ctx() { return context().ctx(); }
    /// All that a refused call must leave as it was.
    std::string picture()
    {
        std::size_t num_in_engine = 0;
        doca_data user_data{};
        must(doca_pe_get_num_inflight_tasks(context().pe(), &num_in_engine));
        must(doca_ctx_get_user_data(ctx(), &user_data));
        std::ostringstream out;
        out << "state " << context().state() << ", in flight " << context().num_inflight() << " "
            << num_in_engine << ", user data " << user_data.u64 << ", delivered";
        for (const std::string &delivered : context().record())
            out << " " << delivered;
        return out.str();
    }

    const Pe another_pe;
    doca_task *task = nullptr;

protected:
    /// To be called when the context is created.
    void come_to(State state, doca_error_t start_code)
    {
        if (state == never_started)
            return;
        EXPECT_EQ(context().start(), start_code);
        if (state == starting)
            return;
        await_running();
        task = make_task();
        if (state == running)
            return;
        if (state == idle_again)
            free_task();
        const doca_error_t stopped = context().stop();
        EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
        if (state == idle_again) {
            EXPECT_TRUE(context().reaches(DOCA_CTX_STATE_IDLE));
        }
    }
    virtual void await_running() { EXPECT_TRUE(context().reaches(DOCA_CTX_STATE_RUNNING)); }
    virtual doca_task *make_task() = 0;
    virtual void free_task() = 0;
};

inline constexpr doca_error_t kOk = DOCA_SUCCESS;
inline constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
inline constexpr doca_error_t kBadState = DOCA_ERROR_BAD_STATE;
inline constexpr doca_error_t kInUse = DOCA_ERROR_IN_USE;
inline constexpr doca_error_t kNotPermitted = DOCA_ERROR_NOT_PERMITTED;
inline constexpr doca_error_t kNotSupported = DOCA_ERROR_NOT_SUPPORTED;
inline constexpr doca_error_t kInProgress = DOCA_ERROR_IN_PROGRESS;
inline constexpr doca_error_t kNoMemory = DOCA_ERROR_NO_MEMORY;
using Answers = std::array<Answer, kNumColumns>;
inline constexpr Answers kAlways = {kOk, kOk, kOk, kOk, kOk};
inline constexpr Answers kNever = {kNotSupported, kNotSupported, kNotSupported, kNotSupported,
                                   kNotSupported};
inline constexpr Answers kOnlyIdle = {kOk, kOk, kBadState, kBadState, kBadState};
inline constexpr Answers kOnlyRunning = {kBadState, kBadState, kBadState, kOk, kBadState};
inline constexpr Answers kBeyondThePool = {kBadState, kBadState, kBadState, kNoMemory, kBadState};
inline constexpr Answers kHeld = {kInUse, kInUse, kInUse, kInUse, kInUse};
inline constexpr Answers kBadArgument = {kInvalid, kInvalid, kInvalid, kInvalid, kInvalid};

inline void ignore_state(doca_data, doca_ctx *, doca_ctx_states, doca_ctx_states) {}

/// What all kinds answer alike, but for what start says: never started, idle again, starting,
/// running, stopping.
template <typename Scene>
std::vector<Row<Scene>> rows_of_any(doca_error_t start_code)
{
    return {
        {"ConnectToItsEngine",
         [](Scene &s) { return doca_pe_connect_ctx(s.context().pe(), s.ctx()); },
         {kNotPermitted, kNotPermitted, kBadState, kBadState, kBadState}},
        {"ConnectToAnotherEngine",
         [](Scene &s) { return doca_pe_connect_ctx(s.another_pe, s.ctx()); },
         {kNotPermitted, kNotPermitted, kBadState, kBadState, kBadState}},
        {"Start",
         [](Scene &s) { return s.context().start(); },
         {start_code, start_code, kBadState, kBadState, kBadState}},
        {"Stop",
         [](Scene &s) { return s.context().stop(); },
         {kOk, kOk, kInProgress, kInProgress, kInProgress}},
        {"StopTwice",
         [](Scene &s) {
             (void)s.context().stop();
             return s.context().stop();
         },
         {kOk, kOk, kInProgress, kInProgress, kInProgress}},
        {"Destroy",
         [](Scene &s) { return s.context().destroy(); },
         {kOk, kOk, kInUse, kInUse, kInUse}},
        {"PeDestroy", [](Scene &s) { return doca_pe_destroy(s.context().pe()); }, kHeld},
        {"DevClose", [](Scene &s) { return doca_dev_close(s.device()); }, kHeld},
        {"GetState",
         [](Scene &s) {
             doca_ctx_states state{};
             return doca_ctx_get_state(s.ctx(), &state);
         },
         kAlways, true},
        {"GetNumInflight",
         [](Scene &s) {
             std::size_t num = 0;
             return doca_ctx_get_num_inflight_tasks(s.ctx(), &num);
         },
         kAlways, true},
        {"SetUserData",
         [](Scene &s) { return doca_ctx_set_user_data(s.ctx(), {.ptr = &s.context()}); }, kAlways,
         true},
        {"SetStateChangedCb",
         [](Scene &s) { return doca_ctx_set_state_changed_cb(s.ctx(), ignore_state); }, kAlways,
         true},
        {"FlushTasks",
         [](Scene &s) {
             doca_ctx_flush_tasks(s.ctx());
             return kOk;
         },
         kAlways, true},
        {"RequestNotification",
         [](Scene &s) { return doca_pe_request_notification(s.context().pe()); }, kAlways, true},
        {"SetDatapathOnGpu",
         [](Scene &s) { return doca_ctx_set_datapath_on_gpu(s.ctx(), made_up<doca_gpu>()); },
         {kNotSupported, kNotSupported, kBadState, kBadState, kBadState}},
        {"SetDatapathOnDpa",
         [](Scene &s) { return doca_ctx_set_datapath_on_dpa(s.ctx(), made_up<doca_dpa>()); },
         {kNotSupported, kNotSupported, kBadState, kBadState, kBadState}},
        {"SetCompletionVector", [](Scene &s) { return doca_ctx_set_completion_vector(s.ctx(), 0); },
         kOnlyIdle},
        {"ProfilerSetMaxNranges",
         [](Scene &s) { return doca_ctx_profiler_set_max_nranges(s.ctx(), 64); }, kOnlyIdle},
        {"AllocInit", [](Scene &s) { return s.alloc(); }, kOnlyRunning},
        {"AllocInitBeyondThePool",
         [](Scene &s) {
             (void)s.alloc();
             return s.alloc();
         },
         kBeyondThePool},
    };
}

/// Of a task that is freed or held.
template <typename Scene>
std::vector<Row<Scene>> rows_of_task(doca_error_t submit_code)
{
    const Answers answers = {Answer{}, kBadState, Answer{}, submit_code, kBadState};
    return {
        {"Submit", [](Scene &s) { return doca_task_submit(s.task); }, answers},
        {"SubmitExNone",
         [](Scene &s) { return doca_task_submit_ex(s.task, DOCA_TASK_SUBMIT_FLAG_NONE); }, answers},
        {"TrySubmit", [](Scene &s) { return doca_task_try_submit(s.task); }, answers},
        {"TaskGetters",
         [](Scene &s) {
             EXPECT_EQ(doca_task_get_ctx(s.task), s.ctx());
             return doca_task_get_status(s.task);
         },
         {Answer{}, Answer{}, Answer{}, kOk, kOk},
         true},
    };
}

template <typename T>
std::vector<T> operator+(std::vector<T> left, const std::vector<T> &right)
{
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// Checks the column of a table.
template <typename Scene>
void check_column(const std::vector<Row<Scene>> &rows, ComchState state)
{
    for (const Row<Scene> &row : rows) {
        if (!row.answers[state])
            continue;
        SCOPED_TRACE(std::string(row.name) + " in " + kColumnNames[state]);
        check_cell(Cell<Scene>{row, state});
    }
}

} // namespace softdoca::test
