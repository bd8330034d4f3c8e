// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Consumers: how they are made, start and stop, what the peer is told, and the receives that they
// post. The stage has the consumers.

#include "support/comch_stream.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

using ConsumerHandle = Handle<doca_comch_consumer, doca_comch_consumer_destroy>;
using NoConsumer = Untouched<doca_comch_consumer *>;

class DocaComchConsumerMemory : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchConsumerMemory, testing::ValuesIn(kAllBackings),
                         name_of_backing);

/// Until so many events have come.
void await_events(const ComchEnd &own, std::size_t num)
{
    EXPECT_TRUE(own.progress_until([&] { return own.consumer_events.size() >= num; }));
    ASSERT_EQ(own.consumer_events.size(), num);
}

std::uint32_t id_of(const doca_comch_consumer *consumer)
{
    std::uint32_t id = 0;
    EXPECT_EQ(doca_comch_consumer_get_id(consumer, &id), DOCA_SUCCESS);
    return id;
}

} // namespace

TEST(DocaComchConsumer, CreateNeedsMemoryThatThePeerMayWrite)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            for (const std::uint32_t permissions : {
                     std::uint32_t{DOCA_ACCESS_FLAG_LOCAL_READ_ONLY},
                     std::uint32_t{DOCA_ACCESS_FLAG_LOCAL_READ_WRITE},
                     std::uint32_t{DOCA_ACCESS_FLAG_PCI_READ_ONLY},
                     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                         std::uint32_t{DOCA_ACCESS_FLAG_PCI_READ_ONLY},
                 }) {
                const ComchMemory memory(own.device, Backing::plain, 1, 4096, permissions);

                EXPECT_EQ(doca_comch_consumer_create(own.connection(), memory.mmap, NoConsumer()),
                          DOCA_ERROR_NOT_PERMITTED)
                    << permissions;
            }
        },
        serves);
}

TEST(DocaComchConsumer, CreateNeedsMemoryOfTheConnectionsDevice)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            const Device second(second_device().c_str());
            const ComchMemory memory(second, Backing::plain, 1, 4096,
                                     DOCA_ACCESS_FLAG_PCI_READ_WRITE);

            EXPECT_EQ(doca_comch_consumer_create(own.connection(), memory.mmap, NoConsumer()),
                      DOCA_ERROR_INVALID_VALUE);
        },
        serves);
}

TEST(DocaComchConsumer, CreateNeedsAStartedMmap)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            const Memory memory(4096);
            const Mmap mmap;
            must(doca_mmap_set_memrange(mmap, memory.data(), memory.size()));
            must(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
            must(doca_mmap_add_dev(mmap, own.device));

            EXPECT_EQ(doca_comch_consumer_create(own.connection(), mmap, NoConsumer()),
                      DOCA_ERROR_INVALID_VALUE);
        },
        serves);
}

TEST(DocaComchConsumer, IdsAreUniqueAndNever0Nor0xFFFF)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            const ComchMemory memory(own.device, Backing::plain, 1, 4096,
                                     DOCA_ACCESS_FLAG_PCI_READ_WRITE);
            std::uint32_t num = 0;
            must(doca_comch_consumer_cap_get_max_consumers(own.device.info(), &num));
            std::deque<ConsumerHandle> consumers;
            std::set<std::uint32_t> ids;

            for (std::uint32_t i = 0; i < num; ++i) {
                must(doca_comch_consumer_create(own.connection(), memory.mmap,
                                                consumers.emplace_back().out()));
                ids.insert(id_of(consumers.back()));
            }

            EXPECT_EQ(ids.size(), num);
            EXPECT_FALSE(ids.contains(0));
            EXPECT_FALSE(ids.contains(0xFFFF));
        },
        serves);
}

