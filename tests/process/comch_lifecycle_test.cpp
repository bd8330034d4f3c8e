// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Every call that a context's state decides about, in every state, for the four kinds of Comch
// contexts. A test is a column of such a table; its stage brings a context into the state for each
// of its lines.

#include "support/comch_pair.hpp"
#include "support/comch_scene.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

using namespace softdoca::test;

namespace {

using State = ComchState;

class DocaComchLifecycle : public testing::TestWithParam<State> {
protected:
    const State state_ = GetParam();
};

INSTANTIATE_TEST_SUITE_P(Columns, DocaComchLifecycle,
                         testing::Values(never_started, idle_again, starting, running, stopping),
                         [](const testing::TestParamInfo<State> &info) {
                             return std::string(kColumnNames[info.param]);
                         });

// The consumers and producers of a connected end.

struct ConsumerScene : ComchScene {
    static inline const ComchEnd *end;

    explicit ConsumerScene(State state) : consumer(*end, {.num_tasks = 2})
    {
        come_to(state, kInProgress);
    }
    ComchContext &context() override { return consumer; }
    const Device &device() override { return end->device; }
    doca_error_t alloc() override
    {
        doca_task *unused = nullptr;
        return consumer.try_alloc(consumer.memory.room(1), &unused);
    }
    doca_task *make_task() override
    {
        doca_task *made = nullptr;
        must(consumer.try_alloc(consumer.memory.room(0), &made));
        return made;
    }
    void free_task() override { consumer.free(task); }

    ComchConsumer consumer;
};

struct ProducerScene : ComchScene {
    static inline const ComchEnd *end;

    explicit ProducerScene(State state) : producer(*end, {.num_tasks = 2}) { come_to(state, kOk); }
    ComchContext &context() override { return producer; }
    const Device &device() override { return end->device; }
    doca_error_t alloc() override
    {
        doca_task *unused = nullptr;
        return producer.try_alloc(producer.memory.data(1, 1), {}, 1, &unused);
    }
    doca_task *make_task() override { return producer.task("hello", 1); }
    void free_task() override { producer.free(task); }

    ComchProducer producer;
};

void ignore_post(doca_comch_consumer_task_post_recv *, doca_data, doca_data) {}
void ignore_send(doca_comch_producer_task_send *, doca_data, doca_data) {}

const std::vector<Row<ConsumerScene>> kConsumerRows = {
    {"SetImmDataLen",
     [](ConsumerScene &s) {
         return doca_comch_consumer_set_imm_data_len(s.consumer.consumer(), 8);
     },
     kOnlyIdle},
    {"SetConf",
     [](ConsumerScene &s) {
         return doca_comch_consumer_task_post_recv_set_conf(s.consumer.consumer(), ignore_post,
                                                            ignore_post, 3);
     },
     kOnlyIdle},
    {"GetId",
     [](ConsumerScene &s) {
         std::uint32_t id = 0;
         return doca_comch_consumer_get_id(s.consumer.consumer(), &id);
     },
     kAlways, true},
    {"GetImmDataLen",
     [](ConsumerScene &s) {
         std::uint32_t len = 0;
         return doca_comch_consumer_get_imm_data_len(s.consumer.consumer(), &len);
     },
     kAlways, true},
    {"AllocInitOfNoBuffer",
     [](ConsumerScene &s) {
         doca_task *task = nullptr;
         return s.consumer.try_alloc(nullptr, &task);
     },
     kBadArgument},
    {"SetDevMaxNumRecv",
     [](ConsumerScene &s) {
         return doca_comch_consumer_set_dev_max_num_recv(s.consumer.consumer(), 1);
     },
     kNever},
};

const std::vector<Row<ProducerScene>> kProducerRows = {
    {"SetConf",
     [](ProducerScene &s) {
         return doca_comch_producer_task_send_set_conf(s.producer.producer(), ignore_send,
                                                       ignore_send, 3);
     },
     kOnlyIdle},
    {"GetId",
     [](ProducerScene &s) {
         std::uint32_t id = 0;
         return doca_comch_producer_get_id(s.producer.producer(), &id);
     },
     kAlways, true},
    {"AllocInitOfTooMuchImmediateData",
     [](ProducerScene &s) {
         doca_task *task = nullptr;
         return s.producer.try_alloc(nullptr, std::string(33, 'x'), 1, &task);
     },
     kBadArgument},
    {"SetDevMaxNumSend",
     [](ProducerScene &s) {
         return doca_comch_producer_set_dev_max_num_send(s.producer.producer(), 1);
     },
     kNever},
};

// Servers and clients. The peer is the other kind.

/// Their fixtures do not know tasks that are only allocated.
struct EndScene : ComchScene {
    void free_task() override
    {
        doca_task_free(task);
        tasks.erase(task);
    }
    /// Those in flight when they have ended.
    void free_tasks()
    {
        if (tasks.empty())
            return;
        context().frees_tasks = false;
        (void)context().stop();
        EXPECT_TRUE(context().progress_until([this] { return context().num_inflight() == 0; }));
        for (doca_task *each : tasks)
            doca_task_free(each);
    }

