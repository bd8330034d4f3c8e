// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Field cases about consumers and producers, under their numbers.

#include "support/comch_stream.hpp"
#include "support/sdk_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;

namespace {

/// Consumers and producers of the library's own form, as the log names them.
std::string name_of(const ComchContext &context)
{
    return text_of(context.ctx());
}

/// The one line that says why, with these words.
void expect_one_line(const SdkLog &log, std::initializer_list<std::string_view> words)
{
    EXPECT_EQ(log.count(words), 1) << testing::PrintToString(log.lines());
}

} // namespace

TEST(DocaComchDataField, F20WhatStartSaysOfAConsumer)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchConsumer consumer(own);

            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_EQ(consumer.take(), (Record{"IDLE->STARTING"}));
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
            EXPECT_EQ(consumer.take(), (Record{"STARTING->RUNNING"}));
            const SdkLog log;
            EXPECT_EQ(consumer.start(), DOCA_ERROR_BAD_STATE);
            EXPECT_EQ(consumer.take(), Record{});
            expect_one_line(log, {"[ERR]", name_of(consumer), "is already RUNNING"});
        },
        serves);
}

TEST(DocaComchDataField, F20WhatStartSaysOfAProducer)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchProducer producer(own);

            EXPECT_EQ(producer.start(), DOCA_SUCCESS);

            EXPECT_EQ(producer.take(), (Record{"IDLE->RUNNING"}));
            const SdkLog log;
            EXPECT_EQ(producer.start(), DOCA_ERROR_BAD_STATE);
            EXPECT_EQ(producer.take(), Record{});
            expect_one_line(log, {"[ERR]", name_of(producer), "is already RUNNING"});
        },
        serves);
}

/// Steps 1 and 2.
TEST(DocaComchDataField, F25TheRunningCallbackSpinsUntilTheReceiveIsPosted)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(progress_all_until(
                {&own, &consumer}, [&] { return consumer.state() == DOCA_CTX_STATE_RUNNING; }));
            std::this_thread::sleep_for(std::chrono::milliseconds(200)); // as the case has it

            consumer.post(0);

            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"hello"}));
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            EXPECT_NE(consumer, 0u);
            EXPECT_NE(consumer, 0xFFFFu);
            ComchProducer producer(own);
            std::memcpy(producer.memory.slot(0), "hello", 5);
            const doca_buf *const buf = producer.memory.data(0, 5);
            std::uint64_t num_refused = 0;
            producer.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                doca_task *task = nullptr;
                if (next != DOCA_CTX_STATE_RUNNING)
                    return;
                EXPECT_EQ(producer.try_alloc(buf, {}, consumer, &task), DOCA_SUCCESS);
                doca_error_t result = DOCA_ERROR_AGAIN;
                while ((result = doca_task_submit(task)) == DOCA_ERROR_AGAIN)
                    ++num_refused;
                EXPECT_EQ(result, DOCA_SUCCESS);
            };

            EXPECT_EQ(producer.start(), DOCA_SUCCESS);

            EXPECT_GT(num_refused, 0u);
            EXPECT_TRUE(producer.ends_sends(1));
            meet(own, line);
        });
}

/// What the program hears of it: once, not per retry.
TEST(DocaComchDataField, F25ASecondOfAgainIsReportedOnce)
{
    on_fast_path([](ComchEnd &, ComchConsumer &, Line &) {},
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     const SdkLog log;
                     const std::string number = std::to_string(consumer);
                     const auto send = [&] {
                         EXPECT_EQ(producer.send("hello", consumer, 0, {}, Milliseconds(300)),
                                   DOCA_ERROR_AGAIN);
                     };

                     EXPECT_TRUE(comes_true([&] {
                         send();
                         return log.count({"waits", "consumer " + number}) != 0;
                     }));
                     send();

                     expect_one_line(log, {"[WRN]", name_of(producer), "waits",
                                           "consumer " + number, "posted"});
                 });
}

namespace {

/// Sends of one buffer, each submitted again in its completion callback with the next number.
class Resubmitter {
public:
    static constexpr std::uint32_t kNum = 5000, kNumTasks = 1024;

    Resubmitter(ComchProducer &producer, const doca_buf *buf, std::uint32_t consumer)
        : producer_(producer), buf_(buf), consumer_(consumer)
    {
        must(doca_comch_producer_task_send_set_conf(producer.producer(), succeeded, failed,
                                                    kNumTasks));
    }

