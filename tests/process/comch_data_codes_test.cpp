// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The codes of calls on consumers and producers, each beside its cause. In which states each call
// is allowed, the lifecycle tests go through cell by cell.

#include "support/comch_stream.hpp"
#include "support/lifecycle_matrix.hpp"
#include "unit/codes/untouched.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <vector>

using namespace softdoca::test;

namespace {

using ConsumerHandle = Handle<doca_comch_consumer, doca_comch_consumer_destroy>;
using ProducerHandle = Handle<doca_comch_producer, doca_comch_producer_destroy>;
using NoConsumer = Untouched<doca_comch_consumer *>;
using NoProducer = Untouched<doca_comch_producer *>;
using NoPost = Untouched<doca_comch_consumer_task_post_recv *>;
using NoSend = Untouched<doca_comch_producer_task_send *>;
using NoNumber = Untouched<std::uint32_t>;
using Cap = doca_error_t (*)(const doca_devinfo *, std::uint32_t *);

constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
constexpr doca_error_t kNotSupported = DOCA_ERROR_NOT_SUPPORTED;
constexpr std::uint32_t kMaxTasks = 65'536;

std::uint32_t value_of(Cap cap, const doca_devinfo *info)
{
    std::uint32_t value = 0;
    EXPECT_EQ(cap(info, &value), DOCA_SUCCESS);
    return value;
}

void ignore_post(doca_comch_consumer_task_post_recv *, doca_data, doca_data) {}
void ignore_send(doca_comch_producer_task_send *, doca_data, doca_data) {}

using Body = std::function<void(ComchEnd &own)>;
/// A connected end, whose peer is only there.
void on_end(const Body &body)
{
    on_connected_ends([&](ComchEnd &own, Line &) { body(own); }, serves);
}

/// As a process of a role in the world of a topology file.
void in_world(const char *file, const char *role, const std::function<void()> &body)
{
    on_stage([&] {
        ::setenv("SOFTDOCA_TOPOLOGY", (std::string(TOPOLOGIES_DIR "/") + file).c_str(), 1);
        Process(role, [&](Line &) { body(); }).join();
    });
}

ComchMemory memory_for(const ComchEnd &own)
{
    return {own.device, Backing::plain, 1, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE};
}

} // namespace

TEST(DocaComchDataCodes, ConsumerCapabilities)
{
    on_stage([] {
        const Device device;
        EXPECT_EQ(doca_comch_consumer_cap_is_supported(device.info()), DOCA_SUCCESS);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_consumers, device.info()), 1024u);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_num_tasks, device.info()), kMaxTasks);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_buf_size, device.info()), 1u << 30);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_buf_list_len, device.info()), 1u);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_imm_data_len, device.info()), 32u);

        EXPECT_EQ(doca_comch_consumer_cap_is_supported(nullptr), kInvalid);
        for (const Cap cap :
             {doca_comch_consumer_cap_get_max_consumers, doca_comch_consumer_cap_get_max_num_tasks,
              doca_comch_consumer_cap_get_max_buf_size,
              doca_comch_consumer_cap_get_max_buf_list_len,
              doca_comch_consumer_cap_get_max_imm_data_len}) {
            EXPECT_EQ(cap(nullptr, NoNumber()), kInvalid);
            EXPECT_EQ(cap(device.info(), nullptr), kInvalid);
        }
    });
}

TEST(DocaComchDataCodes, ProducerCapabilities)
{
    on_stage([] {
        const Device device;
        EXPECT_EQ(doca_comch_producer_cap_is_supported(device.info()), DOCA_SUCCESS);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_producers, device.info()), 1024u);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_num_tasks, device.info()), kMaxTasks);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_buf_size, device.info()), 1u << 30);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_buf_list_len, device.info()), 1u);

        EXPECT_EQ(doca_comch_producer_cap_is_supported(nullptr), kInvalid);
        for (const Cap cap :
             {doca_comch_producer_cap_get_max_producers, doca_comch_producer_cap_get_max_num_tasks,
              doca_comch_producer_cap_get_max_buf_size,
              doca_comch_producer_cap_get_max_buf_list_len}) {
            EXPECT_EQ(cap(nullptr, NoNumber()), kInvalid);
            EXPECT_EQ(cap(device.info(), nullptr), kInvalid);
        }
    });
}

