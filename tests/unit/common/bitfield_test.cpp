// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include <doca_bitfield.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace {

/// The bytes of a big-endian word as they lie in memory.
template <std::size_t kSize, typename Word>
std::array<std::uint8_t, kSize> bytes_of(Word word)
{
    static_assert(sizeof word == kSize);
    std::array<std::uint8_t, kSize> bytes{};
    std::memcpy(bytes.data(), &word, kSize);
    return bytes;
}

using Two = std::array<std::uint8_t, 2>;
using Four = std::array<std::uint8_t, 4>;

} // namespace

TEST(DocaBitfield, ShiftIsTheIndexOfTheLowestSetBit)
{
    EXPECT_EQ(DOCA_SHIFT(1), 0);
    EXPECT_EQ(DOCA_SHIFT(0x30), 4);
    EXPECT_EQ(DOCA_SHIFT(0x80000000u), 31);
    EXPECT_EQ(DOCA_SHIFT(0x8000000000000000u), 63);
}

TEST(DocaBitfield, BigEndianWordsHaveTheHighByteFirst)
{
    EXPECT_EQ(bytes_of<2>(DOCA_HTOBE16(0x1234)), (Two{0x12, 0x34}));
    EXPECT_EQ(bytes_of<4>(DOCA_HTOBE32(0x12345678)), (Four{0x12, 0x34, 0x56, 0x78}));
    EXPECT_EQ(DOCA_BETOH16(DOCA_HTOBE16(0xfedc)), 0xfedc);
    EXPECT_EQ(DOCA_BETOH32(DOCA_HTOBE32(0xfedcba98)), 0xfedcba98);
}

TEST(DocaBitfield, ByteMasksHoldTheBitsFromLowToHigh)
{
    for (unsigned high = 0; high < 8; ++high)
        for (unsigned low = 0; low <= high; ++low) {
            unsigned expected = 0;
            for (unsigned bit = low; bit <= high; ++bit)
                expected |= 1u << bit;

            EXPECT_EQ(DOCA_U8_GENMASK(high, low), expected) << high << " to " << low;
        }
}

TEST(DocaBitfield, WordMasksAreBigEndian)
{
    EXPECT_EQ(bytes_of<2>(DOCA_BE16_GENMASK(11, 4)), (Two{0x0f, 0xf0}));
    EXPECT_EQ(bytes_of<2>(DOCA_BE16_GENMASK(15, 0)), (Two{0xff, 0xff}));
    EXPECT_EQ(bytes_of<2>(DOCA_BE16_GENMASK(15, 15)), (Two{0x80, 0x00}));
    EXPECT_EQ(bytes_of<4>(DOCA_BE32_GENMASK(23, 8)), (Four{0x00, 0xff, 0xff, 0x00}));
    EXPECT_EQ(bytes_of<4>(DOCA_BE32_GENMASK(31, 0)), (Four{0xff, 0xff, 0xff, 0xff}));
    EXPECT_EQ(bytes_of<4>(DOCA_BE32_GENMASK(0, 0)), (Four{0x00, 0x00, 0x00, 0x01}));
}

TEST(DocaBitfield, PointerFormsStoreTheMask)
{
    std::uint8_t byte = 0x55;
    doca_be16_t word = 0x5555;
    doca_be32_t long_word = 0x55555555;

    DOCA_U8P_GENMASK(6, 5, &byte);
    DOCA_BE16P_GENMASK(9, 8, &word);
    DOCA_BE32P_GENMASK(16, 15, &long_word);

    EXPECT_EQ(byte, 0x60);
    EXPECT_EQ(bytes_of<2>(word), (Two{0x03, 0x00}));
    EXPECT_EQ(bytes_of<4>(long_word), (Four{0x00, 0x01, 0x80, 0x00}));
}

TEST(DocaBitfield, SetMovesTheValueToTheMaskAndCutsIt)
{
    EXPECT_EQ(DOCA_U8_SET(DOCA_U8_GENMASK(5, 2), 0x9), 0x24);
    EXPECT_EQ(DOCA_U8_SET(DOCA_U8_GENMASK(5, 2), 0xff), 0x3c);
    EXPECT_EQ(bytes_of<2>(DOCA_BE16_SET(DOCA_BE16_GENMASK(11, 4), 0x5a)), (Two{0x05, 0xa0}));
    EXPECT_EQ(bytes_of<2>(DOCA_BE16_SET(DOCA_BE16_GENMASK(11, 4), 0xfff)), (Two{0x0f, 0xf0}));
    EXPECT_EQ(bytes_of<4>(DOCA_BE32_SET(DOCA_BE32_GENMASK(23, 8), 0x1234)),
              (Four{0x00, 0x12, 0x34, 0x00}));
    EXPECT_EQ(bytes_of<4>(DOCA_BE32_SET(DOCA_BE32_GENMASK(31, 28), 0xab)),
              (Four{0xb0, 0x00, 0x00, 0x00}));
}

TEST(DocaBitfield, PointerFormsOrTheValueIn)
{
    std::uint8_t byte = 0x81;
    doca_be16_t word = DOCA_HTOBE16(0x8001);
    doca_be32_t long_word = DOCA_HTOBE32(0x80000001);

    DOCA_U8P_SET(DOCA_U8_GENMASK(5, 2), 0x5, &byte);
    DOCA_BE16P_SET(DOCA_BE16_GENMASK(7, 4), 0x6, &word);
    DOCA_BE32P_SET(DOCA_BE32_GENMASK(19, 16), 0x7, &long_word);

    EXPECT_EQ(byte, 0x95);
    EXPECT_EQ(bytes_of<2>(word), (Two{0x80, 0x61}));
    EXPECT_EQ(bytes_of<4>(long_word), (Four{0x80, 0x07, 0x00, 0x01}));
}

TEST(DocaBitfield, GetReadsBackWhatSetWrote)
{
    EXPECT_EQ(DOCA_U8_GET(DOCA_U8_GENMASK(5, 2), 0xe7), 0x9);
    for (unsigned low = 0; low < 12; ++low) {
        const doca_be16_t mask = DOCA_BE16_GENMASK(low + 4, low);
        const auto others = static_cast<doca_be16_t>(~mask);

        EXPECT_EQ(DOCA_BE16_GET(mask, DOCA_BE16_SET(mask, 0x15) | others), 0x15) << low;
    }
    for (unsigned low = 0; low < 26; ++low) {
        const doca_be32_t mask = DOCA_BE32_GENMASK(low + 5, low);

        EXPECT_EQ(DOCA_BE32_GET(mask, DOCA_BE32_SET(mask, 0x2a) | ~mask), 0x2au) << low;
    }
}
