/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Preloaded into programs that run under qemu-user: some tests start themselves or another program
 * again, which the kernel refuses for a foreign processor unless the machine was set up for it.
 * Here the exec calls go through the emulator instead. Only ELF files for AArch64 are concerned.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMaxArgs = 256, kMaxList = 2 * PATH_MAX };

static int is_foreign(const char *path)
{
    Elf64_Ehdr header;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? -1 : read(fd, &header, sizeof(header));

    if (fd >= 0)
        close(fd);
    return len == (ssize_t)sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_machine == EM_AARCH64;
}

/* What the new program preloads: this object, and what the caller asked for. */
static void set_preloaded(char setting[kMaxList])
{
    const char *asked = getenv("LD_PRELOAD");
    Dl_info here = {.dli_fname = ""};

    dladdr((void *)set_preloaded, &here);
    if (asked == NULL || strstr(asked, here.dli_fname) != NULL)
        asked = "";
    snprintf(setting, kMaxList, "LD_PRELOAD=%s:%s", here.dli_fname, asked);
}

int execv(const char *path, char *const argv[])
{
    static char self[PATH_MAX],
        preloaded[kMaxList]; /* GoogleTest comes with a stack of two pages */
    static char *args[kMaxArgs + 7] = {"qemu-aarch64", "-E", preloaded, "-0"};
    int num_args = 1;

    args[4] = argv[0];

    if (strcmp(path, "/proc/self/exe") == 0 && readlink(path, self, sizeof(self) - 1) > 0)
        path = self;
    set_preloaded(preloaded);
    unsetenv("LD_PRELOAD"); /* the emulator is no AArch64 program; -E sets it for the one inside */
    if (!is_foreign(path))
        return execve(path, argv, environ);
    args[5] = (char *)path;
    for (; argv[num_args] != NULL && num_args < kMaxArgs; num_args++)
        args[num_args + 5] = argv[num_args];
    return execvp(args[0], args);
}

int execl(const char *path, const char *arg, ...)
{
    static char *args[kMaxArgs + 1];
    va_list more;

    args[0] = (char *)arg;
    va_start(more, arg);
    for (int i = 1; args[i - 1] != NULL && i < kMaxArgs; i++)
        args[i] = va_arg(more, char *);
    va_end(more);
    return execv(path, args);
}