    std::unordered_set<doca_task *> tasks; // allocated, not freed
};

struct ServerScene : EndScene {
    ~ServerScene() override { free_tasks(); }
    explicit ServerScene(State state) { come_to(state, kOk); }
    ComchContext &context() override { return server; }
    const Device &device() override { return server.device; }
    doca_comch_server *raw() const { return server.server(); }
    doca_error_t alloc() override
    {
        doca_task *unused = nullptr;
        const doca_error_t result = server.try_alloc(client, "x", 1, &unused);
        if (result == DOCA_SUCCESS)
            tasks.insert(unused);
        return result;
    }
    void await_running() override
    {
        EXPECT_TRUE(server.has_connections(1));
        client = server.connection();
    }
    doca_task *make_task() override
    {
        doca_task *made = nullptr;
        must(server.try_alloc(client, "x", 1, &made));
        tasks.insert(made);
        return made;
    }

    ComchServer server{{.num_sends = 2}};
    doca_comch_connection *client = made_up<doca_comch_connection>();
};

struct ClientScene : EndScene {
    ~ClientScene() override { free_tasks(); }
    explicit ClientScene(State state) { come_to(state, kInProgress); }
    ComchContext &context() override { return client; }
    const Device &device() override { return client.device; }
    doca_comch_client *raw() const { return client.client(); }
    doca_error_t alloc() override
    {
        doca_task *unused = nullptr;
        const doca_error_t result = client.try_alloc(server, "x", 1, &unused);
        if (result == DOCA_SUCCESS)
            tasks.insert(unused);
        return result;
    }
    void await_running() override
    {
        EXPECT_TRUE(client.connects());
        server = client.connection();
    }
    doca_task *make_task() override
    {
        doca_task *made = nullptr;
        must(client.try_alloc(server, "x", 1, &made));
        tasks.insert(made);
        return made;
    }

