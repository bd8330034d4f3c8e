// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace softdoca::test {

/// An out-parameter that a refused call must leave alone: it looks when it goes.
///
///     EXPECT_EQ(doca_mmap_get_num_bufs(nullptr, Untouched<std::uint32_t>()), ...);
template <typename T>
class Untouched {
public:
    Untouched() { std::memset(&value_, kMarker, sizeof value_); }
    ~Untouched()
    {
        std::array<unsigned char, sizeof(T)> bytes;
        std::memcpy(bytes.data(), &value_, bytes.size());
        EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) {
            return byte == kMarker;
        })) << "the call was refused, but wrote its out-parameter";
    }
    Untouched(const Untouched &) = delete;
    Untouched &operator=(const Untouched &) = delete;

    operator T *() { return &value_; }

private:
    static constexpr int kMarker = 0x5a;
    T value_;
};

/// The same for texts and addresses, which are given with their size.
template <std::size_t kSize>
class UntouchedText {
public:
    operator char *() { return reinterpret_cast<char *>(bytes()); }
    operator std::uint8_t *() { return bytes(); }

private:
    std::uint8_t *bytes() { return static_cast<std::array<std::uint8_t, kSize> *>(text_)->data(); }

    Untouched<std::array<std::uint8_t, kSize>> text_;
};

} // namespace softdoca::test