/// As long as the program of the peer may have an old id in mind, no other consumer has it.
TEST(DocaComchConsumer, HoweverManyThereWereNoneIs0Or0xFFFF)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            constexpr std::uint32_t kMany = 0xFFFF + 100;
            const ComchMemory memory(own.device, Backing::plain, 1, 4096,
                                     DOCA_ACCESS_FLAG_PCI_READ_WRITE);
            std::uint32_t last = 0;

            for (std::uint32_t i = 0; i < kMany; ++i) {
                ConsumerHandle consumer;
                must(doca_comch_consumer_create(own.connection(), memory.mmap, consumer.out()));
                const std::uint32_t id = id_of(consumer);
                ASSERT_NE(id, 0u);
                ASSERT_NE(id, 0xFFFFu);
                ASSERT_NE(id, last);
                last = id;
            }
        },
        serves);
}

TEST(DocaComchConsumer, StartIsInProgressUntilThePeerProgresses)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);

            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_EQ(consumer.take(), (Record{"IDLE->STARTING"}));
            for (int turn = 0; turn < 1000; ++turn)
                ASSERT_EQ(consumer.progress() + own.progress(), 0);
            EXPECT_EQ(consumer.state(), DOCA_CTX_STATE_STARTING);
            line.send("progress");
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
            EXPECT_EQ(consumer.take(), (Record{"STARTING->RUNNING"}));
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "progress");
            serves(own, line);
        });
}

/// Nobody progresses the engine of the stage's server or client here.
TEST(DocaComchConsumer, StartNeedsNoProgressOfTheLocalControlEngine)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
        },
        serves);
}

/// A program that spins on its submits after the event progresses nothing any more.
TEST(DocaComchConsumer, TheAcknowledgementComesNoLaterThanTheNewConsumerEvent)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
            line.send_number(consumer.id());
            EXPECT_EQ(line.receive(), "announced");

            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));

            line.send("running");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(own.peer_consumer(), line.receive_number());
            line.send("announced"); // and not one progress more
            EXPECT_EQ(line.receive(), "running");
        });
}

TEST(DocaComchConsumer, TheNewConsumerEventWaitsForWhoProgressesLate)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer first(own), second(own), third(own);
            for (ComchConsumer *consumer : {&first, &second, &third}) {
                EXPECT_EQ(consumer->start(), DOCA_ERROR_IN_PROGRESS);
                line.send_number(consumer->id());
            }

            EXPECT_TRUE(progress_all_until({&first, &second, &third}, [&] {
                return first.state() == DOCA_CTX_STATE_RUNNING &&
                       second.state() == DOCA_CTX_STATE_RUNNING &&
                       third.state() == DOCA_CTX_STATE_RUNNING;
            }));
        },
        [](ComchEnd &own, Line &line) {
            std::vector<std::uint32_t> ids(3);
            for (std::uint32_t &id : ids)
                id = line.receive_number() & 0xffffffffu;

            await_events(own, 3);

            EXPECT_EQ(own.peer_consumers, ids);
            serves(own, line);
        });
}

TEST(DocaComchConsumer, StopNeedsNobodyElsesProgress)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, {.num_tasks = 2});
            consumer.start_and_run();
            consumer.post_all();
            EXPECT_EQ(line.receive(), "idle now");
            (void)consumer.take();

            EXPECT_EQ(consumer.stop(), DOCA_ERROR_IN_PROGRESS);

            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(consumer.take(), (Record{"RUNNING->STOPPING", "receive error SHUTDOWN",
                                               "receive error SHUTDOWN", "STOPPING->IDLE"}));
            line.send("stopped");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_NE(own.peer_consumer(), 0u);
            line.send("idle now");
            EXPECT_EQ(line.receive(), "stopped");
        });
}

TEST(DocaComchConsumer, StopInStartingPassesStopping)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

            const doca_error_t stopped = consumer.stop();

            EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(consumer.record(),
                      (Record{"IDLE->STARTING", "STARTING->STOPPING", "STOPPING->IDLE"}));
            own.send("after it");
            line.send("progress");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "progress");
            EXPECT_TRUE(own.receives(1));
            EXPECT_TRUE(own.peer_consumers.empty()) << "announced and not expired";
        });
}

