// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Memory runs out at each allocation in turn while the objects of a connection are made: each call
// fails, everything goes on, and nothing that was half made is met again.

#include "support/cpp_pair.hpp"
#include "unit/codes/failing_new.hpp"

#include <memory>
#include <new>
#include <string>

using namespace softdoca::test;

namespace {

/// Makes a T with memory that fails at each allocation in turn, and lets the engine turn after it.
/// Tells how often it failed.
template <typename T, typename... Args>
long make_with_failing_memory(doca::ProgressEngine &engine, Args &...args)
{
    { // what a process makes once is made here
        const T first(args...);
    }
    long num_failures = 0;
    for (long countdown = 0;; ++countdown) {
        std::unique_ptr<T> made;
        doca_error_t code = DOCA_SUCCESS;
        new_counts = {.countdown = countdown, .is_counting = true};
        try {
            made = std::make_unique<T>(args...);
        } catch (const doca::Error &error) {
            code = error.code();
        } catch (const std::bad_alloc &) {
            code = DOCA_ERROR_NO_MEMORY;
        }
        new_counts.is_counting = false;
        made.reset();
        for (int i = 0; i < 100; ++i)
            engine.progress();
        if (!new_counts.has_failed)
            return num_failures;
        ++num_failures;
        EXPECT_TRUE(code == DOCA_ERROR_NO_MEMORY || code == DOCA_ERROR_INITIALIZATION ||
                    code == DOCA_SUCCESS) // what can be done without
            << doca_error_get_name(code) << " at " << countdown;
    }
}

void make_all(const doca::ComchConnection &connection, doca::ProgressEngine &engine)
{
    EXPECT_GT(make_with_failing_memory<doca::ComchProducer>(engine, connection, engine), 3);
    EXPECT_GT(make_with_failing_memory<doca::ComchConsumer>(engine, connection, engine), 5);
}

} // namespace

TEST(CppPairAllocation, ConsumersAndProducersThatCannotBeMadeLeaveNothing)
{
    on_both_sides(
        [](Line &) {
            DpuSide own;
            auto connection = own.executor.run(own.server.accept());
            make_all(connection, own.engine);
            own.executor.run(connection.send("made"));
            (void)own.executor.run(connection.receive(std::nothrow));
        },
        [](Line &) {
            HostSide own;
            doca::ComchClient client(own.device, own.engine, kService);
            auto connection = own.executor.run(client.connect());
            make_all(connection, own.engine);
            EXPECT_EQ(own.executor.run(connection.receive()).text(), "made");
            own.executor.run(connection.send("made"));
        });
}

TEST(CppPairAllocation, ServersThatCannotBeMadeLeaveNothing)
{
    on_one_side("dpu", [] {
        DpuSide own;
        const std::string name = "another";
        EXPECT_GT(make_with_failing_memory<doca::ComchServer>(own.engine, own.device,
                                                              own.representor, own.engine, name),
                  5);
    });
}

TEST(CppPairAllocation, ClientsThatCannotBeMadeLeaveNothing)
{
    on_one_side("host", [] {
        HostSide own;
        const std::string name = "another";
        EXPECT_GT(
            make_with_failing_memory<doca::ComchClient>(own.engine, own.device, own.engine, name),
            3);
    });
}
