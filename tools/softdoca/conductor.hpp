// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/unique_fd.hpp"
#include "line_merger.hpp"
#include "pair.hpp"
#include "readiness.hpp"
#include "side_process.hpp"

#include <array>
#include <optional>
#include <string>

namespace softdoca::tool {

/// Runs the two sides of a pair, in the keeper: starts one, then the other, shows what they write,
/// and ends whatever is left. One thread, one poll() loop.
class Conductor {
public:
    explicit Conductor(const PairPlan &plan);

    /// The exit status of the pair.
    int run();

private:
    enum class Phase {
        first_side,  ///< the second one is not started yet
        both_sides,  ///< both are started
        terminating, ///< what is left was asked to end
        killing,     ///< what is left is being killed
        over,
    };

    void turn();
    void wait_for_something();
    void take_signals();
    void read_outputs();
    void reap();
    void side_ended(std::size_t side);
    void look_at_clock();
    void consider_second_side();
    void start(std::size_t side);
    void begin_ending(int signal);
    void set_result(int status);
    void write_out();

    bool may_go_on() const { return phase_ == Phase::first_side || phase_ == Phase::both_sides; }
    const std::string &label(std::size_t side) const { return plan_.sides[side].label; }

    const PairPlan &plan_;
    Readiness readiness_;
    LineMerger lines_;
    std::array<SideProcess, 2> sides_;
    UniqueFd signals_;
    Phase phase_ = Phase::first_side;
    bool has_children_ = true;
    bool has_reader_ = true;    ///< of what we write
    std::optional<int> result_; ///< the first failure
    Clock::time_point started_;
    std::optional<Clock::time_point>
        give_up_;                 ///< a side has failed; the other may go on until then
    Clock::time_point phase_end_; ///< of terminating and killing
};

} // namespace softdoca::tool