TEST(DocaComchConsumer, RestartsAfterIdle)
{
    constexpr int kNumRounds = 3;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, {.num_tasks = 1});
            for (int round = 0; round < kNumRounds; ++round) {
                consumer.start_and_run();
                line.send_number(consumer.id());
                consumer.post_all();
                EXPECT_TRUE(consumer.receives(consumer.num_ended + 1));
                EXPECT_EQ(consumer.texts().size(), static_cast<std::size_t>(round) + 1);
                (void)consumer.stop();
                EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            }
            EXPECT_EQ(line.receive(), "all expired");
        },
        [](ComchEnd &own, Line &line) {
            ComchProducer producer(own);
            must(producer.start());
            for (int round = 0; round < kNumRounds; ++round) {
                const std::uint32_t consumer = own.peer_consumer();
                EXPECT_EQ(line.receive_number(), consumer);
                EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
                EXPECT_TRUE(own.progress_until([&] { return own.peer_consumers.empty(); }));
            }
            line.send("all expired");
        });
}

/// Consumer notices and messages are one sequence.
TEST(DocaComchConsumer, EventsAndMessagesKeepTheirOrder)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            own.send("before");
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
            own.send("between");
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
            (void)consumer.stop();
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            own.send("after");
            line.send_number(consumer.id());
            own.progress_until_told(line);
        },
        [](ComchEnd &own, Line &line) {
            (void)own.take();
            EXPECT_TRUE(own.receives(3));
            const std::string id = std::to_string(line.receive_number());
            EXPECT_EQ(own.take(), (Record{"message before", "new consumer " + id, "message between",
                                          "expired consumer " + id, "message after"}));
            line.send("seen");
        });
}

/// Not even in the callback that says that the last consumer is IDLE.
TEST(DocaComchConsumer, ItsServerOrClientCannotStopBeforeIt)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchConsumer consumer(own);
            consumer.start_and_run();
            (void)own.take();
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
            consumer.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_IDLE) {
                    EXPECT_EQ(own.stop(), DOCA_ERROR_IN_USE);
                }
            };
            (void)consumer.stop();
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            EXPECT_EQ(own.take(), Record{});

            EXPECT_EQ(consumer.destroy(), DOCA_SUCCESS);

            const doca_error_t stopped = own.stop();
            EXPECT_TRUE(stopped == DOCA_ERROR_IN_PROGRESS || stopped == DOCA_SUCCESS);
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        },
        serves);
}

/// Its memory must be the peer's to write and nothing more: no local right is needed.
TEST_P(DocaComchConsumerMemory, ReceivesAreTakenInTheOrderOfPosting)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            const std::vector<std::size_t> slots = {3, 0, 2, 1};
            for (const std::size_t slot : slots)
                consumer.post(slot);

            EXPECT_TRUE(consumer.receives(slots.size()));

            for (std::size_t i = 0; i < slots.size(); ++i) {
                EXPECT_EQ(consumer.receipts[i].slot, slots[i]);
                expect_bytes(consumer.receipts[i].data, 300, static_cast<unsigned>(i));
            }
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (unsigned i = 0; i < 4; ++i)
                EXPECT_EQ(producer.send_and_wait(random_text(300, i), consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 4, .backing = GetParam()});
}

