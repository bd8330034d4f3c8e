// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The codes of the control path's calls: NULL for each pointer, arguments and states that do not
// do. Limits, lost peers and live consumers: in the tests of those.

#include "support/comch_pair.hpp"
#include "support/sdk_log.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace softdoca::test;

namespace {

using U32 = Untouched<std::uint32_t>;
using U64 = Untouched<std::uint64_t>;
using Send = Untouched<doca_comch_task_send *>;

#define EXPECT_INVALID(call) EXPECT_EQ(call, DOCA_ERROR_INVALID_VALUE)
#define EXPECT_BAD_STATE(call) EXPECT_EQ(call, DOCA_ERROR_BAD_STATE)

void on_send(doca_comch_task_send *, doca_data, doca_data) {}
void on_message(doca_comch_event_msg_recv *, std::uint8_t *, std::uint32_t, doca_comch_connection *)
{
}
void on_connection(doca_comch_event_connection_status_changed *, doca_comch_connection *,
                   std::uint8_t)
{
}
void on_consumer(doca_comch_event_consumer *, doca_comch_connection *, std::uint32_t) {}

/// What needs no connection, of a server.
void expect_null_refused(doca_comch_server *server)
{
    EXPECT_INVALID(doca_comch_server_destroy(nullptr));
    EXPECT_INVALID(doca_comch_server_set_max_msg_size(nullptr, 100));
    EXPECT_INVALID(doca_comch_server_get_max_msg_size(nullptr, U32()));
    EXPECT_INVALID(doca_comch_server_get_max_msg_size(server, nullptr));
    EXPECT_INVALID(doca_comch_server_set_recv_queue_size(nullptr, 100));
    EXPECT_INVALID(doca_comch_server_get_recv_queue_size(nullptr, U32()));
    EXPECT_INVALID(doca_comch_server_get_recv_queue_size(server, nullptr));
    EXPECT_INVALID(doca_comch_server_get_device(nullptr, Untouched<doca_dev *>()));
    EXPECT_INVALID(doca_comch_server_get_device(server, nullptr));
    EXPECT_INVALID(doca_comch_server_get_device_rep(nullptr, Untouched<doca_dev_rep *>()));
    EXPECT_INVALID(doca_comch_server_get_device_rep(server, nullptr));
    EXPECT_INVALID(doca_comch_server_task_send_set_conf(nullptr, on_send, on_send, 1));
    EXPECT_INVALID(doca_comch_server_task_send_set_conf(server, nullptr, on_send, 1));
    EXPECT_INVALID(doca_comch_server_task_send_set_conf(server, on_send, nullptr, 1));
    EXPECT_INVALID(doca_comch_server_event_msg_recv_register(nullptr, on_message));
    EXPECT_INVALID(doca_comch_server_event_msg_recv_register(server, nullptr));
    EXPECT_INVALID(doca_comch_server_event_connection_status_changed_register(
        nullptr, on_connection, on_connection));
    EXPECT_INVALID(
        doca_comch_server_event_connection_status_changed_register(server, nullptr, on_connection));
    EXPECT_INVALID(
        doca_comch_server_event_connection_status_changed_register(server, on_connection, nullptr));
    EXPECT_INVALID(doca_comch_server_event_consumer_register(nullptr, on_consumer, on_consumer));
    EXPECT_INVALID(doca_comch_server_event_consumer_register(server, nullptr, on_consumer));
    EXPECT_INVALID(doca_comch_server_event_consumer_register(server, on_consumer, nullptr));
    EXPECT_EQ(doca_comch_server_as_ctx(nullptr), nullptr);
}

void expect_null_refused(doca_comch_client *client)
{
    EXPECT_INVALID(doca_comch_client_destroy(nullptr));
    EXPECT_INVALID(doca_comch_client_set_max_msg_size(nullptr, 100));
    EXPECT_INVALID(doca_comch_client_get_max_msg_size(nullptr, U32()));
    EXPECT_INVALID(doca_comch_client_get_max_msg_size(client, nullptr));
    EXPECT_INVALID(doca_comch_client_set_recv_queue_size(nullptr, 100));
    EXPECT_INVALID(doca_comch_client_get_recv_queue_size(nullptr, U32()));
    EXPECT_INVALID(doca_comch_client_get_recv_queue_size(client, nullptr));
    EXPECT_INVALID(doca_comch_client_get_device(nullptr, Untouched<doca_dev *>()));
    EXPECT_INVALID(doca_comch_client_get_device(client, nullptr));
    EXPECT_INVALID(doca_comch_client_get_connection(nullptr, Untouched<doca_comch_connection *>()));
    EXPECT_INVALID(doca_comch_client_get_connection(client, nullptr));
    EXPECT_INVALID(doca_comch_client_task_send_set_conf(nullptr, on_send, on_send, 1));
    EXPECT_INVALID(doca_comch_client_task_send_set_conf(client, nullptr, on_send, 1));
    EXPECT_INVALID(doca_comch_client_task_send_set_conf(client, on_send, nullptr, 1));
    EXPECT_INVALID(doca_comch_client_event_msg_recv_register(nullptr, on_message));
    EXPECT_INVALID(doca_comch_client_event_msg_recv_register(client, nullptr));
    EXPECT_INVALID(doca_comch_client_event_consumer_register(nullptr, on_consumer, on_consumer));
    EXPECT_INVALID(doca_comch_client_event_consumer_register(client, nullptr, on_consumer));
    EXPECT_INVALID(doca_comch_client_event_consumer_register(client, on_consumer, nullptr));
    EXPECT_EQ(doca_comch_client_as_ctx(nullptr), nullptr);
}

/// What is fixed while a context is not IDLE.
void expect_fixed(const ComchServer &own)
{
    doca_comch_server *const server = own.server();
    EXPECT_BAD_STATE(doca_comch_server_set_max_msg_size(server, 100));
    EXPECT_BAD_STATE(doca_comch_server_set_recv_queue_size(server, 100));
    EXPECT_BAD_STATE(doca_comch_server_task_send_set_conf(server, on_send, on_send, 1));
    EXPECT_BAD_STATE(doca_comch_server_event_msg_recv_register(server, on_message));
    EXPECT_BAD_STATE(doca_comch_server_event_connection_status_changed_register(
        server, on_connection, on_connection));
    EXPECT_BAD_STATE(doca_comch_server_event_consumer_register(server, on_consumer, on_consumer));
    EXPECT_BAD_STATE(own.start());
    EXPECT_EQ(doca_comch_server_destroy(server), DOCA_ERROR_IN_USE);
}

void expect_fixed(const ComchClient &own)
{
    doca_comch_client *const client = own.client();
    EXPECT_BAD_STATE(doca_comch_client_set_max_msg_size(client, 100));
    EXPECT_BAD_STATE(doca_comch_client_set_recv_queue_size(client, 100));
    EXPECT_BAD_STATE(doca_comch_client_task_send_set_conf(client, on_send, on_send, 1));
    EXPECT_BAD_STATE(doca_comch_client_event_msg_recv_register(client, on_message));
    EXPECT_BAD_STATE(doca_comch_client_event_consumer_register(client, on_consumer, on_consumer));
    EXPECT_BAD_STATE(own.start());
    EXPECT_EQ(doca_comch_client_destroy(client), DOCA_ERROR_IN_USE);
}

void expect_fixed(const ComchEnd &own)
{
    if (const auto *const server = dynamic_cast<const ComchServer *>(&own))
        expect_fixed(*server);
    else
        expect_fixed(dynamic_cast<const ComchClient &>(own));
}

/// Getters answer in every state.
void expect_readable(const ComchEnd &own)
{
    std::uint32_t size = 0;
    doca_dev *dev = nullptr;
    if (const auto *const server = dynamic_cast<const ComchServer *>(&own)) {
        doca_dev_rep *rep = nullptr;
        EXPECT_EQ(doca_comch_server_get_max_msg_size(server->server(), &size), DOCA_SUCCESS);
        EXPECT_EQ(size, 4080u);
        EXPECT_EQ(doca_comch_server_get_recv_queue_size(server->server(), &size), DOCA_SUCCESS);
        EXPECT_EQ(doca_comch_server_get_device(server->server(), &dev), DOCA_SUCCESS);
        EXPECT_EQ(doca_comch_server_get_device_rep(server->server(), &rep), DOCA_SUCCESS);
        EXPECT_EQ(rep, server->representor.get());
    } else {
        doca_comch_client *const client = dynamic_cast<const ComchClient &>(own).client();
        EXPECT_EQ(doca_comch_client_get_max_msg_size(client, &size), DOCA_SUCCESS);
        EXPECT_EQ(size, 4080u);
        EXPECT_EQ(doca_comch_client_get_recv_queue_size(client, &size), DOCA_SUCCESS);
        EXPECT_EQ(doca_comch_client_get_device(client, &dev), DOCA_SUCCESS);
    }
    EXPECT_EQ(size, 64u);
    EXPECT_EQ(dev, own.device.get());
}

/// A program in C may give any number, which in C++ is undefined.
__attribute__((no_sanitize("undefined"))) doca_error_t
get_counter_as_in_c(const doca_comch_connection *connection, unsigned number, std::uint64_t *value)
{
    doca_comch_counter counter{};
    static_assert(sizeof counter == sizeof number);
    std::memcpy(&counter, &number, sizeof counter);
    return doca_comch_connection_get_counter(connection, counter, value);
}

doca_task *const kNoTask = nullptr;

} // namespace

