// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Export descriptors made of arbitrary bytes, as a program got them from a file or over a network.
// Their exporter does not exist, or is this process, which exports nothing: what parses must fail.

#include "fuzz_fabric.hpp"

#include "fabric/descriptor.hpp"
#include "fabric/local_process.hpp"
#include "fabric/window.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

using namespace softdoca;
using fuzz::must;

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    (void)fuzz::own_fabric();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    // In memory of its exact size, so that reading beyond it is seen; half of them with the right
    // beginning and check sum.
    const auto given = std::as_bytes(std::span(data, size)).subspan(1);
    std::vector<std::byte> bytes(given.begin(), given.end());
    if ((data[0] & 1) != 0 && bytes.size() >= sizeof(ExportDescriptor)) {
        ExportDescriptor descriptor;
        std::memcpy(static_cast<void *>(&descriptor), bytes.data(), sizeof descriptor);
        descriptor.magic = ExportDescriptor::kMagic;
        descriptor.version = ExportDescriptor::kVersion;
        if ((data[0] & 2) != 0) // the fuzzer finds it anyway, in what is compared
            descriptor.exporter = LocalProcess::get()->id();
        descriptor.seal();
        std::memcpy(bytes.data(), &descriptor, sizeof descriptor);
    }

    const char *why = nullptr;
    const auto descriptor = ExportDescriptor::parse(bytes, &why);
    must(descriptor.has_value() == (why == nullptr));
    if (descriptor)
        must(descriptor->len != 0 && descriptor->addr + descriptor->len > descriptor->addr);

    ImportFault fault;
    must(Window::import(bytes, fuzz::own_function(), &fault) == nullptr);
    const bool is_own = descriptor && descriptor->exporter == LocalProcess::get()->id();
    must(is_own ? fault.code != DOCA_SUCCESS
                : fault.code == (descriptor ? DOCA_ERROR_DRIVER : DOCA_ERROR_INVALID_VALUE));
    must(std::all_of(fault.text, fault.text + std::strlen(fault.text),
                     [](char c) { return c >= 0x20 && c < 0x7f; }));
    return 0;
}
