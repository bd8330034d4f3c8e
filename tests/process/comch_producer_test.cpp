// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Producers: how they start and stop, what their tasks hold, what a send needs, and when it is
// done. The peer of the stage has the producers.

#include "support/comch_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

using ProducerHandle = Handle<doca_comch_producer, doca_comch_producer_destroy>;

class DocaComchProducerMemory : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchProducerMemory, testing::ValuesIn(kAllBackings),
                         name_of_backing);

std::uint32_t id_of(const doca_comch_producer *producer)
{
    std::uint32_t id = 0;
    EXPECT_EQ(doca_comch_producer_get_id(producer, &id), DOCA_SUCCESS);
    return id;
}

/// A producer without a consumer, on the stage.
void on_producer(const std::function<void(ComchEnd &own, ComchProducer &producer)> &body)
{
    on_connected_ends(
        [&](ComchEnd &own, Line &) {
            ComchProducer producer(own);
            body(own, producer);
        },
        serves);
}

/// A stage that receives these messages, in this order.
ConsumerPart receiver_of(const std::vector<std::string> &texts)
{
    return [=](ComchEnd &, ComchConsumer &consumer, Line &) {
        consumer.post_all();
        EXPECT_TRUE(consumer.receives(texts.size()));
        EXPECT_EQ(consumer.texts(), texts);
    };
}

/// A task in its own form.
doca_comch_producer_task_send *task_of(const ComchProducer &producer, const doca_buf *buf,
                                       std::uint32_t consumer, std::string imm_data = {})
{
    doca_comch_producer_task_send *task = nullptr;
    must(doca_comch_producer_task_send_alloc_init(
        producer.producer(), buf, reinterpret_cast<std::uint8_t *>(imm_data.data()),
        static_cast<std::uint32_t>(imm_data.size()), consumer, &task));
    return task;
}

} // namespace

TEST(DocaComchProducer, StartIsRunningInsideTheCall)
{
    on_producer([](ComchEnd &, ComchProducer &producer) {
        EXPECT_EQ(producer.start(), DOCA_SUCCESS);

        EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
        EXPECT_EQ(producer.take(), (Record{"IDLE->RUNNING"}));
    });
}

TEST(DocaComchProducer, StopWithNothingInFlightIsIdleInsideTheCall)
{
    on_producer([](ComchEnd &, ComchProducer &producer) {
        must(producer.start());
        (void)producer.take();

        EXPECT_EQ(producer.stop(), DOCA_SUCCESS);

        EXPECT_EQ(producer.state(), DOCA_CTX_STATE_IDLE);
        EXPECT_EQ(producer.take(), (Record{"RUNNING->STOPPING", "STOPPING->IDLE"}));
    });
}

TEST(DocaComchProducer, ItsServerOrClientCannotStopBeforeIt)
{
    on_producer([](ComchEnd &own, ComchProducer &producer) {
        (void)own.take();
        EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
        must(producer.start());
        EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
        EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
        EXPECT_EQ(own.take(), Record{});
    });
}

TEST(DocaComchProducer, IdsAreUniqueAndNever0)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            std::uint32_t num = 0;
            must(doca_comch_producer_cap_get_max_producers(own.device.info(), &num));
            std::deque<ProducerHandle> producers;
            std::set<std::uint32_t> ids;

            for (std::uint32_t i = 0; i < num; ++i) {
                must(doca_comch_producer_create(own.connection(), producers.emplace_back().out()));
                ids.insert(id_of(producers.back()));
            }

            EXPECT_EQ(ids.size(), num);
            EXPECT_FALSE(ids.contains(0));
        },
        serves);
}

TEST(DocaComchProducer, TheRunningCallbackMaySubmit)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            consumer.start_and_run();
            receiver_of({"hello"})(own, consumer, line);
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            std::memcpy(producer.memory.slot(0), "hello", 5);
            doca_buf *const buf = producer.memory.data(0, 5);
            producer.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                doca_task *task = nullptr;
                if (next != DOCA_CTX_STATE_RUNNING)
                    return;
                EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
                EXPECT_EQ(producer.try_alloc(buf, {}, consumer, &task), DOCA_SUCCESS);
                EXPECT_EQ(ComchProducer::submit(task), DOCA_SUCCESS);
            };

            EXPECT_EQ(producer.start(), DOCA_SUCCESS);

            EXPECT_EQ(producer.num_inflight(), 1u);
            EXPECT_TRUE(producer.ends_sends(1));
            EXPECT_EQ(producer.take(), (Record{"IDLE->RUNNING", "sent"}));
            meet(own, line);
        });
}

