// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Peers that are killed while their producers and consumers are at work: each task of the survivor
// ends once, its contexts end by themselves, nobody hangs, and others notice nothing.

#include "support/comch_stream.hpp"
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>

using namespace softdoca::test;

namespace {

/// Of the two ways that messages travel.
class DocaComchDataDeath : public testing::TestWithParam<Backing> {};
INSTANTIATE_TEST_SUITE_P(Memory, DocaComchDataDeath,
                         testing::Values(Backing::plain, Backing::shared), name_of_backing);

/// Slots, chunks, and many chunks.
std::size_t exchanged_len(std::uint32_t number)
{
    return number % 32 == 31 ? 250'000 : number % 8 == 7 ? 20'000 : kStampLen + number % 1000;
}

/// A consumer and a producer in one thread, which exchange messages with their like for ever.
class Exchange {
public:
    /// Consumer events before the first are not of this connection.
    Exchange(ComchEnd &own, doca_comch_connection *connection, Backing backing,
             std::size_t first_event = 0)
        : consumer(own, {.slot_len = 256 * kKiB, .backing = backing}, connection),
          producer(own, {.slot_len = 256 * kKiB}, connection), own_(own)
    {
        receive();
        must(producer.start());
        EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
        std::uint32_t peer = 0;
        const auto is_ready = [&] {
            for (std::size_t i = first_event; i < own.consumer_events.size(); ++i)
                if (own.consumer_events[i].connection == connection)
                    peer = own.consumer_events[i].id;
            return peer != 0 && consumer.state() == DOCA_CTX_STATE_RUNNING;
        };
        must(progress_all_until({&own, &consumer}, is_ready) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
        consumer.post_all();
        num_posts = consumer.settings.num_tasks;
        stream.emplace(producer, peer, 1, ~0u, exchanged_len);
        stream->sends.on_end = [](Stamp, doca_error_t status) {
            EXPECT_TRUE(status == DOCA_SUCCESS || status == DOCA_ERROR_CONNECTION_RESET)
                << doca_error_get_name(status);
        };
    }

    void step()
    {
        (void)own_.progress();
        (void)consumer.progress();
        stream->step();
    }
    bool is_over() const
    {
        return consumer.state() == DOCA_CTX_STATE_IDLE && producer.state() == DOCA_CTX_STATE_IDLE;
    }
    void expect_each_task_to_have_ended_once() const
    {
        EXPECT_EQ(consumer.num_ended, num_posts);
        EXPECT_EQ(producer.num_ended, stream->num_submitted());
        EXPECT_EQ(consumer.num_inflight() + producer.num_inflight(), 0u);
    }

    ComchConsumer consumer;
    ComchProducer producer;
    Arrivals arrivals;
    std::size_t num_posts = 0;
    std::optional<StreamSender> stream;

private:
    /// What ends well is posted again, as long as that is possible.
    void receive()
    {
        consumer.keeps = consumer.frees_tasks = producer.keeps = false;
        consumer.on_received = [this](doca_task *task, doca_buf *buf) {
            arrivals.take(view_of(buf));
            EXPECT_EQ(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
            if (doca_task_submit(task) == DOCA_SUCCESS)
                ++num_posts;
            else
                consumer.free(task);
        };
        consumer.on_failed = [this](doca_task *task, doca_error_t status) {
            EXPECT_EQ(status, DOCA_ERROR_CONNECTION_RESET);
            consumer.free(task);
        };
    }

    ComchEnd &own_;
};

/// What a peer does that exchanges until it is killed or the line is hung up.
Process::Body exchanger(const std::string &service, Backing backing)
{
    return [=](Line &line) {
        if (!line.wait())
            return;
        const auto own = own_end({.name = service});
        own->start_and_connect();
        Exchange exchange(*own, own->connection(), backing);
        while (!line.is_ready())
            exchange.step();
    };
}

/// Makes the server or client of the stage lose one peer after the other.
class Survivor {
public:
    explicit Survivor(Backing backing)
        : backing_(backing), bystander_(other_role(), exchanger(service_of_bystander(), backing))
    {
        for (int i = 0; i < kNumVictims; ++i)
            victims_.emplace_back(other_role(), exchanger("svc", backing));
    }

    void play()
    {
        own_ = own_end();
        bystander_.line.send("begin");
        if (!is_server())
            other_end_ = own_end({.name = service_of_bystander()});
        ComchEnd &with_bystander = is_server() ? *own_ : *other_end_;
        with_bystander.start_and_connect();
        Exchange undisturbed(with_bystander, with_bystander.connection(), backing_);
        for (Process &victim : victims_) {
            lose(victim, undisturbed);
            const std::uint64_t num = undisturbed.arrivals.num() + 20;
            EXPECT_TRUE(undisturbed.consumer.progress_until([&] {
                undisturbed.step();
                return undisturbed.arrivals.num() >= num;
            })) << "the other peer is disturbed";
            if (testing::Test::HasFailure())
                return;
        }
        bystander_.line.hang_up();
    }

private:
    static constexpr int kNumVictims = 10;

    static bool is_server() { return own_role() == "dpu"; }
    /// Another client of the same server; or the server of another client.
    static std::string service_of_bystander() { return is_server() ? "svc" : "bystander"; }

    void lose(Process &victim, Exchange &undisturbed)
    {
        const std::size_t first_event = own_->consumer_events.size();
        victim.line.send("begin");
        connect();
        {
            Exchange exchange(*own_, own_->connection(), backing_, first_event);
            const std::uint64_t num = random_() % 300;
            const std::chrono::microseconds delay(random_() % 2000);
            EXPECT_TRUE(exchange.consumer.progress_until([&] {
                exchange.step();
                undisturbed.step();
                return exchange.arrivals.num() >= num;
            }));
            Worker killer([&] {
                std::this_thread::sleep_for(delay);
                ::kill(victim.pid(), SIGKILL);
            });

            EXPECT_TRUE(exchange.consumer.progress_until(
                [&] {
                    exchange.step();
                    undisturbed.step();
                    return exchange.is_over();
                },
                patience(kSoon)))
                << "consumer in state " << exchange.consumer.state() << " with "
                << exchange.consumer.num_inflight() << " tasks, producer "
                << exchange.producer.state() << " with " << exchange.producer.num_inflight();

            killer.join();
            victim.kill(); // gone for certain
            exchange.expect_each_task_to_have_ended_once();
        }
        expect_to_have_lost_it();
    }

    void connect()
    {
        if (is_server()) {
            auto &server = static_cast<ComchServer &>(*own_);
            ++num_connections_;
            must(server.has_connections(2) ? DOCA_SUCCESS : DOCA_ERROR_TIME_OUT);
        } else {
            own_->start_and_connect();
        }
    }

    void expect_to_have_lost_it()
    {
        if (is_server()) {
            const auto &server = static_cast<const ComchServer &>(*own_);
            EXPECT_TRUE(server.has_connections(1));
            EXPECT_EQ(server.num_disconnects, num_connections_);
            EXPECT_EQ(server.state(), DOCA_CTX_STATE_RUNNING);
        } else {
            EXPECT_TRUE(own_->reaches(DOCA_CTX_STATE_IDLE));
        }
    }

    const Backing backing_;
    Process bystander_;
    std::deque<Process> victims_;
    std::mt19937 random_{17};
    std::size_t num_connections_ = 0; // with victims
    std::unique_ptr<ComchEnd> own_, other_end_;
};

using Stage = std::function<void(ComchEnd &own, Process &victim)>;
/// Two connected ends; the stage kills the other when that has done its part and says so.
void on_stage_with_victim(const Stage &stage, const EndPart &victim)
{
    on_stage([&] {
        Process peer(other_role(), [&](Line &line) {
            const auto own = own_end();
            own->start_and_connect();
            victim(*own, line);
            line.send("kill me");
            (void)line.wait();
        });
        const auto own = own_end();
        own->start_and_connect();
        stage(*own, peer);
        peer.kill();
    });
}

/// Until the other side has said so; what it needs for its part is progressed.
void kill_when_told(Process &victim, const ComchEnd &own)
{
    own.progress_until_told(victim.line);
    EXPECT_EQ(victim.line.receive(), "kill me");
    victim.kill();
}

/// They end by themselves, soon.
[[nodiscard]] bool end(std::initializer_list<const ComchContext *> contexts)
{
    return progress_all_until(
        contexts,
        [&] {
            return std::all_of(contexts.begin(), contexts.end(), [](const ComchContext *context) {
                return context->state() == DOCA_CTX_STATE_IDLE;
            });
        },
        patience(kSoon));
}

/// The same things, the transitions first and last.
void expect_end_of(Record record, std::size_t num_resets)
{
    ASSERT_EQ(record.size(), num_resets + 2);
    EXPECT_EQ(record.back(), "STOPPING->IDLE");
    EXPECT_EQ(std::count(record.begin(), record.end(), "RUNNING->STOPPING"), 1);
    EXPECT_EQ(std::count_if(record.begin(), record.end(),
                            [](const std::string &what) {
                                return what == "receive error CONNECTION_RESET" ||
                                       what == "send error CONNECTION_RESET";
                            }),
              static_cast<std::ptrdiff_t>(num_resets));
}

void nothing(ComchEnd &, Line &) {}

} // namespace

TEST_P(DocaComchDataDeath, KilledAtAnyMomentUnderTraffic)
{
    const int num_stages = num_rounds(1);
    for (int i = 0; i < num_stages && !HasFailure(); ++i)
        on_stage([] { Survivor(GetParam()).play(); });
}

TEST(DocaComchDataDeathOnce, ConsumersAndProducersEndByThemselvesAndTheClientAfterThem)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            ComchConsumer consumer(own, {.num_tasks = 2});
            ComchProducer producer(own);
            must(producer.start());
            consumer.start_and_run();
            consumer.post_all();
            (void)own.take(), (void)consumer.take(), (void)producer.take();