TEST(DocaComchDataCodes, CapabilitiesFollowTheTopology)
{
    in_world("small-limits.toml", "dpu", [] {
        const Device device;
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_consumers, device.info()), 2u);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_num_tasks, device.info()), 16u);
        EXPECT_EQ(value_of(doca_comch_consumer_cap_get_max_buf_size, device.info()), 65'536u);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_producers, device.info()), 2u);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_num_tasks, device.info()), 16u);
        EXPECT_EQ(value_of(doca_comch_producer_cap_get_max_buf_size, device.info()), 65'536u);
    });
}

TEST(DocaComchDataCodes, APlainCardHasNeither)
{
    in_world("functions.toml", "host", [] {
        const DevinfoList list;
        const doca_devinfo *const plain = list.find("5e:00.0");
        ASSERT_NE(plain, nullptr);
        EXPECT_EQ(doca_comch_consumer_cap_is_supported(plain), kNotSupported);
        EXPECT_EQ(doca_comch_consumer_cap_get_max_buf_size(plain, NoNumber()), kNotSupported);
        EXPECT_EQ(doca_comch_consumer_cap_get_max_buf_list_len(plain, NoNumber()), kNotSupported);
        EXPECT_EQ(doca_comch_producer_cap_is_supported(plain), kNotSupported);
        EXPECT_EQ(doca_comch_producer_cap_get_max_buf_size(plain, NoNumber()), kNotSupported);
        EXPECT_EQ(doca_comch_producer_cap_get_max_buf_list_len(plain, NoNumber()), kNotSupported);
    });
}

TEST(DocaComchDataCodes, CreateNeedsItsArguments)
{
    on_end([](ComchEnd &own) {
        const ComchMemory memory = memory_for(own);
        EXPECT_EQ(doca_comch_consumer_create(nullptr, memory.mmap, NoConsumer()), kInvalid);
        EXPECT_EQ(doca_comch_consumer_create(own.connection(), nullptr, NoConsumer()), kInvalid);
        EXPECT_EQ(doca_comch_consumer_create(own.connection(), memory.mmap, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_producer_create(nullptr, NoProducer()), kInvalid);
        EXPECT_EQ(doca_comch_producer_create(own.connection(), nullptr), kInvalid);
    });
}

TEST(DocaComchDataCodes, CreateNeedsAConnectionThatIsUp)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            const ComchMemory memory = memory_for(own);
            doca_comch_connection *const connection = own.connection();
            int num_tries = 0;
            const auto create_both = [&] {
                ++num_tries;
                EXPECT_EQ(doca_comch_consumer_create(connection, memory.mmap, NoConsumer()),
                          DOCA_ERROR_BAD_STATE);
                EXPECT_EQ(doca_comch_producer_create(connection, NoProducer()),
                          DOCA_ERROR_BAD_STATE);
            };
            // In the last callbacks in which the handle is valid.
            if (auto *const server = dynamic_cast<ComchServer *>(&own))
                server->on_disconnect = [&](doca_comch_connection *) { create_both(); };
            own.on_state = [&](doca_ctx_states, doca_ctx_states next) {
                if (next == DOCA_CTX_STATE_STOPPING)
                    create_both();
            };

            line.send("go");
            EXPECT_TRUE(own.progress_until([&] { return num_tries == 1; }));
        },
        only_waits);
}

