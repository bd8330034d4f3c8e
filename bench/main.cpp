// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "harness.hpp"
#include "rows.hpp"

int main(int argc, char **argv)
{
    using namespace softdoca::bench;
    const Options options = parse_options(argc, argv);
    Report report(options);
    pin_to(measuring_cpu());

    run_task_rows(report);
    run_dpdk_rows(report);
    run_copy_rows(report);
    run_idle_rows(report);
    run_threaded_rows(report);
    run_count_rows(report);
    run_start_rows(report);
    return 0;
}
