/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* Prints what a Device has counted, just before it is closed. */

#ifndef MODEL_HOOKS_H_
#define MODEL_HOOKS_H_

static doca_error_t count_and_close(struct doca_dev *dev)
{
    struct softdoca_model_device_counters counters;

    if (softdoca_model_counters(dev, &counters) == DOCA_SUCCESS)
        printf("tx_frames %lu, tx_bytes %lu\n", (unsigned long)counters.tx_frames,
               (unsigned long)counters.tx_bytes);
    return softdoca_model_dev_close(dev);
}

#undef doca_dev_close
#define doca_dev_close count_and_close

#endif /* MODEL_HOOKS_H_ */
