/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Clocks of a device and of the machine, read alone or two at the same moment.
 *
 * A clock is named by one bit; which of them a device has, the capability functions say. A clock
 * that counts is read as a number of its own ticks, one that keeps the time as seconds and
 * nanoseconds.
 *
 * Not offered by this release. Every function here that returns a code answers
 * DOCA_ERROR_INVALID_VALUE if an argument is NULL that must point to something, otherwise
 * DOCA_ERROR_NOT_SUPPORTED; those that return a pointer give NULL, a number 0. Nothing is written
 * or changed; any thread may call. The comments say what a function is for, and name those other
 * codes that it gives where it is offered.
 */

#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The clocks of one device. */
struct doca_clock;

struct doca_dev;
struct doca_devinfo;

/** On the network device: a counter that runs freely. */
#define DOCA_CLOCK_NIC_FREE_RUNNING 0x1

/** On the network device: the time. */
#define DOCA_CLOCK_NIC_REAL_TIME 0x2

/** On the network device: the timer of the DPA. */
#define DOCA_CLOCK_NIC_DPA_TIMER 0x100

/** On the machine: the cycle counter of the CPU. */
#define DOCA_CLOCK_HOST_COUNTER_CYCLES 0x10000

/** On the machine: the time. */
#define DOCA_CLOCK_HOST_REAL_TIME 0x20000

/** On the machine: the time since some start, its pace corrected. */
#define DOCA_CLOCK_HOST_MONOTONIC 0x40000

/** On the machine: the time since some start, not corrected. */
#define DOCA_CLOCK_HOST_MONOTONIC_RAW 0x80000

/** A reading. */
union doca_clock_timespec_t {
    struct timespec ts; /**< of a clock that keeps the time */
    uint64_t counter;   /**< of a clock that counts */
};

/** Has the device a counter that runs freely? */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/** Has the device a clock that keeps the time? */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/** Has the device a DPA timer? */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * Make a handle for the clocks of dev; the caller destroys it.
 * NO_MEMORY: allocation failed. DRIVER: the device does not answer.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);

/** End the handle. */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * Read one clock, given by its bit. DRIVER: the device does not answer. OPERATING_SYSTEM: no right
 * to read it. NOT_SUPPORTED: there is no such clock.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts);

/**
 * Read a clock of the machine or the device and one of the device as close together as can be;
 * *error_margin_nsecs says how close, in nanoseconds. Codes as for doca_clock_get_timestamp.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin_nsecs);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CLOCK_H_ */
