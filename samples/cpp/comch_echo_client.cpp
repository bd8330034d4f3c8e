// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// On the host: sends each of its arguments to the echo server and shows what comes back.
// Usage: doca_cpp_comch_echo_client [TEXT ...]

#include <softdoca/doca.hpp>

#include <iostream>
#include <string_view>
#include <vector>

doca::Coroutine<> talk(doca::ComchClient &client, const std::vector<std::string_view> &texts)
{
    auto connection = co_await client.connect(); // waits for a server, for ever if need be
    for (const std::string_view text : texts) {
        co_await connection.send(text);
        const auto answer = co_await connection.receive();
        std::cout << "echo: " << answer.text() << std::endl;
    }
}

int main(int argc, char **argv)
try {
    std::vector<std::string_view> texts(argv + 1, argv + argc);
    if (texts.empty())
        texts.push_back("hello");
    const doca::Device device(
        [](doca::DeviceInfo info) { return doca::comch_caps(info).is_client_supported; });
    doca::ProgressEngine engine;
    doca::ComchClient client(device, engine, "cpp_echo");
    doca::Executor executor(engine, doca::Wait::epoll);

    executor.run(talk(client, texts));
    return 0;
} catch (const doca::Error &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
