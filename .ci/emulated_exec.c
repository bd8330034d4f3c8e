/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Preloaded into programs that run under qemu-user: some tests start themselves or another program
 * again, which the kernel refuses for a foreign processor unless the machine was set up for it.
 * Here the exec calls go through the emulator instead. Only ELF files for AArch64 are concerned.
 */

#define _GNU_SOURCE

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMaxArgs = 256 };

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

int execv(const char *path, char *const argv[])
{
    char self[PATH_MAX] = "";
    char *args[kMaxArgs + 5] = {"qemu-aarch64", "-0", argv[0]};
    int num_args = 1;

    if (strcmp(path, "/proc/self/exe") == 0 && readlink(path, self, sizeof(self) - 1) > 0)
        path = self;
    unsetenv("LD_PRELOAD"); /* the emulator is no AArch64 program; QEMU_SET_ENV sets it again */
    if (!is_foreign(path))
        return execve(path, argv, environ);
    args[3] = (char *)path;
    for (; argv[num_args] != NULL && num_args < kMaxArgs; num_args++)
        args[num_args + 3] = argv[num_args];
    return execvp(args[0], args);
}

int execl(const char *path, const char *arg, ...)
{
    char *args[kMaxArgs + 1] = {(char *)arg};
    va_list more;

    va_start(more, arg);
    for (int i = 1; args[i - 1] != NULL && i < kMaxArgs; i++)
        args[i] = va_arg(more, char *);
    va_end(more);
    return execv(path, args);
}