TEST(DocaComchDataCodes, AConnectionHasIdsForSoManyOfEach)
{
    on_end([](ComchEnd &own) {
        const ComchMemory memory = memory_for(own);
        std::deque<ConsumerHandle> consumers;
        std::deque<ProducerHandle> producers;
        for (int i = 0; i < 1024; ++i) {
            must(doca_comch_consumer_create(own.connection(), memory.mmap,
                                            consumers.emplace_back().out()));
            must(doca_comch_producer_create(own.connection(), producers.emplace_back().out()));
        }

        EXPECT_EQ(doca_comch_consumer_create(own.connection(), memory.mmap, NoConsumer()),
                  DOCA_ERROR_NO_MEMORY);
        EXPECT_EQ(doca_comch_producer_create(own.connection(), NoProducer()), DOCA_ERROR_NO_MEMORY);

        consumers.pop_back();
        producers.pop_back();
        ConsumerHandle consumer;
        ProducerHandle producer;
        EXPECT_EQ(doca_comch_consumer_create(own.connection(), memory.mmap, consumer.out()),
                  DOCA_SUCCESS);
        EXPECT_EQ(doca_comch_producer_create(own.connection(), producer.out()), DOCA_SUCCESS);
    });
}

TEST(DocaComchDataCodes, DestroyNeedsIdle)
{
    on_end([](ComchEnd &own) {
        ComchConsumer consumer(own);
        ComchProducer producer(own);
        must(producer.start());
        EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

        EXPECT_EQ(doca_comch_consumer_destroy(nullptr), kInvalid);
        EXPECT_EQ(doca_comch_producer_destroy(nullptr), kInvalid);
        EXPECT_EQ(consumer.destroy(), DOCA_ERROR_IN_USE);
        EXPECT_EQ(producer.destroy(), DOCA_ERROR_IN_USE);
        EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_RUNNING));
        EXPECT_EQ(consumer.destroy(), DOCA_ERROR_IN_USE);
    });
}

TEST(DocaComchDataCodes, GettersNeedTheirArgumentsAndAnswerInEveryState)
{
    on_end([](ComchEnd &own) {
        ComchConsumer consumer(own, {.imm_data_len = 7});
        ComchProducer producer(own);
        const std::uint32_t consumer_id = consumer.id(), producer_id = producer.id();
        const auto expect_answers = [&](doca_ctx_states, doca_ctx_states) {
            std::uint32_t imm_data_len = 0;
            EXPECT_EQ(consumer.id(), consumer_id);
            EXPECT_EQ(producer.id(), producer_id);
            EXPECT_EQ(doca_comch_consumer_get_imm_data_len(consumer.consumer(), &imm_data_len),
                      DOCA_SUCCESS);
            EXPECT_EQ(imm_data_len, 7u);
        };
        consumer.on_state = producer.on_state = expect_answers;

        consumer.start_and_run();
        must(producer.start());
        (void)consumer.stop();
        EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
        EXPECT_EQ(producer.stop(), DOCA_SUCCESS);

        EXPECT_EQ(doca_comch_consumer_get_id(nullptr, NoNumber()), kInvalid);
        EXPECT_EQ(doca_comch_consumer_get_id(consumer.consumer(), nullptr), kInvalid);
        EXPECT_EQ(doca_comch_consumer_get_imm_data_len(nullptr, NoNumber()), kInvalid);
        EXPECT_EQ(doca_comch_consumer_get_imm_data_len(consumer.consumer(), nullptr), kInvalid);
        EXPECT_EQ(doca_comch_producer_get_id(nullptr, NoNumber()), kInvalid);
        EXPECT_EQ(doca_comch_producer_get_id(producer.producer(), nullptr), kInvalid);
        EXPECT_EQ(doca_comch_consumer_as_ctx(nullptr), nullptr);
        EXPECT_EQ(doca_comch_producer_as_ctx(nullptr), nullptr);
    });
}