TEST(DocaComchProducer, NoSendCompletesInsideSubmit)
{
    on_fast_path(receiver_of({"hello"}),
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     (void)producer.take();

                     EXPECT_EQ(producer.send("hello", consumer), DOCA_SUCCESS);

                     EXPECT_EQ(producer.take(), Record{});
                     EXPECT_EQ(producer.num_inflight(), 1u);
                     EXPECT_TRUE(producer.ends_sends(1));
                     EXPECT_EQ(producer.num_inflight(), 0u);
                 });
}

/// A program that submits and then waits for something else delivers.
TEST_P(DocaComchProducerMemory, ASubmittedSendLeavesWithoutProgress)
{
    static constexpr std::size_t kSizes[] = {5, 300, 4096, 65'536, 500'000};
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            EXPECT_EQ(line.receive(), "submitted");

            EXPECT_TRUE(consumer.receives(std::size(kSizes)));

            for (std::size_t i = 0; i < std::size(kSizes); ++i)
                expect_bytes(consumer.receipts[i].data, kSizes[i], 7);
            line.send("received");
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            for (const std::size_t size : kSizes)
                EXPECT_EQ(producer.send(random_text(size, 7), consumer), DOCA_SUCCESS);
            line.send("submitted");
            EXPECT_EQ(line.receive(), "received");
            EXPECT_TRUE(producer.ends_sends(std::size(kSizes)));
            for (const SendEnd &end : producer.sends)
                EXPECT_EQ(end.status, DOCA_SUCCESS);
        },
        {.num_tasks = 5, .slot_len = 512 * kKiB, .backing = GetParam()},
        {.num_tasks = 5, .slot_len = 512 * kKiB});
}

TEST_P(DocaComchProducerMemory, TheBufferIsTheProgrammesAgainWhenTheSendIsDone)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            EXPECT_EQ(line.receive(), "overwritten"); // nobody progresses the consumer until then

            EXPECT_TRUE(consumer.receives(2));

            expect_bytes(consumer.receipts[0].data, 200, 1);
            expect_bytes(consumer.receipts[1].data, 60'000, 2);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(producer.send_and_wait(random_text(200, 1), consumer), DOCA_SUCCESS);
            EXPECT_EQ(producer.send_and_wait(random_text(60'000, 2), consumer), DOCA_SUCCESS);
            std::memset(producer.memory.slot(0), 0x77, producer.memory.region.size());
            line.send("overwritten");
        },
        {.num_tasks = 2, .slot_len = 64 * kKiB, .backing = GetParam()},
        {.num_tasks = 2, .slot_len = 64 * kKiB, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE});
}

TEST(DocaComchProducer, TheSettersOfATaskSayWhatIsSent)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.receipts[0].data, "second");
            EXPECT_EQ(consumer.receipts[0].imm_data, "2");
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            std::memcpy(producer.memory.slot(0), "first", 5);
            std::memcpy(producer.memory.slot(1), "second", 6);
            const doca_buf *const first = producer.memory.data(0, 5);
            const doca_buf *const second = producer.memory.data(1, 6);
            doca_comch_producer_task_send *const task =
                task_of(producer, first, consumer + 1, "one");
            EXPECT_EQ(doca_comch_producer_task_send_get_buf(task), first);
            EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(task), consumer + 1);
            EXPECT_EQ(doca_comch_producer_task_send_get_imm_data_len(task), 3u);
            EXPECT_EQ(std::memcmp(doca_comch_producer_task_send_get_imm_data(task), "one", 3), 0);
            std::uint8_t two = '2';

            doca_comch_producer_task_send_set_buf(task, second);
            doca_comch_producer_task_send_set_consumer_id(task, consumer);
            doca_comch_producer_task_send_set_imm_data(task, &two, 1);
            two = 'x'; // it was copied

            EXPECT_EQ(doca_comch_producer_task_send_get_buf(task), second);
            EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(task), consumer);
            EXPECT_EQ(doca_comch_producer_task_send_get_imm_data_len(task), 1u);
            EXPECT_EQ(ComchProducer::submit(doca_comch_producer_task_send_as_task(task)),
                      DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(1));
        },
        {.imm_data_len = 8});
}