    void play()
    {
        must(producer_.start());
        for (std::uint32_t i = 0; i < kNumTasks; ++i) {
            doca_comch_producer_task_send *task = nullptr;
            must(doca_comch_producer_task_send_alloc_init(producer_.producer(), buf_, nullptr, 0,
                                                          consumer_, &task));
            doca_task_set_user_data(doca_comch_producer_task_send_as_task(task), {.ptr = this});
            submit(task);
        }
        EXPECT_TRUE(producer_.progress_until([this] { return num_done_ == kNum; },
                                             patience(std::chrono::seconds(20))));
    }

private:
    void submit(doca_comch_producer_task_send *task)
    {
        std::uint32_t number = next_++;
        doca_comch_producer_task_send_set_imm_data(task, reinterpret_cast<std::uint8_t *>(&number),
                                                   sizeof number);
        EXPECT_EQ(ComchProducer::submit(doca_comch_producer_task_send_as_task(task)), DOCA_SUCCESS);
    }

    static void succeeded(doca_comch_producer_task_send *task, doca_data task_user_data, doca_data)
    {
        auto &self = *static_cast<Resubmitter *>(task_user_data.ptr);
        ++self.num_done_;
        if (self.next_ < kNum)
            self.submit(task);
        else
            doca_task_free(doca_comch_producer_task_send_as_task(task));
    }
    static void failed(doca_comch_producer_task_send *task, doca_data, doca_data)
    {
        doca_task *const failed = doca_comch_producer_task_send_as_task(task);
        ADD_FAILURE() << doca_error_get_name(doca_task_get_status(failed));
        doca_task_free(failed);
    }

    ComchProducer &producer_;
    const doca_buf *const buf_;
    const std::uint32_t consumer_;
    std::uint32_t next_ = 0, num_done_ = 0;
};

} // namespace

/// Step 3.
TEST(DocaComchDataField, F25OneBufferIsSubmittedAgainInEachCallback)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, {.num_tasks = Resubmitter::kNumTasks,
                                         .slot_len = 1024,
                                         .imm_data_len = sizeof(std::uint32_t)});
            consumer.start_and_run();
            consumer.reposts = true;
            consumer.post_all();

            EXPECT_TRUE(consumer.receives(Resubmitter::kNum, patience(std::chrono::seconds(20))));

            ASSERT_EQ(consumer.receipts.size(), Resubmitter::kNum);
            for (std::uint32_t i = 0; i < Resubmitter::kNum; ++i) {
                std::uint32_t number = ~0u;
                ASSERT_EQ(consumer.receipts[i].imm_data.size(), sizeof number);
                std::memcpy(&number, consumer.receipts[i].imm_data.data(), sizeof number);
                ASSERT_EQ(number, i);
                expect_bytes(consumer.receipts[i].data, 1000, 1);
            }
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.num_tasks = 1, .slot_len = 1024});
            std::memcpy(producer.memory.slot(0), random_text(1000, 1).data(), 1000);
            Resubmitter(producer, producer.memory.data(0, 1000), consumer).play();
            meet(own, line);
        });
}

namespace {

constexpr std::uint32_t kNumMessages = 2000, kNumTasks = 1024;
constexpr std::size_t kMessageLen = 4096;

/// A consumer with all that belongs to it, in a thread, as a public application has it and ends it.
class ApplicationConsumer {
public:
    explicit ApplicationConsumer(doca_comch_connection *connection)
        : block_(static_cast<std::byte *>(std::malloc(kNumTasks * kMessageLen))),
          mmap_(device_, block_, kNumTasks * kMessageLen, DOCA_ACCESS_FLAG_PCI_READ_WRITE)
    {
        must(doca_comch_consumer_create(connection, mmap_, consumer_.out()));
        must(doca_comch_consumer_task_post_recv_set_conf(consumer_, received, failed, kNumTasks));
        must(doca_ctx_set_user_data(ctx(), {.ptr = this}));
        must(doca_pe_connect_ctx(pe_, ctx()));
    }

    doca_ctx *ctx() const { return doca_comch_consumer_as_ctx(consumer_); }

    void receive_all()
    {
        EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_IN_PROGRESS);
        EXPECT_TRUE(reaches(DOCA_CTX_STATE_RUNNING));
        for (std::uint32_t i = 0; i < kNumTasks; ++i) {
            doca_comch_consumer_task_post_recv *task = nullptr;
            must(doca_buf_inventory_buf_get_by_addr(inventory_, mmap_, block_ + i * kMessageLen,
                                                    kMessageLen, &bufs_.emplace_back()));
            must(doca_comch_consumer_task_post_recv_alloc_init(consumer_, bufs_.back(), &task));
            tasks_.push_back(doca_comch_consumer_task_post_recv_as_task(task));
            must(doca_task_submit(tasks_.back()));
        }
        EXPECT_TRUE(wait_until(
            pe_, [this] { return arrivals_.num() == kNumMessages; },
            patience(std::chrono::seconds(20))));
    }