    ComchClient client{{.num_sends = 2}};
    doca_comch_connection *server = made_up<doca_comch_connection>();
};

void ignore_sent(doca_comch_task_send *, doca_data, doca_data) {}

/// The calls that servers and clients have each in a form of its own.
template <typename T>
struct EndCalls {
    doca_error_t (*set_max_msg_size)(T *, std::uint32_t);
    doca_error_t (*get_max_msg_size)(const T *, std::uint32_t *);
    doca_error_t (*set_recv_queue_size)(T *, std::uint32_t);
    doca_error_t (*get_recv_queue_size)(const T *, std::uint32_t *);
    doca_error_t (*get_device)(const T *, doca_dev **);
    doca_error_t (*set_conf)(T *, doca_comch_task_send_completion_cb_t,
                             doca_comch_task_send_completion_cb_t, std::uint32_t);
    doca_error_t (*recv_register)(T *, doca_comch_event_msg_recv_cb_t);
    doca_error_t (*consumer_register)(T *, doca_comch_event_consumer_cb_t,
                                      doca_comch_event_consumer_cb_t);
};

template <typename Scene, typename Fixture, typename T>
std::vector<Row<Scene>> rows_of_end(const EndCalls<T> &calls)
{
    const auto get = [](auto call) {
        return [call](Scene &s) {
            std::uint32_t value = 0;
            return call(s.raw(), &value);
        };
    };
    return {
        {"SetMaxMsgSize", [calls](Scene &s) { return calls.set_max_msg_size(s.raw(), 100); },
         kOnlyIdle},
        {"GetMaxMsgSize", get(calls.get_max_msg_size), kAlways, true},
        {"SetRecvQueueSize", [calls](Scene &s) { return calls.set_recv_queue_size(s.raw(), 100); },
         kOnlyIdle},
        {"GetRecvQueueSize", get(calls.get_recv_queue_size), kAlways, true},
        {"GetDevice",
         [calls](Scene &s) {
             doca_dev *dev = nullptr;
             return calls.get_device(s.raw(), &dev);
         },
         kAlways, true},
        {"SetConf",
         [calls](Scene &s) { return calls.set_conf(s.raw(), ignore_sent, ignore_sent, 3); },
         kOnlyIdle},
        {"MsgRecvRegister",
         [calls](Scene &s) { return calls.recv_register(s.raw(), Fixture::received); }, kOnlyIdle},
        {"ConsumerRegister",
         [calls](Scene &s) {
             return calls.consumer_register(s.raw(), Fixture::consumer_came,
                                            Fixture::consumer_expired);
         },
         kOnlyIdle},
    };
}

std::vector<Row<ServerScene>> server_rows()
{
    const std::vector<Row<ServerScene>> own = {
        {"GetDeviceRep",
         [](ServerScene &s) {
             doca_dev_rep *rep = nullptr;
             return doca_comch_server_get_device_rep(s.raw(), &rep);
         },
         kAlways, true},
        {"ConnectionStatusChangedRegister",
         [](ServerScene &s) {
             return doca_comch_server_event_connection_status_changed_register(
                 s.raw(), ComchServer::connected, ComchServer::disconnected);
         },
         kOnlyIdle},
        {"Disconnect",
         [](ServerScene &s) { return doca_comch_server_disconnect(s.raw(), s.client); },
         {kInvalid, kInvalid, Answer{}, kOk, Answer{}}},
    };
    return rows_of_end<ServerScene, ComchServer, doca_comch_server>({
               doca_comch_server_set_max_msg_size,
               doca_comch_server_get_max_msg_size,
               doca_comch_server_set_recv_queue_size,
               doca_comch_server_get_recv_queue_size,
               doca_comch_server_get_device,
               doca_comch_server_task_send_set_conf,
               doca_comch_server_event_msg_recv_register,
               doca_comch_server_event_consumer_register,
           }) +
           own;
}

std::vector<Row<ClientScene>> client_rows()
{
    const std::vector<Row<ClientScene>> own = {
        {"GetConnection",
         [](ClientScene &s) {
             doca_comch_connection *connection = nullptr;
             return doca_comch_client_get_connection(s.raw(), &connection);
         },
         {kBadState, kBadState, kBadState, kOk, Answer{}},
         true},
    };
    return rows_of_end<ClientScene, ComchClient, doca_comch_client>({
               doca_comch_client_set_max_msg_size,
               doca_comch_client_get_max_msg_size,
               doca_comch_client_set_recv_queue_size,
               doca_comch_client_get_recv_queue_size,
               doca_comch_client_get_device,
               doca_comch_client_task_send_set_conf,
               doca_comch_client_event_msg_recv_register,
               doca_comch_client_event_consumer_register,
           }) +
           own;
}

/// Connects to the server of each scene in turn.
void connect_again_and_again(Line &line)
{
    ComchClient client;
    while (!line.is_ready()) {
        EXPECT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
        (void)client.progress_until(
            [&] { return line.is_ready() || client.state() == DOCA_CTX_STATE_IDLE; },
            patience(std::chrono::seconds(60)));
    }
}

void serve(Line &line)
{
    const ComchServer server;
    must(server.start());
    server.progress_until_told(line);
}

} // namespace

TEST_P(DocaComchLifecycle, ConsumerAnswersAsTheTableSays)
{
    on_connected_ends(
        [this](ComchEnd &own, Line &) {
            ConsumerScene::end = &own;
            check_column(rows_of_any<ConsumerScene>(kInProgress) +
                             rows_of_task<ConsumerScene>(kOk) + kConsumerRows,
                         state_);
        },
        state_ == starting ? only_waits : serves);
}

TEST_P(DocaComchLifecycle, ProducerAnswersAsTheTableSays)
{
    if (state_ == starting)
        GTEST_SKIP() << "a producer starts at once";
    on_connected_ends(
        [this](ComchEnd &own, Line &) {
            ProducerScene::end = &own;
            check_column(rows_of_any<ProducerScene>(kOk) +
                             rows_of_task<ProducerScene>(DOCA_ERROR_NOT_CONNECTED) + kProducerRows,
                         state_);
        },
        serves);
}

TEST_P(DocaComchLifecycle, ServerAnswersAsTheTableSays)
{
    if (state_ == starting || own_role() != "dpu")
        GTEST_SKIP() << "a server starts at once, on the DPU";
    on_stage([this] {
        const Process client("host", connect_again_and_again);
        check_column(rows_of_any<ServerScene>(kOk) + rows_of_task<ServerScene>(kOk) + server_rows(),
                     state_);
    });
}

/// A client that has no server is STARTING.
TEST_P(DocaComchLifecycle, ClientAnswersAsTheTableSays)
{
    if (own_role() != "host")
        GTEST_SKIP() << "a client is on the host";
    on_stage([this] {
        std::optional<Process> server;
        if (state_ != starting)
            server.emplace("dpu", serve);
        check_column(rows_of_any<ClientScene>(kInProgress) + rows_of_task<ClientScene>(kOk) +
                         client_rows(),
                     state_);
    });
}
