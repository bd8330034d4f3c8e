// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Producers and consumers by the C++ layer, in two processes.

#include "call_counter.hpp"
#include "support/cpp_pair.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace softdoca::test;
namespace bench = softdoca::bench;

namespace {

/// A buffer that holds what it is told.
class Outbox {
public:
    explicit Outbox(const doca::Device &device, std::size_t len = 4096)
        : memory_(len), mmap_(device, memory_, DOCA_ACCESS_FLAG_PCI_READ_ONLY), inventory_(1),
          buffer(inventory_.by_data(mmap_, memory_))
    {
    }

    void hold(std::string_view text)
    {
        std::memcpy(memory_.data(), text.data(), text.size());
        buffer.set_data(std::span(memory_).first(text.size()));
    }
    void hold(std::uint64_t number)
    {
        hold({reinterpret_cast<const char *>(&number), sizeof(number)});
    }

private:
    std::vector<std::byte> memory_;
    doca::Mmap mmap_;
    doca::BufferInventory inventory_;

public:
    doca::Buffer buffer;
};

std::string text_of(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::uint64_t number_of(const doca::ComchReceived &message)
{
    std::uint64_t number = 0;
    std::memcpy(&number, message.bytes().data(), sizeof(number));
    return number;
}

doca::Coroutine<> receive_numbers(doca::ComchConsumer &consumer, std::uint64_t num)
{
    for (std::uint64_t i = 0; i < num; ++i)
        EXPECT_EQ(number_of(co_await consumer.receive()), i);
}

doca::Coroutine<> send_numbers(doca::ComchProducer &producer, std::uint32_t consumer,
                               Outbox &outbox, std::uint64_t num)
{
    for (std::uint64_t i = 0; i < num; ++i) {
        outbox.hold(i);
        co_await producer.send(consumer, outbox.buffer);
    }
}

using Part = std::function<void(HostSide &, doca::ComchConnection &, Line &)>;
using ServerPart = std::function<void(DpuSide &, doca::ComchConnection &, Line &)>;

void on_connection(const ServerPart &dpu, const Part &host, doca::Wait wait = doca::Wait::polling)
{
    on_both_sides(
        [&](Line &line) {
            DpuSide own(wait);
            auto connection = own.executor.run(own.server.accept());
            dpu(own, connection, line);
        },
        [&](Line &line) {
            HostSide own(wait);
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            host(own, connection, line);
        });
}

/// Goes on turning until the peer has no more to do with us.
template <typename Side>
void meet(Side &own, doca::ComchConnection &connection)
{
    own.executor.run(connection.send("done"));
    (void)own.executor.run(connection.receive(std::nothrow));
}

} // namespace

class CppFastPath : public testing::TestWithParam<doca::Wait> {};
INSTANTIATE_TEST_SUITE_P(Wait, CppFastPath, testing::Values(doca::Wait::polling, doca::Wait::epoll),
                         [](const auto &wait) {
                             return wait.param == doca::Wait::polling ? "polling" : "epoll";
                         });

TEST_P(CppFastPath, MessagesArriveInOrderThoughThereIsOneBuffer)
{
    static constexpr std::uint64_t kNum = 300;
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchConsumer consumer(connection, own.engine,
                                         {.num_buffers = 1, .buffer_size = 64});
            own.executor.run(receive_numbers(consumer, kNum));
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchProducer producer(connection, own.engine, {.num_tasks = 4});
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            EXPECT_EQ(connection.consumers().size(), 1u);
            own.executor.run(send_numbers(producer, consumer, outbox, kNum));
            meet(own, connection);
        },
        GetParam());
}

TEST_P(CppFastPath, BothDirectionsAtOnce)
{
    static constexpr std::uint64_t kNum = 2000;
    const auto play = [](auto &own, doca::ComchConnection &connection, Line &) {
        doca::ComchConsumer consumer(connection, own.engine);
        doca::ComchProducer producer(connection, own.engine);
        Outbox outbox(own.device);
        const auto send = [](doca::ComchConnection &to, doca::ComchProducer &by, Outbox &from,
                             std::uint64_t num) -> doca::Coroutine<> {
            co_await send_numbers(by, co_await to.consumer(), from, num);
        };
        own.executor.spawn(receive_numbers(consumer, kNum));
        own.executor.spawn(send(connection, producer, outbox, kNum));
        own.executor.run();
        meet(own, connection);
    };
    on_connection(play, play, GetParam());
}

