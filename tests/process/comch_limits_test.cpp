// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Sizes and numbers: what the capabilities say, and what happens at the limit and behind it.

#include "support/comch_pair.hpp"
#include "unit/common/in_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

using namespace softdoca::test;

namespace {

/// on_both_sides() in another world.
void on_both_sides_of(std::string_view world, const Part &server, const Part &client)
{
    const TopologyFile file(world);
    const auto in_world = [&](const Part &part) {
        return [&](Line &line) {
            ::setenv("SOFTDOCA_TOPOLOGY", file.path().c_str(), 1);
            part(line);
        };
    };
    on_both_sides(in_world(server), in_world(client));
}

std::uint32_t limit(doca_error_t (*get)(const doca_devinfo *, std::uint32_t *),
                    const doca_devinfo *info)
{
    std::uint32_t value = 0;
    EXPECT_EQ(get(info, &value), DOCA_SUCCESS);
    return value;
}

/// name, message, receive queue, send tasks, clients
std::vector<std::uint32_t> limits_of(const doca_devinfo *info)
{
    return {limit(doca_comch_cap_get_max_name_len, info),
            limit(doca_comch_cap_get_max_msg_size, info),
            limit(doca_comch_cap_get_max_recv_queue_size, info),
            limit(doca_comch_cap_get_max_send_tasks, info),
            limit(doca_comch_cap_get_max_clients, info)};
}

/// How a server or a client of that name is made.
doca_error_t create_code(const ComchEnd &own, const std::string &name)
{
    if (const auto *const server = dynamic_cast<const ComchServer *>(&own)) {
        Handle<doca_comch_server, doca_comch_server_destroy> another;
        return doca_comch_server_create(own.device, server->representor, name.c_str(),
                                        another.out());
    }
    Handle<doca_comch_client, doca_comch_client_destroy> another;
    return doca_comch_client_create(own.device, name.c_str(), another.out());
}

/// The sizes of a server or a client by one name.
struct Sizes {
    doca_error_t set_max_msg_size(std::uint32_t size) const
    {
        return server != nullptr ? doca_comch_server_set_max_msg_size(server, size)
                                 : doca_comch_client_set_max_msg_size(client, size);
    }
    doca_error_t set_recv_queue_size(std::uint32_t size) const
    {
        return server != nullptr ? doca_comch_server_set_recv_queue_size(server, size)
                                 : doca_comch_client_set_recv_queue_size(client, size);
    }
    std::uint32_t max_msg_size() const
    {
        std::uint32_t size = 0;
        EXPECT_EQ(server != nullptr ? doca_comch_server_get_max_msg_size(server, &size)
                                    : doca_comch_client_get_max_msg_size(client, &size),
                  DOCA_SUCCESS);
        return size;
    }
    std::uint32_t recv_queue_size() const
    {
        std::uint32_t size = 0;
        EXPECT_EQ(server != nullptr ? doca_comch_server_get_recv_queue_size(server, &size)
                                    : doca_comch_client_get_recv_queue_size(client, &size),
                  DOCA_SUCCESS);
        return size;
    }

    doca_comch_server *server = nullptr;
    doca_comch_client *client = nullptr;
};

Sizes sizes_of(const ComchEnd &own)
{
    if (const auto *const server = dynamic_cast<const ComchServer *>(&own))
        return {.server = server->server()};
    return {.client = dynamic_cast<const ComchClient &>(own).client()};
}

doca_error_t configure(const ComchEnd &own, std::uint32_t num_sends)
{
    if (const auto *const server = dynamic_cast<const ComchServer *>(&own))
        return server->configure(num_sends);
    return dynamic_cast<const ComchClient &>(own).configure(num_sends);
}

constexpr char kSmallWorld[] = "[[dpu]]\n"
                               "comch = { max_msg_size = 64, max_name_len = 8, "
                               "max_recv_queue_size = 3, max_send_tasks = 4, max_clients = 2 }\n"
                               "[[host]]\n";

} // namespace