            kill_when_told(victim, own);

            EXPECT_TRUE(end({&consumer, &producer}));
            expect_end_of(consumer.take(), 2);
            expect_end_of(producer.take(), 0);
            const bool is_server = own_role() == "dpu";
            const Record last_word = {is_server ? "disconnect" : "RUNNING->STOPPING"};
            EXPECT_TRUE(own.progress_until([&] { return !own.record().empty(); }));
            for (int turn = 0; turn < 1000; ++turn)
                (void)own.progress();
            EXPECT_EQ(own.take(), last_word);
            EXPECT_EQ(consumer.destroy(), DOCA_SUCCESS);
            EXPECT_EQ(producer.destroy(), DOCA_SUCCESS);
            if (is_server) {
                EXPECT_EQ(own.state(), DOCA_CTX_STATE_RUNNING);
            } else {
                EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
                EXPECT_EQ(own.take(), (Record{"STOPPING->IDLE"}));
            }
        },
        [](ComchEnd &own, Line &) { EXPECT_NE(own.peer_consumer(), 0u); });
}

TEST(DocaComchDataDeathOnce, AConsumerInStartingEndsToo)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            ComchConsumer consumer(own);
            EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_EQ(victim.line.receive(), "kill me");

            victim.kill();

            EXPECT_TRUE(end({&consumer}));
            EXPECT_EQ(consumer.take(),
                      (Record{"IDLE->STARTING", "STARTING->STOPPING", "STOPPING->IDLE"}));
        },
        nothing);
}

