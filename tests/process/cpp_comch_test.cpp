// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Servers, clients and control messages by the C++ layer, in two processes.

#include "support/cpp_pair.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

std::string read(doca::Executor &executor, doca::ComchConnection &connection)
{
    return std::string(executor.run(connection.receive()).text());
}

doca::Coroutine<> echo(doca::ComchConnection connection)
{
    while (true) {
        const auto message = co_await connection.receive(std::nothrow);
        if (!message) {
            EXPECT_EQ(message.code(), DOCA_ERROR_CONNECTION_RESET);
            break;
        }
        co_await connection.send(message->bytes());
    }
}

doca::Coroutine<> accept_and_echo(doca::Executor &executor, doca::ComchServer &server, int num)
{
    for (int i = 0; i < num; ++i)
        executor.spawn(echo(co_await server.accept()));
}

} // namespace

class CppComch : public testing::TestWithParam<doca::Wait> {};
INSTANTIATE_TEST_SUITE_P(Wait, CppComch, testing::Values(doca::Wait::polling, doca::Wait::epoll),
                         [](const auto &wait) {
                             return wait.param == doca::Wait::polling ? "polling" : "epoll";
                         });

TEST_P(CppComch, MessagesGoThereAndBack)
{
    on_both_sides(
        [](Line &) {
            DpuSide own(GetParam());
            own.executor.spawn(accept_and_echo(own.executor, own.server, 3));
            own.executor.run();
        },
        [](Line &) {
            HostSide own(GetParam());
            std::vector<std::optional<doca::ComchClient>> clients(3);
            for (auto &client : clients) {
                client.emplace(own.device, own.engine, kService);
                auto connection = own.executor.run(client->connect());
                for (const std::string text : {"a", "bc", "the third"}) {
                    own.executor.run(connection.send(text));
                    EXPECT_EQ(read(own.executor, connection), text);
                }
                const doca::ComchCounters counters = connection.counters();
                EXPECT_EQ(counters.sent_messages, 3u);
                EXPECT_EQ(counters.sent_bytes, 12u);
                EXPECT_EQ(counters.received_messages, 3u);
                EXPECT_EQ(counters.received_bytes, 12u);
            }
        });
}

