/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* The result of nearly every call. */

#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>
#include <doca_common_defines.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result codes. Each function lists those it gives, with their causes. */
enum doca_error {
    DOCA_SUCCESS = 0,              /**< the call did what it was asked for */
    DOCA_ERROR_UNKNOWN = 1,        /**< an error inside the library that has no other code */
    DOCA_ERROR_NOT_PERMITTED = 2,  /**< a rule of the object or a missing access right forbids it */
    DOCA_ERROR_IN_USE = 3,         /**< something still holds the object; release that first */
    DOCA_ERROR_NOT_SUPPORTED = 4,  /**< the device, the side or this release does not offer it */
    DOCA_ERROR_AGAIN = 5,          /**< a queue is full; progress and repeat the call */
    DOCA_ERROR_INVALID_VALUE = 6,  /**< an argument is NULL, out of range or does not parse */
    DOCA_ERROR_NO_MEMORY = 7,      /**< memory, or a pool of configured size, is used up */
    DOCA_ERROR_INITIALIZATION = 8, /**< a start could not get what it needs */
    DOCA_ERROR_TIME_OUT = 9,       /**< a wait with a limit has reached it */
    DOCA_ERROR_SHUTDOWN = 10,      /**< the task was flushed because its context stops */
    DOCA_ERROR_CONNECTION_RESET = 11,      /**< the other side has gone */
    DOCA_ERROR_CONNECTION_ABORTED = 12,    /**< the connection was given up */
    DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< the connection is not ready yet */
    DOCA_ERROR_NOT_CONNECTED =
        14,                    /**< a context without a progress engine, a peer that is not there */
    DOCA_ERROR_NO_LOCK = 15,   /**< a lock was not to be had */
    DOCA_ERROR_NOT_FOUND = 16, /**< no such device, member or address */
    DOCA_ERROR_IO_FAILED = 17, /**< a transfer or a file operation failed */
    DOCA_ERROR_BAD_STATE = 18, /**< not allowed in the present state of the object */
    DOCA_ERROR_UNSUPPORTED_VERSION = 19, /**< a structure or peer of another version */
    DOCA_ERROR_OPERATING_SYSTEM = 20,    /**< a system call failed */
    DOCA_ERROR_DRIVER = 21,              /**< the layer below the library failed */
    DOCA_ERROR_UNEXPECTED = 22,          /**< an internal check failed */
    DOCA_ERROR_ALREADY_EXIST = 23,       /**< the thing to be added is there already */
    DOCA_ERROR_FULL = 24,                /**< no room */
    DOCA_ERROR_EMPTY = 25,               /**< nothing left in a pool */
    DOCA_ERROR_IN_PROGRESS =
        26,                  /**< no failure: progress the engine and the end will be reported */
    DOCA_ERROR_TOO_BIG = 27, /**< a counter or size would overflow */
    DOCA_ERROR_AUTHENTICATION = 28,     /**< the peer could not prove who it is */
    DOCA_ERROR_BAD_CONFIG = 29,         /**< a configuration that cannot work */
    DOCA_ERROR_SKIPPED = 30,            /**< telemetry only */
    DOCA_ERROR_DEVICE_FATAL_ERROR = 31, /**< the device cannot be used any more */
};

typedef enum doca_error doca_error_t;

/** True for everything but DOCA_SUCCESS, so also for DOCA_ERROR_IN_PROGRESS. */
#define DOCA_IS_ERROR(r) doca_unlikely((r) != DOCA_SUCCESS)

/** Keep the first failure: r takes the value t only as long as r is DOCA_SUCCESS. */
#define DOCA_ERROR_PROPAGATE(r, t)                                                                 \
    do {                                                                                           \
        if (r == DOCA_SUCCESS)                                                                     \
            r = t;                                                                                 \
    } while (0)

/**
 * The name of a code as it is spelled in this header. Any thread, any time.
 *
 * @param error  any value
 * @return a string that lives for ever; "unrecognized error code" if there is no such code
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * A short text for a code. Any thread, any time.
 *
 * @param error  any value
 * @return a string that lives for ever; "unrecognized error code" if there is no such code
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
