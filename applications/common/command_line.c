/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "command_line.h"

#include <doca_log.h>
#include <doca_version.h>

#include <stdio.h>
#include <stdlib.h>

DOCA_LOG_REGISTER(COMMAND_LINE);

static doca_error_t show_version(void *value, void *config)
{
    (void)value;
    (void)config;
    printf("DOCA version (compile time): %s\n", doca_version());
    printf("DOCA version (runtime): %s\n", doca_version_runtime());
    (void)doca_argp_destroy();
    exit(EXIT_SUCCESS);
}

static doca_error_t register_param(const struct app_param *param)
{
    struct doca_argp_param *argp_param = NULL;
    doca_error_t result = doca_argp_param_create(&argp_param);

    if (result == DOCA_SUCCESS) {
        doca_argp_param_set_short_name(argp_param, param->short_name);
        doca_argp_param_set_long_name(argp_param, param->long_name);
        doca_argp_param_set_arguments(argp_param, param->arguments);
        doca_argp_param_set_description(argp_param, param->description);
        doca_argp_param_set_type(argp_param, param->type);
        doca_argp_param_set_callback(argp_param, param->set_value);
        if (param->is_mandatory)
            doca_argp_param_set_mandatory(argp_param);
        result = doca_argp_register_param(argp_param); /* argp owns it now, whatever the result */
    }
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to register parameter --%s: %s", param->long_name,
                     doca_error_get_descr(result));
    return result;
}

doca_error_t app_parse(int argc, char **argv, const struct app_command_line *line, void *config)
{
    doca_error_t result = doca_argp_init(line->name, config);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to init ARGP resources: %s", doca_error_get_descr(result));
        return result;
    }
    for (size_t i = 0; i < line->num_params && result == DOCA_SUCCESS; i++)
        result = register_param(&line->params[i]);
    if (result == DOCA_SUCCESS)
        result = doca_argp_register_version_callback(show_version);
    if (result == DOCA_SUCCESS && line->validate != NULL)
        result = doca_argp_register_validation_callback(line->validate);
    if (result == DOCA_SUCCESS) {
        result = doca_argp_start(argc, argv);
        if (result != DOCA_SUCCESS)
            DOCA_LOG_ERR("Failed to parse application input: %s", doca_error_get_descr(result));
    }
    (void)doca_argp_destroy();
    return result;
}
