// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

using namespace softdoca::test;

namespace {

using U16 = Untouched<std::uint16_t>;
using List = std::vector<doca_buf *>;

std::size_t len_of(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_len(buf, &len), DOCA_SUCCESS);
    return len;
}

std::size_t data_len_of(const doca_buf *buf)
{
    std::size_t len = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &len), DOCA_SUCCESS);
    return len;
}

void *head_of(const doca_buf *buf)
{
    void *head = nullptr;
    EXPECT_EQ(doca_buf_get_head(buf, &head), DOCA_SUCCESS);
    return head;
}

void *data_of(const doca_buf *buf)
{
    void *data = nullptr;
    EXPECT_EQ(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
    return data;
}

std::uint16_t refcount_of(const doca_buf *buf)
{
    std::uint16_t refcount = 0;
    EXPECT_EQ(doca_buf_get_refcount(buf, &refcount), DOCA_SUCCESS);
    return refcount;
}

doca_buf *last_of(doca_buf *buf)
{
    doca_buf *last = nullptr;
    EXPECT_EQ(doca_buf_get_last_in_list(buf, &last), DOCA_SUCCESS);
    return last;
}

/// The elements from buf on.
List list_from(doca_buf *buf)
{
    List list;
    while (buf != nullptr) {
        list.push_back(buf);
        EXPECT_EQ(doca_buf_get_next_in_list(buf, &buf), DOCA_SUCCESS);
    }
    return list;
}

/// Is it first, is it last, is it in a list at all: "fl." when alone, "f.i" at the head of a list.
std::string place_of(const doca_buf *buf)
{
    std::uint8_t first = 7, last = 7, in_list = 7;
    EXPECT_EQ(doca_buf_is_first_in_list(buf, &first), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_is_last_in_list(buf, &last), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_is_in_list(buf, &in_list), DOCA_SUCCESS);
    EXPECT_LE(std::max({first, last, in_list}), 1);
    return {first != 0 ? 'f' : '.', last != 0 ? 'l' : '.', in_list != 0 ? 'i' : '.'};
}

/// Six buffers of 64 bytes each.
class DocaBuf : public testing::Test {
protected:
    DocaBuf()
    {
        for (std::size_t i = 0; i < 6; ++i)
            buf_.push_back(inventory_.by_addr(mmap_, memory_.at(i * 64), 64));
    }

    /// A list of the buffers from `first` to `last`.
    doca_buf *chain(std::size_t first, std::size_t last)
    {
        for (std::size_t i = first + 1; i <= last; ++i)
            must(doca_buf_chain_list(buf_[first], buf_[i]));
        return buf_[first];
    }
    List part(std::size_t first, std::size_t last) const
    {
        return {buf_.begin() + static_cast<std::ptrdiff_t>(first),
                buf_.begin() + static_cast<std::ptrdiff_t>(last) + 1};
    }

    Device device_;
    Memory memory_{6 * 64};
    Mmap mmap_{device_, memory_};
    Inventory inventory_{8};
    List buf_;
};

} // namespace

TEST_F(DocaBuf, SettersMoveTheDataSection)
{
    EXPECT_EQ(doca_buf_set_data(buf_[0], memory_.at(8), 16), DOCA_SUCCESS);
    EXPECT_EQ(data_of(buf_[0]), memory_.at(8));
    EXPECT_EQ(data_len_of(buf_[0]), 16u);

    EXPECT_EQ(doca_buf_set_data_len(buf_[0], 20), DOCA_SUCCESS);
    EXPECT_EQ(data_of(buf_[0]), memory_.at(8));
    EXPECT_EQ(data_len_of(buf_[0]), 20u);

    EXPECT_EQ(doca_buf_reset_data_len(buf_[0]), DOCA_SUCCESS);
    EXPECT_EQ(data_of(buf_[0]), memory_.at(8));
    EXPECT_EQ(data_len_of(buf_[0]), 0u);
    EXPECT_EQ(head_of(buf_[0]), memory_.at(0));
    EXPECT_EQ(len_of(buf_[0]), 64u);
}