TEST(DocaComchDataCodes, ConsumerSettersNeedIdleAndKnowTheirLimits)
{
    on_end([](ComchEnd &own) {
        ComchConsumer consumer(own);
        doca_comch_consumer *const raw = consumer.consumer();
        const auto set_conf = doca_comch_consumer_task_post_recv_set_conf;
        EXPECT_EQ(doca_comch_consumer_set_imm_data_len(nullptr, 1), kInvalid);
        EXPECT_EQ(doca_comch_consumer_set_imm_data_len(raw, 33), kInvalid);
        EXPECT_EQ(doca_comch_consumer_set_imm_data_len(raw, 32), DOCA_SUCCESS);
        EXPECT_EQ(set_conf(nullptr, ignore_post, ignore_post, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, nullptr, ignore_post, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_post, nullptr, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_post, ignore_post, 0), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_post, ignore_post, kMaxTasks + 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_post, ignore_post, kMaxTasks), DOCA_SUCCESS);
        must(consumer.configure(1));

        EXPECT_EQ(consumer.start(), DOCA_ERROR_IN_PROGRESS);

        EXPECT_EQ(doca_comch_consumer_set_imm_data_len(raw, 1), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(set_conf(raw, ignore_post, ignore_post, 1), DOCA_ERROR_BAD_STATE);
    });
}

TEST(DocaComchDataCodes, ProducerSettersNeedIdleAndKnowTheirLimits)
{
    on_end([](ComchEnd &own) {
        ComchProducer producer(own);
        doca_comch_producer *const raw = producer.producer();
        const auto set_conf = doca_comch_producer_task_send_set_conf;
        EXPECT_EQ(set_conf(nullptr, ignore_send, ignore_send, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, nullptr, ignore_send, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_send, nullptr, 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_send, ignore_send, 0), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_send, ignore_send, kMaxTasks + 1), kInvalid);
        EXPECT_EQ(set_conf(raw, ignore_send, ignore_send, kMaxTasks), DOCA_SUCCESS);
        must(producer.configure(1));

        must(producer.start());

        EXPECT_EQ(set_conf(raw, ignore_send, ignore_send, 1), DOCA_ERROR_BAD_STATE);
    });
}

TEST(DocaComchDataCodes, StartNeedsAConfigurationAndAnEngine)
{
    on_end([](ComchEnd &own) {
        const ComchMemory memory = memory_for(own);
        const Pe pe;
        ConsumerHandle consumer;
        ProducerHandle producer;
        must(doca_comch_consumer_create(own.connection(), memory.mmap, consumer.out()));
        must(doca_comch_producer_create(own.connection(), producer.out()));
        doca_ctx *const contexts[] = {doca_comch_consumer_as_ctx(consumer),
                                      doca_comch_producer_as_ctx(producer)};
        for (doca_ctx *ctx : contexts) {
            EXPECT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_NOT_CONNECTED);
            must(doca_pe_connect_ctx(pe, ctx));
            EXPECT_EQ(doca_ctx_start(ctx), kInvalid) << "nothing is configured";
        }

        ConsumerHandle without_engine;
        must(doca_comch_consumer_create(own.connection(), memory.mmap, without_engine.out()));
        must(doca_comch_consumer_task_post_recv_set_conf(without_engine, ignore_post, ignore_post,
                                                         1));
        EXPECT_EQ(doca_ctx_start(doca_comch_consumer_as_ctx(without_engine)),
                  DOCA_ERROR_NOT_CONNECTED);
    });
}

TEST(DocaComchDataCodes, PostRecvAllocInit)
{
    on_end([](ComchEnd &own) {
        ComchConsumer consumer(own, {.num_tasks = 2});
        doca_buf *const buf = consumer.memory.room(0);
        const auto alloc_init = doca_comch_consumer_task_post_recv_alloc_init;
        EXPECT_EQ(alloc_init(consumer.consumer(), buf, NoPost()), DOCA_ERROR_BAD_STATE);
        consumer.start_and_run();
        EXPECT_EQ(alloc_init(nullptr, buf, NoPost()), kInvalid);
        EXPECT_EQ(alloc_init(consumer.consumer(), nullptr, NoPost()), kInvalid);
        EXPECT_EQ(alloc_init(consumer.consumer(), buf, nullptr), kInvalid);

        doca_task *tasks[2];
        EXPECT_EQ(consumer.try_alloc(buf, &tasks[0]), DOCA_SUCCESS);
        EXPECT_EQ(consumer.try_alloc(buf, &tasks[1]), DOCA_SUCCESS);
        EXPECT_EQ(alloc_init(consumer.consumer(), buf, NoPost()), DOCA_ERROR_NO_MEMORY);
        consumer.free(tasks[0]);
        EXPECT_EQ(consumer.try_alloc(buf, &tasks[0]), DOCA_SUCCESS);

        EXPECT_EQ(consumer.stop(), DOCA_ERROR_IN_PROGRESS);
        EXPECT_EQ(alloc_init(consumer.consumer(), buf, NoPost()), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_comch_consumer_task_post_recv_as_task(nullptr), nullptr);
    });
}

