// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Handles of what has ended, and objects in the child of the process that made them.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

#define EXPECT_REFUSED(call) EXPECT_EQ(call, DOCA_ERROR_BAD_STATE)

/// Runs the body in a child of a process that uses the library.
template <typename Body>
void in_child(const Body &body)
{
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0); // no destructors: the objects are not ours
    }
    int status = -1;
    EXPECT_TRUE(comes_true([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
}

/// All that a child may try on its parent's end.
void expect_refused_in_child(ComchEnd &own)
{
    doca_comch_connection *const connection = own.connection();
    doca_task *const task = own.tasks().front();
    in_child([&] {
        doca_comch_task_send *send = nullptr;
        EXPECT_EQ(doca_pe_progress(own.pe()), 0);
        EXPECT_REFUSED(doca_task_submit(task));
        EXPECT_REFUSED(doca_ctx_stop(own.ctx()));
        EXPECT_REFUSED(doca_comch_connection_set_user_data(connection, {.u64 = 1}));
        EXPECT_REFUSED(doca_comch_connection_update_info(connection));
        if (const auto *const end = dynamic_cast<const ComchServer *>(&own)) {
            EXPECT_REFUSED(
                doca_comch_server_task_send_alloc_init(end->server(), connection, "x", 1, &send));
            EXPECT_REFUSED(doca_comch_server_disconnect(end->server(), connection));
            EXPECT_REFUSED(doca_comch_server_destroy(end->server()));
        } else {
            doca_comch_client *const client = dynamic_cast<ComchClient &>(own).client();
            EXPECT_REFUSED(
                doca_comch_client_task_send_alloc_init(client, connection, "x", 1, &send));
            EXPECT_REFUSED(doca_comch_client_destroy(client));
        }
    });
}

void expect_goes_on(ComchEnd &own)
{
    const std::size_t num = own.num_messages + 1;
    EXPECT_EQ(own.send_and_wait("still here"), DOCA_SUCCESS);
    EXPECT_TRUE(own.receives(num));
}

/// A peer that answers each message.
void answers(ComchEnd &own, Line &line)
{
    own.on_message = [&](doca_comch_connection *from, std::uint8_t *, std::uint32_t) {
        EXPECT_EQ(own.try_send("answer", 0, from), DOCA_SUCCESS);
    };
    own.progress_until_told(line);
}

/// How many descriptors a program that this process starts has.
int num_inherited()
{
    const int status = std::system("exit $(ls /proc/self/fd | wc -l)");
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

} // namespace

TEST(ComchStale, AConnectionThatHasEndedIsNoneOfTheServer)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            doca_comch_connection *const connection = own.connection();
            own.on_disconnect = [&](doca_comch_connection *ended) {
                EXPECT_EQ(ended, connection); // valid until the callback returns
                EXPECT_EQ(doca_comch_server_get_server_ctx(ended), own.server());
                EXPECT_EQ(doca_comch_connection_get_user_data(ended).u64, 42u);
                EXPECT_EQ(own.try_send("x", 0, ended), DOCA_ERROR_INVALID_VALUE);
            };
            must(doca_comch_connection_set_user_data(connection, {.u64 = 42}));
            line.send("stop");
            EXPECT_TRUE(own.has_connections(0));

            EXPECT_EQ(doca_comch_server_disconnect(own.server(), connection),
                      DOCA_ERROR_INVALID_VALUE);
            EXPECT_EQ(own.try_send("x", 0, connection), DOCA_ERROR_INVALID_VALUE);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_EQ(line.receive(), "stop");
            (void)own.stop();
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));
        });
}

/// Its last counters can still be read.
TEST(ComchStale, AConnectionThatHasEndedHasNoNewCounters)
{
    on_both_sides(
        [](Line &line) {
            ComchServer own;
            own.start_and_connect();
            EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
            EXPECT_EQ(line.receive(), "stop");
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            EXPECT_TRUE(own.receives(1));
            doca_comch_connection *const connection = own.connection();
            EXPECT_EQ(own.counters(), (std::vector<std::uint64_t>{0, 0, 1, 5}));
            line.send("stop");
            EXPECT_TRUE(own.reaches(DOCA_CTX_STATE_IDLE));

            EXPECT_EQ(doca_comch_connection_update_info(connection), DOCA_ERROR_CONNECTION_ABORTED);
            std::uint64_t value = 0;
            EXPECT_EQ(doca_comch_connection_get_counter(connection, DOCA_COMCH_COUNTER_RECV_BYTES,
                                                        &value),
                      DOCA_SUCCESS);
            EXPECT_EQ(value, 5u);
        });
}

TEST(ComchFork, TheChildIsRefusedAndTheParentGoesOn)
{
    on_connected_ends(
        [](ComchEnd &own, Line &) {
            own.frees_tasks = false;
            EXPECT_EQ(own.send_and_wait("hello"), DOCA_SUCCESS);
            EXPECT_TRUE(own.receives(1));
            expect_refused_in_child(own);
            own.frees_tasks = true;
            expect_goes_on(own);
        },
        answers);
}

/// With something on its way in both directions.
TEST(ComchFork, AForkLosesNothing)
{
    on_connected_ends(
        [](ComchEnd &own, Line &line) {
            for (int i = 0; i < 20; ++i) {
                own.send("hello");
                if (i % 5 == 0)
                    in_child([] {});
            }
            EXPECT_TRUE(own.receives(20));
            EXPECT_TRUE(own.ends_sends(20));
            line.send("done");
        },
        answers, {.recv_queue_size = 2});
}

TEST(ComchFork, TheChildMakesAConnectionOfItsOwn)
{
    on_both_sides(
        [](Line &line) {
            const Pe pe;
            ComchServer first({.pe = pe}), second({.pci_addr = second_device(), .pe = pe});
            for (ComchServer *server : {&first, &second})
                server->on_message = [=](doca_comch_connection *from, std::uint8_t *,
                                         std::uint32_t) {
                    EXPECT_EQ(server->try_send("answer", 0, from), DOCA_SUCCESS);
                };
            must(first.start());
            must(second.start());
            first.progress_until_told(line);
            EXPECT_EQ(second.num_messages, 1u);
        },
        [](Line &line) {
            ComchClient own;
            own.start_and_connect();
            in_child([] {
                ComchClient childs({.pci_addr = second_device()}); // the first is the parent's
                childs.start_and_connect();
                expect_goes_on(childs);
                (void)childs.stop();
                EXPECT_TRUE(childs.reaches(DOCA_CTX_STATE_IDLE));
            });
            expect_goes_on(own);
            line.send("done");
            (void)line.wait();
        });
}

TEST(ComchFork, OtherProgramsInheritNothing)
{
    on_stage([] {
        Process peer(other_role(), [](Line &line) {
            const int before = num_inherited();
            const auto own = own_end();
            own->start_and_connect();
            EXPECT_EQ(num_inherited(), before);
            line.send("counted");
            answers(*own, line);
        });
        const auto own = own_end();
        own->start_and_connect();
        EXPECT_EQ(peer.line.receive(), "counted");
        expect_goes_on(*own);
    });
}
