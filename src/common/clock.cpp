// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Clocks of the device: not offered yet.

#include <doca_clock.h>

#include "common/not_offered.hpp"

LOG_SOURCE("CORE::CLOCK");

using softdoca::not_offered;
using softdoca::not_supported;

extern "C" doca_error_t doca_clock_cap_nic_free_running_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_clock_cap_nic_real_time_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const doca_devinfo *devinfo)
{
    return not_supported(LOG_SITE, __func__, devinfo);
}

extern "C" doca_error_t doca_clock_create(const doca_dev *dev, doca_clock **clock)
{
    return not_offered(LOG_SITE, __func__, dev, clock);
}

extern "C" doca_error_t doca_clock_destroy(doca_clock *clock)
{
    return not_offered(LOG_SITE, __func__, clock);
}

extern "C" doca_error_t doca_clock_get_timestamp(const doca_clock *clock, uint64_t,
                                                 doca_clock_timespec_t *clock_ts)
{
    return not_offered(LOG_SITE, __func__, clock, clock_ts);
}

extern "C" doca_error_t doca_clock_get_crosstimestamp(const doca_clock *clock, uint64_t, uint64_t,
                                                      doca_clock_timespec_t *primary_clock_ts,
                                                      doca_clock_timespec_t *nic_clock_ts,
                                                      uint64_t *error_margin_nsecs)
{
    return not_offered(LOG_SITE, __func__, clock, primary_clock_ts, nic_clock_ts,
                       error_margin_nsecs);
}
