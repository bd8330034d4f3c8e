/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * The level of the DOCA API that these headers declare. The version of the software underneath is
 * another one: doca_caps --version prints both.
 */

#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>
#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_VERSION_MAJOR 3
#define DOCA_VERSION_MINOR 3
#define DOCA_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH", the patch with four digits. */
#define DOCA_VERSION_STRING "3.3.0000"

/* One number a level: bits 24 and up major, 16 to 23 minor, below them the patch. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch)                                               \
    ((((size_t)(major)) << 24) | (((size_t)(minor)) << 16) | ((size_t)(patch)))
#define DOCA_VERSION_EXACT                                                                         \
    DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* The same with the patch times 1000. */
#define DOCA_VERSION_CALC(major, minor, patch)                                                     \
    ((((size_t)(major)) << 24) | (((size_t)(minor)) << 16) | ((size_t)(patch)*1000))
#define DOCA_VERSION_OFFICIAL                                                                      \
    DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* Is the given level the one of these headers; is it that one or an older one? */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/**
 * The API level that the caller was compiled for, DOCA_VERSION_STRING. Any thread, any time.
 *
 * @return a string that lives for ever
 */
static inline const char *doca_version(void)
{
    return DOCA_VERSION_STRING;
}

/**
 * The API level of the library that the program runs with. Any thread, any time.
 *
 * @return a string that lives for ever, in the form of DOCA_VERSION_STRING
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
