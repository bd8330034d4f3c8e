// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the host: sends numbers by the fast path to the consumer of the DPU.
// Usage: doca_cpp_comch_producer [MESSAGES]   (see comch_consumer.cpp)

#include <softdoca/doca.hpp>

#include <cstdlib>
#include <iostream>

doca::Coroutine<> produce(doca::ProgressEngine &engine, const doca::Device &device,
                          doca::ComchClient &client, std::uint64_t num_messages)
{
    auto connection = co_await client.connect();
    doca::ComchProducer producer(connection, engine);
    const std::uint32_t consumer = co_await connection.consumer();

    std::uint64_t number = 0;
    const auto memory = std::as_writable_bytes(std::span(&number, 1));
    const doca::Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    doca::BufferInventory inventory(1);
    const auto buffer = inventory.by_data(mmap, memory);
    while (number < num_messages) {
        ++number;
        co_await producer.send(consumer, buffer); // waits for a receive if none is posted
    }
    std::cout << "sent " << num_messages << std::endl;
    (void)co_await connection.receive(); // "done": all have arrived
}

int main(int argc, char **argv)
try {
    const std::uint64_t num_messages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    const doca::Device device(
        [](doca::DeviceInfo info) { return doca::comch_caps(info).is_client_supported; });
    doca::ProgressEngine engine;
    doca::ComchClient client(device, engine, "cpp_numbers");
    doca::Executor executor(engine);

    executor.run(produce(engine, device, client, num_messages));
    return 0;
} catch (const doca::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
