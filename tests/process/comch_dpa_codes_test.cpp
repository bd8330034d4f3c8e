// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The Comch calls that need a DPA: there is none, and they say so. None of them looks into what it
// is given.

#include "support/handles.hpp"
#include "support/lifecycle_matrix.hpp"
#include "support/two_process.hpp"
#include "unit/codes/untouched.hpp"

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>

#include <gtest/gtest.h>

using namespace softdoca::test;

namespace {

constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
constexpr doca_error_t kNotSupported = DOCA_ERROR_NOT_SUPPORTED;

using NoNumber = Untouched<std::uint32_t>;

} // namespace

TEST(DocaComchDpa, ConsumerCompletionsAreNotOffered)
{
    auto *const completion = made_up<doca_comch_consumer_completion>();
    auto *const thread = made_up<doca_dpa_thread>();
    using NoCompletion = Untouched<doca_comch_consumer_completion *>;
    using NoHandle = Untouched<doca_dpa_dev_comch_consumer_completion_t>;

    EXPECT_EQ(doca_comch_consumer_completion_create(NoCompletion()), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(completion, thread), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_start(completion), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_stop(completion), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(completion, NoHandle()), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_set_max_num_consumers(completion, 1), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_consumers(completion, NoNumber()),
              kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_set_max_num_recv(completion, 1), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_recv(completion, NoNumber()),
              kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_set_imm_data_len(completion, 1), kNotSupported);
    EXPECT_EQ(doca_comch_consumer_completion_get_imm_data_len(completion, NoNumber()),
              kNotSupported);
}

TEST(DocaComchDpa, NullIsNoConsumerCompletion)
{
    auto *const completion = made_up<doca_comch_consumer_completion>();
    auto *const thread = made_up<doca_dpa_thread>();
    using NoHandle = Untouched<doca_dpa_dev_comch_consumer_completion_t>;

    EXPECT_EQ(doca_comch_consumer_completion_create(nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(nullptr, thread), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(completion, nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_destroy(nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_start(nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_stop(nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(nullptr, NoHandle()), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(completion, nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_set_max_num_consumers(nullptr, 1), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_consumers(nullptr, NoNumber()), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_consumers(completion, nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_set_max_num_recv(nullptr, 1), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_recv(nullptr, NoNumber()), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_max_num_recv(completion, nullptr), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_set_imm_data_len(nullptr, 1), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_imm_data_len(nullptr, NoNumber()), kInvalid);
    EXPECT_EQ(doca_comch_consumer_completion_get_imm_data_len(completion, nullptr), kInvalid);
}

TEST(DocaComchDpa, MessageQueuesAreNotOffered)
{
    on_stage([] {
        const Device device;
        auto *const msgq = made_up<doca_comch_msgq>();
        auto *const dpa = made_up<doca_dpa>();

        EXPECT_EQ(doca_comch_msgq_create(device, Untouched<doca_comch_msgq *>()), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_destroy(msgq), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, dpa), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_set_max_num_consumers(msgq, 1), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_set_dpa_producer(msgq, dpa), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_set_max_num_producers(msgq, 1), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_start(msgq), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_stop(msgq), kNotSupported);
        EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, Untouched<doca_comch_consumer *>()),
                  kNotSupported);
        EXPECT_EQ(doca_comch_msgq_producer_create(msgq, Untouched<doca_comch_producer *>()),
                  kNotSupported);
    });
}

TEST(DocaComchDpa, NullIsNoMessageQueue)
{
    on_stage([] {
        const Device device;
        auto *const msgq = made_up<doca_comch_msgq>();
        auto *const dpa = made_up<doca_dpa>();
        using NoConsumer = Untouched<doca_comch_consumer *>;
        using NoProducer = Untouched<doca_comch_producer *>;

        EXPECT_EQ(doca_comch_msgq_create(nullptr, Untouched<doca_comch_msgq *>()), kInvalid);
        EXPECT_EQ(doca_comch_msgq_create(device, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_destroy(nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(nullptr, dpa), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_max_num_consumers(nullptr, 1), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_dpa_producer(nullptr, dpa), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_dpa_producer(msgq, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_set_max_num_producers(nullptr, 1), kInvalid);
        EXPECT_EQ(doca_comch_msgq_start(nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_stop(nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_consumer_create(nullptr, NoConsumer()), kInvalid);
        EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_msgq_producer_create(nullptr, NoProducer()), kInvalid);
        EXPECT_EQ(doca_comch_msgq_producer_create(msgq, nullptr), kInvalid);
    });
}
