/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The command line of an application. */

#ifndef APPLICATIONS_COMMON_COMMAND_LINE_H_
#define APPLICATIONS_COMMON_COMMAND_LINE_H_

#include <doca_argp.h>
#include <doca_error.h>

#include <stdbool.h>
#include <stddef.h>

struct app_param {
    const char *short_name;
    const char *long_name;
    const char *arguments; /* how the help shows the value */
    const char *description;
    enum doca_argp_type type;
    bool is_mandatory;
    doca_argp_param_cb_t set_value; /* gets the config */
};

struct app_command_line {
    const char *name; /* of the program */
    const struct app_param *params;
    size_t num_params;
    doca_argp_validation_cb_t validate; /* at the end, with all values; NULL: nothing to check */
};

/* Have all values set in config, and then validated. -v shows the versions and ends the program. */
doca_error_t app_parse(int argc, char **argv, const struct app_command_line *line, void *config);

#endif /* APPLICATIONS_COMMON_COMMAND_LINE_H_ */