    /// Steps 2 and 3, every receive being posted.
    void end()
    {
        std::size_t num_inflight = 0;
        EXPECT_EQ(doca_ctx_get_num_inflight_tasks(ctx(), &num_inflight), DOCA_SUCCESS);
        EXPECT_EQ(num_inflight, kNumTasks);
        for (doca_buf *buf : bufs_)
            EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
        for (doca_task *task : tasks_)
            doca_task_free(task);
        const doca_error_t stopped = doca_ctx_stop(ctx());
        EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
        EXPECT_TRUE(reaches(DOCA_CTX_STATE_IDLE));
        EXPECT_EQ(consumer_.destroy(), DOCA_SUCCESS);
        EXPECT_EQ(pe_.destroy(), DOCA_SUCCESS);
        EXPECT_EQ(device_.destroy(), DOCA_SUCCESS);
        std::free(block_);
        EXPECT_EQ(mmap_.destroy(), DOCA_SUCCESS);
        EXPECT_EQ(inventory_.destroy(), DOCA_SUCCESS);
    }

private:
    bool reaches(doca_ctx_states wanted) const
    {
        return wait_until(
            pe_,
            [&] {
                doca_ctx_states state{};
                return doca_ctx_get_state(ctx(), &state) == DOCA_SUCCESS && state == wanted;
            },
            patience());
    }

    static void received(doca_comch_consumer_task_post_recv *task, doca_data, doca_data user_data)
    {
        auto &self = *static_cast<ApplicationConsumer *>(user_data.ptr);
        doca_buf *const buf = doca_comch_consumer_task_post_recv_get_buf(task);
        self.arrivals_.take(view_of(buf));
        EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
        EXPECT_EQ(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)), DOCA_SUCCESS);
    }
    static void failed(doca_comch_consumer_task_post_recv *, doca_data, doca_data)
    {
        ADD_FAILURE() << "a receive failed";
    }

    Device device_; // one more open of it
    std::byte *const block_;
    Mmap mmap_;
    Inventory inventory_{kNumTasks};
    Pe pe_;
    Handle<doca_comch_consumer, doca_comch_consumer_destroy> consumer_;
    std::vector<doca_buf *> bufs_;
    std::vector<doca_task *> tasks_;
    Arrivals arrivals_;
};

} // namespace

/// Steps 1 to 3.
TEST(DocaComchDataField, F29ReceivesStillPostedAtTheEnd)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            const SdkLog log;
            {
                const ControlThread control(own);
                Worker thread([&] {
                    ApplicationConsumer consumer(control.connection());
                    consumer.receive_all();
                    consumer.end();
                });
            }
            expect_one_line(log, {"[WRN]", "in flight"});
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            {
                const ControlThread control(own);
                Worker thread([&] {
                    const Device device; // one more open of it
                    ComchProducer producer(own, {.num_tasks = kNumTasks}, control.connection());
                    must(producer.start());
                    send_stream(producer, control.await_consumer(), 1, kNumMessages,
                                [](std::uint32_t) { return kMessageLen; });
                });
            }
            meet(own, line);
        });
}

/// Step 4.
TEST(DocaComchDataField, F29TheProducerProgressesAfterTheConsumerHasGone)
{
    static constexpr std::uint32_t kNum = 16;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            {
                ComchConsumer consumer(own);
                consumer.start_and_run();
                consumer.post_all();
                EXPECT_TRUE(consumer.receives(kNum));
                EXPECT_EQ(consumer.texts().size(), kNum);
            }
            line.send("gone");
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            must(producer.start());
            for (std::uint32_t i = 0; i < kNum; ++i)
                EXPECT_EQ(producer.send(random_text(kMessageLen, i), consumer, i), DOCA_SUCCESS);
            EXPECT_EQ(line.receive(), "gone");
            std::this_thread::sleep_for(std::chrono::milliseconds(200)); // as the case has it

            EXPECT_TRUE(producer.ends_sends(kNum));

            for (std::uint32_t i = 0; i < kNum; ++i)
                EXPECT_EQ(producer.sends[i], (SendEnd{i, DOCA_SUCCESS}));
            meet(own, line);
        });
}