TEST(DocaComchProducer, ImmediateDataIsTakenWithTheTask)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.receipts[0].imm_data, "as it was");
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            std::string imm_data = "as it was";
            doca_comch_producer_task_send *task = nullptr;
            must(doca_comch_producer_task_send_alloc_init(
                producer.producer(), nullptr, reinterpret_cast<std::uint8_t *>(imm_data.data()),
                static_cast<std::uint32_t>(imm_data.size()), consumer, &task));
            imm_data.assign(imm_data.size(), '?');

            EXPECT_EQ(ComchProducer::submit(doca_comch_producer_task_send_as_task(task)),
                      DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(1));
        },
        {.imm_data_len = 32});
}

/// A text in the middle of a structure on the stack, and not one byte of rights beside it.
TEST(DocaComchProducer, MemoryMayBeAnywhere)
{
    on_fast_path(receiver_of({"Message from the client"}), [](ComchEnd &own,
                                                              ComchProducer &producer,
                                                              std::uint32_t consumer, Line &) {
        struct {
            char before = 'b';
            char text[24] = "Message from the client";
        } on_stack;
        const std::size_t len = std::strlen(on_stack.text);
        const Mmap mmap(own.device, on_stack.text, len, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
        Inventory inventory(1);
        doca_task *task = nullptr;
        must(producer.try_alloc(inventory.by_data(mmap, on_stack.text, len), {}, consumer, &task));

        EXPECT_EQ(ComchProducer::submit(task), DOCA_SUCCESS);

        EXPECT_TRUE(producer.ends_sends(1));
        EXPECT_EQ(producer.sends.front().status, DOCA_SUCCESS);
    });
}

TEST(DocaComchProducer, AnUnknownConsumerIsNotConnected)
{
    on_fast_path(receiver_of({"hello"}),
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     doca_comch_producer_task_send *const send =
                         task_of(producer, nullptr, consumer + 1000, "imm");
                     doca_task *const task = doca_comch_producer_task_send_as_task(send);
                     for (const std::uint32_t id : {0u, 0xFFFFu, consumer + 1000, 0xFFFFFFFFu}) {
                         doca_comch_producer_task_send_set_consumer_id(send, id);
                         EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_NOT_CONNECTED) << id;
                         EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_NOT_CONNECTED) << id;
                     }
                     EXPECT_EQ(producer.num_inflight(), 0u);
                     EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
                     doca_task_free(task);

                     EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
                 });
}

TEST(DocaComchProducer, AnEmptySendFailsAndTakesNoReceive)
{
    on_fast_path(receiver_of({"hello"}),
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     doca_task *task = nullptr;
                     must(producer.try_alloc(producer.memory.room(0), {}, consumer, &task));

                     EXPECT_EQ(ComchProducer::submit(task), DOCA_SUCCESS);

                     EXPECT_TRUE(producer.ends_sends(1));
                     EXPECT_EQ(producer.sends.front().status, DOCA_ERROR_INVALID_VALUE);
                     EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
                     EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
                 });
}

TEST(DocaComchProducer, TrySubmitOfAnEmptySendIsInvalid)
{
    on_fast_path(receiver_of({"hello"}),
                 [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
                     EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
                     doca_task *task = nullptr;
                     must(producer.try_alloc(producer.memory.room(0), {}, consumer, &task));

                     EXPECT_EQ(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);

                     EXPECT_EQ(producer.num_inflight(), 0u);
                     EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING);
                     producer.free(task);
                 });
}

