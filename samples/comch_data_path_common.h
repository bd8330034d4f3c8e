/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * What comch_data_path_high_speed_server and _client share: each in turn has a producer that sends
 * its text and a consumer that takes the other's. Each is a context with a progress engine of its
 * own: while it works, the engine of the connection rests.
 */

#ifndef SAMPLES_COMCH_DATA_PATH_COMMON_H_
#define SAMPLES_COMCH_DATA_PATH_COMMON_H_

#include "comch_common.h"

#define DATA_PATH_SERVICE "comch_data_path_sample_server"

/* The client sends each, the server replies with the same. */
#define DATA_PATH_START_TEXT "start_data_path_test"
#define DATA_PATH_STOP_TEXT "stop_data_path_test"

bool data_path_is_text(const char *expected, const char *text, uint32_t len);

/* Wait until the peer has a consumer, and send the text of the command line to it. */
doca_error_t data_path_send(struct comch_end *end);

/* Have a consumer until it has received one text. */
doca_error_t data_path_receive(struct comch_end *end);

#endif /* SAMPLES_COMCH_DATA_PATH_COMMON_H_ */
