// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// JSON files made of arbitrary bytes.

#include "argp_program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

using softdoca::fuzz::Program;

namespace {

/// The file lives in memory; its path leads to what was written last.
void write_file(int fd, const std::uint8_t *data, std::size_t size)
{
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const int fd = ::memfd_create("argp_json_fuzz", MFD_CLOEXEC);
    static const std::string path = "/proc/self/fd/" + std::to_string(fd);

    if (size == 0)
        return 0;
    write_file(fd, data + 1, size - 1);
    Program program((data[0] & 1) != 0 ? Program::Kind::dpdk : Program::Kind::plain);
    if ((data[0] & 2) != 0)
        program.skip_unknown_keys();
    (void)program.start({"-j", path});
    return 0;
}
