/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Markers of the public functions, and versioned structures.
 *
 * DOCA_STABLE        the signature stays within this API level
 * DOCA_EXPERIMENTAL  may change: warns at each use unless DOCA_ALLOW_EXPERIMENTAL_API is defined
 * DOCA_DEPRECATED    will go: warns at each use unless DOCA_ALLOW_DEPRECATED_API is defined
 */

#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

#ifndef DOCA_DPA_DEVICE
#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include <assert.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_USED __attribute__((used))

#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL                                                                          \
    __attribute__((deprecated("this symbol is experimental: define DOCA_ALLOW_EXPERIMENTAL_API "   \
                              "to use it"),                                                        \
                   section(".text.experimental"))) DOCA_STABLE
#endif

#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED __attribute__((section(".text.deprecated"))) DOCA_STABLE
#else
#define DOCA_DEPRECATED                                                                            \
    __attribute__((deprecated("this symbol is deprecated: define DOCA_ALLOW_DEPRECATED_API to "    \
                              "use it"),                                                           \
                   section(".text.deprecated"))) DOCA_STABLE
#endif

#ifdef DOCA_COMPAT_HELPERS

/* The first member of a structure that carries the API level it was compiled for. */
#define DOCA_STRUCT_START size_t __doca_api_version

/* The level stored behind a pointer to such a structure. */
#define DOCA_STRUCT_GET_VERSION(_X_) ((_X_)->__doca_api_version)

/* Set the level: of a structure, of the structure behind a pointer. */
#define DOCA_STRUCT_CTOR(_X_)                                                                      \
    do {                                                                                           \
        (_X_).__doca_api_version = DOCA_VERSION_EXACT;                                             \
    } while (0)
#define DOCA_STRUCT_PTR_CTOR(_X_) DOCA_STRUCT_CTOR(*(_X_))

/* The same after filling the whole structure with zeros. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_)                                                               \
    do {                                                                                           \
        memset(&(_X_), 0, sizeof(_X_));                                                            \
        DOCA_STRUCT_CTOR(_X_);                                                                     \
    } while (0)
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) DOCA_STRUCT_MEMSET_CTOR(*(_X_))

/* First entry of an initialiser list. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

/* A variable with only the level set. */
#define DOCA_STRUCT_DEF(__st__, __name__) struct __st__ __name__ = {DOCA_STRUCT_CTOR_LIST_START}

#endif /* DOCA_COMPAT_HELPERS */

#ifdef __cplusplus
}
#endif

/* Last: it uses the markers above. */
#include <doca_version.h>

#endif /* DOCA_COMPAT_H_ */