TEST_F(DocaBuf, SettersDoNotLookAtTheRange)
{
    EXPECT_EQ(doca_buf_set_data(buf_[0], memory_.at(200), 1000), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_set_data_len(buf_[0], SIZE_MAX), DOCA_SUCCESS);

    EXPECT_EQ(data_of(buf_[0]), memory_.at(200));
    EXPECT_EQ(data_len_of(buf_[0]), SIZE_MAX);
}

TEST_F(DocaBuf, ReferencesGiveThePreviousCount)
{
    std::uint16_t previous = 0;

    EXPECT_EQ(doca_buf_inc_refcount(buf_[0], &previous), DOCA_SUCCESS);
    EXPECT_EQ(previous, 1);
    EXPECT_EQ(doca_buf_inc_refcount(buf_[0], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(refcount_of(buf_[0]), 3);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], &previous), DOCA_SUCCESS);
    EXPECT_EQ(previous, 3);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 2u);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], &previous), DOCA_SUCCESS);
    EXPECT_EQ(previous, 1);
    EXPECT_EQ(inventory_.num_free(), 3u);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], U16()), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaBuf, ReferencesEndAt65535)
{
    constexpr auto kMost = std::numeric_limits<std::uint16_t>::max();
    for (int count = 1; count < kMost; ++count)
        must(doca_buf_inc_refcount(buf_[0], nullptr));

    EXPECT_EQ(doca_buf_inc_refcount(buf_[0], U16()), DOCA_ERROR_TOO_BIG);

    EXPECT_EQ(refcount_of(buf_[0]), kMost);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inc_refcount(buf_[0], nullptr), DOCA_SUCCESS);
}

TEST_F(DocaBuf, ABufferThatComesBackIsFresh)
{
    must(doca_buf_set_data(buf_[0], memory_.at(8), 16));
    must(doca_buf_inc_refcount(buf_[0], nullptr));
    chain(0, 2);
    must(doca_buf_dec_refcount(buf_[0], nullptr));
    must(doca_buf_dec_refcount(buf_[0], nullptr));

    for (int i = 0; i < 5; ++i) {
        doca_buf *const buf = inventory_.by_addr(mmap_, memory_.at(64), 32);
        EXPECT_EQ(refcount_of(buf), 1);
        EXPECT_EQ(place_of(buf), "fl.");
        EXPECT_EQ(data_of(buf), memory_.at(64));
        EXPECT_EQ(data_len_of(buf), 0u);
        EXPECT_EQ(len_of(buf), 32u);
    }
}

TEST_F(DocaBuf, AloneItIsFirstAndLastOfNoList)
{
    EXPECT_EQ(place_of(buf_[0]), "fl.");
    EXPECT_EQ(list_from(buf_[0]), part(0, 0));
    EXPECT_EQ(last_of(buf_[0]), buf_[0]);
    std::uint32_t num = 0;
    EXPECT_EQ(doca_buf_get_list_len(buf_[0], &num), DOCA_SUCCESS);
    EXPECT_EQ(num, 1u);
}

TEST_F(DocaBuf, ChainPutsTheSecondListBehindTheFirst)
{
    chain(0, 1);
    chain(2, 4);

    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[2]), DOCA_SUCCESS);

    EXPECT_EQ(list_from(buf_[0]), part(0, 4));
    EXPECT_EQ(last_of(buf_[0]), buf_[4]);
    EXPECT_EQ(last_of(buf_[3]), buf_[4]);
    EXPECT_EQ(place_of(buf_[0]), "f.i");
    EXPECT_EQ(place_of(buf_[2]), "..i");
    EXPECT_EQ(place_of(buf_[4]), ".li");
    std::uint32_t num = 0;
    EXPECT_EQ(doca_buf_get_list_len(buf_[0], &num), DOCA_SUCCESS);
    EXPECT_EQ(num, 5u);
}

TEST_F(DocaBuf, ChainTailDoesTheSame)
{
    chain(0, 1);
    chain(2, 3);

    EXPECT_EQ(doca_buf_chain_list_tail(buf_[0], buf_[1], buf_[2]), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[4], buf_[4], buf_[5]), DOCA_SUCCESS);

    EXPECT_EQ(list_from(buf_[0]), part(0, 3));
    EXPECT_EQ(list_from(buf_[4]), part(4, 5));
}