TEST(CppFastPathMessage, TellsItsImmediateDataAndItsProducer)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &line) {
            doca::ComchConsumer consumer(connection, own.engine, {.imm_data_len = 8});
            const auto with_data = own.executor.run(consumer.receive());
            EXPECT_EQ(text_of(with_data.bytes()), "data");
            EXPECT_EQ(text_of(with_data.imm()), "imm");
            const auto alone = own.executor.run(consumer.receive());
            EXPECT_EQ(alone.bytes().size(), 0u);
            EXPECT_EQ(text_of(alone.imm()), "alone");
            EXPECT_EQ(std::to_string(alone.producer()), line.receive());
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &line) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            outbox.hold("data");
            own.executor.run(
                producer.send(consumer, outbox.buffer, std::as_bytes(std::span("imm", 3))));
            own.executor.run(
                producer.send_immediate(consumer, std::as_bytes(std::span("alone", 5))));
            line.send(std::to_string(producer.id()));
            meet(own, connection);
        });
}

TEST(CppFastPathMessage, ThatDoesNotFitIsRefusedAndTheNextArrives)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchConsumer consumer(connection, own.engine,
                                         {.num_buffers = 2, .buffer_size = 16});
            EXPECT_EQ(text_of(own.executor.run(consumer.receive()).bytes()), "short");
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            outbox.hold("longer than sixteen bytes");
            EXPECT_EQ(own.executor.run(producer.send(std::nothrow, consumer, outbox.buffer)).code(),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.executor.run(producer.send(std::nothrow, 7777, outbox.buffer)).code(),
                      DOCA_ERROR_NOT_CONNECTED);
            outbox.hold("short");
            own.executor.run(producer.send(consumer, outbox.buffer));
            meet(own, connection);
        });
}

TEST(CppFastPathMessage, ThatIsKeptHoldsItsBuffer)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &line) {
            doca::ComchConsumer consumer(connection, own.engine, {.num_buffers = 1});
            std::optional<doca::ComchReceived> kept(own.executor.run(consumer.receive()));
            line.send("kept");
            EXPECT_EQ(line.receive(), "again"); // the producer finds no receive
            EXPECT_EQ(text_of(kept->bytes()), "first");
            kept.reset();
            EXPECT_EQ(text_of(own.executor.run(consumer.receive()).bytes()), "second");
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &line) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            outbox.hold("first");
            own.executor.run(producer.send(consumer, outbox.buffer));
            EXPECT_EQ(line.receive(), "kept");
            outbox.hold("second");
            EXPECT_EQ(
                producer.send(std::nothrow, consumer, outbox.buffer, {}, [](doca::result<void>) {})
                    .code(),
                DOCA_ERROR_AGAIN);
            line.send("again");
            own.executor.run(producer.send(consumer, outbox.buffer)); // waits
            meet(own, connection);
        });
}

TEST(CppFastPathMessage, ArrivesByCallbackInMemoryOfTheProgram)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            std::vector<std::byte> memory(4 * 64);
            doca::ComchConsumer consumer(connection, own.engine,
                                         {.num_buffers = 4, .buffer_size = 64, .memory = memory});
            std::vector<std::string> texts;
            consumer.on_message([&](doca::ComchReceived message) {
                EXPECT_GE(message.bytes().data(), memory.data());
                EXPECT_LT(message.bytes().data(), memory.data() + memory.size());
                texts.push_back(text_of(message.bytes()));
            });
            while (texts.size() < 6)
                own.engine.progress();
            EXPECT_EQ(texts.back(), "text 5");
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            for (int i = 0; i < 6; ++i) {
                outbox.hold("text " + std::to_string(i));
                own.executor.run(producer.send(consumer, outbox.buffer));
            }
            meet(own, connection);
        });
}

