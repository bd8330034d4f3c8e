/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* What all samples share: the log, command line parameters, and finding a device. */

#ifndef SAMPLES_COMMON_H_
#define SAMPLES_COMMON_H_

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>

/* The first function that each side sees when nothing is configured. */
#ifdef DOCA_ARCH_DPU
#define DEFAULT_PCI_ADDR "03:00.0"
#else
#define DEFAULT_PCI_ADDR "3b:00.0"
#endif

/* Says whether a device will do: DOCA_SUCCESS, or why not. Capability queries have this form. */
typedef doca_error_t (*device_filter_t)(const struct doca_devinfo *devinfo);

/* What one command line parameter looks like; argp calls set_value with the program's settings. */
struct param {
    const char *short_name;
    const char *long_name;
    const char *arguments; /* how the help shows the value */
    const char *description;
    enum doca_argp_type type;
    doca_argp_param_cb_t set_value;
};

/* Show the program's own lines, and those of the library from WARNING on (stderr). */
doca_error_t create_log_backends(void);

/* A chain of steps that all are to be done: keep the first error, log each. */
void keep_first_error(doca_error_t *result, doca_error_t next, const char *step);

/* Tell argp about a parameter. Between doca_argp_init and doca_argp_start. */
doca_error_t register_param(const struct param *param);

/* Keep the value of -p; pci_addr has room for DOCA_DEVINFO_PCI_ADDR_SIZE bytes. */
doca_error_t keep_pci_addr(const char *value, char *pci_addr);

/* Open the device with this address if the filter accepts it. The caller closes it. */
doca_error_t open_device(const char *pci_addr, device_filter_t filter, struct doca_dev **dev);

#endif /* SAMPLES_COMMON_H_ */