TEST(ComchLimits, TheDefaultCapabilities)
{
    on_stage([] {
        const bool is_dpu = own_role() == "dpu";
        for (const doca_devinfo *info : DevinfoList()) {
            EXPECT_EQ(limits_of(info), (std::vector<std::uint32_t>{120, 4080, 8192, 8192, 512}));
            EXPECT_EQ(doca_comch_cap_server_is_supported(info),
                      is_dpu ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(doca_comch_cap_client_is_supported(info),
                      is_dpu ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS);
        }
    });
}

TEST(ComchLimits, TheCapabilitiesAreThoseOfTheTopology)
{
    const Part part = [](Line &) {
        const Device device;
        EXPECT_EQ(limits_of(device.info()), (std::vector<std::uint32_t>{8, 64, 3, 4, 2}));
    };
    on_both_sides_of(kSmallWorld, part, part);
}

TEST(ComchLimits, AFunctionWithoutComchSupportsNeither)
{
    const Part part = [](Line &) {
        for (const doca_devinfo *info : DevinfoList()) {
            EXPECT_EQ(doca_comch_cap_server_is_supported(info), DOCA_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(doca_comch_cap_client_is_supported(info), DOCA_ERROR_NOT_SUPPORTED);
        }
    };
    on_both_sides_of("[[dpu]]\ncomch = { supported = false }\n[[host]]\n", part, part);
}

TEST(ComchLimits, TheDefaultSizes)
{
    on_stage([] {
        const auto own = own_end();
        EXPECT_EQ(sizes_of(*own).max_msg_size(), 4080u);
        EXPECT_EQ(sizes_of(*own).recv_queue_size(), 64u);
    });
}

TEST(ComchLimits, TheSettersTakeUpToTheCapability)
{
    on_stage([] {
        const auto own = own_end();
        const Sizes sizes = sizes_of(*own);
        for (const std::uint32_t good : {1u, 100u, 4080u}) {
            EXPECT_EQ(sizes.set_max_msg_size(good), DOCA_SUCCESS);
            EXPECT_EQ(sizes.set_max_msg_size(0), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(sizes.set_max_msg_size(4081), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(sizes.max_msg_size(), good);
        }
        for (const std::uint32_t good : {1u, 100u, 8192u}) {
            EXPECT_EQ(sizes.set_recv_queue_size(good), DOCA_SUCCESS);
            EXPECT_EQ(sizes.set_recv_queue_size(0), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(sizes.set_recv_queue_size(8193), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(sizes.recv_queue_size(), good);
        }
        EXPECT_EQ(configure(*own, 8192), DOCA_SUCCESS);
        EXPECT_EQ(configure(*own, 0), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(configure(*own, 8193), DOCA_ERROR_INVALID_VALUE);
    });
}

TEST(ComchLimits, TheSettersObeyTheTopology)
{
    const Part part = [](Line &) {
        const auto own = own_end({.num_sends = 4});
        EXPECT_EQ(sizes_of(*own).max_msg_size(), 64u); // a default is no more than the limit
        EXPECT_EQ(sizes_of(*own).recv_queue_size(), 3u);
        EXPECT_EQ(sizes_of(*own).set_max_msg_size(65), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(sizes_of(*own).set_recv_queue_size(4), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(configure(*own, 5), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(create_code(*own, "1234567"), DOCA_SUCCESS);
        EXPECT_EQ(create_code(*own, "12345678"), DOCA_ERROR_INVALID_VALUE);
    };
    on_both_sides_of(kSmallWorld, part, part);
}

TEST(ComchLimits, ANameHasUpToTheCapabilityWithItsNul)
{
    on_stage([] {
        const auto own = own_end();
        EXPECT_EQ(create_code(*own, "a"), DOCA_SUCCESS);
        EXPECT_EQ(create_code(*own, std::string(119, 'a')), DOCA_SUCCESS);
        EXPECT_EQ(create_code(*own, std::string(120, 'a')), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(create_code(*own, std::string(4096, 'a')), DOCA_ERROR_INVALID_VALUE);
        EXPECT_EQ(create_code(*own, ""), DOCA_ERROR_INVALID_VALUE);
    });
}

/// Names of all kinds find each other, and each only its own.
TEST(ComchLimits, EveryNameIsItsOwnService)
{
    const std::vector<std::string> names = {std::string(119, 'a'),
                                            std::string(118, 'a') + "b",
                                            "/",
                                            "..",
                                            "a/b",
                                            "../x",
                                            "%s",
                                            "\x01",
                                            "\xff\xfe"};
    on_both_sides(
        [&](Line &line) {
            const Pe pe;
            std::deque<ComchServer> servers;
            for (const std::string &name : names)
                must(servers.emplace_back(ComchSettings{.name = name, .pe = pe}).start());
            servers.front().progress_until_told(line);
            for (const ComchServer &server : servers)
                EXPECT_EQ(server.texts(), (std::vector<std::string>{server.settings.name}));
        },
        [&](Line &line) {
            for (const std::string &name : names) {
                ComchClient own({.name = name});
                own.start_and_connect();
                EXPECT_EQ(own.send_and_wait(name), DOCA_SUCCESS);
            }
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchLimits, AMessageHasOneByteUpToTheOwnSize)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            EXPECT_EQ(own.try_send(""), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.try_send(random_text(101, 1)), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.try_send(random_text(4080, 1)), DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.send_and_wait(random_text(100, 1)), DOCA_SUCCESS);
            EXPECT_EQ(own.send_and_wait("x"), DOCA_SUCCESS);
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_TRUE(own.receives(2));
            (void)line.wait();
            EXPECT_EQ(own.texts(), (std::vector<std::string>{random_text(100, 1), "x"}));
        },
        {.max_msg_size = 100});
}

/// No failure to connect: the smaller size holds, in both directions.
TEST(ComchLimits, TheSidesMayDifferInTheirSizes)
{
    for (const bool is_server_larger : {true, false}) {
        const auto part = [](std::uint32_t size, std::uint32_t size_of_peer) {
            return [=](Line &line) {
                const auto own = own_end({.max_msg_size = size});
                own->start_and_connect();
                const std::uint32_t effective = std::min(size, size_of_peer);
                own->send(random_text(effective, 1), 0);
                if (size > size_of_peer)
                    own->send(random_text(effective + 1, 2), 1);
                own->send(random_text(effective, 3), 2);
                EXPECT_TRUE(own->receives(2));
                EXPECT_TRUE(own->ends_sends(size > size_of_peer ? 3 : 2));
                EXPECT_EQ(own->state(), DOCA_CTX_STATE_RUNNING);
                line.send("done");
                own->progress_until_told(line);

                std::vector<SendEnd> ends = {{0, DOCA_SUCCESS}, {2, DOCA_SUCCESS}};
                if (size > size_of_peer)
                    ends.insert(ends.begin() + 1, {1, DOCA_ERROR_INVALID_VALUE});
                EXPECT_EQ(own->sends, ends);
                EXPECT_EQ(own->texts(), (std::vector<std::string>{random_text(effective, 1),
                                                                  random_text(effective, 3)}));
            };
        };
        on_both_sides(is_server_larger ? part(4080, 1024) : part(1024, 4080),
                      is_server_larger ? part(1024, 4080) : part(4080, 1024));
    }
}

TEST(ComchLimits, TheSidesMayDifferInTheirQueues)
{
    constexpr std::size_t kNum = 300;
    const auto part = [](std::uint32_t size) {
        return [=](Line &line) {
            const auto own = own_end({.num_sends = 16, .recv_queue_size = size});
            own->start_and_connect();
            keep_sending(*own, kNum);
            EXPECT_TRUE(own->receives(kNum));
            EXPECT_TRUE(own->ends_sends(kNum));
            EXPECT_EQ(own->texts(), numbers(kNum));
            line.send("done");
            own->progress_until_told(line);
        };
    };
    on_both_sides(part(1), part(8192));
}

/// A pool holds exactly the configured number.
TEST(ComchLimits, AnEmptyPoolIsNoMemory)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            for (int i = 0; i < 3; ++i)
                own.send("x");
            EXPECT_EQ(own.try_send("x"), DOCA_ERROR_NO_MEMORY);
            EXPECT_TRUE(own.ends_sends(1));
            EXPECT_EQ(own.try_send("x"), DOCA_SUCCESS);
            EXPECT_TRUE(own.ends_sends(4));
        },
        only_waits, {.num_sends = 3});
}

TEST(ComchLimits, AsManySendTasksAsTheCapabilityAreInFlight)
{
    static constexpr std::uint32_t kNum = 8192;
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (std::uint32_t i = 0; i < kNum; ++i)
                own.send(std::to_string(i), i);
            EXPECT_EQ(own.num_inflight(), std::size_t{kNum});
            EXPECT_EQ(own.try_send("x"), DOCA_ERROR_NO_MEMORY);
            line.send("receive");
            EXPECT_TRUE(own.ends_sends(kNum));
            expect_all_sent(own, kNum);
            EXPECT_EQ(line.receive(), "compared");
        },
        [](ComchEnd &own, Line &line) {
            EXPECT_EQ(line.receive(), "receive");
            EXPECT_TRUE(own.receives(kNum));
            EXPECT_EQ(own.texts(), numbers(kNum));
            line.send("compared");
            (void)line.wait();
        },
        {.num_sends = kNum, .recv_queue_size = 1});
}

/// Without a configuration of send tasks an end can only listen.
TEST(ComchLimits, SendTasksAreOptional)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            doca_task *task = nullptr;
            EXPECT_NE(own.try_alloc(own.connection(), "x", 1, &task), DOCA_SUCCESS);
            EXPECT_EQ(task, nullptr);
            line.send("done");
            (void)line.wait();
        },
        only_waits, {.num_sends = 0});
}

/// The one too many goes back to IDLE, and may come again when there is room.
TEST(ComchLimits, ClientsBeyondTheLimitAreRefused)
{
    on_both_sides_of(
        kSmallWorld,
        [](Line &line) {
            ComchServer own({.num_sends = 4});
            must(own.start());
            EXPECT_TRUE(own.has_connections(2));
            EXPECT_TRUE(own.has_connections(1));
            line.send("there is room");
            own.progress_until_told(line);
            EXPECT_EQ(own.record(), (Record{"IDLE->RUNNING", "connect", "connect",
                                            "connect refused", "disconnect", "connect",
                                            "message still here", "message still here"}));
        },
        [](Line &line) {
            std::deque<ComchClient> clients;
            for (int i = 0; i < 3; ++i)
                clients.emplace_back(ComchSettings{.num_sends = 4});
            clients[0].start_and_connect();
            clients[1].start_and_connect();

            EXPECT_EQ(clients[2].start(), DOCA_ERROR_IN_PROGRESS);
            EXPECT_TRUE(clients[2].reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(clients[2].take(),
                      (Record{"IDLE->STARTING", "STARTING->STOPPING", "STOPPING->IDLE"}));

            (void)clients[0].stop();
            EXPECT_TRUE(clients[0].reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_EQ(line.receive(), "there is room");
            clients[2].start_and_connect();
            EXPECT_EQ(clients[1].send_and_wait("still here"), DOCA_SUCCESS);
            EXPECT_EQ(clients[2].send_and_wait("still here"), DOCA_SUCCESS);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchLimits, AsManyClientsAsTheCapabilityAreConnected)
{
    static constexpr std::size_t kNum = 512;
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            must(own.start());
            EXPECT_TRUE(own.has_connections(kNum));
            line.send("full");
            EXPECT_TRUE(own.receives(kNum));
            own.progress_until_told(line);
            EXPECT_EQ(std::count(own.record().begin(), own.record().end(), "connect refused"), 1);
        },
        [](Line &line) {
            const Pe pe;
            std::deque<ComchClient> clients;
            for (std::size_t i = 0; i < kNum; ++i)
                (void)clients.emplace_back(ComchSettings{.num_sends = 1, .pe = pe}).start();
            for (const ComchClient &client : clients)
                ASSERT_TRUE(client.connects());
            EXPECT_EQ(line.receive(), "full");
            for (ComchClient &client : clients)
                ASSERT_EQ(client.send_and_wait("hello"), DOCA_SUCCESS);

            ComchClient one_more;
            (void)one_more.start();
            EXPECT_TRUE(one_more.reaches(DOCA_CTX_STATE_IDLE));
            line.send("done");
            EXPECT_FALSE(line.wait());
        });
}

TEST(ComchLimits, AServiceHasOneServerForARepresentor)
{
    on_stage([] {
        Process other("dpu", [](Line &line) {
            EXPECT_EQ(line.receive(), "start");
            ComchServer own;
            EXPECT_EQ(own.start(), DOCA_ERROR_ALREADY_EXIST);
            EXPECT_EQ(own.state(), DOCA_CTX_STATE_IDLE);
            EXPECT_EQ(own.record(), Record());
            line.send("refused");
            EXPECT_EQ(line.receive(), "start");
            EXPECT_EQ(own.start(), DOCA_SUCCESS);
            EXPECT_TRUE(own.receives(1));
            line.send("received");
            (void)line.wait();
        });
        Process client("host", [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_EQ(own.send_and_wait("to the first"), DOCA_SUCCESS);
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            own.start_and_connect();
            EXPECT_EQ(own.send_and_wait("to the second"), DOCA_SUCCESS);
            (void)line.wait();
        });
        Process first("dpu", [](Line &line) {
            ComchServer own, same, longer({.name = "svc2"});
            own.start_and_connect();
            EXPECT_EQ(same.start(), DOCA_ERROR_ALREADY_EXIST); // also in one process
            EXPECT_EQ(same.state(), DOCA_CTX_STATE_IDLE);
            EXPECT_EQ(longer.start(), DOCA_SUCCESS);
            line.send("serving");
            EXPECT_EQ(line.receive(), "stop");
            EXPECT_TRUE(own.receives(1)); // nothing has happened to it
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            line.send("stopped");
            (void)line.wait();
        });
        EXPECT_EQ(first.line.receive(), "serving");
        other.line.send("start");
        EXPECT_EQ(other.line.receive(), "refused");
        first.line.send("stop");
        EXPECT_EQ(first.line.receive(), "stopped");
        other.line.send("start");
        EXPECT_EQ(other.line.receive(), "received");
    });
}

TEST(ComchLimits, OneNameServesManyRepresentors)
{
    on_both_sides(
        [](Line &line) {
            const Pe pe;
            ComchServer first({.pe = pe}), second({.pci_addr = second_device(), .pe = pe});
            must(first.start());
            must(second.start());
            EXPECT_TRUE(first.receives(1));
            EXPECT_TRUE(second.receives(1));
            first.progress_until_told(line);
            EXPECT_EQ(first.texts(), (std::vector<std::string>{"to the first"}));
            EXPECT_EQ(second.texts(), (std::vector<std::string>{"to the second"}));
        },
        [](Line &line) {
            ComchClient first, second({.pci_addr = second_device()});
            first.start_and_connect();
            second.start_and_connect();
            EXPECT_EQ(first.send_and_wait("to the first"), DOCA_SUCCESS);
            EXPECT_EQ(second.send_and_wait("to the second"), DOCA_SUCCESS);
            line.send("done");
            (void)line.wait();
        });
}
