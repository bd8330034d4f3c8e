// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the DPU: receives numbers by the fast path and adds them up.
// Usage: doca_cpp_comch_consumer [MESSAGES [PCI-ADDRESS REPRESENTOR]]   (see comch_producer.cpp)

#include <softdoca/doca.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>

doca::Coroutine<> consume(doca::ProgressEngine &engine, doca::ComchServer &server,
                          std::uint64_t num_messages)
{
    auto connection = co_await server.accept();
    doca::ComchConsumer consumer(connection, engine, {.num_buffers = 64, .buffer_size = 64});

    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < num_messages; ++i) {
        const auto message = co_await consumer.receive();
        std::uint64_t number = 0;
        std::memcpy(&number, message.bytes().data(), sizeof(number));
        sum += number;
    } // where the message ends its buffer is posted again
    std::cout << "received " << num_messages << ", sum " << sum << std::endl;
    co_await connection.send("done");
}

int main(int argc, char **argv)
try {
    const std::uint64_t num_messages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    const doca::Device device(argc > 2 ? argv[2] : "03:00.0");
    const doca::Representor representor(device, argc > 3 ? argv[3] : "3b:00.0");
    doca::ProgressEngine engine;
    doca::ComchServer server(device, representor, engine, "cpp_numbers");
    doca::Executor executor(engine);

    executor.run(consume(engine, server, num_messages));
    return 0;
} catch (const doca::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
