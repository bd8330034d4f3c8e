/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

#include "common.h"

#include <doca_log.h>

#include <stdio.h>
#include <string.h>

DOCA_LOG_REGISTER(COMMON);

doca_error_t create_log_backends(void)
{
    struct doca_log_backend *sdk_log = NULL;
    doca_error_t result = doca_log_backend_create_standard();

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
    if (result != DOCA_SUCCESS)
        return result;
    return doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
}

void keep_first_error(doca_error_t *result, doca_error_t next, const char *step)
{
    if (next != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to %s: %s", step, doca_error_get_descr(next));
    DOCA_ERROR_PROPAGATE(*result, next);
}

doca_error_t register_param(const struct param *param)
{
    struct doca_argp_param *argp_param = NULL;
    doca_error_t result = doca_argp_param_create(&argp_param);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to create parameter --%s: %s", param->long_name,
                     doca_error_get_descr(result));
        return result;
    }
    doca_argp_param_set_short_name(argp_param, param->short_name);
    doca_argp_param_set_long_name(argp_param, param->long_name);
    doca_argp_param_set_arguments(argp_param, param->arguments);
    doca_argp_param_set_description(argp_param, param->description);
    doca_argp_param_set_type(argp_param, param->type);
    doca_argp_param_set_callback(argp_param, param->set_value);
    result = doca_argp_register_param(argp_param); /* argp owns it now, whatever the result */
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to register parameter --%s: %s", param->long_name,
                     doca_error_get_descr(result));
    return result;
}

doca_error_t keep_pci_addr(const char *value, char *pci_addr)
{
    const size_t len = strnlen(value, DOCA_DEVINFO_PCI_ADDR_SIZE);

    if (len == DOCA_DEVINFO_PCI_ADDR_SIZE) {
        DOCA_LOG_ERR("Entered device PCI address exceeding the maximum size of %d",
                     DOCA_DEVINFO_PCI_ADDR_SIZE - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(pci_addr, value, len + 1);
    return DOCA_SUCCESS;
}

doca_error_t open_device(const char *pci_addr, device_filter_t filter, struct doca_dev **dev)
{
    struct doca_devinfo **devinfos = NULL;
    uint32_t num_devs = 0;
    doca_error_t result = doca_devinfo_create_list(&devinfos, &num_devs);

    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("Failed to load the list of devices: %s", doca_error_get_descr(result));
        return result;
    }
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < num_devs && result == DOCA_ERROR_NOT_FOUND; i++) {
        uint8_t is_equal = 0;
        const doca_error_t compared =
            doca_devinfo_is_equal_pci_addr(devinfos[i], pci_addr, &is_equal);

        if (compared == DOCA_SUCCESS && is_equal == 1 && filter(devinfos[i]) == DOCA_SUCCESS)
            result = doca_dev_open(devinfos[i], dev);
    }
    if (result == DOCA_ERROR_NOT_FOUND)
        DOCA_LOG_WARN("Matching device not found");
    else if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("Failed to open device %s: %s", pci_addr, doca_error_get_descr(result));
    (void)doca_devinfo_destroy_list(devinfos); /* an open device does not need the list */
    return result;
}