TEST(CppFastPathLife, AConsumerStopsAndStartsAgain)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchConsumer consumer(connection, own.engine);
            for (const char *text : {"one", "two", "three"}) {
                EXPECT_EQ(text_of(own.executor.run(consumer.receive()).bytes()), text);
                consumer.stop();
                EXPECT_EQ(own.executor.run(consumer.receive(std::nothrow)).code(),
                          DOCA_ERROR_SHUTDOWN);
                own.executor.run(consumer.idle());
                consumer.start();
            }
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            for (const char *text : {"one", "two", "three"}) {
                const std::uint32_t consumer = own.executor.run(connection.consumer());
                outbox.hold(std::string_view(text));
                own.executor.run(producer.send(consumer, outbox.buffer));
            }
            meet(own, connection);
        });
}

TEST(CppFastPathLife, ASendThatWaitsEndsWhenTheConsumerGoes)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &line) {
            {
                doca::ComchConsumer consumer(connection, own.engine, {.num_buffers = 1});
                const auto kept = own.executor.run(consumer.receive());
                line.send("kept");
                EXPECT_EQ(line.receive(), "waiting");
                consumer.stop(); // with the message, so that no receive is posted
                own.executor.run(consumer.idle());
            }
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &line) {
            doca::ComchProducer producer(connection, own.engine);
            Outbox outbox(own.device);
            const std::uint32_t consumer = own.executor.run(connection.consumer());
            outbox.hold("first");
            own.executor.run(producer.send(consumer, outbox.buffer));
            EXPECT_EQ(line.receive(), "kept");
            doca_error_t code = DOCA_SUCCESS;
            const auto send = [](doca::ComchProducer &by, std::uint32_t to, Outbox &from,
                                 doca_error_t &end) -> doca::Coroutine<> {
                end = (co_await by.send(std::nothrow, to, from.buffer)).code();
            };
            own.executor.spawn(send(producer, consumer, outbox, code));
            line.send("waiting");
            own.executor.run();
            EXPECT_EQ(code, DOCA_ERROR_NOT_CONNECTED);
            meet(own, connection);
        });
}