TEST_P(CppComch, TheLastWordsComeBeforeTheLoss)
{
    on_both_sides(
        [](Line &) {
            DpuSide own(GetParam());
            auto connection = own.executor.run(own.server.accept());
            own.executor.run(connection.send("farewell"));
        },
        [](Line &) {
            HostSide own(GetParam());
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            EXPECT_EQ(read(own.executor, connection), "farewell");
            EXPECT_EQ(own.executor.run(connection.receive(std::nothrow)).code(),
                      DOCA_ERROR_CONNECTION_RESET);
            EXPECT_FALSE(connection.is_up());
            EXPECT_EQ(own.executor.run(connection.send(std::nothrow, "too late")).code(),
                      DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(connection.counters(std::nothrow).code(), DOCA_ERROR_NOT_CONNECTED);
            own.executor.run(client.idle());
            EXPECT_EQ(client.connection(std::nothrow).code(), DOCA_ERROR_NOT_CONNECTED);
        });
}

TEST_P(CppComch, MoreSendsThanTasksWaitAndKeepTheirOrder)
{
    static constexpr int kNum = 200;
    on_both_sides(
        [](Line &) {
            DpuSide own(GetParam(), {.recv_queue_size = 8});
            auto connection = own.executor.run(own.server.accept());
            for (int i = 0; i < kNum; ++i)
                EXPECT_EQ(read(own.executor, connection), std::to_string(i));
            own.executor.run(connection.send("all"));
        },
        [](Line &) {
            HostSide own(GetParam());
            doca::ComchClient client(own.device, own.engine, kService, {.num_sends = 2});
            auto connection = own.executor.run(client.connect());
            const auto send = [](doca::ComchConnection &to, int i) -> doca::Coroutine<> {
                const std::string text = std::to_string(i);
                co_await to.send(text);
            };
            for (int i = 0; i < kNum; ++i)
                own.executor.spawn(send(connection, i));
            own.executor.run();
            EXPECT_EQ(read(own.executor, connection), "all");
        });
}

TEST(CppComchCallbacks, MessagesAndSendsByCallback)
{
    on_both_sides(
        [](Line &line) {
            DpuSide own;
            auto connection = own.executor.run(own.server.accept());
            std::vector<std::string> texts;
            connection.on_message([&](std::span<const std::byte> bytes) {
                texts.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            });
            line.send("go on");
            while (texts.size() < 2)
                own.engine.progress();
            EXPECT_EQ(texts, (std::vector<std::string>{"one", "two"}));
            (void)line.wait();
        },
        [](Line &line) {
            HostSide own;
            doca::ComchClient client(own.device, own.engine, kService, {.num_sends = 2});
            auto connection = own.executor.run(client.connect());
            EXPECT_EQ(line.receive(), "go on");
            int num_ended = 0;
            for (const std::string_view text : {"one", "two"})
                connection.send(std::as_bytes(std::span(text)), [&](doca::result<void> end) {
                    EXPECT_TRUE(end);
                    ++num_ended;
                });
            EXPECT_EQ(
                connection
                    .send(std::nothrow, std::span<const std::byte>(), [](doca::result<void>) {})
                    .code(),
                DOCA_ERROR_NO_MEMORY);
            while (num_ended < 2)
                own.engine.progress();
        });
}

TEST(CppComchLife, AClientThatIsStoppedWhileItWaitsIsNotConnected)
{
    on_one_side("host", [] {
        HostSide own;
        doca::ComchClient client(own.device, own.engine, "nobody serves this");
        EXPECT_EQ(client.state(), DOCA_CTX_STATE_STARTING);
        EXPECT_EQ(client.connection(std::nothrow).code(), DOCA_ERROR_NOT_CONNECTED);
        EXPECT_FALSE(own.executor.run_until([&] { return client.is_running(); },
                                            std::chrono::milliseconds(20)));

        client.stop();

        EXPECT_EQ(own.executor.run(client.running(std::nothrow)).code(), DOCA_ERROR_NOT_CONNECTED);
        EXPECT_EQ(thrown_by([&] { (void)own.executor.run(client.connect()); }),
                  DOCA_ERROR_NOT_CONNECTED);
    });
}

TEST(CppComchLife, AcceptEndsWithItsServer)
{
    on_one_side("dpu", [] {
        DpuSide own;
        doca_error_t code = DOCA_SUCCESS;
        const auto wait = [](doca::ComchServer &server, doca_error_t &end) -> doca::Coroutine<> {
            end = (co_await server.accept(std::nothrow)).code();
        };
        own.executor.spawn(wait(own.server, code));

        own.server.stop();
        own.executor.run();

        EXPECT_EQ(code, DOCA_ERROR_SHUTDOWN);
    });
}

TEST(CppComchLife, AServerIsMadeOnTheDpuAndForOneName)
{
    on_one_side("dpu", [] {
        DpuSide own;
        EXPECT_EQ(doca::ComchServer::create(std::nothrow, own.device, own.representor, own.engine,
                                            kService)
                      .code(),
                  DOCA_ERROR_ALREADY_EXIST);
        EXPECT_EQ(doca::ComchServer::create(std::nothrow, own.device, own.representor, own.engine,
                                            "other", {.max_msg_size = 1u << 20})
                      .failure()
                      .call,
                  std::string_view("doca_comch_server_set_max_msg_size"));
        EXPECT_NE(doca::ComchClient::create(std::nothrow, own.device, own.engine, "other").code(),
                  DOCA_SUCCESS);
    });
}

TEST(CppComchLife, AServerDisconnectsOneClientAndServesTheOther)
{
    on_both_sides(
        [](Line &) {
            DpuSide own;
            auto first = own.executor.run(own.server.accept());
            auto second = own.executor.run(own.server.accept());
            own.server.disconnect(first);
            EXPECT_FALSE(first.is_up());
            EXPECT_EQ(own.server.disconnect(std::nothrow, first).code(), DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(read(own.executor, second), "still here");
        },
        [](Line &) {
            HostSide own;
            doca::ComchClient first(own.device, own.engine, kService);
            auto to_be_cut = own.executor.run(first.connect());
            doca::ComchClient second(own.device, own.engine, kService);
            auto connection = own.executor.run(second.connect());
            EXPECT_EQ(own.executor.run(to_be_cut.receive(std::nothrow)).code(),
                      DOCA_ERROR_CONNECTION_RESET);
            own.executor.run(connection.send("still here"));
        });
}

TEST(CppComchLife, AServerStartsAgain)
{
    on_both_sides(
        [](Line &line) {
            DpuSide own;
            for (int i = 0; i < 3; ++i) {
                auto connection = own.executor.run(own.server.accept());
                EXPECT_EQ(read(own.executor, connection), "hello");
                own.server.stop();
                own.executor.run(own.server.idle());
                EXPECT_FALSE(connection.is_up());
                own.server.start();
                line.send("again");
            }
        },
        [](Line &line) {
            for (int i = 0; i < 3; ++i) {
                HostSide own;
                doca::ComchClient client(own.device, own.engine, kService);
                auto connection = own.executor.run(client.connect());
                own.executor.run(connection.send("hello"));
                EXPECT_EQ(line.receive(), "again");
            }
        });
}

TEST(CppComchLife, ObjectsAreDestroyedInAnyOrder)
{
    on_both_sides(
        [](Line &) {
            DpuSide own;
            auto connection = own.executor.run(own.server.accept());
            (void)own.executor.run(connection.receive(std::nothrow)); // until the client goes
        },
        [](Line &) {
            auto own = std::make_unique<HostSide>();
            auto client = std::make_unique<doca::ComchClient>(own->device, own->engine, kService);
            auto connection =
                std::make_unique<doca::ComchConnection>(own->executor.run(client->connect()));
            auto producer = std::make_unique<doca::ComchProducer>(*connection, own->engine);
            auto consumer = std::make_unique<doca::ComchConsumer>(*connection, own->engine);
            client.reset(); // it lives on for those two
            EXPECT_TRUE(connection->is_up());
            producer.reset();
            consumer.reset();
            EXPECT_FALSE(connection->is_up());
            own.reset();
            connection.reset();
        });
}

TEST(CppComchLife, AKilledPeerEndsEveryWait)
{
    on_stage([] {
        Process server("dpu", [](Line &line) {
            DpuSide own;
            auto connection = own.executor.run(own.server.accept());
            doca::ComchConsumer consumer(connection, own.engine, {.num_buffers = 1});
            own.executor.run(consumer.running());
            line.send("running");
            while (true)
                own.engine.progress();
        });
        Process client("host", [&](Line &line) {
            HostSide own;
            doca::ComchClient made(own.device, own.engine, kService);
            auto connection = own.executor.run(made.connect());
            doca::ComchProducer producer(connection, own.engine);
            doca::ComchConsumer consumer(connection, own.engine);
            own.executor.run(consumer.running());
            line.send("running");
            EXPECT_EQ(own.executor.run(consumer.receive(std::nothrow)).code(),
                      DOCA_ERROR_CONNECTION_RESET);
            EXPECT_EQ(own.executor.run(connection.receive(std::nothrow)).code(),
                      DOCA_ERROR_CONNECTION_RESET);
            own.executor.run(producer.idle());
        });
        EXPECT_EQ(server.line.receive(), "running");
        EXPECT_EQ(client.line.receive(), "running");
        server.kill();
        client.join();
    });
}

TEST(CppComchLife, WaitsEndWhenTheirObjectIsDestroyed)
{
    on_one_side("dpu", [] {
        const doca::Device device(std::string("03:00.0"));
        const doca::Representor representor(device, "3b:00.0");
        const doca::ProgressEngine engine;
        doca::Executor executor(engine);
        auto server = std::make_unique<doca::ComchServer>(device, representor, engine, kService);
        auto dma = std::make_unique<doca::Dma>(device, engine);
        doca_error_t accepted = DOCA_SUCCESS;
        bool is_idle = false;
        const auto accept = [](doca::ComchServer &by, doca_error_t &end) -> doca::Coroutine<> {
            end = (co_await by.accept(std::nothrow)).code();
        };
        const auto wait_for_idle = [](doca::Dma &context, bool &end) -> doca::Coroutine<> {
            co_await context.idle();
            end = true;
        };
        executor.spawn(accept(*server, accepted));
        executor.spawn(wait_for_idle(*dma, is_idle));

        server.reset();
        dma.reset();
        executor.run();

        EXPECT_EQ(accepted, DOCA_ERROR_SHUTDOWN);
        EXPECT_TRUE(is_idle);
    });
}

namespace {

doca::Coroutine<> send_noting(doca::ComchConnection &to, std::string text,
                              std::vector<doca_error_t> &codes)
{
    codes.push_back((co_await to.send(std::nothrow, text)).code());
}

} // namespace

TEST(CppComchLife, ASendThatWaitsForATaskEndsWithItsConnection)
{
    on_both_sides(
        [](Line &) {
            DpuSide own(doca::Wait::polling, {.num_sends = 1});
            auto connection = own.executor.run(own.server.accept());
            std::vector<doca_error_t> codes;
            for (const char *text : {"one", "two", "three"})
                own.executor.spawn(send_noting(connection, text, codes));
            own.server.disconnect(connection);
            own.executor.run();
            ASSERT_EQ(codes.size(), 3u);
            EXPECT_EQ(std::count(codes.begin(), codes.end(), DOCA_ERROR_CONNECTION_RESET), 2);
        },
        [](Line &) {
            HostSide own;
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            while (own.executor.run(connection.receive(std::nothrow)))
                continue;
        });
}

TEST(CppComchLife, ACallbackEndsItsOwnConnection)
{
    on_both_sides(
        [](Line &) {
            DpuSide own;
            auto connection =
                std::make_unique<doca::ComchConnection>(own.executor.run(own.server.accept()));
            std::string seen;
            connection->on_message([&](std::span<const std::byte> bytes) {
                own.server.disconnect(*connection);
                connection.reset();
                seen.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            });
            EXPECT_TRUE(
                own.executor.run_until([&] { return !seen.empty(); }, std::chrono::seconds(5)));
            EXPECT_EQ(seen, "hello");
        },
        [](Line &) {
            HostSide own;
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            own.executor.run(connection.send("hello"));
            EXPECT_EQ(own.executor.run(connection.receive(std::nothrow)).code(),
                      DOCA_ERROR_CONNECTION_RESET);
        });
}

TEST(CppComchLife, AMessageThatWasNotTakenGoesToTheNextWhoWaits)
{
    on_both_sides(
        [](Line &line) {
            DpuSide own;
            auto connection = own.executor.run(own.server.accept());
            const auto take = [](doca::ComchConnection &from) -> doca::Coroutine<std::string> {
                const auto message = co_await from.receive();
                co_return std::string(message.text());
            };
            auto second = take(connection);
            {
                auto first = take(connection);
                first.start();
                second.start();
                line.send("waiting");
                for (int i = 0; i < 1000 || !line.is_ready(); ++i)
                    own.engine.core()->turn(); // the first has its message and is not resumed
            }
            while (!second.is_done())
                own.engine.progress();
            EXPECT_EQ(second.take(), "one");
            (void)line.wait();
        },
        [](Line &line) {
            HostSide own;
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            EXPECT_EQ(line.receive(), "waiting");
            own.executor.run(connection.send("one"));
            line.send("sent");
            (void)own.executor.run(connection.receive(std::nothrow));
        });
}

TEST(CppComchLife, AClientIsMovedOrDestroyedWhileItConnects)
{
    on_one_side("host", [] {
        HostSide own;
        auto client =
            std::make_unique<doca::ComchClient>(own.device, own.engine, "nobody serves this");
        auto connecting = client->connect();
        connecting.start();
        auto moved = std::make_unique<doca::ComchClient>(std::move(*client));
        client.reset();
        EXPECT_FALSE(connecting.is_done());

        moved.reset();
        while (!connecting.is_done())
            own.engine.progress();

        EXPECT_EQ(thrown_by([&] { (void)connecting.take(); }), DOCA_ERROR_NOT_CONNECTED);
    });
}