/// It had told its producer so.
TEST_P(DocaComchDataDeath, WhatADeadPeerHasSentIsReceivedFirst)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            ComchConsumer consumer(own,
                                   {.num_tasks = 4, .slot_len = 256 * kKiB, .backing = GetParam()});
            consumer.start_and_run();
            consumer.post_all();

            kill_when_told(victim, own); // the consumer's engine has seen none of it

            EXPECT_TRUE(end({&consumer}));
            const std::vector<std::string> texts = consumer.texts();
            ASSERT_EQ(texts.size(), 3u);
            expect_bytes(texts[0], 100, 0);
            expect_bytes(texts[1], 3000, 1);
            expect_bytes(texts[2], 200'000, 2);
            EXPECT_EQ(consumer.receipts.size(), 4u);
            EXPECT_EQ(consumer.receipts.back().status, DOCA_ERROR_CONNECTION_RESET);
        },
        [](ComchEnd &own, Line &) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.slot_len = 256 * kKiB});
            must(producer.start());
            EXPECT_EQ(producer.send_and_wait(random_text(100, 0), consumer), DOCA_SUCCESS);
            EXPECT_EQ(producer.send_and_wait(random_text(3000, 1), consumer), DOCA_SUCCESS);
            EXPECT_EQ(producer.send_and_wait(random_text(200'000, 2), consumer), DOCA_SUCCESS);
        });
}