TEST(DocaComchProducer, OneProducerServesSeveralConsumers)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer first(own), second(own);
            for (ComchConsumer *consumer : {&first, &second}) {
                consumer->start_and_run();
                consumer->post_all();
                line.send_number(consumer->id());
            }
            EXPECT_TRUE(first.receives(1));
            EXPECT_TRUE(second.receives(1));
            EXPECT_EQ(first.texts(), (std::vector<std::string>{"to the first"}));
            EXPECT_EQ(second.texts(), (std::vector<std::string>{"to the second"}));
            EXPECT_EQ(first.receipts[0].producer_id, second.receipts[0].producer_id);
            meet(own, line);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.progress_until([&] { return own.peer_consumers.size() == 2; }));
            const std::uint64_t first = line.receive_number(), second = line.receive_number();
            ComchProducer producer(own);
            must(producer.start());
            EXPECT_EQ(producer.send_and_wait("to the second", second & 0xffffffffu), DOCA_SUCCESS);
            EXPECT_EQ(producer.send_and_wait("to the first", first & 0xffffffffu), DOCA_SUCCESS);
            meet(own, line);
        });
}

TEST(DocaComchProducer, TheConsumerIsToldTheProducersId)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.receipts[0].producer_id, line.receive_number());
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
            line.send_number(producer.id());
        });
}

TEST(DocaComchProducer, RestartsAfterIdle)
{
    on_fast_path(receiver_of({"0", "1", "2"}), [](ComchEnd &, ComchProducer &producer,
                                                  std::uint32_t consumer, Line &) {
        for (int round = 0; round < 3; ++round) {
            EXPECT_EQ(producer.send_and_wait(std::to_string(round), consumer), DOCA_SUCCESS);
            EXPECT_EQ(producer.stop(), DOCA_SUCCESS);
            EXPECT_EQ(producer.start(), DOCA_SUCCESS);
        }
    });
}

/// What was told to the consumer stays told.
TEST_P(DocaComchProducerMemory, StopKeepsWhatHasArrived)
{
    on_fast_path(
        receiver_of({random_text(100, 0), random_text(200, 1), random_text(60'000, 2)}),
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            EXPECT_EQ(producer.send(random_text(100, 0), consumer, 0), DOCA_SUCCESS);
            EXPECT_EQ(producer.send(random_text(200, 1), consumer, 1), DOCA_SUCCESS);
            EXPECT_EQ(producer.send(random_text(60'000, 2), consumer, 2), DOCA_SUCCESS);

            EXPECT_EQ(producer.stop(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_TRUE(producer.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(
                producer.sends,
                (std::vector<SendEnd>{{0, DOCA_SUCCESS}, {1, DOCA_SUCCESS}, {2, DOCA_SUCCESS}}));
        },
        {.num_tasks = 4, .slot_len = 64 * kKiB, .backing = GetParam()}, {.slot_len = 64 * kKiB});
}

/// Nobody takes messages out until the producer stops, so only the first can have begun. The
/// consumer gets whole messages only, and is there for others.
TEST(DocaComchProducer, StopFlushesWhatHasNotMoved)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            consumer.post_all();
            EXPECT_EQ(line.receive(), "stopping");
            consumer.progress_until_told(line);
            const std::uint64_t num_sent = line.receive_number();

            EXPECT_TRUE(
                consumer.progress_until([&] { return consumer.texts().size() == num_sent + 1; }));

            for (std::size_t i = 0; i < num_sent; ++i)
                expect_bytes(consumer.texts()[i], 5 * kMiB, static_cast<unsigned>(i));
            EXPECT_EQ(consumer.texts().back(), "next");
        },
        [](ComchEnd &own, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            for (unsigned i = 0; i < 3; ++i)
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer, i), DOCA_SUCCESS);
            for (int turn = 0; turn < 100; ++turn)
                (void)producer.progress();

            EXPECT_EQ(producer.stop(), DOCA_ERROR_IN_PROGRESS);

            line.send("stopping");
            EXPECT_TRUE(producer.reaches(DOCA_CTX_STATE_IDLE));
            bool has_sent_one = false;
            EXPECT_EQ(producer.sends.size(), 3u);
            for (const SendEnd &end : producer.sends)
                if (end.status == DOCA_SUCCESS && end.number == 0)
                    has_sent_one = true;
                else
                    EXPECT_EQ(end.status, DOCA_ERROR_SHUTDOWN) << end.number;
            line.send_number(has_sent_one ? 1 : 0);
            ComchProducer other(own);
            must(other.start());
            EXPECT_EQ(other.send_and_wait("next", consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 4, .slot_len = 5 * kMiB}, {.num_tasks = 3, .slot_len = 5 * kMiB});
}
