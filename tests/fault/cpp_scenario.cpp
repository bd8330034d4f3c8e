// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Plays a part that makes every call of the C++ layer, with the shim in front of the C API.
// Exit status: 0 all went well, 3 a doca::Error came out, 4 something was made and not ended, 5 a
// destructor complained.

#include "shim.hpp"

#include <softdoca/doca.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

std::atomic<bool> has_complained{false};

void ask_everything(const doca::Device &device)
{
    const doca::DeviceInfo info = device.info();
    (void)info.pci_addr();
    (void)info.iface_name();
    (void)info.ibdev_name();
    (void)info.mac_addr();
    (void)doca::dma_caps(info);
    (void)doca::comch_caps(info);
    (void)doca::comch_producer_caps(info);
    (void)doca::comch_consumer_caps(info);
}

doca::Coroutine<> copy_twice(doca::Dma &dma, doca::Buffer &src, doca::Buffer &dst)
{
    for (int i = 0; i < 2; ++i) {
        co_await dma.memcpy(src, dst);
        dst.reset_data();
    }
}

void copy(const std::string &)
{
    const doca::Device device(
        [](doca::DeviceInfo info) { return doca::dma_caps(info).is_supported; });
    ask_everything(device);
    std::vector<std::byte> memory(1024), pooled(256);
    const doca::Mmap mmap(device, memory), pool_mmap(device, pooled);
    (void)mmap.memory();
    doca::BufferInventory inventory(8);
    doca::BufferPool pool(2, 64, pool_mmap);
    auto src = inventory.by_data(mmap, std::span(memory).first(64));
    auto dst = inventory.by_addr(mmap, std::span(memory).last(64));
    auto spare = pool.take();
    spare.set_data(spare.memory().first(8));
    (void)spare.data();
    spare.reset_data();
    auto head = inventory.by_addr(mmap, std::span(memory).first(8));
    head.chain(inventory.by_addr(mmap, std::span(memory).first(8)));

    doca::ProgressEngine engine;
    doca::Dma dma(device, engine, {.num_tasks = 2});
    for (const doca::Wait wait : {doca::Wait::polling, doca::Wait::epoll}) {
        doca::Executor executor(engine, wait);
        auto other = inventory.by_addr(mmap, std::span(memory).subspan(512, 64));
        executor.spawn(copy_twice(dma, src, dst));
        executor.spawn(copy_twice(dma, src, other));
        executor.spawn(copy_twice(dma, src, spare)); // there are two tasks only
        (void)executor.dispatch();
        executor.run();
    }
    bool has_ended = false;
    dma.memcpy(src, dst, [&](doca::result<void>) { has_ended = true; });
    while (!has_ended)
        engine.progress();
    doca::Executor executor(engine);
    const auto end = executor.run(dma.memcpy(std::nothrow, src, dst));
    if (end.code() == DOCA_ERROR_IO_FAILED) { // there is no room, and the context stops
        executor.run(dma.idle());
        dma.start();
    }
    dma.stop();
    executor.run(dma.idle());
}

/// On the host; leaves its export in a file.
void export_memory(const std::string &file)
{
    const doca::Device device(std::string("3b:00.0"));
    std::vector<std::byte> memory(4096);
    const doca::Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    const auto descriptor = mmap.export_pci(device);
    std::ofstream(file + ".new", std::ios::binary)
        .write(reinterpret_cast<const char *>(descriptor.data()),
               static_cast<std::streamsize>(descriptor.size()));
    (void)std::rename((file + ".new").c_str(), file.c_str());
    while (std::getchar() != EOF)
        continue;
}

void import_memory(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    const std::string descriptor(std::istreambuf_iterator<char>(in), {});
    const doca::Device device(std::string("03:00.0"));
    doca::ProgressEngine engine;
    doca::Executor executor(engine);
    const auto remote = doca::Mmap::from_export(device, std::as_bytes(std::span(descriptor)));
    std::vector<std::byte> memory(4096);
    const doca::Mmap local(device, memory);
    doca::BufferInventory inventory(2);
    doca::Dma dma(device, engine);
    const auto from = inventory.by_data(remote, remote.memory());
    auto to = inventory.by_addr(local, memory);
    executor.run(dma.memcpy(from, to));
}

