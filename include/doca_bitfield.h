/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* Building and taking apart of bit fields, in host order (bytes) and in big-endian words. */

#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#include <arpa/inet.h>
#include <doca_types.h>

/** Index of the lowest set bit of a mask (not 0). */
#define DOCA_SHIFT(_x) (__builtin_ffsll((long long)(_x)) - 1)

/** Host order to big endian and back. */
#define DOCA_HTOBE16(_x) ((doca_be16_t)htons((uint16_t)(_x)))
#define DOCA_HTOBE32(_x) ((doca_be32_t)htonl((uint32_t)(_x)))
#define DOCA_BETOH16(_x) ntohs((uint16_t)(_x))
#define DOCA_BETOH32(_x) ntohl((uint32_t)(_x))

/** Masks with the bits _l to _h set, 0 being the lowest; the P forms store the mask at _p. */
#define DOCA_U8_GENMASK(_h, _l) ((uint8_t)((0xffu << (_l)) & (0xffu >> (7 - (_h)))))
#define DOCA_U8P_GENMASK(_h, _l, _p)                                                               \
    do {                                                                                           \
        *(uint8_t *)(_p) = DOCA_U8_GENMASK(_h, _l);                                                \
    } while (0)
#define DOCA_BE16_GENMASK(_h, _l) DOCA_HTOBE16((0xffffu << (_l)) & (0xffffu >> (15 - (_h))))
#define DOCA_BE16P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(doca_be16_t *)(_p) = DOCA_BE16_GENMASK(_h, _l);                                          \
    } while (0)
#define DOCA_BE32_GENMASK(_h, _l) DOCA_HTOBE32((0xffffffffu << (_l)) & (0xffffffffu >> (31 - (_h))))
#define DOCA_BE32P_GENMASK(_h, _l, _p)                                                             \
    do {                                                                                           \
        *(doca_be32_t *)(_p) = DOCA_BE32_GENMASK(_h, _l);                                          \
    } while (0)

/** The value _v moved to the place of the mask _m and cut to it; the P forms OR it into *_p. */
#define DOCA_U8_SET(_m, _v) ((uint8_t)(((unsigned int)(_v) << DOCA_SHIFT(_m)) & (_m)))
#define DOCA_U8P_SET(_m, _v, _p)                                                                   \
    do {                                                                                           \
        *(uint8_t *)(_p) = (uint8_t)(*(uint8_t *)(_p) | DOCA_U8_SET(_m, _v));                      \
    } while (0)
#define DOCA_BE16_SET(_m, _v)                                                                      \
    ((doca_be16_t)(DOCA_HTOBE16((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH16(_m))) & (_m)))
#define DOCA_BE16P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        *(doca_be16_t *)(_p) = (doca_be16_t)(*(doca_be16_t *)(_p) | DOCA_BE16_SET(_m, _v));        \
    } while (0)
#define DOCA_BE32_SET(_m, _v)                                                                      \
    ((doca_be32_t)(DOCA_HTOBE32((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH32(_m))) & (_m)))
#define DOCA_BE32P_SET(_m, _v, _p)                                                                 \
    do {                                                                                           \
        *(doca_be32_t *)(_p) = (doca_be32_t)(*(doca_be32_t *)(_p) | DOCA_BE32_SET(_m, _v));        \
    } while (0)

/** The field that the mask _m selects from _f, moved down, in host order. */
#define DOCA_U8_GET(_m, _f) ((uint8_t)(((_f) & (_m)) >> DOCA_SHIFT(_m)))
#define DOCA_BE16_GET(_m, _f)                                                                      \
    ((uint16_t)(DOCA_BETOH16((_f) & (_m)) >> DOCA_SHIFT(DOCA_BETOH16(_m))))
#define DOCA_BE32_GET(_m, _f)                                                                      \
    ((uint32_t)(DOCA_BETOH32((_f) & (_m)) >> DOCA_SHIFT(DOCA_BETOH32(_m))))

#endif /* DOCA_BITFIELD_H_ */