TEST(ComchCodes, CapabilitiesOfNothing)
{
    on_stage([] {
        const Device device;
        doca_devinfo *const info = device.info();
        EXPECT_INVALID(doca_comch_cap_server_is_supported(nullptr));
        EXPECT_INVALID(doca_comch_cap_client_is_supported(nullptr));
        for (const auto get : {doca_comch_cap_get_max_name_len, doca_comch_cap_get_max_msg_size,
                               doca_comch_cap_get_max_recv_queue_size,
                               doca_comch_cap_get_max_clients, doca_comch_cap_get_max_send_tasks}) {
            EXPECT_INVALID(get(nullptr, U32()));
            EXPECT_INVALID(get(info, nullptr));
        }
    });
}

TEST(ComchCodes, CapabilitiesOfADestroyedList)
{
    on_stage([] {
        doca_devinfo *stale = nullptr;
        {
            const DevinfoList list;
            stale = list[0];
        }
        EXPECT_INVALID(doca_comch_cap_server_is_supported(stale));
        EXPECT_INVALID(doca_comch_cap_client_is_supported(stale));
        EXPECT_INVALID(doca_comch_cap_get_max_name_len(stale, U32()));
        EXPECT_INVALID(doca_comch_cap_get_max_msg_size(stale, U32()));
        EXPECT_INVALID(doca_comch_cap_get_max_recv_queue_size(stale, U32()));
        EXPECT_INVALID(doca_comch_cap_get_max_clients(stale, U32()));
        EXPECT_INVALID(doca_comch_cap_get_max_send_tasks(stale, U32()));
    });
}