// ---- both sides of a connection do the same ----

constexpr int kNum = 20;

doca::Coroutine<> send_all(doca::ComchConnection &connection, doca::ComchProducer &producer,
                           const doca::Buffer &buffer)
{
    const std::uint32_t consumer = co_await connection.consumer();
    for (int i = 0; i < kNum; ++i)
        co_await producer.send(consumer, buffer);
    co_await producer.send_immediate(consumer, std::as_bytes(std::span("imm", 3)));
}

doca::Coroutine<> receive_all(doca::ComchConsumer &consumer)
{
    co_await consumer.running();
    for (int i = 0; i <= kNum; ++i)
        (void)co_await consumer.receive();
}

doca::Coroutine<> talk(doca::ComchConnection &connection)
{
    for (int i = 0; i < kNum; ++i) {
        co_await connection.send("hello");
        (void)co_await connection.receive();
    }
}

void talk_and_stream(const doca::Device &device, doca::ProgressEngine &engine,
                     doca::Executor &executor, doca::ComchConnection &connection)
{
    std::vector<std::byte> memory(64);
    const doca::Mmap mmap(device, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    doca::BufferInventory inventory(1);
    const auto buffer = inventory.by_data(mmap, memory);
    doca::ComchConsumer consumer(connection, engine,
                                 {.num_buffers = 2, .buffer_size = 64, .imm_data_len = 8});
    doca::ComchProducer producer(connection, engine, {.num_tasks = 2});
    (void)consumer.id();
    (void)producer.id();
    (void)connection.counters();
    executor.spawn(talk(connection));
    executor.spawn(receive_all(consumer));
    executor.spawn(send_all(connection, producer, buffer));
    executor.run();
    executor.run(connection.send("done")); // the other side may still receive
    (void)executor.run(connection.receive(std::nothrow));
}

void serve(const std::string &)
{
    const doca::Device device(std::string("03:00.0"));
    const doca::Representor representor(device, "3b:00.0");
    (void)representor.info().pci_addr();
    (void)representor.info().vuid();
    doca::ProgressEngine engine;
    doca::ComchServer server(device, representor, engine, "fault",
                             {.max_msg_size = 1024, .recv_queue_size = 16});
    doca::Executor executor(engine, doca::Wait::epoll);
    auto connection = executor.run(server.accept());
    talk_and_stream(device, engine, executor, connection);
    if (connection.is_up())
        server.disconnect(connection);
}

void be_client()
{
    const doca::Device device(std::string("3b:00.0"));
    doca::ProgressEngine engine;
    doca::ComchClient client(device, engine, "fault",
                             {.max_msg_size = 1024, .recv_queue_size = 16});
    doca::Executor executor(engine, doca::Wait::epoll);
    auto connection = executor.run(client.connect());
    talk_and_stream(device, engine, executor, connection);
    (void)executor.run(connection.receive(std::nothrow)); // until the server disconnects it
}

/// As a partner it comes again if a server that fails has sent it away.
void be_client_again(const std::string &)
{
    for (int i = 0;; ++i) {
        try {
            return be_client();
        } catch (const doca::Error &) {
            if (i == 3)
                throw;
        }
    }
}

int play(const std::function<void()> &part)
{
    try {
        part();
        return 0;
    } catch (const doca::Error &error) {
        std::puts(error.what());
        return 3;
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::map<std::string, void (*)(const std::string &)> parts{
        {"copy", copy},
        {"export", export_memory},
        {"import", import_memory},
        {"serve", serve},
        {"client", [](const std::string &) { be_client(); }},
        {"client again", be_client_again},
    };
    doca::set_complaint([](const char *line) noexcept {
        (void)std::fprintf(stderr, "complaint: %s\n", line);
        has_complained = true;
    });
    const auto part = argc > 1 ? parts.find(argv[1]) : parts.end();
    if (part == parts.end())
        return 2;
    const int status = play([&] { part->second(argc > 2 ? argv[2] : ""); });
    softdoca::test::print_shim_calls();
    if (!softdoca::test::is_shim_balanced())
        return 4;
    return has_complained ? 5 : status;
}
