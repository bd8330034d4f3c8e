// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the DPU: sends each message back to the client that it is from.
// Usage: doca_cpp_comch_echo_server [CLIENTS [PCI-ADDRESS REPRESENTOR]]   ends after so many
// clients

#include <softdoca/doca.hpp>

#include <cstdlib>
#include <iostream>

doca::Coroutine<> serve(doca::ComchConnection connection)
{
    while (true) {
        const auto message = co_await connection.receive(std::nothrow);
        if (!message)
            break; // the client has gone
        std::cout << "received: " << message->text() << std::endl;
        (void)co_await connection.send(std::nothrow, message->bytes());
    }
}

doca::Coroutine<> accept(doca::Executor &executor, doca::ComchServer &server, int num_clients)
{
    for (int i = 0; i < num_clients; ++i)
        executor.spawn(serve(co_await server.accept()));
}

int main(int argc, char **argv)
try {
    const int num_clients = argc > 1 ? std::atoi(argv[1]) : 1;
    const doca::Device device(argc > 2 ? argv[2] : "03:00.0");
    const doca::Representor representor(device, argc > 3 ? argv[3] : "3b:00.0");
    doca::ProgressEngine engine;
    doca::ComchServer server(device, representor, engine, "cpp_echo");
    doca::Executor executor(engine, doca::Wait::epoll);

    executor.spawn(accept(executor, server, num_clients));
    executor.run(); // until the last client has gone
    return 0;
} catch (const doca::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