/// Queries that only say "no" are no refusals.
TEST(ComchCodes, CapabilitiesSayNothingInTheLog)
{
    on_stage([] {
        const Device device;
        const SdkLog log;
        (void)doca_comch_cap_server_is_supported(device.info());
        (void)doca_comch_cap_client_is_supported(device.info());
        EXPECT_EQ(log.count({"[ERR]"}) + log.count({"[WRN]"}), 0);
    });
}

TEST(ComchCodes, NullForEachArgumentOfAServer)
{
    on_both_sides(
        [](Line &) {
            ComchServer own;
            using Server = Untouched<doca_comch_server *>;
            EXPECT_INVALID(doca_comch_server_create(nullptr, own.representor, "svc", Server()));
            EXPECT_INVALID(doca_comch_server_create(own.device, nullptr, "svc", Server()));
            EXPECT_INVALID(
                doca_comch_server_create(own.device, own.representor, nullptr, Server()));
            EXPECT_INVALID(doca_comch_server_create(own.device, own.representor, "svc", nullptr));
            EXPECT_INVALID(doca_comch_server_create(own.device, own.representor, "", Server()));
            expect_null_refused(own.server());
        },
        [](Line &) {});
}

TEST(ComchCodes, NullForEachArgumentOfAClient)
{
    on_both_sides([](Line &) {},
                  [](Line &) {
                      ComchClient own;
                      using Client = Untouched<doca_comch_client *>;
                      EXPECT_INVALID(doca_comch_client_create(nullptr, "svc", Client()));
                      EXPECT_INVALID(doca_comch_client_create(own.device, nullptr, Client()));
                      EXPECT_INVALID(doca_comch_client_create(own.device, "svc", nullptr));
                      EXPECT_INVALID(doca_comch_client_create(own.device, "", Client()));
                      expect_null_refused(own.client());
                  });
}

