// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace softdoca::test {

/// What the library says at DEBUG and above while this lives. A test program has one SDK backend
/// for all of these, made by the first: backends last as long as their process.
class SdkLog {
public:
    SdkLog();

    std::vector<std::string> lines() const;
    /// The lines that hold all of these words.
    std::vector<std::string> lines_with(std::initializer_list<std::string_view> words) const;
    int count(std::initializer_list<std::string_view> words) const
    {
        return static_cast<int>(lines_with(words).size());
    }

private:
    off_t begin_; // where the log ended when this was made
};

/// A pointer as the library prints it.
std::string text_of(const void *object);

} // namespace softdoca::test