TEST(CppFastPathLife, IsMadeOfAConnectionThatIsUpAndOfSenseOnly)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) { meet(own, connection); },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            const auto consumer = [&](doca::ComchConsumerOptions options) {
                return doca::ComchConsumer::create(std::nothrow, connection, own.engine, options)
                    .code();
            };
            std::vector<std::byte> small(64);
            EXPECT_EQ(consumer({.num_buffers = 0}), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(consumer({.buffer_size = 0}), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(consumer({.num_buffers = 2, .buffer_size = SIZE_MAX}),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(consumer({.num_buffers = 2, .buffer_size = 64, .memory = small}),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(consumer({.imm_data_len = 1000}), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(doca::ComchProducer::create(std::nothrow, connection, own.engine,
                                                  {.num_tasks = 1u << 30})
                          .code(),
                      DOCA_ERROR_INVALID_VALUE);
            meet(own, connection);
            (void)own.executor.run(connection.receive(std::nothrow)); // until the server has gone
            EXPECT_EQ(doca::ComchProducer::create(std::nothrow, connection, own.engine).code(),
                      DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(consumer({}), DOCA_ERROR_NOT_CONNECTED);
        });
}

TEST(CppFastPathThreads, ConsumersAndProducersOnThreadsOfTheirOwn)
{
    static constexpr std::uint64_t kNum = 2000;
    const auto play = [](auto &own, doca::ComchConnection &connection, Line &) {
        std::atomic<std::uint32_t> peer{0};
        std::atomic<int> num_ended{0};
        std::thread consuming([&] {
            doca::ProgressEngine engine;
            doca::Executor executor(engine);
            doca::ComchConsumer consumer(connection, engine);
            executor.run(receive_numbers(consumer, kNum));
            ++num_ended;
        });
        std::thread producing([&] {
            doca::ProgressEngine engine;
            doca::Executor executor(engine);
            doca::ComchProducer producer(connection, engine);
            Outbox outbox(own.device);
            while (peer == 0)
                std::this_thread::yield();
            executor.run(send_numbers(producer, peer, outbox, kNum));
            ++num_ended;
        });
        peer = own.executor.run(connection.consumer());
        while (num_ended < 2)
            own.engine.progress();
        consuming.join();
        producing.join();
        meet(own, connection);
    };
    on_connection(play, play);
}

TEST(CppFastPathCount, AMessageCallsNothingSlow)
{
    if (const char *reason = bench::why_calls_are_not_counted(); reason != nullptr)
        GTEST_SKIP() << reason;
    static constexpr std::uint64_t kNum = 500;
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchConsumer consumer(connection, own.engine);
            for (int i = 0; i < 2; ++i) {
                own.executor.run(receive_numbers(consumer, kNum));
                own.executor.run(connection.send("go on"));
            }
            (void)own.executor.run(connection.receive(std::nothrow));
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            bench::run_watched([&] {
                doca::ComchProducer producer(connection, own.engine);
                Outbox outbox(own.device);
                const std::uint32_t consumer = own.executor.run(connection.consumer());
                const auto stream = [&] {
                    own.executor.run(send_numbers(producer, consumer, outbox, kNum));
                    (void)own.executor.run(connection.receive());
                };
                stream(); // whatever is done once is done here
                const bench::Calls calls = bench::count_calls(stream);
                EXPECT_EQ(calls.allocations, 0u);
                EXPECT_EQ(calls.locks, 0u);
            });
        });
}

TEST(CppFastPathLife, AReceiveEndsWhenItsConsumerIsDestroyed)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            auto consumer = std::make_unique<doca::ComchConsumer>(connection, own.engine);
            doca_error_t code = DOCA_SUCCESS;
            const auto receive = [](doca::ComchConsumer &from,
                                    doca_error_t &end) -> doca::Coroutine<> {
                end = (co_await from.receive(std::nothrow)).code();
            };
            own.executor.spawn(receive(*consumer, code));
            consumer.reset();
            own.executor.run();
            EXPECT_EQ(code, DOCA_ERROR_SHUTDOWN);
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) { meet(own, connection); });
}

TEST(CppFastPathLife, AConsumerWithACallbackIsDestroyedUnderTraffic)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            for (const bool is_inside : {false, true}) {
                auto consumer = std::make_unique<doca::ComchConsumer>(connection, own.engine);
                int num = 0;
                consumer->on_message([&](const doca::ComchReceived &) {
                    if (++num == 100 && is_inside)
                        consumer.reset();
                });
                EXPECT_TRUE(
                    own.executor.run_until([&] { return num >= 100; }, std::chrono::seconds(5)));
                consumer.reset();
            }
            own.executor.run(connection.send("enough"));
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) {
            doca::ComchProducer producer(connection, own.engine, {.num_tasks = 8});
            Outbox outbox(own.device);
            outbox.hold("traffic");
            for (int i = 0; i < 2; ++i) {
                const std::uint32_t consumer = own.executor.run(connection.consumer());
                while (own.executor.run(producer.send(std::nothrow, consumer, outbox.buffer)))
                    continue; // until the consumer has gone
            }
            EXPECT_EQ(own.executor.run(connection.receive()).text(), "enough");
            meet(own, connection);
        });
}

TEST(CppFastPathLife, AWaitThatComesTooLateEnds)
{
    on_connection(
        [](DpuSide &own, doca::ComchConnection &connection, Line &) {
            auto consumer = std::make_unique<doca::ComchConsumer>(connection, own.engine);
            auto receive = consumer->receive(std::nothrow);
            consumer.reset();
            const auto await = [](auto &late) -> doca::Coroutine<doca_error_t> {
                const auto end = co_await late;
                co_return end.code();
            };
            EXPECT_EQ(own.executor.run(await(receive)), DOCA_ERROR_SHUTDOWN);
            meet(own, connection);
        },
        [](HostSide &own, doca::ComchConnection &connection, Line &) { meet(own, connection); });
}