TEST(DocaComchDataCodes, SendAllocInit)
{
    on_end([](ComchEnd &own) {
        ComchProducer producer(own, {.num_tasks = 2});
        const doca_buf *const buf = producer.memory.data(0, 1);
        std::uint8_t imm[33] = {};
        const auto alloc_init = doca_comch_producer_task_send_alloc_init;
        doca_comch_producer *const raw = producer.producer();
        EXPECT_EQ(alloc_init(raw, buf, nullptr, 0, 1, NoSend()), DOCA_ERROR_BAD_STATE);
        must(producer.start());
        EXPECT_EQ(alloc_init(nullptr, buf, nullptr, 0, 1, NoSend()), kInvalid);
        EXPECT_EQ(alloc_init(raw, buf, nullptr, 0, 1, nullptr), kInvalid);
        EXPECT_EQ(alloc_init(raw, buf, nullptr, 1, 1, NoSend()), kInvalid) << "no immediate data";
        EXPECT_EQ(alloc_init(raw, buf, imm, sizeof imm, 1, NoSend()), kInvalid);

        doca_task *tasks[2];
        EXPECT_EQ(producer.try_alloc(buf, {}, 1, &tasks[0]), DOCA_SUCCESS);
        EXPECT_EQ(producer.try_alloc(nullptr, "imm", 1, &tasks[1]), DOCA_SUCCESS);
        EXPECT_EQ(alloc_init(raw, buf, nullptr, 0, 1, NoSend()), DOCA_ERROR_NO_MEMORY);
        producer.free(tasks[0]);
        EXPECT_EQ(producer.try_alloc(buf, {}, 1, &tasks[0]), DOCA_SUCCESS);

        EXPECT_EQ(producer.stop(), DOCA_ERROR_IN_PROGRESS);
        EXPECT_EQ(alloc_init(raw, buf, nullptr, 0, 1, NoSend()), DOCA_ERROR_BAD_STATE);
        EXPECT_EQ(doca_comch_producer_task_send_as_task(nullptr), nullptr);
    });
}

/// With nothing beside the data the task says so.
TEST(DocaComchDataCodes, ACompletedReceiveTellsItsMessage)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &line) {
            static const doca_buf *posted;
            static std::uint64_t producer_id;
            static int num_received;
            (void)consumer.stop();
            EXPECT_TRUE(consumer.reaches(DOCA_CTX_STATE_IDLE));
            const auto received = [](doca_comch_consumer_task_post_recv *task, doca_data data,
                                     doca_data) {
                EXPECT_EQ(data.u64, 77u);
                EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), posted);
                EXPECT_EQ(doca_comch_consumer_task_post_recv_get_imm_data(task), nullptr);
                EXPECT_EQ(doca_comch_consumer_task_post_recv_get_imm_data_len(task), 0u);
                EXPECT_EQ(doca_comch_consumer_task_post_recv_get_producer_id(task), producer_id);
                doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
                ++num_received;
            };
            must(doca_comch_consumer_task_post_recv_set_conf(consumer.consumer(), received,
                                                             ignore_post, 1));
            consumer.start_and_run();
            doca_buf *const first = consumer.memory.room(0), *const second =
                                                                 consumer.memory.room(1);
            doca_comch_consumer_task_post_recv *task = nullptr;
            must(doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer(), first, &task));
            EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), first);
            doca_comch_consumer_task_post_recv_set_buf(task, second);
            posted = second;
            doca_task_set_user_data(doca_comch_consumer_task_post_recv_as_task(task), {.u64 = 77});
            producer_id = line.receive_number();
            must(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
            line.send_number(consumer.id());
            EXPECT_TRUE(consumer.progress_until([&] { return num_received == 1; }));
            EXPECT_EQ(view_of(second), "hello");
        },
        [](ComchEnd &own, ComchProducer &producer, std::uint32_t, Line &line) {
            line.send_number(producer.id());
            own.progress_until_told(line);
            EXPECT_EQ(producer.send_and_wait("hello", line.receive_number() & 0xffffffffu),
                      DOCA_SUCCESS);
        });
}

