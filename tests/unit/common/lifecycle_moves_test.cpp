// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Which moves between states a program can see, whatever it does.

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"

#include <doca_ctx.h>

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using softdoca::test::DmaSetup;
using softdoca::test::SdkLog;
using softdoca::test::Start;

/// A program that does whatever comes into its mind, also in callbacks.
class RandomProgram {
public:
    using Move = std::pair<doca_ctx_states, doca_ctx_states>;

    RandomProgram()
    {
        src_ = setup_.source(0, 64);
        empty_ = setup_.inventory.by_addr(setup_.src_mmap, setup_.src.data(), 64);
        dst_ = setup_.destination(0, 64);
        setup_.context.on_state = [this](doca_ctx_states prev, doca_ctx_states next) {
            EXPECT_EQ(prev, state_);
            EXPECT_EQ(setup_.context.state(), next);
            state_ = next;
            moves_.insert({prev, next});
            step_in_callback();
        };
        setup_.context.on_success = setup_.context.on_error = [this](doca_task *task) {
            held_.push_back(task);
            step_in_callback();
        };
    }

    void step()
    {
        switch (random_() % 8) {
        case 0:
            (void)setup_.context.start();
            break;
        case 1:
            (void)setup_.context.stop();
            break;
        case 2:
            allocate();
            break;
        case 3:
            submit();
            break;
        case 4:
            release();
            break;
        default:
            (void)doca_pe_progress(setup_.pe);
        }
        EXPECT_EQ(setup_.context.state(), state_) << "changed without a report";
    }
    const std::set<Move> &moves() const { return moves_; }

private:
    void step_in_callback()
    {
        if (depth_ > 2)
            return;
        ++depth_;
        if (random_() % 2 == 0)
            step();
        --depth_;
    }
    void allocate()
    {
        doca_task *task = nullptr;
        const doca_buf *const src = random_() % 8 == 0 ? empty_ : src_;
        if (setup_.context.try_alloc(src, dst_, &task) == DOCA_SUCCESS)
            held_.push_back(task);
    }
    void submit()
    {
        if (held_.empty())
            return;
        EXPECT_EQ(doca_buf_reset_data_len(dst_), DOCA_SUCCESS);
        if (doca_task_submit(held_.back()) == DOCA_SUCCESS)
            held_.pop_back();
    }
    void release()
    {
        if (held_.empty())
            return;
        doca_task *const task = held_.back();
        held_.pop_back();
        setup_.context.free(task);
    }

    DmaSetup setup_{8, 4096, Start::later};
    doca_buf *src_ = nullptr, *empty_ = nullptr, *dst_ = nullptr;
    std::vector<doca_task *> held_;
    doca_ctx_states state_ = DOCA_CTX_STATE_IDLE; // as the reports say
    std::set<Move> moves_;
    int depth_ = 0;
    std::minstd_rand random_{4711};
};

TEST(DocaCtxStates, ReportsOfDmaAreExactlyTheThreeLegalMoves)
{
    const SdkLog quiet; // the program fails all the time
    RandomProgram program;

    for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i)
        program.step();

    EXPECT_EQ(program.moves(),
              (std::set<RandomProgram::Move>{{DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING},
                                             {DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING},
                                             {DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}}));
}

} // namespace
