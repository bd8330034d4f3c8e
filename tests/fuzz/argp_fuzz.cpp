// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Command lines made of arbitrary bytes, for a program with parameters of every type and with
// commands. Whatever comes, argp must answer and must be able to begin anew.

#include "argp_program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using softdoca::fuzz::Program;

namespace {

/// Words end at NUL bytes. What would end the process or read any file is left out.
std::vector<std::string> words_of(const std::uint8_t *data, std::size_t size)
{
    std::vector<std::string> words;
    const std::string text(reinterpret_cast<const char *>(data), size);
    for (std::size_t begin = 0; begin < size;) {
        const std::size_t end = std::min(text.find('\0', begin), size);
        std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        if (word != "-h" && word != "--help" && word != "-j" && word.rfind("--json", 0) != 0)
            words.push_back(std::move(word));
    }
    return words;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    Program program((data[0] & 1) != 0 ? Program::Kind::dpdk : Program::Kind::plain);
    (void)program.start(words_of(data + 1, size - 1));
    return 0;
}