TEST(DocaComchDataCodes, ASendOfAListIsInvalid)
{
    on_fast_path(
        [](ComchEnd &, ComchConsumer &consumer, Line &) {
            consumer.post_all();
            EXPECT_TRUE(consumer.receives(1));
            EXPECT_EQ(consumer.texts(), (std::vector<std::string>{"hello"}));
        },
        [](ComchEnd &, ComchProducer &producer, std::uint32_t consumer, Line &) {
            EXPECT_EQ(producer.send_and_wait("hello", consumer), DOCA_SUCCESS);
            doca_buf *const list = producer.memory.data(1, 10);
            must(doca_buf_chain_list(list, producer.memory.data(2, 10)));
            doca_task *task = nullptr;
            must(producer.try_alloc(list, {}, consumer, &task));
            EXPECT_EQ(doca_task_try_submit(task), kInvalid);
            EXPECT_EQ(ComchProducer::submit(task), DOCA_SUCCESS);
            EXPECT_TRUE(producer.ends_sends(2));
            EXPECT_EQ(producer.sends.back().status, kInvalid);
        });
}

TEST(DocaComchDataCodes, ThereIsNoDpaForConsumersAndProducers)
{
    on_end([](ComchEnd &own) {
        ComchConsumer consumer(own);
        ComchProducer producer(own);
        doca_comch_consumer *const c = consumer.consumer();
        doca_comch_producer *const p = producer.producer();
        auto *const completion = made_up<doca_comch_consumer_completion>();
        using NoHandle = Untouched<std::uint64_t>;
        EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(c, 1), kNotSupported);
        EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(nullptr, 1), kInvalid);
        EXPECT_EQ(doca_comch_consumer_set_completion(c, completion, 0), kNotSupported);
        EXPECT_EQ(doca_comch_consumer_set_completion(nullptr, completion, 0), kInvalid);
        EXPECT_EQ(doca_comch_consumer_set_completion(c, nullptr, 0), kInvalid);
        EXPECT_EQ(doca_comch_consumer_get_dpa_handle(c, NoHandle()), kNotSupported);
        EXPECT_EQ(doca_comch_consumer_get_dpa_handle(nullptr, NoHandle()), kInvalid);
        EXPECT_EQ(doca_comch_consumer_get_dpa_handle(c, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(p, 1), kNotSupported);
        EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(nullptr, 1), kInvalid);
        auto *const dpa_completion = made_up<doca_dpa_completion>();
        EXPECT_EQ(doca_comch_producer_dpa_completion_attach(p, dpa_completion), kNotSupported);
        EXPECT_EQ(doca_comch_producer_dpa_completion_attach(nullptr, dpa_completion), kInvalid);
        EXPECT_EQ(doca_comch_producer_dpa_completion_attach(p, nullptr), kInvalid);
        EXPECT_EQ(doca_comch_producer_get_dpa_handle(p, NoHandle()), kNotSupported);
        EXPECT_EQ(doca_comch_producer_get_dpa_handle(nullptr, NoHandle()), kInvalid);
        EXPECT_EQ(doca_comch_producer_get_dpa_handle(p, nullptr), kInvalid);
    });
}