/// The producer has put a part of its message into the staging.
TEST(DocaComchDataDeathOnce, HalfAMessageIsNotReceived)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            ComchConsumer consumer(own, {.num_tasks = 2, .slot_len = 5 * kMiB});
            consumer.start_and_run();
            consumer.post_all();
            own.progress_until_told(victim.line);
            EXPECT_EQ(victim.line.receive(), "submitted");
            for (int turn = 0; turn < 100; ++turn)
                (void)consumer.progress();
            (void)consumer.take();

            victim.kill();

            EXPECT_TRUE(end({&consumer}));
            EXPECT_EQ(consumer.texts(), std::vector<std::string>{});
            expect_end_of(consumer.take(), 2);
        },
        [](ComchEnd &own, Line &line) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.num_tasks = 1, .slot_len = 5 * kMiB});
            must(producer.start());
            EXPECT_EQ(producer.send(random_text(5 * kMiB, 0), consumer), DOCA_SUCCESS);
            line.send("submitted");
            (void)line.wait();
        });
}

TEST(DocaComchDataDeathOnce, SendsToADeadConsumerAreReset)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own, {.num_tasks = 3, .slot_len = 5 * kMiB});
            must(producer.start());
            EXPECT_EQ(victim.line.receive(), "posted");
            for (unsigned i = 0; i < 3; ++i)
                EXPECT_EQ(producer.send(random_text(5 * kMiB, i), consumer, i), DOCA_SUCCESS);
            for (int turn = 0; turn < 100; ++turn)
                (void)producer.progress();
            (void)producer.take();

            victim.kill();

            EXPECT_TRUE(end({&producer}));
            expect_end_of(producer.take(), 3);
        },
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own, {.num_tasks = 3, .slot_len = 5 * kMiB});
            consumer.start_and_run();
            consumer.post_all();
            line.send("posted");
            (void)line.wait();
        });
}

/// A program that spins in a callback progresses nothing that could tell it.
TEST(DocaComchDataDeathOnce, SpinningOnSubmitEnds)
{
    on_stage_with_victim(
        [](ComchEnd &own, Process &victim) {
            const std::uint32_t consumer = own.peer_consumer();
            ComchProducer producer(own);
            must(producer.start());
            doca_task *const task = producer.task("hello", consumer);
            EXPECT_EQ(victim.line.receive(), "waiting");
            EXPECT_EQ(doca_task_submit(task), DOCA_ERROR_AGAIN);
            Worker killer([&] { victim.kill(); });

            EXPECT_EQ(ComchProducer::submit(task, patience(kSoon)), DOCA_ERROR_NOT_CONNECTED);

            EXPECT_EQ(producer.state(), DOCA_CTX_STATE_RUNNING) << "nobody has progressed";
            producer.free(task);
            EXPECT_TRUE(end({&producer}));
        },
        [](ComchEnd &own, Line &line) {
            ComchConsumer consumer(own);
            consumer.start_and_run(); // and posts nothing
            line.send("waiting");
            (void)line.wait();
        });
}

/// As in a debugger: it is slow, not gone.
TEST(DocaComchDataDeathOnce, AStoppedPeerIsNotLost)
{
    on_stage([] {
        Process peer(other_role(), exchanger("svc", Backing::plain));
        const auto own = own_end();
        peer.line.send("begin");
        own->start_and_connect();
        Exchange exchange(*own, own->connection(), Backing::plain);
        const auto goes_on = [&] {
            const std::uint64_t num = exchange.arrivals.num() + 50;
            return exchange.consumer.progress_until([&] {
                exchange.step();
                return exchange.arrivals.num() >= num;
            });
        };
        EXPECT_TRUE(goes_on());

        peer.pause();
        (void)exchange.consumer.progress_until(
            [&] {
                exchange.step();
                return exchange.is_over();
            },
            Milliseconds(1200));

        EXPECT_EQ(exchange.consumer.state(), DOCA_CTX_STATE_RUNNING);
        EXPECT_EQ(exchange.producer.state(), DOCA_CTX_STATE_RUNNING);
        EXPECT_EQ(own->state(), DOCA_CTX_STATE_RUNNING);
        peer.resume();
        EXPECT_TRUE(goes_on());
    });
}