TEST_F(DocaBuf, ChainNeedsTwoHeads)
{
    chain(0, 1);
    chain(2, 3);

    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[0]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[1]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[3]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list(buf_[1], buf_[4]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[0], buf_[1], buf_[3]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[1], buf_[1], buf_[4]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[0], buf_[0], buf_[4]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[0], buf_[3], buf_[4]), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(list_from(buf_[0]), part(0, 1));
    EXPECT_EQ(list_from(buf_[2]), part(2, 3));
    EXPECT_EQ(list_from(buf_[4]), part(4, 4));
}

TEST_F(DocaBuf, ChainNeedsASecondListOfOneReference)
{
    must(doca_buf_inc_refcount(buf_[0], nullptr));
    must(doca_buf_inc_refcount(buf_[1], nullptr));

    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[1]), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_chain_list_tail(buf_[0], buf_[0], buf_[1]), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(place_of(buf_[0]) + place_of(buf_[1]), "fl.fl.");
    must(doca_buf_dec_refcount(buf_[1], nullptr));
    EXPECT_EQ(doca_buf_chain_list(buf_[0], buf_[1]), DOCA_SUCCESS) << "those of the first may be 2";
}

TEST_F(DocaBuf, OnlyTheHeadIsCountedAndMeasured)
{
    chain(0, 2);

    EXPECT_EQ(doca_buf_inc_refcount(buf_[1], U16()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[2], U16()), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(doca_buf_get_list_len(buf_[1], Untouched<std::uint32_t>()), DOCA_ERROR_NOT_PERMITTED);

    EXPECT_EQ(refcount_of(buf_[1]), 1);
    EXPECT_EQ(refcount_of(buf_[2]), 1);
}

TEST_F(DocaBuf, TheLastReferenceOfTheHeadReturnsTheWholeList)
{
    chain(0, 4);
    must(doca_buf_inc_refcount(buf_[0], nullptr));
    EXPECT_EQ(inventory_.num_free(), 2u);

    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 2u);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], nullptr), DOCA_SUCCESS);

    EXPECT_EQ(inventory_.num_free(), 7u);
    std::uint32_t num_bufs = 0;
    must(doca_mmap_get_num_bufs(mmap_, &num_bufs));
    EXPECT_EQ(num_bufs, 1u);
}

TEST_F(DocaBuf, UnchainMakesTwoLists)
{
    chain(0, 4);

    EXPECT_EQ(doca_buf_unchain_list(buf_[0], buf_[3]), DOCA_SUCCESS);

    EXPECT_EQ(list_from(buf_[0]), part(0, 2));
    EXPECT_EQ(list_from(buf_[3]), part(3, 4));
    EXPECT_EQ(place_of(buf_[3]), "f.i");
    EXPECT_EQ(refcount_of(buf_[3]), 1);
    EXPECT_EQ(doca_buf_dec_refcount(buf_[0], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 5u) << "the second list is still out";
    EXPECT_EQ(doca_buf_dec_refcount(buf_[3], nullptr), DOCA_SUCCESS);
    EXPECT_EQ(inventory_.num_free(), 7u);
}

TEST_F(DocaBuf, UnchainOfTheLastElementLeavesOneAlone)
{
    chain(0, 1);

    EXPECT_EQ(doca_buf_unchain_list(buf_[0], buf_[1]), DOCA_SUCCESS);

    EXPECT_EQ(place_of(buf_[0]) + place_of(buf_[1]), "fl.fl.");
    EXPECT_EQ(doca_buf_chain_list(buf_[1], buf_[0]), DOCA_SUCCESS) << "and again, the other way";
    EXPECT_EQ(list_from(buf_[1]), (List{buf_[1], buf_[0]}));
}

TEST_F(DocaBuf, UnchainNeedsAnElementBehindTheHead)
{
    chain(0, 1);
    chain(2, 3);

    EXPECT_EQ(doca_buf_unchain_list(buf_[0], buf_[0]), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(buf_[0], buf_[3]), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(buf_[0], buf_[4]), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(buf_[4], buf_[4]), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_buf_unchain_list(buf_[1], buf_[0]), DOCA_ERROR_INVALID_VALUE);

    EXPECT_EQ(list_from(buf_[0]), part(0, 1));
    EXPECT_EQ(list_from(buf_[2]), part(2, 3));
}
