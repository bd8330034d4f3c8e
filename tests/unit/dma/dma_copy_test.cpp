// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a copy does to memory, against a model of single bytes: all sizes and offsets, lists of any
// shape, data that is there already, overlap.

#include "support/dma_setup.hpp"
#include "support/handles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace softdoca::test;

namespace {

constexpr std::size_t kMaxSize = std::size_t{2} << 20;

using Bytes = std::vector<std::byte>;

Bytes snapshot(const Memory &memory)
{
    return {memory.data(), memory.data() + memory.size()};
}

/// As ASSERT_EQ, but without printing megabytes.
testing::AssertionResult is_equal(const Memory &memory, const Bytes &expected)
{
    if (std::memcmp(memory.data(), expected.data(), expected.size()) == 0)
        return testing::AssertionSuccess();
    const auto at = std::mismatch(expected.begin(), expected.end(), memory.data()).first;
    return testing::AssertionFailure() << "byte " << at - expected.begin() << " differs";
}

std::size_t data_len(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

void *data_of(const doca_buf *buf)
{
    void *data = nullptr;
    EXPECT_EQ(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
    return data;
}

/// Submits and expects success by the next turn.
void copy(DmaSetup &setup, doca_buf *src, doca_buf *dst)
{
    setup.context.take();
    doca_task *const task = setup.context.alloc(src, dst);
    EXPECT_EQ(doca_task_submit(task), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_progress(setup.pe), 1);
    EXPECT_EQ(setup.context.take(), Record{"success"});
    setup.context.free(task);
}

/// One element of a list in the model.
struct Element {
    std::size_t head; ///< offset in its area
    std::size_t len;
    std::size_t data; ///< offset in its area
    std::size_t data_len;

    std::size_t tail() const { return data + data_len; }
    std::size_t tailroom() const { return head + len - tail(); }
};
using List = std::vector<Element>;

/// Elements side by side in an area, of random sizes with gaps between them.
List random_list(std::mt19937 &random, std::size_t num_elements, std::size_t max_len)
{
    const auto below = [&](std::size_t limit) { return random() % limit; };
    List list;
    std::size_t at = below(64);
    for (std::size_t i = 0; i < num_elements; ++i) {
        Element element{at, below(max_len), 0, 0};
        element.data = element.head + below(element.len + 1) / (1 + below(4));
        element.data_len = below(element.head + element.len - element.data + 1);
        if (below(8) == 0)
            element.data_len = 0;
        list.push_back(element);
        at += element.len + below(64);
    }
    std::shuffle(list.begin(), list.end(), random);
    return list;
}

std::size_t num_bytes_in(const List &list)
{
    std::size_t sum = 0;
    for (const Element &element : list)
        sum += element.data_len;
    return sum;
}

std::size_t room_in(const List &list)
{
    std::size_t sum = 0;
    for (const Element &element : list)
        sum += element.tailroom();
    return sum;
}

/// The copy byte by byte; moves the ends of the destination's data.
void copy_model(const Bytes &src, const List &from, Bytes &dst, List &to)
{
    auto element = to.begin();
    for (const Element &read : from)
        for (std::size_t i = 0; i < read.data_len; ++i) {
            while (element->tailroom() == 0)
                ++element;
            dst[element->tail()] = src[read.data + i];
            ++element->data_len;
        }
}

doca_buf *make_list(Inventory &inventory, doca_mmap *mmap, const Memory &memory, const List &list)
{
    doca_buf *head = nullptr;
    for (const Element &element : list) {
        doca_buf *const buf = inventory.by_addr(mmap, memory.at(element.head), element.len);
        must(doca_buf_set_data(buf, memory.at(element.data), element.data_len));
        if (head == nullptr)
            head = buf;
        else
            must(doca_buf_chain_list(head, buf));
    }
    return head;
}

/// Each element's data section is where the model has it.
void expect_list(doca_buf *buf, const Memory &memory, const List &list)
{
    for (const Element &element : list) {
        EXPECT_EQ(data_of(buf), memory.at(element.data));
        EXPECT_EQ(data_len(buf), element.data_len);
        must(doca_buf_get_next_in_list(buf, &buf));
    }
}

/// One random copy; false if the lists do not suit each other.
bool copy_random_lists(DmaSetup &setup, std::mt19937 &random, std::size_t max_len)
{
    const List from = random_list(random, 1 + random() % 12, max_len);
    const List to = random_list(random, 1 + random() % 12, max_len);
    const std::size_t num_bytes = num_bytes_in(from);
    if (num_bytes == 0 || num_bytes > room_in(to) || num_bytes > kMaxSize)
        return false;
    std::memset(setup.dst.data(), static_cast<int>(random() % 256), setup.dst.size());
    const Bytes source = snapshot(setup.src);
    Bytes expected = snapshot(setup.dst);
    List filled = to;
    copy_model(source, from, expected, filled);
    doca_buf *const src = make_list(setup.inventory, setup.src_mmap, setup.src, from);
    doca_buf *const dst = make_list(setup.inventory, setup.dst_mmap, setup.dst, to);

    copy(setup, src, dst);

    EXPECT_TRUE(is_equal(setup.dst, expected));
    EXPECT_TRUE(is_equal(setup.src, source)) << "the source was changed";
    expect_list(dst, setup.dst, filled);
    expect_list(src, setup.src, from);
    setup.inventory.take_back_all();
    return true;
}

/// The sizes around which another way of copying begins, and the small ones.
std::vector<std::size_t> sizes_to_try()
{
    std::vector<std::size_t> sizes;
    for (std::size_t size = 1; size <= 160; ++size)
        sizes.push_back(size);
    for (std::size_t power = 256; power <= 512 * 1024; power *= 2)
        sizes.insert(sizes.end(), {power - 1, power, power + 1, power + power / 2 + 13});
    return sizes;
}

/// One copy of len bytes between these offsets of the areas; looks at the bytes around it, too.
void copy_at(DmaSetup &setup, std::size_t from, std::size_t to, std::size_t len)
{
    constexpr std::size_t kAround = 256;
    std::memset(setup.dst.data(), 0xee, to + len + kAround);

    copy(setup, setup.source(from, len), setup.destination(to, len));

    const auto is_untouched = [&](std::size_t begin, std::size_t end) {
        return std::all_of(setup.dst.at(begin), setup.dst.at(end),
                           [](std::byte byte) { return byte == std::byte{0xee}; });
    };
    EXPECT_EQ(std::memcmp(setup.dst.at(to), setup.src.at(from), len), 0)
        << len << " bytes from " << from << " to " << to;
    EXPECT_TRUE(is_untouched(to - std::min(to, kAround), to)) << len << " bytes to " << to;
    EXPECT_TRUE(is_untouched(to + len, to + len + kAround)) << len << " bytes to " << to;
    setup.inventory.take_back_all();
}

/// Source and destination in one area, as memmove has it.
class DocaDmaOverlap : public testing::Test {
protected:
    void move(std::size_t from, std::size_t to, std::size_t len)
    {
        std::memcpy(setup_.dst.data(), setup_.src.data(), setup_.src.size());
        Bytes expected = snapshot(setup_.dst);
        std::memmove(expected.data() + to, expected.data() + from, len);
        doca_buf *const src = setup_.inventory.by_data(setup_.dst_mmap, setup_.dst.at(from), len);

        copy(setup_, src, setup_.destination(to, len));

        EXPECT_TRUE(is_equal(setup_.dst, expected))
            << len << " bytes from " << from << " to " << to;
        setup_.inventory.take_back_all();
    }

    DmaSetup setup_{1, std::size_t{3} << 20};
};

} // namespace

TEST(DocaDmaCopy, AllSizesAtAllOffsetsOfTheDestination)
{
    DmaSetup setup(1, kMaxSize);
    std::mt19937 random(1);

    for (const std::size_t size : sizes_to_try())
        for (std::size_t offset = 0; offset<64; offset += size> 65536 ? 21 : 1)
            copy_at(setup, random() % 64, 64 + offset, size);
}

TEST(DocaDmaCopy, AllSizesAtAllOffsetsOfTheSource)
{
    DmaSetup setup(1, kMaxSize);
    std::mt19937 random(2);

    for (const std::size_t size : sizes_to_try())
        for (std::size_t offset = 0; offset<64; offset += size> 65536 ? 21 : 1)
            copy_at(setup, offset, 64 + random() % 64, size);
}

TEST(DocaDmaCopy, OffsetsWithinAPage)
{
    DmaSetup setup(1, 256 * 1024);
    std::mt19937 random(3);

    for (const std::size_t size : {std::size_t{4096}, std::size_t{65536}})
        for (int round = 0; round < 200; ++round)
            copy_at(setup, random() % 4096, 256 + random() % 4096, size);
}

TEST(DocaDmaCopy, LargeCopiesOfColdMemory)
{
    constexpr std::size_t kStep = kMaxSize + 4096 + 1; // so that every copy lies differently
    constexpr std::size_t kNumCopies = 8;              // more than caches are taken to hold
    DmaSetup setup(kNumCopies, kNumCopies * kStep + 4096);
    std::memset(setup.dst.data(), 0xee, setup.dst.size());
    Bytes expected = snapshot(setup.dst);
    std::mt19937 random(4);
    for (std::size_t i = 0; i < kNumCopies; ++i) {
        const std::size_t len = kMaxSize - random() % 300, from = i * kStep + random() % 200;
        std::memcpy(expected.data() + i * kStep + 100, setup.src.at(from), len);
        must(doca_task_submit(
            setup.context.alloc(setup.source(from, len), setup.destination(i * kStep + 100, len))));
    }

    for (std::size_t i = 0; i < kNumCopies; ++i)
        EXPECT_EQ(doca_pe_progress(setup.pe), 1);

    EXPECT_TRUE(is_equal(setup.dst, expected));
}

TEST(DocaDmaCopy, ListsOfAnyShape)
{
    DmaSetup setup(1, 12 * 3064);
    std::mt19937 random(5);

    int num_copies = 0;
    while (num_copies < 400)
        num_copies += copy_random_lists(setup, random, 1 + random() % 300) ? 1 : 0;
    while (num_copies < 500)
        num_copies += copy_random_lists(setup, random, 1 + random() % 3000) ? 1 : 0;
}

TEST(DocaDmaCopy, ListsOfLargeElements)
{
    constexpr std::size_t kMaxLen = 600 * 1024; // some above the size of streaming copies
    DmaSetup setup(1, 12 * (kMaxLen + 64));
    std::mt19937 random(6);

    int num_copies = 0;
    while (num_copies < 3)
        num_copies += copy_random_lists(setup, random, kMaxLen) ? 1 : 0;
}

TEST(DocaDmaCopy, AppendsBehindTheDataThatIsThere)
{
    DmaSetup setup(1);
    doca_buf *const dst = setup.destination(0, 256);
    must(doca_buf_set_data(dst, setup.dst.at(10), 20));

    copy(setup, setup.source(0, 100), dst);
    copy(setup, setup.source(100, 126), dst); // exactly full

    EXPECT_EQ(data_len(dst), 246u);
    EXPECT_EQ(data_of(dst), setup.dst.at(10));
    EXPECT_EQ(std::memcmp(setup.dst.at(30), setup.src.at(0), 226), 0);
    EXPECT_EQ(setup.dst.data()[29], std::byte{0});
}

TEST(DocaDmaCopy, AfterAResetTheDestinationIsFilledAnew)
{
    DmaSetup setup(1);
    doca_buf *const dst = setup.destination(0, 64);
    copy(setup, setup.source(0, 64), dst);

    must(doca_buf_reset_data_len(dst));
    copy(setup, setup.source(64, 64), dst);

    EXPECT_EQ(data_len(dst), 64u);
    EXPECT_EQ(std::memcmp(setup.dst.data(), setup.src.at(64), 64), 0);
}

TEST(DocaDmaCopy, EachElementGetsItsShare)
{
    DmaSetup setup(1);
    doca_buf *const dst = setup.destination(0, 10);
    doca_buf *const second = setup.destination(100, 20);
    doca_buf *const third = setup.destination(200, 30);
    must(doca_buf_chain_list(dst, second));
    must(doca_buf_chain_list(dst, third));

    copy(setup, setup.source(0, 35), dst);

    EXPECT_EQ(data_len(dst), 10u);
    EXPECT_EQ(data_len(second), 20u);
    EXPECT_EQ(data_len(third), 5u);
    EXPECT_EQ(std::memcmp(setup.dst.at(200), setup.src.at(30), 5), 0);
    EXPECT_EQ(setup.dst.data()[205], std::byte{0});
}

TEST(DocaDmaCopy, ElementsWithoutDataOrRoomArePassedOver)
{
    DmaSetup setup(1);
    doca_buf *const src = setup.inventory.by_addr(setup.src_mmap, setup.src.data(), 64);
    must(doca_buf_chain_list(src, setup.source(0, 40)));
    must(doca_buf_chain_list(src, setup.inventory.by_addr(setup.src_mmap, setup.src.data(), 64)));
    must(doca_buf_chain_list(src, setup.source(40, 24)));
    doca_buf *const dst = setup.destination(0, 30);
    doca_buf *const full = setup.inventory.by_data(setup.dst_mmap, setup.dst.at(1000), 8);
    must(doca_buf_chain_list(dst, full));
    must(doca_buf_chain_list(dst, setup.destination(30, 34)));

    copy(setup, src, dst);

    EXPECT_TRUE(setup.is_copied(0, 64));
    EXPECT_EQ(data_len(full), 8u);
}

TEST_F(DocaDmaOverlap, BehavesLikeMemmove)
{
    for (const std::size_t len : {100u, 2048u, 3000u, 65536u, 600u * 1024})
        for (const std::size_t distance : {1u, 31u, 64u, 2047u, 40000u}) {
            move(0, distance, len);
            move(distance, 0, len);
            move(13, 13 + distance, len);
        }
}

TEST_F(DocaDmaOverlap, OntoItselfChangesNothing)
{
    move(64, 64, 5000);
    move(0, 0, kMaxSize);
}

TEST_F(DocaDmaOverlap, NeighboursDoNotDisturbEachOther)
{
    move(0, 4096, 4096);
    move(4096, 0, 4096);
    move(0, std::size_t{1} << 20, std::size_t{1} << 20);
}
