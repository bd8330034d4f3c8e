// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"
#include "fabric/topology.hpp"
#include "fabric/wire.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// What the targets of the fabric begin with.
namespace softdoca::fuzz {

inline void must(bool is_so)
{
    if (!is_so)
        std::abort();
}

/// A fabric directory of this run, and no log lines.
inline const std::string &own_fabric()
{
    static const std::string path = [] {
        std::string made = "/dev/shm/softdoca-fuzz-XXXXXX";
        must(::mkdtemp(made.data()) != nullptr);
        ::setenv("SOFTDOCA_FABRIC", made.c_str(), 1);
        ::unsetenv("SOFTDOCA_TOPOLOGY");
        ::setenv("SOFTDOCA_ROLE", "dpu", 1);
        ::setenv("SOFTDOCA_LOG", "disable", 1);
        return made;
    }();
    static const int at_exit = std::atexit([] {
        std::error_code ignored;
        std::filesystem::remove_all(own_fabric(), ignored);
    });
    (void)at_exit;
    return path;
}

/// The first function of the DPU of the built-in topology.
inline const Function &own_function()
{
    return topology().find("dpu")->devices.front().function;
}

/// Memory of which nobody can make a writable mapping or change the size, as far as seals say so.
inline int memory_file(std::size_t size, int seals)
{
    const int fd = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    must(fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) == 0 &&
         (seals == 0 || ::fcntl(fd, F_ADD_SEALS, seals) == 0));
    return fd;
}

inline constexpr std::size_t kMemorySize = 64 * 1024;

/// Descriptors of every kind that a peer may send; the first ones are in order for some purpose.
inline const std::vector<int> &descriptors(int status_page)
{
    static const std::vector<int> all = [status_page] {
        constexpr int kSize = F_SEAL_SHRINK | F_SEAL_GROW;
        int pipe_ends[2];
        must(::pipe2(pipe_ends, O_CLOEXEC) == 0);
        return std::vector<int>{
            status_page,
            memory_file(kMemorySize, kSize),
            memory_file(kMemorySize, kSize | F_SEAL_WRITE),
            memory_file(kMemorySize, F_SEAL_SHRINK),
            memory_file(kMemorySize, 0),
            memory_file(4096, kSize),
            pipe_ends[0],
            pipe_ends[1],
            ::open("/dev/zero", O_RDWR | O_CLOEXEC),
            ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        };
    }();
    return all;
}

/// Yes once in n times, and no when there are no data left: then everything is in order.
inline bool is_odd(FuzzedDataProvider &data, int n)
{
    return data.ConsumeIntegralInRange(1, n) == n;
}

/// At most three of them, mostly none.
inline std::vector<int> some_descriptors(FuzzedDataProvider &data, const std::vector<int> &all)
{
    std::vector<int> some;
    for (std::size_t num = data.ConsumeIntegralInRange<std::size_t>(0, 7); num > 4; --num)
        some.push_back(all[data.ConsumeIntegralInRange<std::size_t>(0, all.size() - 1)]);
    return some;
}

/// A header of some bytes is made to be in order, unless the data wants otherwise.
inline void mend_header(FuzzedDataProvider &data, wire::Type type, std::vector<std::uint8_t> &bytes)
{
    if (is_odd(data, 16))
        return;
    wire::Header header;
    if (bytes.size() < sizeof header)
        return;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.magic = wire::kMagic;
    header.version = wire::kVersion;
    header.type = type;
    header.size = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &header, sizeof header);
}

/// The bytes of a message, and sometimes more or fewer.
template <typename Message>
std::vector<std::uint8_t> bytes_of(FuzzedDataProvider &data, const Message &message)
{
    const auto *const begin = reinterpret_cast<const std::uint8_t *>(&message);
    std::vector<std::uint8_t> bytes(begin, begin + sizeof message);
    if (is_odd(data, 16))
        bytes.resize(data.ConsumeIntegralInRange<std::size_t>(1, 2 * sizeof message));
    return bytes;
}

/// A message of zeros, sometimes full of the data's bytes.
template <typename Message>
Message any(FuzzedDataProvider &data)
{
    Message message{};
    if (is_odd(data, 8))
        data.ConsumeData(&message, sizeof message);
    static_cast<wire::Header &>(message) = wire::make<Message>();
    return message;
}

} // namespace softdoca::fuzz
