/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Which side a program is compiled for. This is the host flavour; compile with -DDOCA_ARCH_DPU for
 * the DPU. Exactly one of DOCA_ARCH_DPU and DOCA_ARCH_HOST is defined. The choice is also recorded
 * in an ELF note of each object file that includes this header, so that the library gives an
 * unchanged program the role (host or DPU) that it was compiled for.
 */

#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#ifdef DOCA_ARCH_DPU
#undef DOCA_ARCH_HOST
#else
#define DOCA_ARCH_HOST
#endif

#define DOCA_ARCH_DPU_BF2 false

/* The processor follows the compiler's target: here a DPU need not be an Arm. */
#undef DOCA_ARCH_X86
#undef DOCA_ARCH_ARM
#if defined(__x86_64__) || defined(__i386__)
#define DOCA_ARCH_X86
#elif defined(__aarch64__) || defined(__arm__)
#define DOCA_ARCH_ARM
#endif

/* The note: owner "SoftDOCA", type 1, one 32-bit word (1 host, 2 DPU). Data only, a few bytes. A
 * library that serves both sides defines SOFTDOCA_NO_ROLE_NOTE and records nothing. */
#if defined(__ELF__) && !defined(SOFTDOCA_NO_ROLE_NOTE) && !defined(__ASSEMBLER__) &&              \
    !defined(__CUDACC__) && !defined(__BINDGEN__)
static const struct {
    unsigned int name_size;
    unsigned int word_size;
    unsigned int type;
    char name[12];
    unsigned int role;
} softdoca_role_note
    __attribute__((used, section(".note.softdoca"), aligned(4))) = {9, 4, 1, "SoftDOCA",
#ifdef DOCA_ARCH_DPU
                                                                    2
#else
                                                                    1
#endif
};
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