TEST(ComchCodes, NullForEachArgumentAboutAConnection)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            doca_comch_connection *const connection = own.connection();
            EXPECT_INVALID(doca_comch_connection_set_user_data(nullptr, {.u64 = 1}));
            EXPECT_EQ(doca_comch_connection_get_user_data(nullptr).u64, 0u);
            EXPECT_EQ(doca_comch_server_get_server_ctx(nullptr), nullptr);
            EXPECT_EQ(doca_comch_client_get_client_ctx(nullptr), nullptr);
            EXPECT_INVALID(doca_comch_connection_update_info(nullptr));
            EXPECT_INVALID(doca_comch_connection_get_counter(
                nullptr, DOCA_COMCH_COUNTER_SENT_MESSAGES, U64()));
            EXPECT_INVALID(doca_comch_connection_get_counter(
                connection, DOCA_COMCH_COUNTER_SENT_MESSAGES, nullptr));
            EXPECT_INVALID(get_counter_as_in_c(connection, 0, U64()));
            EXPECT_INVALID(get_counter_as_in_c(connection, 5, U64()));
            EXPECT_INVALID(get_counter_as_in_c(connection, ~0u, U64()));
            EXPECT_EQ(doca_comch_task_send_as_task(nullptr), kNoTask);

            if (const auto *const server = dynamic_cast<const ComchServer *>(&own)) {
                EXPECT_INVALID(doca_comch_server_disconnect(nullptr, connection));
                EXPECT_INVALID(doca_comch_server_disconnect(server->server(), nullptr));
            }
        },
        only_waits);
}

TEST(ComchCodes, NullForEachArgumentOfASend)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            doca_comch_connection *const connection = own.connection();
            if (const auto *const end = dynamic_cast<const ComchServer *>(&own)) {
                const auto alloc = doca_comch_server_task_send_alloc_init;
                EXPECT_INVALID(alloc(nullptr, connection, "x", 1, Send()));
                EXPECT_INVALID(alloc(end->server(), nullptr, "x", 1, Send()));
                EXPECT_INVALID(alloc(end->server(), connection, nullptr, 1, Send()));
                EXPECT_INVALID(alloc(end->server(), connection, "x", 0, Send()));
                EXPECT_INVALID(alloc(end->server(), connection, "x", 1, nullptr));
            } else {
                const auto alloc = doca_comch_client_task_send_alloc_init;
                doca_comch_client *const client = dynamic_cast<ComchClient &>(own).client();
                EXPECT_INVALID(alloc(nullptr, connection, "x", 1, Send()));
                EXPECT_INVALID(alloc(client, nullptr, "x", 1, Send()));
                EXPECT_INVALID(alloc(client, connection, nullptr, 1, Send()));
                EXPECT_INVALID(alloc(client, connection, "x", 0, Send()));
                EXPECT_INVALID(alloc(client, connection, "x", 1, nullptr));
            }
            EXPECT_EQ(own.send_and_wait("x"), DOCA_SUCCESS); // none of these has taken a task
        },
        only_waits, {.num_sends = 1});
}

/// The peer of a send is a connection of that very context.
TEST(ComchCodes, ASendToAConnectionOfAnotherContext)
{
    on_both_sides(
        [](Line &line) {
            ComchServer first, second({.name = "second"});
            first.start_and_connect();
            second.start_and_connect();
            EXPECT_INVALID(first.try_send("x", 0, second.connection()));
            EXPECT_INVALID(second.try_send("x", 0, first.connection()));
            line.send("done");
            first.progress_until_told(line);
        },
        [](Line &line) {
            ComchClient first, second({.name = "second"});
            first.start_and_connect();
            second.start_and_connect();
            EXPECT_INVALID(first.try_send("x", 0, second.connection()));
            EXPECT_INVALID(second.try_send("x", 0, first.connection()));
            EXPECT_EQ(line.receive(), "done");
        });
}

TEST(ComchCodes, AConfigurationIsFixedWhileTheContextIsNotIdle)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            expect_fixed(own);
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("x"), DOCA_SUCCESS);
            EXPECT_EQ(own.stop(), DOCA_ERROR_IN_PROGRESS);
            expect_fixed(own); // the task that is not freed holds it in STOPPING
            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        },
        only_waits);
}

TEST(ComchCodes, AConfigurationIsFixedWhileAClientWaits)
{
    on_both_sides([](Line &) {},
                  [](Line &) {
                      ComchClient own;
                      EXPECT_EQ(own.start(), DOCA_ERROR_IN_PROGRESS);
                      expect_fixed(own);
                      expect_readable(own);
                  });
}

TEST(ComchCodes, GettersAnswerInEveryState)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            expect_readable(own);
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("x"), DOCA_SUCCESS);
            (void)own.stop();
            expect_readable(own);
            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            expect_readable(own);
        },
        only_waits);
}

