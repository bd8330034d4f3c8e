// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/sdk_log.hpp"

#include "support/handles.hpp"

#include <doca_log.h>

#include <algorithm>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace softdoca::test {

namespace {

/// The file in memory that the one backend writes to.
int log_file()
{
    static const int kFile = [] {
        const int file = ::memfd_create("sdk_log", MFD_CLOEXEC);
        ::fcntl(file, F_SETFL, O_APPEND); // else two threads may write to one place
        doca_log_backend *backend = nullptr;
        must(doca_log_backend_create_with_fd_sdk(file, &backend));
        must(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG));
        return file;
    }();
    return kFile;
}

bool holds_all(const std::string &line, std::initializer_list<std::string_view> words)
{
    return std::all_of(words.begin(), words.end(), [&line](std::string_view word) {
        return line.find(word) != std::string::npos;
    });
}

} // namespace

SdkLog::SdkLog() : begin_(::lseek(log_file(), 0, SEEK_END)) {}

std::vector<std::string> SdkLog::lines() const
{
    std::string text(static_cast<std::size_t>(::lseek(log_file(), 0, SEEK_END) - begin_), '\0');
    EXPECT_EQ(::pread(log_file(), text.data(), text.size(), begin_),
              static_cast<ssize_t>(text.size()));
    std::vector<std::string> lines;
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1)
        lines.push_back(text.substr(begin, end - begin));
    return lines;
}

std::vector<std::string> SdkLog::lines_with(std::initializer_list<std::string_view> words) const
{
    std::vector<std::string> found;
    for (const std::string &line : lines())
        if (holds_all(line, words))
            found.push_back(line);
    return found;
}

std::string text_of(const void *object)
{
    char text[32];
    std::snprintf(text, sizeof text, "%p", object);
    return text;
}

} // namespace softdoca::test
