// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "comch_peer.hpp"
#include "exporter.hpp"
#include "harness.hpp"
#include "rows.hpp"

#include <cstdlib>

namespace {

/// In the built-in world, whatever the environment says.
void be_dpu()
{
    setenv("SOFTDOCA_ROLE", "dpu", 1);
    unsetenv("SOFTDOCA_TOPOLOGY");
}

} // namespace

int main(int argc, char **argv)
{
    using namespace softdoca::bench;
    export_if_asked(argc, argv);
    play_comch_peer_if_asked(argc, argv);
    const Options options = parse_options(argc, argv);
    be_dpu();
    Report report(options);
    pin_to(measuring_cpu());

    run_task_rows(report);
    run_dpdk_rows(report);
    run_copy_rows(report);
    run_idle_rows(report);
    run_threaded_rows(report);
    run_comch_rows(report);
    run_comch_control_rows(report);
    run_comch_idle_rows(report);
    run_window_rows(report);
    run_count_rows(report);
    run_comch_count_rows(report);
    run_start_rows(report);
    run_cpp_rows(report);
    return report.had_all_rows() ? 0 : 2;
}