TEST(ComchCodes, ASendIsTakenInRunningOnly)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            doca_comch_connection *const connection = own.connection();
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("x"), DOCA_SUCCESS);
            (void)own.stop();
            EXPECT_BAD_STATE(own.try_send("x", 0, connection));
            own.free(own.tasks().front());
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
            EXPECT_BAD_STATE(own.try_send("x", 0, connection));
        },
        only_waits);
}

TEST(ComchCodes, StartWithoutAnEngine)
{
    on_both_sides(
        [](Line &) {
            const Device device;
            const Representor representor(device);
            Handle<doca_comch_server, doca_comch_server_destroy> server;
            must(doca_comch_server_create(device, representor, "svc", server.out()));
            EXPECT_EQ(doca_ctx_start(doca_comch_server_as_ctx(server)), DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(doca_ctx_stop(doca_comch_server_as_ctx(server)), DOCA_ERROR_NOT_CONNECTED);
        },
        [](Line &) {
            const Device device;
            Handle<doca_comch_client, doca_comch_client_destroy> client;
            must(doca_comch_client_create(device, "svc", client.out()));
            EXPECT_EQ(doca_ctx_start(doca_comch_client_as_ctx(client)), DOCA_ERROR_NOT_CONNECTED);
            EXPECT_EQ(doca_ctx_stop(doca_comch_client_as_ctx(client)), DOCA_ERROR_NOT_CONNECTED);
        });
}

/// The log names the call that is missing.
TEST(ComchCodes, StartOfAServerWithoutItsCallbacks)
{
    on_both_sides(
        [](Line &) {
            const Device device;
            const Representor representor(device);
            const Pe pe;
            Handle<doca_comch_server, doca_comch_server_destroy> server;
            must(doca_comch_server_create(device, representor, "svc", server.out()));
            doca_ctx *const ctx = doca_comch_server_as_ctx(server);
            must(doca_pe_connect_ctx(pe, ctx));
            const SdkLog log;

            must(doca_comch_server_event_connection_status_changed_register(server, on_connection,
                                                                            on_connection));
            EXPECT_INVALID(doca_ctx_start(ctx));
            EXPECT_EQ(log.count({"[ERR]", "doca_comch_server_event_msg_recv_register"}), 1);

            must(doca_comch_server_event_msg_recv_register(server, on_message));
            EXPECT_EQ(doca_ctx_start(ctx), DOCA_SUCCESS);
            EXPECT_EQ(doca_ctx_stop(ctx), DOCA_SUCCESS);
        },
        [](Line &) {});
}

TEST(ComchCodes, StartOfAServerWithoutConnectionCallbacks)
{
    on_both_sides(
        [](Line &) {
            const Device device;
            const Representor representor(device);
            const Pe pe;
            Handle<doca_comch_server, doca_comch_server_destroy> server;
            must(doca_comch_server_create(device, representor, "svc", server.out()));
            doca_ctx *const ctx = doca_comch_server_as_ctx(server);
            must(doca_pe_connect_ctx(pe, ctx));
            must(doca_comch_server_event_msg_recv_register(server, on_message));
            const SdkLog log;

            EXPECT_INVALID(doca_ctx_start(ctx));

            EXPECT_EQ(log.count({"[ERR]", "doca_comch_server_event_connection_status_changed"}), 1);
        },
        [](Line &) {});
}

TEST(ComchCodes, StartOfAClientWithoutItsCallback)
{
    on_both_sides(
        [](Line &) {},
        [](Line &) {
            const Device device;
            const Pe pe;
            Handle<doca_comch_client, doca_comch_client_destroy> client;
            must(doca_comch_client_create(device, "svc", client.out()));
            must(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
            const SdkLog log;

            EXPECT_INVALID(doca_ctx_start(doca_comch_client_as_ctx(client)));

            EXPECT_EQ(log.count({"[ERR]", "doca_comch_client_event_msg_recv_register"}), 1);
        });
}

/// A client is for hosts: on a DPU it does not start, if it can be made at all.
TEST(ComchCodes, AClientOnADpu)
{
    on_both_sides(
        [](Line &) {
            const Device device;
            const Pe pe;
            Handle<doca_comch_client, doca_comch_client_destroy> client;
            doca_error_t result = doca_comch_client_create(device, "svc", client.out());
            if (result == DOCA_SUCCESS) {
                must(doca_comch_client_event_msg_recv_register(client, on_message));
                must(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
                result = doca_ctx_start(doca_comch_client_as_ctx(client));
            }
            EXPECT_EQ(result, DOCA_ERROR_NOT_SUPPORTED);
        },
        [](Line &) {});
}