TEST_P(DocaComchConsumerMemory, AMessageStandsBehindTheDataOfTheBuffer)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            std::byte *const slot = consumer.memory.slot(0);
            std::fill_n(slot, 4096, std::byte{0x5a});
            doca_buf *const buf = consumer.memory.room(0);
            must(doca_buf_set_data(buf, slot + 64, 36));
            doca_task *task = nullptr;
            must(consumer.try_alloc(buf, &task));

            must(doca_task_submit(task));

            EXPECT_TRUE(consumer.receives(1));
            const std::string_view data = view_of(buf);
            EXPECT_EQ(static_cast<const void *>(data.data()), slot + 64);
            EXPECT_EQ(data, std::string(36, 0x5a) + "the message");
            EXPECT_EQ(slot[100 + std::size("the message")], std::byte{0x5a});
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            EXPECT_EQ(producer.send_and_wait("the message", consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 1, .backing = GetParam()});
}

TEST_P(DocaComchConsumerMemory, ACompletedTaskIsPostedAgainInItsCallback)
{
    static constexpr std::uint32_t kNum = 200;
    const LenOf len_of = [](std::uint32_t number) { return kStampLen + number * 17 % 4000; };
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            Arrivals arrivals;
            receive_into(consumer, arrivals);
            consumer.post_all();

            EXPECT_TRUE(consumer.progress_until([&] { return arrivals.num() >= kNum; }));

            EXPECT_EQ(arrivals.num(), kNum);
        },
        [&](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            send_stream(producer, consumer, 1, kNum, len_of);
        },
        {.num_tasks = 2, .backing = GetParam()});
}

TEST(DocaComchConsumer, ABufferOfOtherMemoryCannotBePosted)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            ComchConsumer consumer(own);
            consumer.start_and_run();
            ComchMemory other(own.device, Backing::plain, 1, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

            EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(
                          consumer.consumer(), other.room(0),
                          Untouched<doca_comch_consumer_task_post_recv *>()),
                      DOCA_ERROR_INVALID_VALUE);
        },
        serves);
}

/// As a public application does at its end: buffers first, then their tasks. What a producer sends
/// there is lost, and the memory is left alone.
TEST_P(DocaComchConsumerMemory, ReceivesFreedWhilePostedAreWithdrawn)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            std::fill_n(consumer.memory.slot(0), consumer.memory.region.size(), std::byte{0x5a});
            consumer.post(0);
            consumer.post(1);
            for (doca_task *task : consumer.tasks())
                consumer.free(task);
            EXPECT_EQ(consumer.num_inflight(), 0u);
            line.send("withdrawn");
            EXPECT_EQ(line.receive(), "tried");
            for (int turn = 0; turn < 100; ++turn)
                EXPECT_EQ(consumer.progress(), 0);
            EXPECT_TRUE(std::all_of(consumer.memory.slot(0), consumer.memory.slot(2),
                                    [](std::byte byte) { return byte == std::byte{0x5a}; }));

            consumer.post(2);
            line.send("posted");

            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"received"}));
            EXPECT_EQ(consumer.receipts.front().slot, 2u);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &line) {
            EXPECT_EQ(line.receive(), "withdrawn");
            for (const std::size_t len : {100u, 3000u}) // either answer is right
                (void)producer.send(random_text(len, 0), consumer, 0, {}, Milliseconds(1));
            for (int turn = 0; turn < 10; ++turn)
                (void)producer.progress();
            line.send("tried");
            EXPECT_EQ(line.receive(), "posted");
            EXPECT_EQ(producer.send_and_wait("received", consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 3, .backing = GetParam()});
}

/// One task freed, the others stay in the queue.
TEST(DocaComchConsumer, AWithdrawnReceiveDoesNotHoldUpTheOthers)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            doca_task *freed = nullptr;
            must(consumer.try_alloc(consumer.memory.room(0), &freed));
            must(doca_task_submit(freed));
            consumer.post(1);
            consumer.post(2);
            consumer.free(freed);

            EXPECT_TRUE(consumer.receives(1));

            EXPECT_EQ(consumer.receipts.front().slot, 1u);
            EXPECT_EQ(consumer.num_inflight(), 1u);
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            for (int i = 0; i < 2; ++i) // the first may be dropped with the withdrawn receive
                EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
        },
        {.num_tasks = 3});
}
